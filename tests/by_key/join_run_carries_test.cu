// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The carry of a warp's lanes, each with one item or no item, for random heads.
#include <warpfold/by_key/join_run_carries.cuh>

#include <gtest/gtest.h>

#include <vector>
#include <warpfold/canonical_tree.hpp>
#include <warpfold/operators.hpp>

#include "common/device.cuh"
#include "common/random_items.hpp"
#include "common/tree_hash.hpp"

namespace {

namespace wf = warpfold;
using hash = wf_test::tree_hash<12, 4>;

template <class A> struct found {
  wf::by_key::run_carry<A> open;
  A closed[32];
  unsigned times_closed[32];
  wf::by_key::heads_before counted[32];
};

template <int Lanes, class Op, class A>
__global__ void join_kernel(Op op, const A* items, int count, unsigned heads, found<A>* result) {
  const int lane = static_cast<int>(threadIdx.x), is_head = static_cast<int>(heads >> lane & 1);
  const wf::by_key::carry_joiner<Op, A> joiner{op};
  result->times_closed[lane] = 0;
  __syncwarp();
  const auto before = wf::by_key::count_heads<Lanes>(is_head);
  result->counted[lane] = before;
  const auto own = lane < count ? joiner.item(items[lane], is_head) : joiner.none();
  const auto open = wf::by_key::join_carries<Lanes>(joiner, own, before, [&](int rank, const A& value) {
    result->closed[rank] = value;
    atomicAdd(&result->times_closed[rank], 1u);
  });
  if (lane == 0) result->open = open;
}

template <int Lanes = 32, class A, class Op>
void expect_joined(Op op, const std::vector<A>& items, unsigned heads, int count) {
  if (count < 32) heads &= (1u << count) - 1;
  const wf_test::device_array<A> in(items);
  const wf_test::device_array<found<A>> result(std::vector<found<A>>(1));
  wf_test::launch_and_wait(&join_kernel<Lanes, Op, A>, 1, 32, 0, op, in.data(), count, heads, result.data());
  const auto [open, closed, times_closed, counted] = result.value();
  const auto part = [&](int begin, int end) { return wf::canonical_tree::replay_part(items.data(), begin, end, op); };
  std::vector<int> begins;
  for (int k = 0; k < Lanes; ++k) {
    EXPECT_EQ(counted[k].lane, std::ssize(begins));
    if (heads >> k & 1) begins.push_back(k);
  }
  const int runs = static_cast<int>(begins.size());
  for (int k = 0; k < Lanes; ++k) EXPECT_EQ(counted[k].warp, runs);
  EXPECT_EQ(open.heads, runs);
  EXPECT_EQ(open.last, part(runs > 0 ? begins.back() : 0, count)) << std::hex << heads << ", " << count;
  if (runs == 0 || begins[0] > 0) {
    EXPECT_EQ(open.first, part(0, runs > 0 ? begins[0] : count)) << std::hex << heads << ", " << count;
  }
  for (int r = 0; r < 32; ++r) {
    ASSERT_EQ(times_closed[r], r + 1 < runs ? 1u : 0u) << std::hex << heads << ", run " << r;
    if (r + 1 >= runs) continue;
    EXPECT_EQ(closed[r], part(begins[static_cast<std::size_t>(r)], begins[static_cast<std::size_t>(r) + 1]))
        << std::hex << heads;
  }
}

TEST(warp_fold_runs, of_its_lanes) {
  wf_test::random_source source(7);
  std::vector<int> numbers;
  for (int i = 0; i < 32; ++i) numbers.push_back(static_cast<int>(source.below(1000)));
  const auto hashes = wf_test::hash_items<hash>(32);
  for (int step = 0; step < 200; ++step) {
    unsigned heads = static_cast<unsigned>(source());
    for (std::int64_t sparser = source.below(4); sparser > 0; --sparser) heads &= static_cast<unsigned>(source());
    const int count = step % 3 == 0 ? 32 : static_cast<int>(1 + source.below(32));
    expect_joined(wf_test::hash_pair{}, hashes, heads, count);
    expect_joined(wf::plus{}, numbers, heads, count);
    expect_joined<8>(wf_test::hash_pair{}, hashes, heads, 1 + count % 8);
    expect_joined<8>(wf::plus{}, numbers, heads, 1 + count % 8);
  }
  for (const unsigned heads : {0u, 1u, ~0u, 0x80000000u}) expect_joined(wf_test::hash_pair{}, hashes, heads, 32);
}

}  // namespace
