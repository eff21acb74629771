// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Drawn work: each item goes to one block, and the counter is zero again.
#include <warpfold/grid/drawn_work.cuh>

#include <gtest/gtest.h>

#include <vector>

#include "common/device.cuh"

namespace drawn_work_test {

/// Counts how often each item comes, and items that were not announced by the one before.
__global__ void count_items(std::int64_t items, unsigned* counter, bool draws_first, unsigned* seen, unsigned* wrong) {
  __shared__ warpfold::grid::drawn_work::storage shared;
  warpfold::grid::drawn_work work(items, counter, draws_first, threadIdx.x == 1, shared);
  while (work.exists()) {
    work.draw();
    if (threadIdx.x == 0) atomicAdd(seen + work.item(), 1u);
    const std::int64_t next = work.next();
    work.show();
    __syncthreads();
    work.advance();
    if (work.item() != next) atomicAdd(wrong, 1u);
  }
}

TEST(drawn_work, each_item_goes_to_one_block) {
  const wf_test::device_array<unsigned> counter(std::vector<unsigned>{0});
  for (const int blocks : {1, 2, 7, 60})
    for (const std::int64_t items : {1, 2, 13, 120, 1000})
      for (const int way : {0, 1, 2}) {  // in turns, drawn, drawn from the first one on
        const wf_test::schedule_seed scheduled(static_cast<std::uint64_t>(blocks + way));
        const wf_test::device_array<unsigned> seen(std::vector<unsigned>(static_cast<std::size_t>(items), 0));
        const wf_test::device_array<unsigned> wrong(std::vector<unsigned>{0});
        wf_test::launch_and_wait(&count_items, blocks, 64, 0, items, way == 0 ? nullptr : counter.data(), way == 2,
                                 seen.data(), wrong.data());
        EXPECT_EQ(seen.to_host(), std::vector<unsigned>(static_cast<std::size_t>(items), 1))
            << items << " items, " << blocks << " blocks, way " << way;
        EXPECT_EQ(wrong.value(), 0u);
        EXPECT_EQ(counter.value(), 0u) << items << " items, " << blocks << " blocks, way " << way;
      }
}

}  // namespace drawn_work_test
