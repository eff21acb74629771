#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the arrays in files/ that the examples are tested on. Python 3 and nothing else; the same bytes on every run.

    python3 make_files.py
"""
import pathlib
import random
import struct

FILES = pathlib.Path(__file__).resolve().parent / 'files'
CODES = {'i1': 'b', 'i2': 'h', 'i4': 'i', 'i8': 'q', 'u1': 'B', 'u2': 'H', 'u4': 'I', 'u8': 'Q',
         'f2': 'e', 'f4': 'f', 'f8': 'd', 'b1': '?'}


def npy(descr, items, shape=None, fortran_order=False, version=1, descr_text=None):
    header = (f"{{'descr': {descr_text or repr(descr)}, 'fortran_order': {fortran_order}, "
              f"'shape': {shape or (len(items),)}, }}")
    length_bytes = 2 if version == 1 else 4
    header += ' ' * (-(8 + length_bytes + len(header) + 1) % 64) + '\n'
    prefix = b'\x93NUMPY' + bytes([version, 0]) + len(header).to_bytes(length_bytes, 'little')
    order = descr[0].replace('|', '<')
    return prefix + header.encode('ascii') + struct.pack(f'{order}{len(items)}{CODES[descr[1:]]}', *items)


def write(name, data):
    (FILES / name).write_bytes(data)


def make_right_files():
    draw = random.Random(20240229)
    whole = lambda low, high, count: [draw.randint(low, high) for _ in range(count)]
    for bits in (8, 16, 32):
        order, descr = '|' if bits == 8 else '<', str(bits // 8)
        low, high = -2**(bits - 1), 2**(bits - 1) - 1
        write(f'int{bits}.npy', npy(order + 'i' + descr, [low, high] + whole(low, high, 331)))
        write(f'uint{bits}.npy', npy(order + 'u' + descr, [0, 2**bits - 1] + whole(0, 2**bits - 1, 331)))
    # Nanoseconds since 1970 within one microsecond: in double, neighbours of these numbers are 256 apart.
    write('int64.npy', npy('<i8', [1_700_000_000_000_000_000 + offset for offset in whole(0, 999, 333)]))
    write('uint64.npy', npy('<u8', [0, 2**64 - 1] + whole(0, 2**64 - 1, 331)))
    write('bool.npy', npy('|b1', [draw.random() < 0.25 for _ in range(333)]))
    write('float16.npy', npy('<f2', [draw.gauss(0.5, 2) for _ in range(333)]))
    write('float32.npy', npy('<f4', [draw.gauss(0, 1000) for _ in range(333)], shape=(37, 3, 3)))
    # A large offset with little around it: the mean of these lies between two neighbouring doubles.
    write('float64.npy', npy('<f8', [1e15 + draw.randint(0, 1) / 8 for _ in range(333)], version=2))
    write('tiny_float64.npy', npy('<f8', [draw.uniform(-1e-200, 3e-200) * 1e100 for _ in range(333)], version=3))
    write('one_item.npy', npy('<f4', [-2.5]))
    write('no_axes.npy', npy('<i4', [7], shape='()'))
    write('not_a_number.npy', npy('<f4', [1, float('nan'), 3]))
    write('infinite.npy', npy('<f8', [1, float('-inf'), 3]))
    write('nothing_but_nan.npy', npy('<f4', [float('nan')] * 3))
    write('infinities.npy', npy('<f4', [float('inf'), 1, float('-inf')]))
    write('far_apart.npy', npy('<f8', [1.5e308, -1.5e308]))
    write('raw_float32.bin', struct.pack('<5f', 1, 2, 3, 4, 6.5))


def make_rings():
    """A small one; a square across the antimeridian, clockwise, with a triangular hole; and two places far apart."""
    small = [(0, 0), (1, 0), (1, 1), (0, 0.5), (0, 0)]
    large = [(179, -1), (179, 1), (181, 1), (181, -1), (179, -1)]
    hole = [(179.5, -0.5), (180.5, -0.5), (180, 0.5), (179.5, -0.5)]
    places = lambda *rings: npy('<f4', [x for ring in rings for place in ring for x in place],
                                shape=(sum(map(len, rings)), 2))
    write('ring_places.npy', places(small, large, hole))
    write('ring_offsets.npy', npy('<i4', [0, 5, 10, 14]))
    write('ring_owners.npy', npy('<i4', [0, 2, 2]))
    write('ring_on_one_spot.npy', places([(3, 4)] * 4, small))
    write('ring_offsets_of_two.npy', npy('<i4', [0, 4, 9]))
    write('two_places.npy', places([(2.5, 48.75), (-74, 40.75)]))
    write('places_with_nan.npy', places([(1, 5), (float('nan'), -1), (3, 8)]))
    write('places_past_the_pole.npy', places([(1, 5), (2, -90), (3, 90.5)]))
    write('ring_offsets_from_1.npy', npy('<i4', [1, 5, 10, 14]))
    write('ring_offsets_too_many.npy', npy('<i4', [0, 5, 10, 15]))
    write('ring_offsets_not_closed.npy', npy('<i4', [0, 5, 9, 14]))
    write('ring_offsets_short.npy', npy('<i4', [0, 5, 10, 11, 14]))
    write('ring_offsets_descending.npy', npy('<i4', [0, -2**31, 2**31 - 1, 14]))
    write('ring_owners_two.npy', npy('<i4', [0, 2]))
    write('ring_owners_negative.npy', npy('<i4', [-1, 2, 2]))
    write('ring_owners_descending.npy', npy('<i4', [1, 2, 0]))


def make_delays():
    """Five flights of airports 0 and 2."""
    write('delays.npy', npy('<i2', [30, -10, 1, 2, 3]))
    write('delay_owners.npy', npy('<i4', [0, 0, 2, 2, 2]))


def make_fields():
    """Twelve months of 2 x 2 places."""
    nan, inf = float('nan'), float('inf')
    write('sea_nowhere.npy', npy('<f2', [nan] * 48, shape=(12, 2, 2)))
    write('sea_in_the_south.npy', npy('<f2', [x for month in range(12) for x in (nan, nan, nan, month % 7)],
                                      shape=(12, 2, 2)))
    write('sea_infinite.npy', npy('<f2', [x for month in range(12) for x in (inf, -inf, month, inf if month else -inf)],
                                  shape=(12, 2, 2)))


def make_wrong_files():
    whole = npy('<i4', list(range(100)))
    write('truncated.npy', whole[:-1])
    write('truncated_header.npy', whole[:40])
    write('big_endian.npy', npy('>f4', [1, 2, 3]))
    write('fortran_order.npy', npy('<f4', [1, 2, 3, 4, 5, 6], shape=(2, 3), fortran_order=True))
    write('complex.npy', npy('<f4', [1, 2, 3, 4], shape=(2,), descr_text="'<c8'"))
    write('records.npy', npy('<f4', [1, 2], descr_text="[('x', '<f4')]"))
    write('empty.npy', npy('<f4', []))
    write('empty_places.npy', npy('<f4', [], shape=(0, 2)))
    write('empty_grid.npy', npy('<u2', [], shape=(0, 360)))
    write('empty_field.npy', npy('<f2', [], shape=(12, 0, 180)))
    write('odd_field.npy', npy('<f2', [0] * 36, shape=(12, 3, 1)))
    write('not_npy.npy', b'delay,distance\n3,1452\n')
    write('raw_truncated.bin', b'12345')
    write('empty.bin', b'')


if __name__ == '__main__':
    FILES.mkdir(exist_ok=True)
    make_right_files()
    make_rings()
    make_delays()
    make_fields()
    make_wrong_files()
