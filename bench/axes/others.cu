// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda_fp16.h>

#include <warpfold/arg_operators.hpp>
#include <warpfold/statistics.hpp>

#include "measure.cuh"
#include "register.hpp"

namespace bench {

namespace {

/// The largest item and its index, as narrow as indices along an axis may be.
using largest = warpfold::arg_maximum<warpfold::ties::first, warpfold::nans::propagate, std::int32_t>;

/// Sum, sum of squares, minimum and maximum of an image's channels in one read.
struct square {
  __host__ __device__ float operator()(float x) const { return warpfold::multiplies{}(x, x); }
};
using four_statistics = decltype(warpfold::fuse(warpfold::plus{}, warpfold::with(square{}, warpfold::plus{}),
                                                warpfold::minimum{}, warpfold::maximum{}));

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
  add_extents<float, largest>("float", "argmax", 26);
  add_axes<__half, warpfold::maximum, void>("half", "maximum", {"attention_rows_1024", {16, 16, 512, 1024}, {3}});
  for (const std::int64_t columns : {20, 50, 300, 1001}) {  // no vectors
    add_axes<__half, warpfold::plus, void>("half", "plus", columns_of(columns, 27));
    add_axes<std::int8_t, warpfold::plus, void>("int8", "plus", columns_of(columns, 28));
  }
  add_axes<__half, warpfold::plus, void>("half", "plus", {"batch_norm_512x2048x7x7", {512, 2048, 7, 7}, {0, 2, 3}});
  add_axes<__half, warpfold::plus, void>("half", "plus", {"bias_gradient_32768x4096", {32768, 4096}, {0}});
  add_axes<float, largest, void>("float", "argmax", {"8x2048x4096_axis_1", {8, 2048, 4096}, {1}});
  const axes_form batch_norm{"batch_norm_64x256x56x56", {64, 256, 56, 56}, {0, 2, 3}};
  add_axes<float, warpfold::moments<>, void>("float", "moments", batch_norm);
  add_axes<float, four_statistics, void>("float", "fuse_4", {"images_32x3x224x224", {32, 3, 224, 224}, {0, 2, 3}});
  add_axes<float, four_statistics, void>("float", "fuse_4", batch_norm);
}

}  // namespace bench
