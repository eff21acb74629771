// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exact sums of rows by teams of any number of warps, whatever a call would take.
#pragma once
#include <gtest/gtest.h>

#include <vector>
#include <warpfold/exact/team_kernel.cuh>
#include <warpfold/segmented/segments.cuh>
#include <warpfold/thread/source.cuh>

#include "common/device.cuh"
#include "common/exact_reference.hpp"

namespace wf_test {

struct no_op {
  template <class A> __device__ A operator()(const A& a, const A&) const { return a; }
};

/// The sums of all rows of `length` items by teams of `warps` warps.
template <class T> void expect_team_sums(const std::vector<T>& items, int length, int warps, int offset) {
  const auto rows = std::ssize(items) / length;
  const device_array<T> in(items, offset);
  const device_array<warpfold::exact::superaccumulator<T>> out(rows);
  const auto source = warpfold::exact::in_vectors(warpfold::thread::pointer_source<T, 1>{in.data(), std::ssize(items)});
  using leaves = warpfold::thread::leaves<std::remove_const_t<decltype(source)>, warpfold::thread::no_transform, T>;
  using segments = warpfold::segmented::fixed_length_segments;
  using arguments =
      warpfold::exact::segment_sum_arguments<segments, leaves, no_op, warpfold::exact::superaccumulator<T>*>;
  launch_and_wait(&warpfold::exact::sum_teams_kernel<segments, leaves, no_op, warpfold::exact::superaccumulator<T>*>,
                  static_cast<int>(rows), 32 * warps,
                  static_cast<std::size_t>(warps) * sizeof(warpfold::exact::part_storage<T>),
                  arguments{segments{{length, rows}, length}, leaves{source, {}}, {}, out.data(), {}, {}, {}, {}});
  const auto sums = out.to_host();
  for (std::int64_t row = 0; row < rows; ++row) {
    exact_sum sum;
    for (std::int64_t i = row * length; i < (row + 1) * length; ++i) sum.add(items[static_cast<std::size_t>(i)]);
    ASSERT_TRUE(sum.rounds_to(warpfold::exact::rounded<T>(sums[static_cast<std::size_t>(row)])))
        << "row " << row << " of " << length << " by " << warps << " warps";
  }
}

}  // namespace wf_test
