#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the files of this folder from two npm packages and one of Debian's. Needs Python 3 and nothing else.

    npm pack vega-datasets@3.2.1 && mkdir vega && tar xzf vega-datasets-3.2.1.tgz -C vega
    npm pack world-atlas@2.0.2 && mkdir atlas && tar xzf world-atlas-2.0.2.tgz -C atlas
    apt-get download ferret-datasets && dpkg -x ferret-datasets_*.deb ferret
    python3 make_data.py vega/package atlas/package ferret

Packages of other versions are refused: their data may differ.
"""
import csv
import hashlib
import itertools
import json
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
ARRAY_CODE = {'<i2': 'h', '<u2': 'H', '<i4': 'i', '<f2': 'e', '<f4': 'f'}
SEA_TEMPERATURE_SHA256 = 'b94f55034d13d63f33e2153afddc0c5e00347076c35ab3e34937aec38ce9c4c1'


def write_npy(name, descr, items, shape=None):
    """Writes NumPy's format, version 1.0: magic, header length, header padded to 64 bytes, items."""
    shape = shape or (len(items),)
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    header += ' ' * (-(10 + len(header) + 1) % 64) + '\n'
    code, items = ARRAY_CODE[descr], list(items)
    values = struct.pack(f'<{len(items)}{code}', *items)
    prefix = b'\x93NUMPY\x01\x00' + len(header).to_bytes(2, 'little') + header.encode('ascii')
    (HERE / name).write_bytes(prefix + values)


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


def make_precipitation(package):
    """Precipitation of the year 2016, a row for each degree of latitude from north to south."""
    grid = json.loads((package / 'data/annual-precip.json').read_text())
    assert (grid['scale'], grid['translate']) == ([1, -1], [-180, 87])
    write_npy('annual_precipitation.npy', '<u2', grid['values'], (grid['height'], grid['width']))


class NetcdfFile:
    """What is needed of NetCDF's classic format (version 1): whole variables of floats."""

    def __init__(self, data):
        self.data, self.at = data, 4
        assert data[:4] == b'CDF\x01'
        records = self.number()
        self.extents = [size or records for _, size in self.listed(lambda: (self.name(), self.number()))]
        self.listed(self.attribute)
        self.variables = dict(self.listed(self.variable))

    def number(self):
        self.at += 4
        return int.from_bytes(self.data[self.at - 4:self.at], 'big')

    def name(self):
        length = self.number()
        self.at += length + -length % 4
        return self.data[self.at - length - -length % 4:][:length].decode('ascii')

    def listed(self, read):
        self.number()  # a tag; 0 where the list is empty
        return [read() for _ in range(self.number())]

    def attribute(self):
        name, item_bytes = self.name(), {1: 1, 2: 1, 3: 2, 4: 4, 5: 4, 6: 8}[self.number()]
        length = item_bytes * self.number()
        self.at += length + -length % 4
        return name

    def variable(self):
        name, dimensions = self.name(), [self.number() for _ in range(self.number())]
        self.listed(self.attribute)
        return name, (dimensions, self.number(), self.number(), self.number())  # type, bytes of a record, place

    def records(self, name):
        """The floats of each record of a variable that has records, and the extents of a record."""
        dimensions, item_type, record_bytes, begin = self.variables[name]
        assert item_type == 5
        step = sum(bytes_ for of, _, bytes_, _ in self.variables.values() if of and of[0] == dimensions[0])
        return [[x for x, in struct.iter_unpack('>f', self.data[begin + i * step:begin + i * step + record_bytes])]
                for i in range(self.extents[dimensions[0]])], [self.extents[d] for d in dimensions[1:]]


def make_sea_temperature(package):
    """Mean temperature of the sea's surface by month; rows from north to south, columns from 179 west; NaN on land."""
    data = (package / 'usr/share/ferret-vis/data/coads_climatology.cdf').read_bytes()
    if hashlib.sha256(data).hexdigest() != SEA_TEMPERATURE_SHA256:
        sys.exit(f'{package}: another coads_climatology.cdf')
    months, (rows, columns) = NetcdfFile(data).records('SST')  # rows from 89 south, columns from 21 east
    items = []
    for month in months:
        for row in reversed(range(rows)):
            numbers = month[row * columns:(row + 1) * columns]
            items += numbers[80:] + numbers[:80]
    numbers = [x if x > -100 else float('nan') for x in items]
    write_npy('sea_temperature.npy', '<f2', numbers, (len(months), rows, columns))


def make_routes(package):
    """Flights from airport to airport in 2008, as a Matrix Market file: row and column are airports, by their codes."""
    with open(package / 'data/flights-airport.csv', newline='') as file:
        routes = [(row['origin'], row['destination'], int(row['count'])) for row in csv.DictReader(file)]
    airports = sorted({airport for route in routes for airport in route[:2]})
    number = {airport: index + 1 for index, airport in enumerate(airports)}
    entries = sorted((number[origin], number[destination], count) for origin, destination, count in routes)
    lines = ['%%MatrixMarket matrix coordinate integer general',
             '% Flights in 2008 from the airport of the row to that of the column; line i of routes_codes.txt is '
             'number i.',
             '% Origin and licence: README.md',
             f'{len(airports)} {len(airports)} {len(entries)}']
    lines += [f'{row} {column} {count}' for row, column, count in entries]
    (HERE / 'routes.mtx').write_text('\n'.join(lines) + '\n')
    (HERE / 'routes_codes.txt').write_text('\n'.join(airports) + '\n')


