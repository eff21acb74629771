// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks of one process: every split of the items over them has the bits of one call, in one launch through mailboxes and
// through gathered lists; what is wrong is thrown on all ranks.
#include <gtest/gtest.h>

#include <warpfold/exact_plus.cuh>
#include <warpfold/fuse.hpp>
#include <warpfold/arg_operators.hpp>
#include <warpfold/ranks.cuh>
#include <warpfold/ranks/local.cuh>
#include <warpfold/reduce.cuh>
#include <warpfold/statistics.hpp>

#include "common/interval.hpp"
#include "common/same_bits.hpp"
#include "ranks/ranks.hpp"
#include "reduce/stream.cuh"

namespace ranks_tests {

namespace wf = warpfold;
using namespace std::chrono_literals;
using wf_test::device_array, wf_test::interval, wf_test::join, wf_test::same_bits;

/// The look-alike of a communicator of CCCL's draft: rank, size, and all_gather behind a guard.
template <class One> struct foreign_communicator {
  One& of;

  int rank() const { return of.rank(); }
  int size() const { return of.size(); }
  struct group_guard {};
  group_guard group() const { return {}; }
  void all_gather(const group_guard&, const std::byte* send, std::byte* receive, std::size_t bytes,
                  cudaStream_t stream) const {
    of.all_gather(send, receive, bytes, stream);
    of.wait(stream);
  }
};
/// What makes it a communicator of Warpfold's.
template <class One> struct adapted : wf::communicator_base {
  foreign_communicator<One> of;
  explicit adapted(One& one) : of{one} {}

  int rank() const { return of.rank(); }
  int size() const { return of.size(); }
  void all_gather(const void* mine, void* all, std::size_t bytes, cudaStream_t stream) const {
    of.all_gather(of.group(), static_cast<const std::byte*>(mine), static_cast<std::byte*>(all), bytes, stream);
  }
};
static_assert(wf::communicator<wf::local_ranks::one> && wf::ranks::has_mailboxes<wf::local_ranks::one>);
using gathering = adapted<wf::local_ranks::one>;
static_assert(wf::communicator<gathering> && !wf::ranks::has_mailboxes<gathering>);

/// Calls body(rank, communicator) on all ranks, through mailboxes and through gathered lists.
template <class Body> void over_both(wf::local_ranks& all, const std::vector<int>& devices, Body body) {
  on_ranks(devices, [&](int r) { body(r, all[r]); });
  on_ranks(devices, [&](int r) {
    gathering one(all[r]);
    body(r, one);
  });
}

template <class T, class Op> void expect_bits_of_reduce(const std::vector<T>& items, Op op, int ranks, int rounds) {
  wf::check(cudaSetDevice(0), "cudaSetDevice");
  const device_array<T> whole(items);
  const auto expected = wf::reduce_value(whole.items(), op);
  const std::vector<int> devices = devices_of(ranks);
  wf::local_ranks all(devices);
  wf_test::random_source source(items.size() + static_cast<std::size_t>(ranks));
  for (int round = 0; round < rounds; ++round) {
    const auto parts = random_parts(std::ssize(items), ranks, source);
    over_both(all, devices, [&](int r, auto& one) {
      const auto [first, end] = parts[static_cast<std::size_t>(r)];
      const device_array<T> in(std::vector<T>(items.begin() + first, items.begin() + end), first % 3);
      const wf_test::stream stream;
      const auto value = wf::all_reduce_value(one, in.items(), {.first = first}, op, {.stream = stream});
      EXPECT_TRUE(same_bits(value, expected)) << items.size() << " items, rank " << r << " of " << ranks;
    });
  }
}

TEST(ranks, order_and_bits_are_those_of_one_call) {
  for (const int ranks : {1, 2, 3, 5, 8}) {
    for (const std::int64_t count : {1, 77, 5003}) {
      std::vector<interval<std::int64_t>> items;
      for (std::int64_t i = 0; i < count; ++i) items.push_back(interval<std::int64_t>::of(i));
      expect_bits_of_reduce(items, join{}, ranks, 2);
      expect_bits_of_reduce(wf_test::random_items<float>(count), wf::plus{}, ranks, 2);
    }
  }
  expect_bits_of_reduce(wf_test::random_items<float>(50'021), wf::plus{}, 3, 2);
}

}  // namespace ranks_tests
