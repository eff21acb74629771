// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The segmented compositions under test, in small blocks so that segments meet many borders; ways to cut an input into
// segments; and one strategy against a fold on the CPU.
#pragma once
#include <algorithm>
#include <initializer_list>
#include <optional>
#include <warpfold/segmented_reduce.cuh>

#include "common/random_items.hpp"
#include "expect_fold.cuh"

namespace wf_test {

namespace seg = wf::block::segmented;
template <int W>
using diffwarps = wf::strategy<seg::matrix<32, W, 32>, wf::grid::producer_consumer<2, 1>, wf::finish::last_block>;
template <int W>
using diffwarps_twice = wf::strategy<seg::matrix<32, W, 32>, wf::grid::producer_consumer<1, 1>, wf::finish::two_launch>;
template <class Algorithm> using in_passes = wf::strategy<Algorithm, wf::grid::multi_pass>;
template <class Algorithm> using to_last = wf::strategy<Algorithm, wf::grid::persistent, wf::finish::last_block>;
template <class Algorithm> using twice = wf::strategy<Algorithm, wf::grid::persistent, wf::finish::two_launch>;

/// One of each algorithm and schedule.
using main_segmented_compositions =
    testing::Types<in_passes<seg::tree<32>>, in_passes<seg::warp_tree<64>>, in_passes<seg::matrix<8, 8, 32>>,
                   to_last<seg::tree<64>>, twice<seg::warp_tree<32>>, to_last<seg::matrix<32, 8, 64>>, diffwarps<32>,
                   diffwarps_twice<16>>;
/// The others: both finishes; rows, or results of data-warps, that do not fit one warp; trees of consumers.
using more_segmented_compositions =
    testing::Types<twice<seg::tree<32>>, to_last<seg::warp_tree<288>>, twice<seg::matrix<72, 4, 64>>, diffwarps<16>,
                   wf::strategy<seg::tree<64>, wf::grid::producer_consumer<1, 2>, wf::finish::last_block>>;

template <int B> struct part_name<seg::tree<B>> { static constexpr const char* value = "tree"; };
template <int B> struct part_name<seg::warp_tree<B>> { static constexpr const char* value = "warp_tree"; };
template <int H, int W, int B> struct part_name<seg::matrix<H, W, B>> {
  static constexpr const char* value = W == 32 ? "matrix32" : W == 16 ? "matrix16" : "matrix";
};

/// Items cut into segments, some of them empty.
template <class Id> struct segmentation {
  std::vector<Id> ids;
  std::int64_t segments = 0;

  /// `length()` items after `gap()` empty segments, until there are `count`.
  template <class Length, class Gap> static segmentation of(std::int64_t count, Length length, Gap gap) {
    segmentation result;
    while (count > 0) {
      result.segments += gap();
      const std::int64_t items = std::min<std::int64_t>(count, length());
      result.ids.insert(result.ids.end(), static_cast<std::size_t>(items), static_cast<Id>(result.segments++));
      count -= items;
    }
    result.segments += gap();
    return result;
  }
};

/// Ways to cut `count` items: the paper's three, all of one item, around a data-block of `d`, of any length; with and
/// without gaps.
template <class Id>
std::vector<segmentation<Id>> segmentations(std::int64_t count, std::int64_t d, std::uint64_t seed) {
  random_source random(seed);
  std::vector<segmentation<Id>> result;
  const auto add = [&](auto length) {
    const auto gaps = [&]() -> std::int64_t { return random.below(3) == 0 ? random.below(4) : 0; };
    const auto none = [] { return std::int64_t{0}; };
    if (random.below(2) == 0) result.push_back(segmentation<Id>::of(count, length, gaps));
    else result.push_back(segmentation<Id>::of(count, length, none));
  };
  for (const std::int64_t length : {std::int64_t{1}, std::int64_t{3}, d - 1, d, d + 1, count})
    add([=] { return length; });
  add([&] { return 10 + random.below(41); });
  add([&] { return random.below(4) == 0 ? 1 + random.below(3 * d) : 1 + random.below(3); });
  return result;
}

/// The expected result of each segment.
template <class T, class Id, class Op>
std::vector<T> fold_segments(const std::vector<T>& items, const segmentation<Id>& cut, Op op,
                             const std::optional<T>& init, const T& empty) {
  std::vector<T> result(static_cast<std::size_t>(cut.segments), empty);
  for (std::size_t i = 0; i < items.size(); ++i) {
    T& total = result[static_cast<std::size_t>(cut.ids[i])];
    if (i > 0 && cut.ids[i - 1] == cut.ids[i]) total = op(total, items[i]);
    else total = init ? op(*init, items[i]) : items[i];
  }
  return result;
}

/// segmented_reduce<S> with owners of type `Id` is the CPU's fold, whatever the cut, in grids of three blocks, aligned
/// and not, with and without init. `make(cut)` gives items, on whose left `init` may stand; `empty` is left where none
/// are.
template <class S, class Id, class T, class Make, class Op, class Equal>
void expect_segmented_fold(Make make, const T& init, const T& empty, const T& garbage, Op op, Equal equal,
                           std::initializer_list<int> seeds = {1, 2, 3}) {
  constexpr int blocks = strategy_parts<S>::is_persistent ? 3 : 0;
  const std::int64_t d = wf::facts_of<S, T, Op, T, Id>(1).data_block_items;
  for (const int seed : seeds) {
    const schedule_seed schedule(static_cast<std::uint64_t>(seed));
    const std::int64_t passes = d < 100 ? d * d + 2 * d : 4 * d;  // three of them where that is little
    for (const std::int64_t count : {std::int64_t{1}, std::int64_t{33}, d - 1, d, d + 1, 3 * d + 5, 7 * d + 2, passes})
      for (const auto& cut : segmentations<Id>(count, d, static_cast<std::uint64_t>(100 * seed + count))) {
        const bool with_init = (count + seed) % 2 == 0;
        const std::vector<T> items = make(cut.ids, with_init);
        const device_array<T> in(items, seed - 1),
            out(std::vector<T>(static_cast<std::size_t>(cut.segments + 2), garbage));
        const device_array<Id> ids(cut.ids, (seed + 1) % 3);
        const std::span<T> to(out.data() + 1, static_cast<std::size_t>(cut.segments));
        wf::segmented_options<T> options{.empty = empty, .max_blocks = blocks};
        if (with_init) options.init = init;
        wf::segmented_reduce<S>(in.items(), wf::owners{ids.items()}, to, op, options);
        const auto actual = out.to_host();
        const auto expected = fold_segments(items, cut, op, with_init ? std::optional<T>(init) : std::nullopt, empty);
        for (std::size_t s = 0; s < expected.size(); ++s)
          ASSERT_TRUE(equal(actual[s + 1], expected[s])) << "segment " << s << " of " << expected.size() << ", "
                                                         << count << " items, D = " << d << ", seed " << seed;
        ASSERT_TRUE(equal(actual.front(), garbage) && equal(actual.back(), garbage)) << "written beside the output";
      }
  }
}

}  // namespace wf_test
