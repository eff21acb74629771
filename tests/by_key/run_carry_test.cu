// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Carries of runs: of one thread's items for every set of heads and every count, and joined in every way.
#include <warpfold/by_key/run_carry.cuh>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>
#include <warpfold/canonical_tree.hpp>
#include <warpfold/operators.hpp>

#include "common/device.cuh"
#include "common/tree_hash.hpp"

namespace {

namespace wf = warpfold;
using hash = wf_test::tree_hash<8, 8>;

/// The result for `items` items, of which item k is a head if bit k of `heads` is set.
template <class A> struct found {
  wf::by_key::run_carry<A> open;
  A closed[8];
  int closed_count;
  bool in_order;  ///< runs are closed once each
};

template <class Op, class A, class Leaf> __global__ void fold_kernel(Op op, Leaf leaf, int count, found<A>* results) {
  const unsigned heads = threadIdx.x;
  found<A>& result = results[heads];
  result.closed_count = 0;
  result.in_order = true;
  unsigned seen = 0;
  result.open = wf::by_key::fold_runs<8, false>(
      wf::by_key::carry_joiner<Op, A>{op}, leaf, heads & ((1u << count) - 1), count, [&](int rank, const A& value) {
        result.in_order = result.in_order && rank >= 0 && rank < 7 && !(seen >> rank & 1);
        seen |= 1u << rank;
        result.closed[rank] = value;
        ++result.closed_count;
      });
}

struct hash_leaf {
  __device__ hash operator()(int k) const { return hash::of(k); }
};
struct odd_leaf {
  __host__ __device__ int operator()(int k) const { return 3 * k + 1; }
};

template <class A, class Op, class Leaf> void expect_runs(Op op, Leaf leaf, const std::vector<A>& items) {
  for (int count = 1; count <= 8; ++count) {
    const wf_test::device_array<found<A>> results(std::vector<found<A>>(256));
    wf_test::launch_and_wait(&fold_kernel<Op, A, Leaf>, 1, 256, 0, op, leaf, count, results.data());
    const auto all = results.to_host();
    for (unsigned bits = 0; bits < 1u << count; ++bits) {
      const auto& [open, closed, closed_count, in_order] = all[bits];
      std::vector<int> begins;
      for (int k = 0; k < count; ++k)
        if (bits >> k & 1) begins.push_back(k);
      const auto part = [&](int begin, int end) {
        return wf::canonical_tree::replay_part(items.data(), begin, end, op);
      };
      const int heads = static_cast<int>(begins.size());
      EXPECT_TRUE(in_order) << bits;
      EXPECT_EQ(open.heads != 0, heads != 0);
      EXPECT_EQ(open.last, part(heads > 0 ? begins.back() : 0, count)) << bits << ", " << count << " items";
      if (heads == 0 || begins[0] > 0) {
        EXPECT_EQ(open.first, part(0, heads > 0 ? begins[0] : count)) << bits << ", " << count << " items";
        EXPECT_TRUE(open.has_first);
      }
      EXPECT_EQ(closed_count, std::max(0, heads - 1));
      for (int r = 0; r + 1 < heads; ++r)
        EXPECT_EQ(closed[r], part(begins[static_cast<std::size_t>(r)], begins[static_cast<std::size_t>(r) + 1]))
            << bits << ", run " << r;
    }
  }
}

TEST(open_runs, of_a_threads_items) {
  expect_runs<hash>(wf_test::hash_pair{}, hash_leaf{}, wf_test::hash_items<hash>(8));  // an operator without identity
  expect_runs<int>(wf::plus{}, odd_leaf{}, {1, 4, 7, 10, 13, 16, 19, 22});             // one with
}

/// Thread h folds 16 items, and item h is a head; the last thread has no head.
template <class Op, class A, class Leaf>
__global__ void one_head_kernel(Op op, Leaf leaf, wf::by_key::run_carry<A>* results) {
  const unsigned heads = threadIdx.x < 16 ? 1u << threadIdx.x : 0;
  const wf::by_key::carry_joiner<Op, A> joiner{op};
  results[threadIdx.x] =
      wf::by_key::fold_one_head([&](unsigned head) { return wf::by_key::fold_split<16>(joiner, leaf, head); }, heads);
}

template <class A, class Op, class Leaf> void expect_one_head(Op op, Leaf leaf, const std::vector<A>& items) {
  const wf_test::device_array<wf::by_key::run_carry<A>> results(std::vector<wf::by_key::run_carry<A>>(17));
  wf_test::launch_and_wait(&one_head_kernel<Op, A, Leaf>, 1, 17, 0, op, leaf, results.data());
  const auto found = results.to_host();
  const auto part = [&](int begin, int end) { return wf::canonical_tree::replay_part(items.data(), begin, end, op); };
  for (int head = 0; head <= 16; ++head) {
    const auto& open = found[static_cast<std::size_t>(head)];
    EXPECT_EQ(open.heads != 0, head < 16);
    EXPECT_EQ(open.has_first, head > 0) << head;
    if (head > 0) {
      EXPECT_EQ(open.first, part(0, head)) << head;
    }
    EXPECT_EQ(open.last, part(head < 16 ? head : 0, 16)) << head;
  }
  // If no item precedes the head, `first` is the identity, for an operator that has one.
  if constexpr (wf::by_key::carry_joiner<Op, A>::uses_identity) {
    EXPECT_EQ(found[0].first, (wf::identity<Op, A>::value()));
  }
}

/// A value that knows whether it was made of items, and an operator that counts when it is given others.
struct real {
  int value, is_real;
};
struct add_real {
  int* not_real;
  __host__ __device__ real operator()(const real& a, const real& b) const {
    if (!a.is_real || !b.is_real) ++*not_real;
    return {a.value + b.value, 1};
  }
};
struct real_leaf {
  __host__ __device__ real operator()(int k) const { return {k, 1}; }
};

/// One thread folds 16 items, head after head, and last without one.
__global__ void real_items_kernel(add_real op) {
  const wf::by_key::carry_joiner<add_real, real> joiner{op};
  for (int head = 0; head <= 16; ++head) {
    const auto split = [&](unsigned at) { return wf::by_key::fold_split<16>(joiner, real_leaf{}, at); };
    const auto open = wf::by_key::fold_one_head(split, head < 16 ? 1u << head : 0);
    if (open.last.value != (head < 16 ? 120 - head * (head - 1) / 2 : 120)) *op.not_real += 1000;
  }
}

TEST(open_runs, show_the_operator_items_only) {
  const wf_test::device_array<int> not_real(std::vector<int>{0});
  wf_test::launch_and_wait(&real_items_kernel, 1, 1, 0, add_real{not_real.data()});
  EXPECT_EQ(not_real.value(), 0);
}

TEST(open_runs, of_one_head_at_most) {
  expect_one_head<hash>(wf_test::hash_pair{}, hash_leaf{}, wf_test::hash_items<hash>(16));
  std::vector<int> odd;
  for (int k = 0; k < 16; ++k) odd.push_back(odd_leaf{}(k));
  expect_one_head<int>(wf::plus{}, odd_leaf{}, odd);
}

}  // namespace
