#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Computes what the examples must print, in exact rational arithmetic and with code of its own, and writes
expected.cmake. Python 3 and nothing else.

    python3 make_files.py && python3 reference.py
"""
import math
import pathlib
import re
import struct
from decimal import Decimal, getcontext
from fractions import Fraction

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parent.parent / 'examples' / 'data'
CODES = {'i1': 'b', 'i2': 'h', 'i4': 'i', 'i8': 'q', 'u1': 'B', 'u2': 'H', 'u4': 'I', 'u8': 'Q',
         'f2': 'e', 'f4': 'f', 'f8': 'd', 'b1': 'B'}
getcontext().prec = 60


def read_npy(path):
    data = path.read_bytes()
    begin = 10 if data[6] == 1 else 12
    begin += int.from_bytes(data[8:begin], 'little')
    kind = re.search(rb"'descr': '[<|](..)'", data).group(1).decode()
    return kind, [item for item, in struct.iter_unpack('<' + CODES[kind], data[begin:])]


def to_decimal(x):
    x = Fraction(x)
    return Decimal(x.numerator) / Decimal(x.denominator)


def square_root(x):
    return to_decimal(x).sqrt()


def whole(x):
    return f'{x:,}'.replace(',', ' ')


def shortest(x, code):
    """The fewest digits that read back as the same number of the type."""
    for digits in range(1, 18):
        text = f'{x:.{digits}g}'
        if struct.unpack('<' + code, struct.pack('<' + code, float(text)))[0] == x:
            return text


def real(x, scale):
    """x, rounded at the tenth significant digit of the larger of |x| and scale, without trailing zeros."""
    x = to_decimal(x)
    if x == 0:
        return '0'
    decimals = 9 - max(abs(x), to_decimal(scale)).adjusted()
    if 0 <= decimals <= 15:
        text = f'{x:.{decimals}f}'
        return text.rstrip('0').rstrip('.') if '.' in text else text
    text = f'{x:.{max(0, decimals + x.adjusted())}e}'
    mantissa, exponent = text.split('e')
    return f'{mantissa}e{exponent[0]}{exponent[1:].zfill(2)}'


def statistics(path):
    kind, items = read_npy(path)
    count, low, high = len(items), min(items), max(items)
    mean = sum(map(Fraction, items)) / count
    deviation = square_root(sum((item - mean) ** 2 for item in map(Fraction, items)) / count)
    if kind[0] == 'f':
        # float16 is accumulated, and printed, as float32
        ends = [shortest(x, 'd' if kind == 'f8' else 'f') for x in (low, high)]
    else:
        ends = [whole(low), whole(high)]
    return [f'count {whole(count)}', f'minimum {ends[0]}', f'maximum {ends[1]}',
            f'mean {real(mean, max(-low, high, 0))}', f'standard deviation {real(deviation, 0)}']


class Outlines:
    """The rings of each country, as lists of (longitude, latitude) in degrees, with the country's name."""

    def __init__(self, places, offsets, owners=None, names=None):
        self.file = places.name
        _, coordinates = read_npy(places)
        self.places = list(zip(coordinates[::2], coordinates[1::2]))
        _, offsets = read_npy(offsets)
        owners = read_npy(owners)[1] if owners else range(len(offsets) - 1)
        names = names or [f'number {owner}' for owner in range(max(owners) + 1)]
        self.countries = [(name, []) for name in names]
        for owner, begin, end in zip(owners, offsets, offsets[1:]):
            self.countries[owner][1].append(self.places[begin:end])


BUNDLED = Outlines(DATA / 'country_points.npy', DATA / 'country_ring_offsets.npy', DATA / 'country_ring_owners.npy',
                   (DATA / 'country_names.txt').read_text('utf-8').splitlines())
RINGS = HERE / 'files' / 'ring_places.npy', HERE / 'files' / 'ring_offsets.npy'


