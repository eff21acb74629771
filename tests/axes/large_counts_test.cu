// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// More than 2^32 items of an output, and more than 2^32 items in all, by strides of zero.
#include <gtest/gtest.h>
#include <warpfold/reduce_axes.cuh>

#include "common/device.cuh"

namespace axes_large_counts {

namespace wf = warpfold;
using wf_test::device_array;

struct greatest_index {
  __host__ __device__ std::int64_t lift(signed char, std::int64_t index) const { return index; }
  /// Associative, and wrong unless the left index is the smaller one.
  __host__ __device__ std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a < b ? b : -1; }
};

TEST(axes_large_counts, past_32_bits) {
  constexpr std::int64_t many = (std::int64_t{1} << 32) + 12345, half = many / 2;
  const device_array<signed char> in(std::vector<signed char>(64, 1));
  const device_array<std::int64_t> out(4);
  const wf::strided<std::int64_t, 1> four(out.data(), {4});
  const wf::axes outer{0}, inner{1}, both{0, 2};
  wf::reduce_axes(wf::strided<signed char, 2>(in.data(), {many, 4}, {0, 1}), four, outer, greatest_index{});
  EXPECT_EQ(out.to_host(), std::vector<std::int64_t>(4, many - 1));
  wf::reduce_axes(wf::strided<signed char, 2>(in.data(), {4, many}, {1, 0}), four, inner, greatest_index{});
  EXPECT_EQ(out.to_host(), std::vector<std::int64_t>(4, many - 1));
  wf::reduce_axes(wf::strided<signed char, 3>(in.data(), {2, 4, half}, {0, 1, 0}), four, both, greatest_index{});
  EXPECT_EQ(out.to_host(), std::vector<std::int64_t>(4, 2 * half - 1));
}

// 2^33 bytes of outputs would be needed for as many outputs; one byte each suffices.
TEST(axes_large_counts, outputs_past_32_bits) {
  constexpr std::int64_t outputs = (std::int64_t{1} << 32) + 77;
  const device_array<signed char> in(std::vector<signed char>{3, 4}), out(outputs);
  wf::reduce_axes(wf::strided<signed char, 2>(in.data(), {2, outputs}, {1, 0}),
                  wf::strided<signed char, 1>(out.data(), {outputs}), wf::axes{0}, wf::maximum{});
  for (const std::int64_t i : {std::int64_t{0}, (std::int64_t{1} << 31) + 1, (std::int64_t{1} << 32) + 3, outputs - 1})
    EXPECT_EQ(out.value(i), 4) << i;
}

}  // namespace axes_large_counts
