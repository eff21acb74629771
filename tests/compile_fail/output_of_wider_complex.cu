// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sum of complex numbers of float is rounded before it is written to one of double.
#include <warpfold/reduce.cuh>

#include <cuda/std/complex>
#include <span>

#if defined(MISTAKE)
void sum(std::span<const cuda::std::complex<float>> in, cuda::std::complex<double>* out) { warpfold::reduce(in, out); }
#else
void sum(std::span<const cuda::std::complex<float>> in, cuda::std::complex<double>* out) {
  warpfold::reduce(in, out, warpfold::accumulate_in<cuda::std::complex<double>>(warpfold::plus{}));
}
#endif
