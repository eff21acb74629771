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


def bounding_box():
    _, coordinates = read_npy(DATA / 'dragon_vertices.npy')
    single = lambda x: struct.unpack('<f', struct.pack('<f', x))[0]
    rows = []
    for axis in range(3):
        low, high = min(coordinates[axis::3]), max(coordinates[axis::3])
        rows.append(f"{'xyz'[axis]} {low:.6g} {high:.6g} {single(high - low):.6g}")
    return rows


def surface():
    _, coordinates = read_npy(DATA / 'dragon_vertices.npy')
    _, corners = read_npy(DATA / 'dragon_triangles.npy')
    point = lambda i: [Fraction(x) for x in coordinates[3 * i:3 * i + 3]]
    areas, longest = [], 0
    for i in range(0, len(corners), 3):
        a, b, c = map(point, corners[i:i + 3])
        u, v, w = ([q - p for p, q in zip(*pair)] for pair in ((a, b), (a, c), (b, c)))
        normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
        areas.append(math.sqrt(sum(x * x for x in normal)) / 2)
        longest = max(longest, *(sum(x * x for x in edge) for edge in (u, v, w)))
    return [f'surface area {math.fsum(areas) * 1e4:.4f} cm²', f'longest edge {math.sqrt(longest) * 1e3:.4f} mm']


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


def mesh_bounding_boxes(levels=6):
    """The levels of the k-d tree. Its boxes are doubles here, which hold every float."""
    _, coordinates = read_npy(DATA / 'dragon_vertices.npy')
    _, corners = read_npy(DATA / 'dragon_triangles.npy')
    points = [coordinates[i:i + 3] for i in range(0, len(coordinates), 3)]
    cells = [[tuple(points[k] for k in corners[i:i + 3]) for i in range(0, len(corners), 3)]]
    lines = []
    for level in range(levels + 1):
        volumes, halves = [], []
        for cell in cells:
            if not cell:
                halves += [[], []]
                continue
            ends = [(min(p[axis] for t in cell for p in t), max(p[axis] for t in cell for p in t)) for axis in range(3)]
            sizes = [high - low for low, high in ends]
            axis = sizes.index(max(sizes))
            middle = sum(ends[axis]) / 2
            volumes.append(sizes[0] * sizes[1] * sizes[2])
            is_low = lambda t: (t[0][axis] + t[1][axis] + t[2][axis]) / 3 < middle
            halves += [[t for t in cell if is_low(t)], [t for t in cell if not is_low(t)]]
        if level == 0:
            whole_volume = volumes[0]
        counts = [len(cell) for cell in cells]
        share = 100 * math.fsum(volumes) / whole_volume
        lines.append(f'{level} {len(cells)} {whole(min(counts))} {whole(max(counts))} {share:.1f} %')
        cells = halves
    return lines + ['On every level the boxes together are the whole box:']


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


def cmake_list(name, lines):
    return f'set({name}' + ''.join(f'\n  "{line}"' for line in lines) + ')\n'


if __name__ == '__main__':
    text = '# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n# Made by reference.py: what the examples must print.\n'
    right = ['int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'bool', 'float16', 'float32',
             'float64', 'tiny_float64', 'one_item', 'no_axes']
    for name in right:
        text += cmake_list(f'expected_{name}', statistics(HERE / 'files' / f'{name}.npy'))
    for name in ('flight_delays', 'flight_minutes', 'airport_owners', 'dragon_vertices'):
        text += cmake_list(f'expected_{name}', statistics(DATA / f'{name}.npy'))
    text += cmake_list('expected_bounding_box', bounding_box()) + cmake_list('expected_surface', surface())
    text += cmake_list('expected_delays', delays_by_airport()) + cmake_list('expected_boxes', mesh_bounding_boxes())
    text += cmake_list('expected_routes', sparse_rows())
    (HERE / 'expected.cmake').write_text(text)
