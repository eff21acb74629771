// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduce_axes refuses bad calls before anything is written, and says what was wrong.
#include <gtest/gtest.h>
#include <warpfold/reduce_axes.cuh>

#include <string>

#include "common/device.cuh"
#include "common/interval.hpp"
#include "common/refusal.hpp"

namespace axes_errors {

namespace wf = warpfold;
using wf_test::device_array;

TEST(axes_errors, axes_and_extents) {
  const device_array<int> in(24), out(24);
  const wf::strided cube(in.data(), {2, 3, 4});
  const auto reduce = [&](auto to, auto axes) { return wf_test::refusal([&] { wf::reduce_axes(cube, to, axes); }); };
  EXPECT_EQ(reduce(wf::strided(out.data(), {2, 3}), wf::axes{3}),
            "warpfold::reduce_axes: axis 3 of an array of 3 dimensions");
  EXPECT_EQ(reduce(wf::strided(out.data(), {2, 3}), wf::axes{-4}),
            "warpfold::reduce_axes: axis -4 of an array of 3 dimensions");
  EXPECT_EQ(reduce(wf::strided(out.data(), {2}), wf::axes{2, -1}), "warpfold::reduce_axes: axis -1 is named twice");
  EXPECT_EQ(reduce(wf::strided(out.data(), {2, 4}), wf::axes{2}),
            "warpfold::reduce_axes: out has the extents (2, 4); the kept axes have (2, 3)");
  EXPECT_EQ(reduce(wf::strided(out.data(), {2}), wf::keep_axes{1}),
            "warpfold::reduce_axes: out has the extents (2); the kept axes have (3)");
  EXPECT_EQ(reduce(wf::strided(out.data(), {2, 3, 2}), wf::axes{2}),
            "warpfold::reduce_axes: out has the extents (2, 3, 2); the kept axes have (2, 3)");
  EXPECT_EQ(reduce(wf::strided<int, 2>(out.data(), {2, -3}), wf::axes{2}),
            "warpfold::reduce_axes: out has the extents (2, -3); they must not be negative");
}

TEST(axes_errors, memory) {
  const device_array<int> in(24), out(24);
  const wf::strided matrix(in.data(), {4, 6});
  const auto reduce = [&](auto from, auto to) {
    return wf_test::refusal([&] { wf::reduce_axes(from, to, wf::axes{1}); });
  };
  EXPECT_EQ(reduce(matrix, wf::strided(static_cast<int*>(nullptr), {4})),
            "warpfold::reduce_axes: out is a null pointer");
  EXPECT_EQ(reduce(wf::strided(static_cast<int*>(nullptr), {4, 6}), wf::strided(out.data(), {4})),
            "warpfold::reduce_axes: in is a null pointer");
  EXPECT_EQ(reduce(matrix, wf::strided(in.data() + 23, {4})), "warpfold::reduce_axes: out lies within in");
  EXPECT_EQ(reduce(matrix, wf::strided<int, 1>(out.data(), {4}, {0})),
            "warpfold::reduce_axes: out overlaps itself: extents (4), strides (0)");
  const wf::strided cube(in.data(), {2, 3, 4});
  EXPECT_EQ(wf_test::refusal([&] {
              wf::reduce_axes(cube, wf::strided<int, 2>(out.data(), {2, 3}, {2, 1}), wf::axes{2});
            }),
            "warpfold::reduce_axes: out overlaps itself: extents (2, 3), strides (2, 1)");
  // Backwards, and just apart.
  EXPECT_EQ(reduce(matrix, wf::strided<int, 1>(out.data() + 3, {4}, {-1})), "accepted");
  EXPECT_EQ(wf_test::refusal(
                [&] { wf::reduce_axes(matrix, wf::strided(out.data(), {4}), wf::axes{1}, {.init = out.data() + 3}); }),
            "warpfold::reduce_axes: init lies within out");
  EXPECT_EQ(
      wf_test::refusal([&] { wf::reduce_axes(matrix, wf::strided(out.data(), {4}), wf::axes{1}, {.max_blocks = -1}); }),
      "warpfold::reduce_axes: max_blocks is -1");
}

TEST(axes_errors, empty_reductions_need_a_value) {
  using interval = wf_test::interval<>;
  const device_array<interval> in(1), out(std::vector<interval>(3, interval::of(4)));
  const wf::strided<interval, 2> nothing(in.data(), {3, 0});
  EXPECT_EQ(wf_test::refusal([&] { wf::reduce_rows(nothing, std::span<interval>(out.data(), 3), wf_test::join{}); }),
            "warpfold::reduce_rows: the reduced axes have no items, and the operator has no identity: .init or .empty "
            "must be given");
  EXPECT_EQ(out.value(), interval::of(4));
  wf::reduce_rows(nothing, std::span<interval>(out.data(), 3), wf_test::join{}, {.empty = interval::of(8)});
  EXPECT_EQ(out.value(2), interval::of(8));
}

}  // namespace axes_errors
