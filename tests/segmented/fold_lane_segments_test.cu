// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments of a chunk or less, each by one lane: by its canonical tree, wherever it lies.
#include <warpfold/segmented/fold_lane_segments.cuh>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>
#include <warpfold/canonical_tree.hpp>

#include "common/device.cuh"
#include "common/random_items.hpp"
#include "common/same_bits.hpp"
#include "common/tree_hash.hpp"

namespace {

namespace wf = warpfold;
using hash = wf_test::tree_hash<8, 8>;
using wf_test::device_array;

constexpr int together = 3;

struct segment {
  int begin, end;
};

struct leaf_of {
  __host__ __device__ hash operator()(std::int32_t x) const { return hash::of(x); }
};

enum class way { single_chunks, items };

/// Warp b folds `together` segments per lane; results of segments without items stay as they are.
template <way Algorithm, class Leaves, class Op>
__global__ void lanes_kernel(Leaves leaves, const segment* segments, Op op, typename Leaves::accumulator* results,
                             int* stores) {
  int first[together], count[together];
  bool inside = true;
  for (int k = 0; k < together; ++k) {
    const segment& own = segments[(blockIdx.x * together + k) * 32 + threadIdx.x];
    first[k] = own.begin, count[k] = own.end - own.begin;
    inside = inside && (count[k] == 0 || leaves.source.is_inside(own.begin, own.end));
  }
  inside = __all_sync(wf::full_warp, inside);
  const auto store = [&](int k, const auto& value) {
    const auto place = (blockIdx.x * together + static_cast<unsigned>(k)) * 32 + threadIdx.x;
    results[place] = value;
    atomicAdd(stores + place, 1);
  };
  typename Leaves::accumulator values[together];
  if constexpr (Algorithm == way::single_chunks) {
    wf::segmented::fold_single_chunks(leaves, first, count, inside, op, values);
  } else {
    wf::segmented::tiny_segments<4, together, Leaves, Op> segments_of_lane;
    segments_of_lane.load(leaves, first, count);
    segments_of_lane.fold(leaves, count, op, values);
  }
  for (int k = 0; k < together; ++k)
    if (count[k] > 0) store(k, values[k]);
}

template <way Algorithm, int ChunkItems, class T, class Transform, class Op>
void check_lanes(const std::vector<T>& items, std::int64_t offset, Transform transform, Op op) {
  using source = wf::thread::pointer_source<T, ChunkItems>;
  using A = std::remove_cvref_t<decltype(transform(items[0]))>;
  constexpr int most = Algorithm == way::items ? 4 : ChunkItems;
  wf_test::random_source random(5);
  std::vector<segment> segments;
  const std::int64_t all = std::ssize(items);
  for (int warp = 0; warp < 12; ++warp)
    for (int i = 0; i < together * 32; ++i) {
      const auto count = static_cast<int>(warp % 3 == 0 ? most : random.below(most + 1));
      // All but the first warps stay away from the ends, where vectors may not be read.
      const std::int64_t margin = warp < 4 ? 0 : 16;
      const auto begin = static_cast<int>(margin + random.below(all - 2 * margin - count + 1));
      segments.push_back({begin, begin + count});
    }
  const device_array<T> in(items, offset);
  const device_array<segment> given(segments);
  const device_array<A> results(std::vector<A>(segments.size()));
  const device_array<int> stores(std::vector<int>(segments.size(), 0));
  using leaves = wf::thread::leaves<source, Transform, A>;
  wf_test::launch_and_wait(&lanes_kernel<Algorithm, leaves, Op>, 12, 32, 0,
                           leaves{source{in.data(), in.count()}, transform}, given.data(), op, results.data(),
                           stores.data());
  const auto stored = stores.to_host();
  const auto folded = results.to_host();
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const auto [begin, end] = segments[s];
    ASSERT_EQ(stored[s], end > begin ? 1 : 0) << "segment " << s << " of " << end - begin << " items";
    if (begin == end) continue;
    std::vector<A> values;
    for (int i = begin; i < end; ++i) values.push_back(transform(items[static_cast<std::size_t>(i)]));
    const A expected = wf::canonical_tree::replay(values.data(), end - begin, op);
    ASSERT_EQ(std::memcmp(&folded[s], &expected, sizeof(A)), 0)
        << "segment [" << begin << ", " << end << "), " << offset << " off";
  }
}

// An operator without identity: missing items take no part.
TEST(fold_lane_segments, are_the_canonical_tree_of_each) {
  const auto items = wf_test::random_items<std::int32_t>(500);
  for (const std::int64_t offset : {0, 1, 2, 3}) {
    check_lanes<way::single_chunks, 8>(items, offset, leaf_of{}, wf_test::hash_pair{});
    check_lanes<way::single_chunks, 4>(items, offset, leaf_of{}, wf_test::hash_pair{});
    check_lanes<way::items, 8>(items, offset, leaf_of{}, wf_test::hash_pair{});
  }
}

// With an exact identity, that takes the place of what does not exist: it must leave -0 as it is.
TEST(fold_lane_segments, sum_floats_by_their_bits) {
  static_assert(wf::thread::may_combine_missing<wf::plus, float> &&
                !wf::thread::may_combine_missing<wf_test::hash_pair, hash>);
  auto items = wf_test::random_items<float>(500);
  std::fill(items.begin(), items.begin() + 200, -0.0f);
  for (const std::int64_t offset : {0, 3}) {
    check_lanes<way::single_chunks, 8>(items, offset, wf::thread::no_transform{}, wf::plus{});
    check_lanes<way::items, 8>(items, offset, wf::thread::no_transform{}, wf::plus{});
  }
}

TEST(fold_lane_segments, take_items_of_any_size) {
  check_lanes<way::single_chunks, 16>(wf_test::random_items<std::uint8_t>(900), 5, leaf_of{}, wf_test::hash_pair{});
  check_lanes<way::single_chunks, 4>(wf_test::random_items<double>(300), 1, wf::thread::no_transform{}, wf::plus{});
}

}  // namespace
