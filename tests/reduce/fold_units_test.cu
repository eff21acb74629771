// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last block's fold of all units against the canonical tree over them; and of a part's, to a list of nodes.
#include <warpfold/reduce/fold_units.cuh>

#include <gtest/gtest.h>

#include <vector>
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/canonical_tree.hpp>
#include <warpfold/reduce/part.cuh>
#include <warpfold/thread/array.cuh>

#include "common/device.cuh"
#include "common/random_items.hpp"
#include "common/tree_hash.hpp"

namespace {

namespace wf = warpfold;

/// Block b folds counts[b] values.
template <int Warps, class T, class Op>
__global__ void fold_kernel(const int* counts, const T* values, T* results, Op op) {
  auto& shared = wf::arch::dynamic_shared<wf::thread::array<T, Warps>>();
  const T root = wf::reduction::fold_units<Warps>(shared.data(), values, counts[blockIdx.x], op);
  if (threadIdx.x == 0) results[blockIdx.x] = root;
}

template <int Warps, class T, class Op>
void check(const std::vector<int>& counts, const std::vector<T>& values, Op op) {
  const wf_test::device_array<int> counts_on_device(counts);
  const wf_test::device_array<T> values_on_device(values), results(std::ssize(counts));
  wf_test::launch_and_wait(&fold_kernel<Warps, T, Op>, static_cast<int>(counts.size()), Warps * wf::warp_lanes,
                           Warps * sizeof(T), counts_on_device.data(), values_on_device.data(), results.data(), op);
  const auto roots = results.to_host();
  for (std::size_t i = 0; i < counts.size(); ++i)
    EXPECT_EQ(roots[i], wf::canonical_tree::replay(values.data(), counts[i], op)) << counts[i];
}
template <int Warps, class Hash> void check(const std::vector<int>& counts) {
  check<Warps>(counts, wf_test::hash_items<Hash>(counts.back()), wf_test::hash_pair{});
}

TEST(fold_units, is_the_canonical_tree_over_the_units) {
  check<16, wf_test::tree_hash<8, 8>>({1, 2, 3, 31, 33, 255, 256, 257, 512, 513, 1000, 4095, 4096, 4097, 8191, 8192});
}

TEST(fold_units, of_wide_accumulators_and_few_warps) {
  check<4, wf_test::tree_hash<24, 8>>({1, 64, 65, 256, 257, 511, 512, 513, 1024, 1025, 2000, 2048});
}

// The race detector sees loads of numbers, and none of structs that are passed by value.
TEST(fold_units, of_numbers) { check<4>({300, 1000}, wf_test::random_items<unsigned>(1000), wf_test::number_pair{}); }

using number_nodes = wf::canonical_nodes<unsigned, wf_test::number_pair>;

__global__ void list_kernel(number_nodes* list, wf::reduction::part_cuts cuts, const unsigned* pieces) {
  __shared__ unsigned chunks[16];
  __shared__ wf::reduction::list_plan plan;
  const wf::reduction::part_output<unsigned, wf_test::number_pair> out{list};
  if (threadIdx.x + 1 == blockDim.x) plan.cuts = cuts;
  wf::reduction::prepare_list(plan);
  __syncthreads();
  wf::reduction::write_list(out, plan, pieces, chunks, wf_test::number_pair{});
}

// A part whose units have one item each, many of which make a node.
TEST(fold_units, of_a_part) {
  for (const std::int64_t first : {0, 300, 1000}) {
    constexpr std::int64_t count = 3000;
    const auto values = wf_test::random_items<unsigned>(count);
    const wf_test::device_array<unsigned> pieces(values);
    const wf_test::device_array<number_nodes> out(1);
    wf_test::launch_and_wait(&list_kernel, 1, 96, 0, out.data(), wf::reduction::cut_part(first, first + count, 0, 0, 0),
                             pieces.data());
    const number_nodes list = out.value();
    std::int64_t next = first;
    for (int i = 0; i < list.size(); ++i) {
      std::int64_t items = 1;
      while (next % (2 * items) == 0 && next + 2 * items <= first + count) items *= 2;
      EXPECT_EQ(list[i], wf::canonical_tree::replay(values.data() + (next - first), items, wf_test::number_pair{}));
      next += items;
    }
    EXPECT_EQ(next, first + count);
  }
}

}  // namespace
