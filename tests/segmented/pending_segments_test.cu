// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments of up to 32 chunks that wait for one another and are folded side by side: each by its canonical tree, and
// once.
#include <warpfold/segmented/pending_segments.cuh>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/canonical_tree.hpp>

#include "common/device.cuh"
#include "common/random_items.hpp"
#include "common/tree_hash.hpp"

namespace {

namespace wf = warpfold;
using hash = wf_test::tree_hash<8, 8>;
using wf_test::device_array;

template <class Index> struct segment {
  Index first;
  int count;  ///< 0: does not wait
};

constexpr int most_queue = 64;
template <class Index> using queue_of = wf::segmented::pending_segments<Index, most_queue>;

struct leaf_of {
  __host__ __device__ hash operator()(std::int32_t x) const { return hash::of(x); }
};

/// One warp brings `packets` tiles of 32 segments one after another, and says how often each was stored.
template <class Index, class Leaves, class Op>
__global__ void pending_kernel(Leaves leaves, const segment<Index>* segments, int tiles, Op op,
                               typename Leaves::accumulator* results, int* stores, int* most_pending) {
  auto& queue = wf::arch::dynamic_shared<queue_of<Index>>();
  const auto store = [&](int number, Index first, int count, const auto& value) {
    results[number] = value;
    const segment<Index>& own = segments[number];
    atomicAdd(stores + number, first == own.first && count == own.count ? 1 : 100);
  };
  struct {
  } none;
  int pending = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    const int number = tile * 32 + static_cast<int>(threadIdx.x);
    const segment<Index> own = segments[number];
    pending = wf::segmented::append_pending(queue, pending, own.count > 0, own.first, own.count, number);
    if (threadIdx.x == 0 && pending > *most_pending) *most_pending = pending;
    __syncwarp();
    int from = 0;
    while (pending - from >= wf::warp_lanes)
      from += wf::segmented::fold_pending(leaves, queue, none, from, pending, false, op, store);
    pending = wf::segmented::keep_pending(queue, from, pending);
  }
  for (int from = 0; from < pending;)
    from += wf::segmented::fold_pending(leaves, queue, none, from, pending, true, op, store);
}

/// Segments of 1 to `longest` items, of which about one in `gap` waits; in order, apart by up to `space` items.
template <class Index, int ChunkItems, class T, class Transform, class Op>
void check(const std::vector<T>& items, std::int64_t offset, int longest, int gap, int space, Transform transform,
           Op op) {
  using source = wf::thread::pointer_source<T, ChunkItems>;
  using A = std::remove_cvref_t<decltype(transform(items[0]))>;
  wf_test::random_source random(static_cast<std::uint64_t>(longest * 10 + gap));
  std::vector<segment<Index>> segments;
  Index end = 0;
  while (segments.size() < 320 || segments.size() % 32 != 0) {
    auto count = static_cast<int>(longest - random.below(longest > 1 ? longest / 2 + 1 : 1));
    if (random.below(gap) != 0 || end + space + count > std::ssize(items)) count = 0;
    const auto first = static_cast<Index>(end + random.below(space + 1));
    segments.push_back({first, count});
    if (count > 0) end = first + count;
  }
  const device_array<T> in(items, offset);
  const device_array<segment<Index>> given(segments);
  const device_array<A> results(std::vector<A>(segments.size()));
  const device_array<int> stores(std::vector<int>(segments.size(), 0)), most_pending(std::vector<int>{0});
  using leaves = wf::thread::leaves<source, Transform, A>;
  wf_test::launch_and_wait(&pending_kernel<Index, leaves, Op>, 1, 32, sizeof(queue_of<Index>),
                           leaves{source{in.data(), in.count()}, transform}, given.data(),
                           static_cast<int>(segments.size() / 32), op, results.data(), stores.data(),
                           most_pending.data());
  EXPECT_LE(most_pending.value(), most_queue);
  const auto stored = stores.to_host();
  const auto folded = results.to_host();
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const auto [first, count] = segments[s];
    ASSERT_EQ(stored[s], count > 0 ? 1 : 0) << "segment " << s << " of " << count << " items";
    if (count == 0) continue;
    std::vector<A> values;
    for (int i = 0; i < count; ++i) values.push_back(transform(items[static_cast<std::size_t>(first + i)]));
    const A expected = wf::canonical_tree::replay(values.data(), count, op);
    ASSERT_EQ(std::memcmp(&folded[s], &expected, sizeof(A)), 0)
        << "segment " << s << " of " << count << " items at " << first << ", " << offset << " off";
  }
}

// An operator without identity, so that a wrong or missing operand shows.
TEST(waiting_segments, are_the_canonical_tree_of_each) {
  const auto items = wf_test::random_items<std::int32_t>(60'000);
  for (const int longest : {1, 8, 9, 16, 17, 40, 100, 255, 256})
    for (const int gap : {1, 4}) {
      check<int, 8>(items, longest % 4, longest, gap, 3, leaf_of{}, wf_test::hash_pair{});
      check<std::int64_t, 8>(items, 1, longest, gap, 0, leaf_of{}, wf_test::hash_pair{});
    }
}

TEST(waiting_segments, sum_floats_by_their_bits) {
  auto items = wf_test::random_items<float>(40'000);
  std::fill(items.begin(), items.begin() + 10'000, -0.0f);
  for (const int longest : {3, 50, 512})
    check<int, 16>(items, 2, longest, 1, 5, wf::thread::no_transform{}, wf::plus{});
}

}  // namespace