def decode_arcs(topology):
    """TopoJSON's arcs as lists of (longitude, latitude) in degrees. In the file each point is a step on a fine grid."""
    scale, origin = topology['transform']['scale'], topology['transform']['translate']
    return [[(x * scale[0] + origin[0], y * scale[1] + origin[1])
             for x, y in itertools.accumulate(arc, lambda p, step: (p[0] + step[0], p[1] + step[1]))]
            for arc in topology['arcs']]


def join_arcs(arcs, numbers):
    """The points of a ring, which is a list of arc numbers; ~i is arc i backwards. Arcs share their end points."""
    ring = []
    for number in numbers:
        arc = arcs[number] if number >= 0 else arcs[~number][::-1]
        assert not ring or ring[-1] == arc[0]
        ring += arc[1:] if ring else arc
    assert ring[0] == ring[-1]
    return ring


def unwrap(ring):
    """The ring without jumps at the antimeridian: its longitudes go on past 180 or -180 degrees instead.

    A ring around a pole ends a whole turn from its start. It is closed by way of the pole, as on a map.
    """
    turns = 0
    points = [ring[0]]
    for (before, _), (longitude, latitude) in itertools.pairwise(ring):
        turns += (before - longitude > 180) - (before - longitude < -180)
        point = (longitude + 360 * turns, latitude)
        if point != points[-1]:  # the atlas cuts at the antimeridian with a point on either side
            points.append(point)
    if turns:
        pole = 90 if points[0][1] > 0 else -90
        points += [(points[-1][0], pole), (points[0][0], pole), points[0]]
    return points


def turn_counterclockwise(ring, is_hole):
    """Counterclockwise for the outline of a polygon, clockwise for a hole in it."""
    twice_area = sum((x2 - x1) * (y1 + y2) for (x1, y1), (x2, y2) in itertools.pairwise(ring))
    return ring[::-1] if (twice_area > 0) != is_hole else ring


def is_pole(ring):
    """Whether the ring is a pole, which the atlas draws as the outline of Antarctica, and its coast as a hole in it."""
    return all(abs(latitude) > 89.99 for _, latitude in ring)


def ends_of(ring):
    longitudes = [longitude for longitude, _ in ring]
    return min(longitudes), max(longitudes)


def gather(rings):
    """Moves rings by whole turns so that the box around all of them is the narrowest, with its middle in [-180, 180).

    The box begins behind the widest gap between the rings on the circle of longitudes, or at -180 if there is no gap.
    """
    spans = sorted((west % 360, west % 360 + east - west) for west, east in map(ends_of, rings))
    begin, widest = 0, 0
    reached = max(east for _, east in spans) - 360
    for west, east in spans:
        if west - reached > widest:
            begin, widest = west, west - reached
        reached = max(reached, east)
    if widest == 0:
        begin = -180
    moved = []
    for ring in rings:
        turns = (ends_of(ring)[0] - begin + 1e-6) // 360  # the ring that begins the box has a rounding error
        moved.append([(longitude - 360 * turns, latitude) for longitude, latitude in ring])
    middle = (min(ends_of(ring)[0] for ring in moved) + max(ends_of(ring)[1] for ring in moved)) / 2
    turns = (middle + 180) // 360
    return [[(longitude - 360 * turns, latitude) for longitude, latitude in ring] for ring in moved]


def make_countries(package):
    """The countries' rings, one country after another in the order of their names."""
    topology = json.loads((package / 'countries-50m.json').read_text())
    arcs = decode_arcs(topology)
    countries = sorted(topology['objects']['countries']['geometries'], key=lambda c: c['properties']['name'])
    points, offsets, owners = [], [0], []
    for number, country in enumerate(countries):
        polygons = country['arcs'] if country['type'] == 'MultiPolygon' else [country['arcs']]
        rings = []
        for polygon in polygons:
            outlines = [ring for ring in (join_arcs(arcs, numbers) for numbers in polygon) if not is_pole(ring)]
            rings += [turn_counterclockwise(unwrap(ring), is_hole=index > 0) for index, ring in enumerate(outlines)]
        for ring in gather(rings):
            assert ring[0] == ring[-1] and len(ring) >= 4
            points += [coordinate for point in ring for coordinate in point]
            offsets.append(len(points) // 2)
            owners.append(number)
    write_npy('country_points.npy', '<f4', points, (len(points) // 2, 2))
    write_npy('country_ring_offsets.npy', '<i4', offsets)
    write_npy('country_ring_owners.npy', '<i4', owners)
    (HERE / 'country_names.txt').write_text('\n'.join(c['properties']['name'] for c in countries) + '\n', 'utf-8')


def package_folder(argument, name, version):
    package = pathlib.Path(argument)
    found = json.loads((package / 'package.json').read_text())
    if (found['name'], found['version']) != (name, version):
        sys.exit(f"{package}: {found['name']} {found['version']}, not {name} {version}")
    return package


if __name__ == '__main__':
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    vega = package_folder(sys.argv[1], 'vega-datasets', '3.2.1')
    atlas = package_folder(sys.argv[2], 'world-atlas', '2.0.2')
    make_flights_by_time(vega)
    make_flights_by_airport(vega)
    make_routes(vega)
    make_precipitation(vega)
    make_countries(atlas)
    make_sea_temperature(pathlib.Path(sys.argv[3]))
