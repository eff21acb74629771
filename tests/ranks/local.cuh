// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks of one process, through mailboxes and through a communicator that gathers.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <warpfold/ranks.cuh>
#include <warpfold/ranks/local.cuh>

#include "common/same_bits.hpp"
#include "ranks/ranks.hpp"
#include "reduce/stream.cuh"

namespace ranks_tests {

namespace wf = warpfold;
using wf_test::device_array;

/// Sizes are those of the emulator: on a GPU, where warps and blocks share long segments, they are as many times these.
inline constexpr std::int64_t scale = wf_test::emulated ? 1 : 300;

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
/// This makes it a communicator of Warpfold's.
template <class One> struct adapted : wf::communicator_base {
  foreign_communicator<One> of;
  explicit adapted(One& one) : of{one} {
    prepare(one.size());
    (void)reserve(std::size_t{4} << 20);  // as local_ranks do: nothing is allocated while another rank waits
  }

  int rank() const { return of.rank(); }
  int size() const { return of.size(); }
  void all_gather(const void* mine, void* all, std::size_t bytes, cudaStream_t stream) const {
    of.all_gather(of.group(), static_cast<const std::byte*>(mine), static_cast<std::byte*>(all), bytes, stream);
  }
};
static_assert(wf::communicator<wf::local_ranks::one> && wf::ranks::has_mailboxes<wf::local_ranks::one>);
using gathering = adapted<wf::local_ranks::one>;
static_assert(wf::communicator<gathering> && !wf::ranks::has_mailboxes<gathering>);

/// A rank's part of an input and a place for a result: CUDA may not allocate or free while a kernel waits for another rank.
template <class T, class R = float> struct rank_data {
  device_array<T> in;
  device_array<R> out{1};
  wf_test::stream stream;
  std::int64_t first;

  rank_data(const std::vector<T>& items, std::int64_t first, std::int64_t end)
      : in(std::vector<T>(items.begin() + first, items.begin() + end), first % 3), first(first) {}
};
template <class T, class R = float>
std::vector<std::unique_ptr<rank_data<T, R>>> distribute(
    const std::vector<int>& devices, const std::vector<T>& items,
    const std::vector<std::pair<std::int64_t, std::int64_t>>& parts) {
  std::vector<std::unique_ptr<rank_data<T, R>>> result;
  for (std::size_t r = 0; r < devices.size(); ++r) {
    wf::check(cudaSetDevice(devices[r]), "cudaSetDevice");
    result.emplace_back(new rank_data<T, R>(items, parts[r].first, parts[r].second));
  }
  wf::check(cudaSetDevice(0), "cudaSetDevice");
  return result;
}

/// Communicators of all ranks that gather lists.
inline std::vector<std::unique_ptr<gathering>> gathering_ranks(wf::local_ranks& all, const std::vector<int>& devices) {
  std::vector<std::unique_ptr<gathering>> result;
  for (std::size_t r = 0; r < devices.size(); ++r) {
    wf::check(cudaSetDevice(devices[r]), "cudaSetDevice");
    result.emplace_back(new gathering(all[static_cast<int>(r)]));
  }
  wf::check(cudaSetDevice(0), "cudaSetDevice");
  return result;
}

/// Calls body(rank, communicator) on all ranks, through mailboxes and through gathered lists.
template <class Body> void over_both(wf::local_ranks& all, const std::vector<int>& devices, Body body) {
  on_ranks(devices, [&](int r) { body(r, all[r]); });
  const auto gathered = gathering_ranks(all, devices);
  on_ranks(devices, [&](int r) { body(r, *gathered[static_cast<std::size_t>(r)]); });
}

/// Whether both have the same bits, but for padding.
template <class R> testing::AssertionResult same_result(const R& actual, const R& expected) {
  if constexpr (requires { actual.index; })
    return actual.index == expected.index ? wf_test::same_bits(actual.value, expected.value)
                                          : testing::AssertionFailure() << actual.index << " is not " << expected.index;
  else return wf_test::same_bits(actual, expected);
}

}  // namespace ranks_tests
