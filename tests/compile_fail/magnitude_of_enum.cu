// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An enumeration has no magnitude.
#include <warpfold/vector_reductions.cuh>

#include <span>

enum class color : int { red, green };

#if defined(MISTAKE)
auto sum(std::span<const color> in) { return warpfold::asum_value(in); }
#else
struct number_of_color {
  __host__ __device__ int operator()(color c) const { return static_cast<int>(c); }
};
auto sum(std::span<const color> in) {
  return warpfold::transform_reduce_value(in, warpfold::plus{}, number_of_color{});
}
#endif