def distance(a, b):
    """Between two places in km, by the angle between their vectors: another way than the examples'."""
    vectors = []
    for longitude, latitude in (a, b):
        x, y = math.radians(longitude), math.radians(latitude)
        vectors.append((math.cos(y) * math.cos(x), math.cos(y) * math.sin(x), math.sin(y)))
    (ax, ay, az), (bx, by, bz) = vectors
    cross = math.hypot(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)
    return 6371.0072 * math.atan2(cross, ax * bx + ay * by + az * bz)


def lengths(ring):
    return [distance(a, b) for a, b in zip(ring, ring[1:])]


def authalic(latitude):
    """y of Lambert's cylindrical equal-area projection of WGS84 in km (Snyder, Map Projections, 1987, eq. 3-12)."""
    flattening = 1 / 298.257223563
    e2 = flattening * (2 - flattening)
    e, s = math.sqrt(e2), math.sin(math.radians(latitude))
    return 6378.137 * (1 - e2) * (s / (1 - e2 * s * s) - math.log((1 - e * s) / (1 + e * s)) / (2 * e)) / 2


def area(ring):
    """Signed, in km2, with x counted from the ring's first place, so that little cancels."""
    to_km = lambda degrees: 6378.137 * math.radians(degrees)
    return math.fsum(to_km(a[0] - b[0]) * (authalic(a[1]) + authalic(b[1])) / 2 for a, b in zip(ring, ring[1:]))


def degrees(x, letters):
    if abs(x) > 180:
        x -= 360 * round(x / 360)
    return f'{abs(x):.1f}°{letters[x < 0]}'


def country_boxes(outlines, top=12):
    rows, empty = [], []
    for name, rings in outlines.countries:
        if not rings:
            empty.append(f'{name} 0 0')
            continue
        (west, south), (east, north) = (tuple(map(end, zip(*sum(rings, [])))) for end in (min, max))
        box = 6378.137 * math.radians(east - west) * (authalic(north) - authalic(south))
        rows.append((abs(sum(map(area, rings))), name, len(rings), south, west, north, east, box))
    rows.sort(key=lambda row: -row[0])
    lines = [f'{outlines.file}: {len(rows) + len(empty)} countries, {whole(sum(row[2] for row in rows))} outlines and '
             f'holes, {whole(len(outlines.places))} places']
    for size, name, rings, south, west, north, east, box in rows[:top]:
        lines.append(f'{name} {whole(round(size))} {rings} {degrees(south, "NS")} {degrees(west, "EW")} '
                     f'{degrees(north, "NS")} {degrees(east, "EW")} {100 * size / box:.1f} %')
    for what, measure in (('northernmost', lambda row: -row[5]), ('southernmost', lambda row: row[3]),
                          ('most rings', lambda row: -row[2]), ('fullest box', lambda row: -row[0] / row[7]),
                          ('emptiest box', lambda row: row[0] / row[7])):
        size, name, rings, south, _, north, _, box = min(rows, key=measure)
        shown = whole(round(size)) if size >= 1000 else real(round(size, 3), 0)
        lines.append(f'{what} {name}: {shown} km² in {"one ring" if rings == 1 else f"{rings} rings"}, '
                     f'{degrees(south, "NS")} to {degrees(north, "NS")}, {100 * size / box:.3g} % of its box')
    return lines + empty + [f'All together: {whole(round(sum(row[0] for row in rows)))} km². '
                            "The CPU's boxes and areas are the same."]


def track(places):
    legs = lengths(places)
    return [f'length {math.fsum(legs):.3f} km', f'longest leg {max(legs, default=0):.3f} km',
            f'end to start {distance(places[-1], places[0]):.3f} km', "The CPU's results are the same."]


