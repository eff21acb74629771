# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls array_interface.cu with arrays of CuPy or Numba. Needs one of them, and a GPU:

nvcc -std=c++20 -O3 -arch=native -Xcompiler=-fPIC -shared -I include examples/pytorch/array_interface.cu -o libsums.so
"""
import ctypes

sums = ctypes.CDLL("./libsums.so")
sums.exact_sum.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p]


def exact_sum(x, out, stream=0):
    """out[0] = the sum of `x`: arrays of float32 on the GPU, by the interface that CuPy, Numba and PyTorch share."""
    given, to = x.__cuda_array_interface__, out.__cuda_array_interface__
    assert given["typestr"] == to["typestr"] == "<f4" and given.get("strides") is None
    if sums.exact_sum(given["data"][0], x.size, to["data"][0], stream) != 0:
        raise ValueError("exact_sum was refused")


try:
    import cupy
    x, out = cupy.full(1000, 0.1, cupy.float32), cupy.empty(1, cupy.float32)
    exact_sum(x, out, cupy.cuda.get_current_stream().ptr)
    print(out)
except ImportError:
    import numpy
    from numba import cuda
    x, out = cuda.to_device(numpy.full(1000, 0.1, numpy.float32)), cuda.device_array(1, numpy.float32)
    exact_sum(x, out)  # on the default stream, which is Numba's
    print(out.copy_to_host())
