// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Block algorithms by themselves: any number of items, in any group of warps, leaving the other warps alone.
#include <warpfold/arch/shared_memory.cuh>

#include "common/interval.hpp"
#include "expect_fold.cuh"

namespace wf_test {
namespace {

using item = interval<>;
using wf::thread::leaves;
using item_leaves = leaves<wf::thread::pointer_source<item>, wf::thread::no_transform, item>;

constexpr int block_warps = 5;

template <class Algorithm> using fold_storage = typename Algorithm::template storage<item>;

/// CUDA-block b folds the first b + 1 items, in the warps of Group; the others only load.
template <class Algorithm, int Warps, int First> __global__ void fold_kernel(const item* items, item* out) {
  auto& shared = wf::arch::dynamic_shared<fold_storage<Algorithm>>();
  const int count = static_cast<int>(blockIdx.x) + 1;
  const item_leaves input{{items, count}, {}};
  load_data_block(wf::block::whole_block<block_warps * 32>{}, input, 0, shared.data);
  __syncthreads();
  const wf::block::some_warps<Warps, First> group;
  if (!group.contains_caller()) return;
  const item value = Algorithm::fold(group, shared, count, join{});
  if (group.rank() == 0) out[count - 1] = value;
}

template <class Algorithm> class strategies_block_algorithm : public testing::Test {
 protected:
  template <int Warps, int First> static void expect_every_count() {
    constexpr int d = Algorithm::template data_block_items<item_leaves>;
    const device_array<item> in(interval_items<item>(d)), out(d);
    launch_and_wait(&fold_kernel<Algorithm, Warps, First>, d, block_warps * 32, sizeof(fold_storage<Algorithm>),
                    in.data(), out.data());
    for (int count = 1; count <= d; ++count)
      ASSERT_EQ(out.value(count - 1), item::of(0, count - 1)) << count << " of " << d;
  }
};

using algorithms = testing::Types<wf::block::tree<32>, wf::block::tree<128>, wf::block::warp_tree<32>,
                                  wf::block::warp_tree<96>, wf::block::matrix<32, 8>, wf::block::matrix<7, 9>,
                                  wf::block::matrix<70, 3>, wf::block::shuffle<32, 16>, wf::block::shuffle<96, 32>>;
TYPED_TEST_SUITE(strategies_block_algorithm, algorithms);

TYPED_TEST(strategies_block_algorithm, folds_any_count_in_one_warp) { this->template expect_every_count<1, 2>(); }
TYPED_TEST(strategies_block_algorithm, folds_any_count_in_some_warps) { this->template expect_every_count<3, 1>(); }

/// The result in a program that calls the sources' tb_reduceWarp.
__global__ void data_warp_kernel(const item* items, item* out) {
  auto& slots = wf::arch::dynamic_shared<wf::block::tree_slots<item, 64>>();
  const int count = static_cast<int>(blockIdx.x) + 1, lane = static_cast<int>(threadIdx.x);
  slots.set(lane, items[lane]);
  slots.set(lane + 32, items[lane + 32]);
  __syncwarp();
  const item value = reduce_by_warp(slots, count, join{});
  if (lane == 0) out[count - 1] = value;
}

TEST(strategies_data_warp, folds_any_count) {
  const device_array<item> in(interval_items<item>(64)), out(64);
  launch_and_wait(&data_warp_kernel, 64, 32, sizeof(wf::block::tree_slots<item, 64>), in.data(), out.data());
  for (int count = 1; count <= 64; ++count) EXPECT_EQ(out.value(count - 1), item::of(0, count - 1));
}

}  // namespace
}  // namespace wf_test
