// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items of one and two bytes, of which a vector has many: lengths around half a chunk and a whole one, a few longer
// ones among short ones, in every form, by the tree of each segment and in order.
#include <gtest/gtest.h>

#include <cuda_fp16.h>

#include "common/tree_hash.hpp"
#include "segmented/expect_canonical.cuh"

namespace wf = warpfold;
using wf_test::device_array, wf_test::layout, wf_test::segmented_way;
using hash = wf_test::tree_hash<8, 8>;

namespace {

template <class T> T item_of(float x) {
  if constexpr (std::is_same_v<T, __half>) return __float2half(x);
  else return static_cast<T>(100 * x);
}
template <class T> std::vector<T> items_of(const layout& where) {
  std::vector<T> items;
  for (const float x : wf_test::random_items<float>(where.items, 23)) items.push_back(item_of<T>(x));
  return items;
}

struct leaf_of {
  __host__ __device__ hash operator()(std::int16_t item) const { return hash::of(item); }
};

/// call(items, turn, offset, out, options) reduces; roots are what each segment folds to.
template <class T, class A, class Op, class Call>
void expect_segments(const layout& where, const std::vector<A>& roots, const A& init, const A& empty, Op op,
                     std::int64_t turn, Call call) {
  const segmented_way way = wf_test::way_of(turn);
  const device_array<T> in(items_of<T>(where), way.offset);
  const auto results = wf_test::results_of(way, where.segments(), init, empty, [&](auto out, const auto& options) {
    call(in.items(), way.offset, out, options);
  });
  EXPECT_TRUE(wf_test::same_segments(results, wf_test::expected_of(way, roots, where, init, empty, op), true))
      << where << ", " << way;
}

const std::vector<layout>& short_layouts() {
  static const auto all = [] {
    std::vector<layout> layouts;
    for (const std::int64_t most : {4, 5, 8, 9, 16, 17, 32, 33}) {
      wf_test::lengths lengths;
      for (std::int64_t s = 0; s < 420; ++s) lengths.push_back(s * 11 % (most + 1));
      layouts.emplace_back("up to " + std::to_string(most), lengths);
    }
    for (const std::int64_t most : {17, 32, 64, 65}) {  // most fit half a chunk; a few wait for others
      wf_test::lengths lengths;
      for (std::int64_t s = 0; s < 420; ++s) lengths.push_back(s % 9 == 4 ? s * 7 % (most + 1) : s * 11 % 8);
      layouts.emplace_back("a few up to " + std::to_string(most), lengths);
    }
    return layouts;
  }();
  return all;
}

/// Through offsets, bounds and owners.
template <class T, class A, class Op, class Roots, class Transform = wf::thread::no_transform>
void expect_forms(const A& init, const A& empty, Op op, Roots roots_of, Transform transform = {}) {
  std::int64_t turn = 0;
  const auto reduce = [&](auto in, const auto& segments, auto out, const auto& options) {
    if constexpr (std::is_same_v<Transform, wf::thread::no_transform>)
      wf::segmented_reduce(in, segments, out, op, options);
    else wf::transform_segmented_reduce(in, segments, out, op, transform, options);
  };
  for (const layout& where : short_layouts()) {
    const std::vector<A> roots = roots_of(where);
    expect_segments<T>(where, roots, init, empty, op, turn++,
                       [&](auto in, std::int64_t offset, auto out, const auto& options) {
                         const device_array<int> offsets(where.offsets<int>(), offset);
                         reduce(in, offsets.items(), out, options);
                       });
    expect_segments<T>(where, roots, init, empty, op, turn++,
                       [&](auto in, std::int64_t offset, auto out, const auto& options) {
                         const device_array<std::int64_t> begins(where.begins, offset), ends(where.ends);
                         reduce(in, wf::bounds{begins.items(), ends.items()}, out, options);
                       });
    expect_segments<T>(where, roots, init, empty, op, turn++,
                       [&](auto in, std::int64_t offset, auto out, const auto& options) {
                         const device_array<int> ids(where.owners<int>(), offset);
                         reduce(in, wf::owners{ids.items()}, out, options);
                       });
  }
  for (std::int64_t length = 1; length <= 70; ++length) {
    const layout where("all " + std::to_string(length),
                       wf_test::lengths(static_cast<std::size_t>(20 + length * 13 % 300), length));
    expect_segments<T>(where, roots_of(where), init, empty, op, turn++,
                       [&](auto in, std::int64_t, auto out, const auto& options) {
                         reduce(in, wf::fixed_length{length}, out, options);
                       });
  }
}

TEST(segmented_reduce_narrow_items, int8_sums) {
  expect_forms<std::int8_t>(1000, -5, wf::plus{}, [](const layout& where) {
    return wf_test::canonical_segments(items_of<std::int8_t>(where), where, wf::plus{}, -5);
  });
}

TEST(segmented_reduce_narrow_items, int8_maxima) {
  expect_forms<std::int8_t>(-200, 7, wf::maximum{}, [](const layout& where) {
    return wf_test::canonical_segments(items_of<std::int8_t>(where), where, wf::maximum{}, 7);
  });
}

TEST(segmented_reduce_narrow_items, half_sums) {
  expect_forms<__half>(0.25f, -3.0f, wf::plus{}, [](const layout& where) {
    return wf_test::canonical_segments(items_of<__half>(where), where, wf::plus{}, -3.0f);
  });
}

// The tree and the order, which sums do not show.
TEST(segmented_reduce_narrow_items, int16_by_their_tree) {
  expect_forms<std::int16_t>(
      hash::of(-1), hash::absent(), wf_test::hash_pair{},
      [](const layout& where) {
        std::vector<hash> leaves;
        for (const std::int16_t item : items_of<std::int16_t>(where)) leaves.push_back(leaf_of{}(item));
        return wf_test::canonical_segments(leaves, where, wf_test::hash_pair{}, hash::absent());
      },
      leaf_of{});
}

}  // namespace
