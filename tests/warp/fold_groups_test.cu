// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Short segments side by side: each by its canonical tree, whatever lengths and places its neighbours have.
#include <warpfold/warp/fold_groups.cuh>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>
#include <warpfold/canonical_tree.hpp>

#include "../common/device.cuh"
#include "../common/random_items.hpp"
#include "../common/tree_hash.hpp"

namespace {

namespace wf = warpfold;
using hash = wf_test::tree_hash<8, 8>;
using wf_test::device_array;

struct segment {
  int first, count;
};

struct leaf_of {
  __host__ __device__ hash operator()(std::int32_t x) const { return hash::of(x); }
};

/// Warp b folds the 32 segments of its own; those without items store nothing.
template <int Rows, class Leaves, class Op>
__global__ void groups_kernel(Leaves leaves, std::int64_t base, const segment* segments, Op op, typename Leaves::accumulator* results,
                              int* stores) {
  const segment& own = segments[blockIdx.x * 32 + threadIdx.x];
  const wf::warp::short_segment given{own.first, own.count, static_cast<int>(100 + threadIdx.x)};
  wf::warp::fold_short_segments<Rows>(leaves, base, given, op, [&](int id, const auto& value) {
    results[static_cast<int>(blockIdx.x) * 32 + id - 100] = value;
    atomicAdd(stores + blockIdx.x * 32 + id - 100, 1);
  });
}

template <int Rows, class T, class A, class Transform, class Op>
void check_groups(const std::vector<T>& items, std::int64_t offset, Transform transform, Op op) {
  using source = wf::thread::pointer_source<T>;
  constexpr int most = Rows * wf::warp_lanes * source::chunk_items;
  constexpr std::int64_t base = 5;
  wf_test::random_source random(7);
  std::vector<segment> segments;
  for (const int longest : {1, 2, 3, 4, 5, 8, 9, 17, 33, most / 4, most / 2, most - 1, most})
    for (int round = 0; round < 4; ++round)
      for (int lane = 0; lane < 32; ++lane) {
        const std::int64_t kind = (round + lane) % 4;
        int count = static_cast<int>(kind == 0 ? longest : kind == 1 ? random.below(longest + 1) : kind == 2 ? round % 2 : longest - longest / 3);
        if (round == 3 && lane != 9) count = std::min(count, lane % 3);  // one among tiny ones
        segments.push_back({static_cast<int>(random.below(std::ssize(items) - base - count + 1)), count});
      }
  const int warps = static_cast<int>(segments.size() / 32);
  const device_array<T> in(items, offset);
  const device_array<segment> given(segments);
  const device_array<A> results(std::vector<A>(segments.size()));
  const device_array<int> stores(std::vector<int>(segments.size(), 0));
  using leaves = wf::thread::leaves<source, Transform, A>;
  wf_test::launch_and_wait(&groups_kernel<Rows, leaves, Op>, warps, 32, 0, leaves{source{in.data(), in.count()}, transform}, base, given.data(), op,
                           results.data(), stores.data());
  const auto stored = stores.to_host();
  const auto folded = results.to_host();
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const auto [first, count] = segments[s];
    ASSERT_EQ(stored[s], count > 0 ? 1 : 0) << "segment " << s << " of " << count << " items";
    if (count == 0) continue;
    std::vector<A> values;
    for (int i = 0; i < count; ++i) values.push_back(transform(items[static_cast<std::size_t>(base + first + i)]));
    ASSERT_EQ(std::memcmp(&folded[s], std::vector<A>{wf::canonical_tree::replay(values.data(), count, op)}.data(), sizeof(A)), 0)
        << "segment " << s << " of " << count << " items at " << first << ", " << offset << " off, " << Rows << " rows";
  }
}

// An operator without identity, whose missing operands are flagged.
TEST(FoldShortSegments, IsTheCanonicalTreeOfEach) {
  const auto items = wf_test::random_items<std::int32_t>(2000);
  for (const std::int64_t offset : {0, 1, 2, 3}) {
    check_groups<4, std::int32_t, hash>(items, offset, leaf_of{}, wf_test::hash_pair{});
    check_groups<1, std::int32_t, hash>(items, offset, leaf_of{}, wf_test::hash_pair{});
  }
}

// With an identity, that takes the place of what is missing: it must leave -0 as it is.
TEST(FoldShortSegments, SumsFloatsByTheirBits) {
  static_assert(wf::thread::has_exact_identity<wf::plus, float> && !wf::thread::has_exact_identity<wf_test::hash_pair, hash>);
  auto items = wf_test::random_items<float>(3000);
  std::fill(items.begin(), items.begin() + 1000, -0.0f);
  for (const std::int64_t offset : {0, 3}) check_groups<4, float, float>(items, offset, wf::thread::no_transform{}, wf::plus{});
}

__global__ void set_bit_kernel(const unsigned* masks, int* places) {
  places[blockIdx.x * 32 + threadIdx.x] = wf::warp::set_bit(masks[blockIdx.x], static_cast<int>(threadIdx.x));
}

TEST(SetBit, IsTheOneWithThatManyBelow) {
  std::vector<unsigned> masks{0, 1, 1u << 31, ~0u, 0xaaaaaaaau, 0x55555555u, 0xffff0000u, 0x80000001u};
  wf_test::random_source source(4);
  for (int i = 0; i < 40; ++i) masks.push_back(static_cast<unsigned>(source()) & static_cast<unsigned>(source() | (i % 2 == 0 ? ~0ull : 0)));
  const device_array<unsigned> on_device(masks);
  const device_array<int> places(std::ssize(masks) * 32);
  wf_test::launch_and_wait(&set_bit_kernel, static_cast<int>(masks.size()), 32, 0, on_device.data(), places.data());
  for (std::size_t m = 0; m < masks.size(); ++m) {
    int rank = 0;
    for (int bit = 0; bit < 32; ++bit)
      if (masks[m] >> bit & 1) {
        EXPECT_EQ(places.value(static_cast<std::int64_t>(m) * 32 + rank), bit) << std::hex << masks[m];
        ++rank;
      }
    for (; rank < 32; ++rank) EXPECT_EQ(places.value(static_cast<std::int64_t>(m) * 32 + rank), 31) << std::hex << masks[m];
  }
}

}  // namespace
