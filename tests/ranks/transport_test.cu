// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A transport that delays, reorders and drops; and lists of very many ranks, joined in any tree.
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <warpfold/canonical_tree.hpp>
#include <warpfold/reduce.cuh>
#include <warpfold/statistics.hpp>

#include "common/interval.hpp"
#include "common/same_bits.hpp"
#include "ranks/local.cuh"

namespace ranks_transport_tests {

namespace wf = warpfold;
using namespace ranks_tests;
using namespace std::chrono_literals;
using wf_test::interval, wf_test::join, wf_test::same_bits;

/// The messages of one communicator's ranks, in host memory, call by call.
class post_office {
 public:
  /// The message of rank `lost_rank` in call `lost_call` is dropped.
  explicit post_office(int size, int lost_rank = -1, int lost_call = -1)
      : size_(size), lost_rank_(lost_rank), lost_call_(lost_call) {}
  int size() const { return size_; }

  void send(int rank, int call, std::vector<std::byte> message) {
    if (rank == lost_rank_ && call == lost_call_) return;
    std::lock_guard lock(mutex_);
    sent_[{call, rank}] = std::move(message);
    arrived_.notify_all();
  }
  /// The message of `rank`, or none if it does not come in time.
  const std::vector<std::byte>* receive(int rank, int call, std::chrono::nanoseconds timeout) {
    std::unique_lock lock(mutex_);
    const auto is_there = [&] { return sent_.contains({call, rank}); };
    return arrived_.wait_for(lock, timeout, is_there) ? &sent_[{call, rank}] : nullptr;
  }

 private:
  int size_, lost_rank_, lost_call_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<std::pair<int, int>, std::vector<std::byte>> sent_;
};

class posted_ranks : public wf::communicator_base {
 public:
  posted_ranks(post_office& office, int rank, std::uint64_t seed) : office_(office), rank_(rank), random_(seed) {
    prepare(size());
  }
  int rank() const { return rank_; }
  int size() const { return office_.size(); }

  void all_gather(const void* mine, void* all, std::size_t bytes, cudaStream_t stream) {
    std::vector<std::byte> own(bytes);
    wf::check(cudaMemcpyAsync(own.data(), mine, bytes, cudaMemcpyDefault, stream), "cudaMemcpyAsync");
    wf::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    std::this_thread::sleep_for(std::chrono::microseconds(random_.below(3000)));
    office_.send(rank_, calls_, std::move(own));
    std::vector<int> order(static_cast<std::size_t>(size()));
    for (int r = 0; r < size(); ++r) order[static_cast<std::size_t>(r)] = r;
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(i)))]);
    for (const int from : order) {
      const std::vector<std::byte>* const message = office_.receive(from, calls_, timeout());
      if (message == nullptr) throw wf::rank_error("rank " + std::to_string(from) + " has not answered");
      std::byte* const to = static_cast<std::byte*>(all) + static_cast<std::size_t>(from) * bytes;
      wf::check(cudaMemcpyAsync(to, message->data(), bytes, cudaMemcpyDefault, stream), "cudaMemcpyAsync");
    }
    wf::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    ++calls_;
  }

 private:
  post_office& office_;
  int rank_, calls_ = 0;
  wf_test::random_source random_;
};

TEST(ranks_transport, delays_and_orders_change_nothing_and_a_loss_ends_in_time) {
  const std::vector<int> devices = devices_of(4);
  std::vector<interval<std::int64_t>> items;
  for (std::int64_t i = 0; i < 999; ++i) items.push_back(interval<std::int64_t>::of(i));
  wf_test::random_source source(7);
  post_office office(4), lossy(4, 2, 1), next(4);
  const auto data = distribute(devices, items, random_parts(999, 4, source));
  const auto call = [&](int r, posted_ranks& ranks, std::chrono::nanoseconds timeout) {
    const auto& [in, out, stream, first] = *data[static_cast<std::size_t>(r)];
    const auto value =
        wf::all_reduce_value(ranks, in.items(), wf::part{first}, join{}, {.stream = stream, .timeout = timeout});
    EXPECT_EQ(value, interval<std::int64_t>::of(0, 998));
  };
  on_ranks(devices, [&](int r) {
    posted_ranks ranks(office, r, 1 + static_cast<std::uint64_t>(r));
    for (int round = 0; round < 5; ++round) call(r, ranks, 30s);
  });
  for (const auto& failure : failures_on(devices, [&](int r) {
         posted_ranks ranks(lossy, r, 1);
         call(r, ranks, 30s);
         call(r, ranks, 200ms);
       }))
    EXPECT_NE(text_of(failure).find("has not answered"), std::string::npos) << text_of(failure);
  on_ranks(devices, [&](int r) {
    posted_ranks ranks(next, r, 1);
    call(r, ranks, 30s);
  });
}

/// The list of ranks [first, end), joined in a random tree. `most_nodes` is what a message on the way has had at most.
template <class Nodes, class Op>
Nodes joined(const std::vector<Nodes>& lists, std::size_t first, std::size_t end, const Op& op,
             wf_test::random_source& source, int& most_nodes) {
  Nodes result = lists[first];
  if (end - first > 1) {
    const std::size_t middle =
        first + 1 + static_cast<std::size_t>(source.below(static_cast<std::int64_t>(end - first) - 1));
    result = joined(lists, first, middle, op, source, most_nodes);
    result.append(joined(lists, middle, end, op, source, most_nodes), op);
  }
  most_nodes = std::max(most_nodes, result.size());
  return result;
}

// A tree of messages takes log2(ranks) steps; a message has one node for each level that rises or falls, of 2 log2(items).
TEST(ranks_transport, a_hundred_thousand_ranks_in_random_trees) {
  using nodes = wf::canonical_nodes<float, wf::plus>;
  constexpr std::size_t ranks = 100'000;
  wf_test::random_source source(3);
  std::vector<float> items;
  std::vector<nodes> lists;
  for (std::size_t r = 0; r < ranks; ++r) {
    nodes list(std::ssize(items));
    for (std::int64_t count = source.below(5); count > 0; --count) {
      items.push_back(wf_test::random_item<float>(source));
      list.append_item(items.back(), wf::plus{});
    }
    lists.push_back(list);
  }
  nodes all(0);
  all.append_items(items.data(), std::ssize(items), wf::plus{});
  for (int round = 0; round < 2; ++round) {
    int most_nodes = 0;
    const nodes tree = joined(lists, 0, ranks, wf::plus{}, source, most_nodes);
    EXPECT_EQ(tree.end(), std::ssize(items));
    EXPECT_TRUE(same_bits(tree.value(wf::plus{}), all.value(wf::plus{})));
    EXPECT_LE(most_nodes, 2 * 18);
    EXPECT_LT(tree.byte_count(), 256u);
  }
}

}  // namespace ranks_transport_tests