def outline_lengths(outlines, top=5):
    rings = [(name, lengths(ring)) for name, rings in outlines.countries for ring in rings]
    longest = sorted(rings, key=lambda named: -math.fsum(named[1]))[:top]
    edges = [edge for _, ring in rings for edge in ring]
    outline = max((ring for _, rings in outlines.countries for ring in rings), key=lambda ring: math.fsum(lengths(ring)))
    way, half = lengths(outline), math.fsum(lengths(outline)) / 2 * (1 - 1e-9)
    longitude, latitude = next(at for i, at in enumerate(outline) if math.fsum(way[:i]) >= half)
    return ([f'{name} {whole(len(ring))} {math.fsum(ring):.3f} km' for name, ring in longest] +
            [f'all of them together {math.fsum(edges):.3f} km', f'longest edge {max(edges):.3f} km',
             f'half of the longest lies before longitude {longitude:.2f}, latitude {latitude:.2f}',
             "The CPU's results are the same."])


def delays_of(delays):
    """A line of delays_by_airport's tables, without its name."""
    if not delays:
        return '0'
    mean = sum(delays) / len(delays)
    marks = '█' * min(int(mean), 50) + ('…' if mean >= 51 else '')
    return f'{whole(len(delays))} {mean:.1f} {whole(max(delays))}' + (' ' + marks if mean >= 1 else '')


def grouped(delays, groups):
    found = {}
    for group, delay in zip(groups, delays):
        found.setdefault(group, []).append(delay)
    return found


