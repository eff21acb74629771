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
    (HERE / 'expected.cmake').write_text(text)
