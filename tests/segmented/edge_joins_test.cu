// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments whose right edges are joined together, one per lane. Each has the bits of its own canonical tree.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <span>
#include <vector>
#include <warpfold/canonical_tree.hpp>
#include <warpfold/segmented_reduce.cuh>
#include <warpfold/statistics.hpp>

#include "common/count_and_hash.hpp"
#include "common/device.cuh"
#include "common/random_items.hpp"
#include "kernels.cuh"

namespace {

namespace wf = warpfold;
using wf_test::device_array;

struct half_of {
  __host__ __device__ double operator()(float x) const { return 0.5 * x; }
};

/// Calls check(algorithm, length) for many lengths that one of the three ways takes.
template <class Leaves, class Check> void for_lengths(Check check) {
  using by_lanes = wf::segmented::late_edges<Leaves, wf::segmented::edge_order::by_lanes>;
  using side_by_side = wf::segmented::late_edges<Leaves, wf::segmented::edge_order::side_by_side>;
  using in_turn = wf::segmented::late_edges<Leaves, wf::segmented::edge_order::in_turn>;
  for (const std::int64_t length :
       {2,   3,   5,   6,   7,   8,    9,    11,   12,   13,   15,   16,   17,   24,   31,   32,    33,
        40,  63,  65,  77,  100, 127,  128,  129,  200,  248,  250,  255,  256,  257,  300,  511,   512,
        513, 768, 799, 800, 801, 1000, 1023, 1024, 1025, 3000, 4097, 5555, 8191, 8192, 8193, 16383, 16384}) {
    if (by_lanes::takes(length)) check(by_lanes{}, length);
    if (side_by_side::takes(length)) check(side_by_side{}, length);
    if (in_turn::takes(length)) check(in_turn{}, length);
  }
}

/// `has_nan`: every seventh item is NaN.
template <class T, class Op, class Transform> void expect_trees(Op op, Transform transform, bool has_nan = false) {
  using lift = wf::thread::lifted<Op, Transform>;
  using A = wf::accumulator_t<Op, T>;
  wf_test::random_source random(7);
  std::vector<T> items(160'000);
  for (T& x : items) x = static_cast<T>(static_cast<int>(random.below(1 << 20)) - (1 << 19)) / 1024;
  if constexpr (std::is_floating_point_v<T>)
    for (std::size_t i = 3; has_nan && i < items.size(); i += 7) items[i] = NAN;
  using leaves = wf::thread::leaves<decltype(wf::segmented::in_narrow_chunks<A>(
                                        wf::detail::make_source(static_cast<const T*>(nullptr), 0))),
                                    lift, A>;
  for_lengths<leaves>([&]<class Algorithm>(Algorithm, std::int64_t length) {
    for (const int count : {1, 7, 33, 100, 300}) {
      // One block of warps that fold several times; of the long ones only the shortest.
      if (count * length > (length == 513 ? 155'000 : 40'960) && count > 7) continue;
      if (count * length > std::ssize(items)) continue;
      const std::vector<T> own(items.begin(), items.begin() + count * length);
      const device_array<T> in(own, length % 4);
      const device_array<A> out(count);
      wf_test::with_arguments(
          in.items(), wf::fixed_length{length}, std::span<A>(out.data(), out.size()), op,
          wf::segmented_options<A>{.empty = A{}, .max_blocks = count >= 100 ? 1 : 0}, lift{op, transform},
          [&]<class S, class L>(const wf::host_side::call_frame& frame,
                                const wf::segmented::kernel_arguments<S, L, Op, A*>& arguments) {
            wf::segmented::fixed_length_reduction<Algorithm, S, L, Op, A*>::enqueue(frame, arguments);
          });
      const auto found = out.to_host();
      for (std::int64_t s = 0; s < count; ++s) {
        std::vector<std::remove_cvref_t<decltype(transform(own[0]))>> values;
        for (std::int64_t k = 0; k < length; ++k)
          values.push_back(transform(own[static_cast<std::size_t>(s * length + k)]));
        const A expected = wf::canonical_tree::replay(values.data(), length, op);
        ASSERT_EQ(std::memcmp(&found[static_cast<std::size_t>(s)], &expected, sizeof(A)), 0)
            << "segment " << s << " of " << count << " of " << length << " items";
      }
    }
  });
}

TEST(edge_joins, have_the_bits_of_the_tree) { expect_trees<float>(wf::moments<>{}, wf::thread::no_transform{}); }
TEST(edge_joins, have_the_bits_of_the_tree_of_statistics) {
  expect_trees<float>(wf::statistics<>{}, wf::thread::no_transform{});
}
TEST(edge_joins, have_the_bits_of_the_tree_of_statistics_without_nan) {
  expect_trees<float>(wf::statistics<>{}, wf::thread::no_transform{}, true);
}
TEST(edge_joins, have_the_association_of_the_tree_by_own_joins) {
  expect_trees<float>(wf_test::hash_by_joins{}, wf::thread::no_transform{});
}
TEST(edge_joins, have_the_bits_of_the_tree_of_third_moments) {
  expect_trees<float>(wf::moments<3>{}, wf::thread::no_transform{});
}
TEST(edge_joins, have_the_bits_of_the_tree_of_transformed_items) { expect_trees<float>(wf::moments<>{}, half_of{}); }
TEST(edge_joins, have_the_bits_of_the_tree_of_bytes) {
  expect_trees<signed char>(wf::moments<>{}, wf::thread::no_transform{});
}

// Segments of any lengths in one kernel: empty ones, tails, side by side, and long ones, of which several wait for one
// another, or are cut into units.
std::vector<int> offsets_of_any_lengths() {
  wf_test::random_source random(9);
  std::vector<int> offsets{0};
  const auto append = [&](std::int64_t length) { offsets.push_back(offsets.back() + static_cast<int>(length)); };
  for (const std::int64_t most : {3, 9, 40, 300, 700})
    for (int s = 0; s < 150; ++s) append(random.below(most));
  for (const std::int64_t length : {255,  256,  257,  0,    511,  512,  513, 1,      1007,   1008,   1009,
                                    1023, 1024, 1025, 2047, 2048, 2051, 0,   16'384, 16'391, 70'001, 8})
    append(length);
  for (int s = 0; s < 40; ++s) append(513 + random.below(1500));
  for (const std::int64_t length : {16'400, 513, 17'003, 16'385, 18'000, 16'390, 20'001, 600, 5, 700, 16'383, 16'384})
    append(length);
  return offsets;
}

/// Whether two accumulators have the same bits; of extrema, any NaN is the same, since a CPU makes others.
template <class A> bool are_same(const A& a, const A& b) {
  if constexpr (requires { a.template get<3>(); }) {
    const auto same = [](float x, float y) { return std::memcmp(&x, &y, sizeof x) == 0 || (x != x && y != y); };
    return are_same(a.template get<0>(), b.template get<0>()) && same(a.template get<1>(), b.template get<1>()) &&
           same(a.template get<2>(), b.template get<2>()) && a.template get<3>() == b.template get<3>();
  } else return std::memcmp(&a, &b, sizeof a) == 0;
}

/// By the way `Packing`. `rarity`: every so many items one is NaN, if it is not 0.
template <wf::segmented::packing Packing, class T, class Op, class Transform>
void expect_mixed_trees(Op op, Transform transform, int rarity = 0) {
  using lift = wf::thread::lifted<Op, Transform>;
  using A = wf::accumulator_t<Op, T>;
  wf_test::random_source random(10);
  const std::vector<int> offsets = offsets_of_any_lengths();
  std::vector<T> items(static_cast<std::size_t>(offsets.back()));
  for (T& x : items) x = static_cast<T>(static_cast<int>(random.below(1 << 20)) - (1 << 19)) / 1024;
  for (std::size_t i = 0; rarity > 0 && i < items.size(); i += random.below(2 * rarity) + 1) items[i] = NAN;
  const A empty = op.lift(transform(T(5)));
  for (const int max_blocks : {0, 1}) {
    const device_array<T> in(items, 1 + max_blocks);
    const device_array<int> device_offsets(offsets);
    const device_array<A> out(std::ssize(offsets) - 1);
    wf_test::by_position<Packing>::reduce(in.items(), device_offsets.items(), std::span<A>(out.data(), out.size()), op,
                                          wf::segmented_options<A>{.empty = empty, .max_blocks = max_blocks},
                                          lift{op, transform});
    const auto found = out.to_host();
    for (std::size_t s = 0; s < found.size(); ++s) {
      std::vector<std::remove_cvref_t<decltype(transform(T()))>> values;
      for (int i = offsets[s]; i < offsets[s + 1]; ++i) values.push_back(transform(items[static_cast<std::size_t>(i)]));
      const A expected = values.empty() ? empty : wf::canonical_tree::replay(values.data(), std::ssize(values), op);
      ASSERT_TRUE(are_same(found[s], expected)) << "segment " << s << " of " << values.size() << " items, max_blocks "
                                                << max_blocks << ", a NaN of " << rarity << " items";
    }
  }
}
constexpr auto in_place = wf::segmented::packing::in_place, late = wf::segmented::packing::late,
               late_and_few = wf::segmented::packing::late_and_few;

TEST(edge_joins, of_any_lengths) {
  expect_mixed_trees<in_place, float>(wf::moments<>{}, wf::thread::no_transform{});
  expect_mixed_trees<late, float>(wf::moments<>{}, wf::thread::no_transform{});
}
TEST(edge_joins, of_any_lengths_of_transformed_items) {
  expect_mixed_trees<in_place, float>(wf::moments<>{}, half_of{});
}
// A long segment with NaN is folded again, while others wait.
TEST(edge_joins, of_any_lengths_with_nan) {
  for (const int rarity : {0, 3, 2000, 40'000})
    expect_mixed_trees<late, float>(wf::statistics<>{}, wf::thread::no_transform{}, rarity);
  expect_mixed_trees<late_and_few, float>(wf::statistics<>{}, wf::thread::no_transform{}, 2000);
  expect_mixed_trees<late_and_few, float>(wf::moments<2, wf::nan_policy::omit>{}, wf::thread::no_transform{}, 2000);
}

}  // namespace
