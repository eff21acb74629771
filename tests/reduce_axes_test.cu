// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The promises at the head of reduce_axes.cuh, in small.
#include <gtest/gtest.h>
#include <warpfold/reduce.cuh>
#include <warpfold/reduce_axes.cuh>

#include <vector>

#include "common/device.cuh"
#include "common/random_items.hpp"
#include "common/same_bits.hpp"

namespace wf = warpfold;
using wf_test::device_array;

namespace axes_at_a_glance {

TEST(reduce_axes, the_examples) {
  const device_array<int> in(std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});  // 2 x 2 x 3
  const device_array<int> two(2), three(3);
  const wf::strided cube(in.data(), {2, 2, 3});
  wf::reduce_axes(cube, wf::strided(two.data(), {2}), wf::axes{0, 2});
  EXPECT_EQ(two.to_host(), (std::vector<int>{30, 48}));
  wf::reduce_axes(cube, wf::strided(two.data(), {2}), wf::keep_axes{1}, wf::maximum{});
  EXPECT_EQ(two.to_host(), (std::vector<int>{9, 12}));
  wf::reduce_axes(cube, wf::strided(three.data(), {1, 1, 3}), wf::axes{0, -2}, {.init = 100});
  EXPECT_EQ(three.to_host(), (std::vector<int>{122, 126, 130}));

  const wf::strided matrix(in.data(), {4, 3});
  const device_array<int> four(4), one(1);
  wf::reduce_rows(matrix, std::span<int>(four.data(), 4));
  EXPECT_EQ(four.to_host(), (std::vector<int>{6, 15, 24, 33}));
  wf::reduce_columns(matrix, std::span<int>(three.data(), 3), wf::minimum{});
  EXPECT_EQ(three.to_host(), (std::vector<int>{1, 2, 3}));
  wf::reduce_axes(matrix, wf::strided(one.data()), wf::axes{0, 1});
  EXPECT_EQ(one.value(), 78);
}

// An axis of a slice of a transposed array, by the bits.
TEST(reduce_axes, outputs_have_the_bits_of_reduce) {
  constexpr std::int64_t rows = 37, columns = 50, pitch = 61;
  const device_array<float> in(wf_test::random_items<float>(rows * pitch)), out(rows), expected(1);
  wf::reduce_columns(wf::strided(in.data(), {columns, rows}, {1, pitch}), wf::strided(out.data(), {rows}));
  for (std::int64_t r = 0; r < rows; ++r) {
    wf::reduce(in.data() + r * pitch, columns, expected.data());
    EXPECT_TRUE(wf_test::same_bits(out.value(r), expected.value())) << r;
  }
}

}  // namespace axes_at_a_glance
