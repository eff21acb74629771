// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda_fp16.h>

#include "measure.cuh"
#include "register.hpp"

namespace bench {

namespace {

/// The largest value, and its number in the row or column; of equals the first.
struct largest_and_index {
  struct found {
    float value;
    int index;
  };
  __host__ __device__ found lift(float item, std::int64_t index) const { return {item, static_cast<int>(index)}; }
  __host__ __device__ found operator()(const found& a, const found& b) const { return b.value > a.value ? b : a; }
  __host__ __device__ int lower(const found& all) const { return all.index; }
};

/// 2x2 matrices: 16 bytes, and not commutative.
struct matrix2 {
  float a, b, c, d;
  __device__ static matrix2 random_item(std::uint64_t bits) {
    const float x = static_cast<float>(bits >> 40) * 0x1p-24f;
    return {1, x, -x, 1};
  }
};
struct product {
  __device__ matrix2 operator()(const matrix2& l, const matrix2& r) const {
    const auto dot = [](float a, float b, float c, float d) { return __fmaf_rn(a, b, __fmul_rn(c, d)); };
    return {dot(l.a, r.a, l.b, r.c), dot(l.a, r.b, l.b, r.d), dot(l.c, r.a, l.d, r.c), dot(l.c, r.b, l.d, r.d)};
  }
};

template <class T, class Op> void add_extents(const std::string& type, const std::string& op, int log_items) {
  for (const std::int64_t extent : {3, 8, 32, 100, 1000, 4096, 65536}) {
    add_axes<T, Op, void>(type, op, rows_of(extent, log_items));
    add_axes<T, Op, void>(type, op, columns_of(extent, log_items));
  }
}

}  // namespace

void register_other_axes() {
  add_extents<__half, warpfold::plus>("half", "plus", 27);
  add_extents<std::int8_t, warpfold::plus>("int8", "plus", 28);
  add_extents<double, warpfold::plus>("double", "plus", 25);
  add_extents<matrix2, product>("matrix2", "product", 24);
  add_extents<float, largest_and_index>("float", "argmax", 26);
  add_axes<__half, warpfold::maximum, void>("half", "maximum", {"attention_rows_1024", {16, 16, 512, 1024}, {3}});
}

}  // namespace bench