def delays_by_airport(top=5, least=50):
    read = lambda name: read_npy(DATA / f'{name}.npy')[1]
    codes = (DATA / 'airport_codes.txt').read_text().split()
    groups = grouped(read('airport_delays'), read('airport_owners'))
    airports = [(codes[airport], delays) for airport, delays in sorted(groups.items()) if len(delays) >= least]
    airports.sort(key=lambda named: Fraction(-sum(named[1]), len(named[1])))
    lines = [f'Latest of the {len(airports)} airports with {least} flights or more']
    lines += [f'{code} {delays_of(delays)}' for code, delays in airports[:top] + airports[-top:]]
    hours = grouped(read('flight_delays'), [minute // 60 for minute in read('flight_minutes')])
    lines += [f'{hour:02}:00 {delays_of(hours.get(hour, []))}' for hour in range(24)]
    return lines + [f'Owners and offsets give the same: {len(codes)} airports, 24 hours.']


def running_totals(top=12):
    read = lambda name: read_npy(DATA / f'airport_{name}.npy')[1]
    codes = (DATA / 'airport_codes.txt').read_text().split()
    flights = grouped(list(zip(read('minutes'), read('delays'))), read('owners'))
    lines, days = [], []
    for code, number in zip(codes, range(len(codes))):
        day = sorted(flights.get(number, []), key=lambda flight: flight[0])
        days.append((-sum(delay for _, delay in day), code, day))
    for total, code, day in sorted(days, key=lambda named: named[0])[:top]:
        in_hour = [sum(delay for minute, delay in day if minute // 60 == hour) for hour in range(24)]
        until = [sum(in_hour[:hour + 1]) for hour in range(24)]
        curve = ''.join('▁▂▃▄▅▆▇█'[-(-8 * height // max(until)) - 1] if height > 0 else '·' for height in until)
        half = next(minute for i, (minute, _) in enumerate(day) if 2 * sum(delay for _, delay in day[:i + 1]) >= -total)
        worst = in_hour.index(max(in_hour))
        lines.append(f'{code} {whole(len(day))} {whole(-total)} {curve} {half // 60:02}:{half % 60:02} {worst:02}:00 '
                     f'{whole(in_hour[worst])}')
    count = sum(len(day) for _, _, day in days)
    return lines + [f'{whole(count)} flights, {len(codes)} airports. Offsets and the CPU give the same.']


def sparse_rows(top=8):
    """Of whole numbers: sums, squares and products are exact."""
    lines = [line.split() for line in (DATA / 'routes.mtx').read_text().splitlines() if not line.startswith('%')]
    (count, columns, entries), *listed = [list(map(int, words)) for words in lines]
    codes = (DATA / 'routes_codes.txt').read_text().split()
    rows = [[(column - 1, value) for row, column, value in listed if row == number] for number in range(1, count + 1)]
    sums = [sum(value for _, value in row) for row in rows]
    text = [f'routes.mtx: {count} x {columns}, integer general, {whole(entries)} entries',
            f'longest row {max(map(len, rows))} entries, empty rows {rows.count([])}, x: row sums']
    for number in sorted(range(count), key=lambda number: -sums[number])[:top]:
        row, norm = rows[number], square_root(sum(value * value for _, value in rows[number]))
        text.append(f'{codes[number]} {whole(len(row))} {whole(sums[number])} {real(norm, 0)} '
                    f'{whole(sum(value * sums[column] for column, value in row))}')
    return text + ["The CPU's results are the same, to the bit."]


def rain_map(path, rows, columns, box=8):
    items = read_npy(path)[1]
    assert len(items) == rows * columns

    def mean(values):
        return f'{float(Fraction(sum(values), len(values))):.1f}'

    def latitude(row):
        return f'{87 - row}°N' if row <= 87 else f'{row - 87}°S'

    def longitude(column):
        return f'{180 - column}°W' if column < 180 else f'{column - 180}°E'

    def place(name, number):
        if name == 'row':
            return f'{latitude(number)} to {latitude(number + 1)}'
        if name == 'column':
            return f'{longitude(number)} to {longitude(number + 1)}'
        top, left = box * (number // (columns // box)), box * (number % (columns // box))
        return f'{latitude(top)} to {latitude(top + box)}, {longitude(left)} to {longitude(left + box)}'

    by_rows = [items[row * columns:(row + 1) * columns] for row in range(rows)]
    by_columns = [items[column::columns] for column in range(columns)]
    boxes = [[items[(top + row) * columns + left + column] for row in range(box) for column in range(box)]
             for top in range(0, rows - box + 1, box) for left in range(0, columns - box + 1, box)]
    belts = [items[top * columns:(top + box) * columns] for top in range(0, rows - box + 1, box)]
    means = [sum(belt) / len(belt) for belt in belts]
    lines = [f'{latitude(box * i)} to {latitude(box * i + box)} {mean(belt)} {max(belt)} '
             + int(30 * means[i] / max(means)) * '█' for i, belt in enumerate(belts)]
    for name, groups in (('row', by_rows), ('column', by_columns), ('box', boxes)):
        largest = max(range(len(groups)), key=lambda i: Fraction(sum(groups[i]), len(groups[i])))
        lines.append(f'largest mean of a {name}: {mean(groups[largest])}, {place(name, largest)}')
    return lines + ['plain loops give the same']


def summed_area(path, rows, columns):
    """Sums of boxes by running sums along rows, then down columns: no table."""
    items = read_npy(path)[1]
    lines = []
    for size in (4 ** i for i in range(4)):
        along = [[sum(items[row * columns + left:row * columns + left + size]) for left in range(columns - size + 1)]
                 for row in range(rows)]
        boxes = {(top, left): sum(along[top + row][left] for row in range(size))
                 for top in range(rows - size + 1) for left in range(columns - size + 1)}
        top, left = max(boxes, key=lambda at: (boxes[at], (-at[0], -at[1])))
        lines.append(f'{size} x {size} {boxes[top, left] / size ** 2:.1f} {top} {left}')
    return lines + [f'mean of all: {sum(items) / len(items):.1f}', 'plain loops give the same']


MONTHS = ('January February March April May June July August September October November December').split()


def sea_seasons(path, rows, columns, belt=5):
    items = read_npy(path)[1]
    assert len(items) == 12 * rows * columns

    def known(values):
        return [x for x in values if x == x]

    def mean(values):
        return f'{float(sum(map(Fraction, values)) / len(values)):.2f}'

    def degrees(row):
        latitude = 90 - 180 * row // rows
        return f'{abs(latitude)}°{"NS"[latitude < 0]}'

    def rows_of(month, first, count):
        return items[(month * rows + first) * columns:(month * rows + first + count) * columns]

    lines = []
    for month in range(12):
        halves = [known(rows_of(month, half * rows // 2, rows // 2)) for half in (0, 1)]
        lines.append(f'{MONTHS[month]} ' + ' '.join(f'{mean(half)} {len(half)}' for half in halves))
    for first in range(0, rows - belt + 1, belt):
        all_items = [x for month in range(12) for x in rows_of(month, first, belt)]
        if sea := known(all_items):
            lines.append(f'{degrees(first)} to {degrees(first + belt)} {mean(sea)} {min(sea):.2f} {max(sea):.2f} '
                         f'{100 * len(sea) / len(all_items):.0f} %')
    places = [items[place::rows * columns] for place in range(rows * columns)]
    change = {i: max(place) - min(place) for i, place in enumerate(places) if len(known(place)) == 12}
    most = max(change, key=lambda i: (change[i], -i))
    warmest = {i: places[i].index(max(places[i])) for i in change}
    lines.append(f'largest change: {min(places[most]):.2f} to {max(places[most]):.2f} in row {most // columns}, '
                 f'column {most % columns}, warmest in {MONTHS[warmest[most]]}')
    for half, name in enumerate(('north', 'south')):
        counts = [sum(1 for i in change if (2 * i >= rows * columns) == half and warmest[i] == m) for m in range(12)]
        lines.append(f'most places of the {name} are warmest in {MONTHS[counts.index(max(counts))]}: '
                     f'{whole(max(counts))} of them')
    return lines + ["the CPU's results are the same, to the bit"]


def cmake_list(name, lines):
    return f'set({name}' + ''.join(f'\n  "{line}"' for line in lines) + ')\n'


if __name__ == '__main__':
    text = ('# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n'
            '# Made by reference.py: what the examples must print.\n')
    right = ['int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'bool', 'float16', 'float32',
             'float64', 'tiny_float64', 'one_item', 'no_axes']
    for name in right:
        text += cmake_list(f'expected_{name}', statistics(HERE / 'files' / f'{name}.npy'))
    for name in ('flight_delays', 'flight_minutes', 'airport_owners', 'country_points'):
        text += cmake_list(f'expected_{name}', statistics(DATA / f'{name}.npy'))
    owned_rings = Outlines(*RINGS, HERE / 'files' / 'ring_owners.npy', ['here', 'nowhere', 'there'])
    most_detailed = max((ring for _, rings in BUNDLED.countries for ring in rings), key=len)
    text += cmake_list('expected_countries', country_boxes(BUNDLED))
    text += cmake_list('expected_named_rings', country_boxes(owned_rings))
    text += cmake_list('expected_rings', country_boxes(Outlines(*RINGS)))
    text += cmake_list('expected_outlines', outline_lengths(BUNDLED))
    text += cmake_list('expected_ring_lengths', outline_lengths(Outlines(*RINGS)))
    text += cmake_list('expected_track', track(most_detailed))
    text += cmake_list('expected_two_places', track([(2.5, 48.75), (-74, 40.75)]))
    text += cmake_list('expected_delays', delays_by_airport())
    text += cmake_list('expected_rain', rain_map(DATA / 'annual_precipitation.npy', 168, 360))
    text += cmake_list('expected_areas', summed_area(DATA / 'annual_precipitation.npy', 168, 360))
    text += cmake_list('expected_sea', sea_seasons(DATA / 'sea_temperature.npy', 90, 180))
    text += cmake_list('expected_totals', running_totals())
    text += cmake_list('expected_routes', sparse_rows())
    (HERE / 'expected.cmake').write_text(text)
