// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One type and operator through each shape of grid.
#pragma once
#include <gtest/gtest.h>

#include <concepts>

#include "common/same_bits.hpp"
#include "expected.hpp"
#include "ways.cuh"

namespace wf_test {

/// The items that most tests of one type take: enough for every shape of grid in the emulator, and for a wave on a GPU.
inline constexpr std::int64_t items_of_all_shapes = 45'007;

/// reduce(items, op) has the bits of the canonical tree, or is NaN like it: prefixes of many sizes, several alignments
/// and grids.
template <class T, class Op> void expect_canonical(std::span<const T> items, Op op) {
  using A = warpfold::accumulator_t<Op, T>;
  std::vector<std::int64_t> sizes{1, 2, 31, 33, 1000, 4099, 10'007};
  while (sizes.back() >= std::ssize(items)) sizes.pop_back();
  sizes.push_back(std::ssize(items));
  const auto roots = canonical_roots<T>(items, sizes, op);
  const device_array<A> out(1);
  for (const std::int64_t offset : {0, 1, 3})
    for (const std::int64_t size : sizes) {
      const device_array<T> in(items.first(static_cast<std::size_t>(size)), offset);
      for (const int max_blocks : {0, 1}) {
        warpfold::reduce(in.items(), out.data(), op, {.max_blocks = max_blocks});
        const auto compare = std::floating_point<A> ? &same_bits_or_nan<A> : &same_bits<A>;
        EXPECT_TRUE(compare(out.value(), roots.at(size)))
            << size << " items, " << offset << " off, max_blocks " << max_blocks;
      }
    }
}
template <class T, class Op> void expect_canonical(const std::vector<T>& items, Op op) {
  expect_canonical<T>(std::span<const T>(items), op);
}

}  // namespace wf_test
