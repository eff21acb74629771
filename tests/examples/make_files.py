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
    header = f"{{'descr': {descr_text or repr(descr)}, 'fortran_order': {fortran_order}, 'shape': {shape or (len(items),)}, }}"
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
        descr = str(bits // 8)
        write(f'int{bits}.npy', npy(('|i' if bits == 8 else '<i') + descr,
                                    [-2**(bits - 1), 2**(bits - 1) - 1] + whole(-2**(bits - 1), 2**(bits - 1) - 1, 331)))
        write(f'uint{bits}.npy', npy(('|u' if bits == 8 else '<u') + descr, [0, 2**bits - 1] + whole(0, 2**bits - 1, 331)))
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
    write('raw_float32.bin', struct.pack('<5f', 1, 2, 3, 4, 6.5))
    write('points_with_nan.npy', npy('<f4', [1, 5, float('nan'), -1, 2, 9, 3, float('nan'), 8], shape=(3, 3)))


def make_wrong_files():
    whole = npy('<i4', list(range(100)))
    write('truncated.npy', whole[:-1])
    write('truncated_header.npy', whole[:40])
    write('big_endian.npy', npy('>f4', [1, 2, 3]))
    write('fortran_order.npy', npy('<f4', [1, 2, 3, 4, 5, 6], shape=(2, 3), fortran_order=True))
    write('complex.npy', npy('<f4', [1, 2, 3, 4], shape=(2,), descr_text="'<c8'"))
    write('records.npy', npy('<f4', [1, 2], descr_text="[('x', '<f4')]"))
    write('empty.npy', npy('<f4', []))
    write('empty_points.npy', npy('<f4', [], shape=(0, 3)))
    write('not_npy.npy', b'delay,distance\n3,1452\n')
    write('raw_truncated.bin', b'12345')
    write('empty.bin', b'')


if __name__ == '__main__':
    FILES.mkdir(exist_ok=True)
    make_right_files()
    make_wrong_files()
