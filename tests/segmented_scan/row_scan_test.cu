// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scan of a warp's rows, run by run: every prefix has the bits of the canonical tree.
#include <algorithm>
#include <warpfold/segmented_scan/row_scan.cuh>

#include <gtest/gtest.h>

#include "common/random_items.hpp"
#include "common/tree_hash.hpp"
#include "segmented_scan/expect_segment_prefixes.cuh"

namespace segmented_scan = warpfold::segmented_scan;
using wf_test::all_same_bits, wf_test::device_array;

namespace {

constexpr int rows = 4;

/// Scans the items of one warp's rows. Runs begin where `begins` says; if it is null, the rows are nodes of one run.
template <int Items, class A, class Op> __global__ void scan_kernel(const A* in, A* out, const int* begins, Op op) {
  constexpr int row_items = 32 * Items, all = rows * row_items;
  using marks_type = segmented_scan::run_marks<all, false>;
  auto& marks = warpfold::arch::dynamic_shared<marks_type>();
  const int lane = static_cast<int>(threadIdx.x);
  marks.clear();
  if (begins != nullptr)
    for (int i = lane; i < all; i += 32)
      if (begins[i]) marks.mark_begin(i);
  __syncwarp();
  segmented_scan::row_scan<warpfold::log2_of(all), Items, A, Op> scan{op};
  segmented_scan::row_runs<Items, marks_type> runs{marks, 0, all, 0};
  for (int row = 0; row < all; row += row_items) {
    auto own = segmented_scan::chunk_runs<Items>::of_node(row);
    if (begins != nullptr) own = runs.template next<true>(row);
    A values[Items];
    for (int k = 0; k < Items; ++k) values[k] = in[row + lane * Items + k];
    scan.scan(values, own);
    for (int k = 0; k < Items; ++k) out[row + lane * Items + k] = values[k];
  }
}

template <int Items, class A, class Op> void expect_rows(const std::vector<A>& items, Op op) {
  const auto count = static_cast<std::int64_t>(items.size());
  const device_array<A> in(items), out(count);
  for (const std::int64_t length :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{3}, std::int64_t{8}, std::int64_t{33}, std::int64_t{64},
        std::int64_t{100}, count / 2, count - 1, count}) {
    std::vector<int> begins(items.size());
    std::vector<std::int64_t> lengths;
    for (std::int64_t begin = 0; begin < count; begin += lengths.back()) {
      begins[static_cast<std::size_t>(begin)] = 1;
      lengths.push_back(length == 0 ? count : std::min(length, count - begin));
    }
    const device_array<int> marked(begins);
    wf_test::launch_and_wait(&scan_kernel<Items, A, Op>, 1, 32, 4096, in.data(), out.data(),
                             length == 0 ? nullptr : marked.data(), op);
    const auto expected = wf_test::canonical_segment_prefixes<false>(items, {"runs", lengths}, op, items[0], items[0]);
    EXPECT_TRUE(all_same_bits(out.to_host(), expected)) << Items << " items a lane, runs of " << length;
  }
}

template <int Items> void expect_rows() {
  constexpr std::int64_t count = rows * 32 * Items;
  expect_rows<Items>(wf_test::hash_items<wf_test::tree_hash<8, 8>>(count), wf_test::hash_pair{});
  expect_rows<Items>(wf_test::hash_items<wf_test::tree_hash<96, 8>>(count), wf_test::hash_pair{});  // wide
  expect_rows<Items>(wf_test::random_items<float>(count), warpfold::plus{});
  expect_rows<Items>(wf_test::random_items<int>(count), warpfold::maximum{});  // exact
}

TEST(row_scan, of_runs_and_nodes) {
  expect_rows<1>();
  expect_rows<4>();
  expect_rows<8>();
  expect_rows<16>();
}

}  // namespace
