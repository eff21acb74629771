// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any number of consecutive items from any item on, by the canonical tree, whatever lies around them.
#include <warpfold/segmented/fold_span.cuh>

#include <gtest/gtest.h>

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

struct span_case {
  int first, items;
  hash expected;
};

template <int Rows, class Source> __global__ void span_kernel(Source source, const span_case* cases, int* wrong) {
  const span_case& own = cases[blockIdx.x];
  const wf::thread::leaves<Source, leaf_of, hash> leaves{source, {}};
  const hash result = wf::segmented::fold_span<Rows>(leaves, own.first, own.items, wf_test::hash_pair{});
  if (!(result == own.expected)) atomicAdd(wrong, 1);
}

template <int Rows, class Source>
void check_spans(const Source& source, const std::vector<std::int32_t>& data, int aligned_first) {
  constexpr int batch = Rows * wf::warp_lanes * Source::chunk_items, tile = batch / 2;
  const int all = static_cast<int>(data.size());
  std::vector<span_case> cases;
  for (const int items :
       {1, 2, Source::chunk_items + 1, tile - 1, tile, tile + 1, batch - 1, batch, batch + 1, 3 * batch + 2 * tile + 5})
    for (const int first : {0, 1, 2, 3, aligned_first, aligned_first + 4, all - items - 1, all - items}) {
      std::vector<hash> leaves;
      for (int i = 0; i < items; ++i) leaves.push_back(leaf_of{}(data[static_cast<std::size_t>(first + i)]));
      cases.push_back({first, items, wf::canonical_tree::replay(leaves.data(), items, wf_test::hash_pair{})});
    }
  const wf_test::device_array<span_case> on_device(cases);
  const wf_test::device_array<int> wrong(std::vector<int>{0});
  wf_test::launch_and_wait(&span_kernel<Rows, Source>, static_cast<int>(cases.size()), wf::warp_lanes, 0, source,
                           on_device.data(), wrong.data());
  EXPECT_EQ(wrong.value(), 0) << Rows << " rows of chunks of " << Source::chunk_items;
}

TEST(fold_span, is_the_canonical_tree_from_any_item_on) {
  const auto data = wf_test::random_items<std::int32_t>(6000);
  for (const int offset : {0, 1, 2, 3}) {
    const wf_test::device_array<std::int32_t> on_device(data, offset);
    check_spans<4>(wf::thread::pointer_source<std::int32_t, 8>{on_device.data(), 6000}, data, 64 - offset);
    check_spans<2>(wf::thread::pointer_source<std::int32_t, 4>{on_device.data(), 6000}, data, 64 - offset);
  }
}

struct from_memory {
  using value_type = std::int32_t;
  using difference_type = std::int64_t;
  const std::int32_t* items;
  __device__ std::int32_t operator[](std::int64_t i) const { return items[i]; }
};

TEST(fold_span, takes_iterators) {
  const auto data = wf_test::random_items<std::int32_t>(4000);
  const wf_test::device_array<std::int32_t> on_device(data);
  check_spans<2>(wf::thread::iterator_source<from_memory, 8>{{on_device.data()}, 4000}, data, 64);
}

}  // namespace
