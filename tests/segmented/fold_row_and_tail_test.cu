// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Equal segments of a row of chunks and a few items more, some of which do not exist, from any item on.
#include <warpfold/segmented/fold_row_and_tail.cuh>
#include <warpfold/thread/source.cuh>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>
#include <warpfold/canonical_tree.hpp>

#include "common/device.cuh"
#include "common/random_items.hpp"
#include "common/tree_hash.hpp"

namespace {

namespace wf = warpfold;
using hash = wf_test::tree_hash<8, 8>;

struct leaf_of {
  __host__ __device__ hash operator()(std::int32_t x) const { return hash::of(x); }
};

template <int Segments, class Source>
__global__ void rows_kernel(Source source, int first, int length, int count, hash* results) {
  const wf::thread::leaves<Source, leaf_of, hash> leaves{source, {}};
  hash found[Segments];
  wf::segmented::fold_row_and_tail(leaves.template from<>(first), length, length, count,
                                   source.is_inside(first, first + count * length), wf_test::hash_pair{}, found);
  if (threadIdx.x != 0) return;
  for (int k = 0; k < Segments; ++k)
    if (k < count) results[k] = found[k];
}

template <int Segments, class Source> void check_rows(const Source& source, const std::vector<std::int32_t>& data) {
  constexpr int row = wf::warp_lanes * Source::chunk_items;
  const int all = static_cast<int>(data.size());
  for (const int few : {1, 2, 7, 16, 31, 32})
    for (int count = 1; count <= Segments; ++count)
      for (const int from_end : {0, 1, 5, all}) {
        const int length = row + few, first = std::max(0, all - count * length - from_end);
        const wf_test::device_array<hash> results(count);
        wf_test::launch_and_wait(&rows_kernel<Segments, Source>, 1, wf::warp_lanes, 0, source, first, length, count,
                                 results.data());
        const auto found = results.to_host();
        for (int k = 0; k < count; ++k) {
          std::vector<hash> leaves;
          for (int i = 0; i < length; ++i)
            leaves.push_back(leaf_of{}(data[static_cast<std::size_t>(first + k * length + i)]));
          ASSERT_EQ(found[static_cast<std::size_t>(k)],
                    wf::canonical_tree::replay(leaves.data(), length, wf_test::hash_pair{}))
              << "segment " << k << " of " << count << ", " << length << " items from " << first;
        }
      }
}

TEST(fold_rows, are_canonical_trees_from_any_item_on) {
  const auto data = wf_test::random_items<std::int32_t>(1200);
  for (const int offset : {0, 1, 3}) {
    const wf_test::device_array<std::int32_t> on_device(data, offset);
    check_rows<2>(wf::thread::pointer_source<std::int32_t, 8>{on_device.data(), 1200}, data);
    check_rows<1>(wf::thread::pointer_source<std::int32_t, 4>{on_device.data(), 1200}, data);
  }
}

TEST(fold_rows, are_one_item_a_lane_past_the_row) {
  static_assert(!wf::segmented::is_row_and_tail<8>(256) && wf::segmented::is_row_and_tail<8>(257));
  static_assert(wf::segmented::is_row_and_tail<8>(288) && !wf::segmented::is_row_and_tail<8>(289));
  static_assert(!wf::segmented::is_row_and_tail<8>(std::int64_t{1} << 32 | 257));
}

}  // namespace
