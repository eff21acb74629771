// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compaction: keep the items that matter
//
// An inclusive scan of zeros and ones counts the kept items up to each item, so it says where each belongs. An output
// may be any iterator that device code can assign through. This one gets the counts and writes the items: one call,
// one kernel, and no array of positions.
#include <warpfold/warpfold.cuh>

#include <cstdio>
#include <vector>

#include "common/device.cuh"

namespace wf = warpfold;

struct is_positive {
  __host__ __device__ int operator()(float x) const { return x > 0 ? 1 : 0; }
};

// Where out[i] = n is assigned, n items up to item i are kept.
struct kept_items {
  const float* in;
  float* out;

  struct place {
    const float* item;
    float* out;
    __host__ __device__ void operator=(int kept) const {
      if (is_positive{}(*item)) out[kept - 1] = *item;
    }
  };
  __host__ __device__ place operator[](std::ptrdiff_t i) const { return {in + i, out}; }
};

int main() {
  const examples::device_array<float> in(std::vector<float>{3, -1, 4, -1, -5, 9, 2, -6}), out(in.size());

  wf::transform_inclusive_scan(in, kept_items{in.data(), out.data()}, wf::plus{}, is_positive{});

  const auto kept = static_cast<std::size_t>(wf::count_if_value(in, is_positive{}));
  const std::vector<float> items = out.to_host();
  for (std::size_t i = 0; i < kept; ++i) std::printf("%g ", items[i]);
  std::printf("(%zu of %zu)\n", kept, items.size());
  return 0;
}
