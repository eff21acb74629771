// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A warp joins short lists to the bits of the whole input's list, and leaves all others alone.
#include <gtest/gtest.h>

#include <optional>
#include <warpfold/ranks/join_in_warp.cuh>

#include "common/interval.hpp"
#include "common/same_bits.hpp"
#include "ranks/ranks.hpp"

namespace ranks_join_in_warp_tests {

namespace wf = warpfold;
using wf_test::device_array, wf_test::interval, wf_test::join, wf_test::same_bits;

template <class A, class Op>
__global__ void join_kernel(wf::ranks::gathered_messages all, wf::ranks::message_header own, Op op,
                            wf::ranks::joined_result<A, A*> result, int* done) {
  const bool is_done = wf::ranks::join_in_warp(all, own, op, result);
  if (threadIdx.x == 0) *done = is_done;
}

template <class A, class Op> using messages = std::vector<wf::ranks::list_message<A, Op>>;

template <class A, class Op>
messages<A, Op> messages_of(const std::vector<A>& items,
                            const std::vector<std::pair<std::int64_t, std::int64_t>>& parts, const Op& op) {
  messages<A, Op> all;
  for (const auto& [first, end] : parts) {
    wf::ranks::list_message<A, Op> one{{}, wf::canonical_nodes<A, Op>(first)};
    one.header.call = 77, one.header.first = first, one.header.end = end;
    one.header.count = wf::ranks::list_nodes(first, end).count();
    one.nodes.append_items(items.data() + first, end - first, op);
    all.push_back(one);
  }
  return all;
}

/// The result, unless the warp leaves it to others.
template <class A, class Op>
std::optional<A> joined(const messages<A, Op>& all, const A& before, const Op& op, bool is_written = true) {
  const device_array<wf::ranks::list_message<A, Op>> there(all);
  const device_array<A> out(std::vector<A>{before});
  const device_array<int> done(1);
  const wf::ranks::gathered_messages gathered{reinterpret_cast<std::byte*>(there.data()), sizeof all[0],
                                              static_cast<int>(all.size()), nullptr};
  const wf::ranks::joined_result<A, A*> to{out.data(), {}, {}, is_written};
  wf_test::launch_and_wait(&join_kernel<A, Op>, 1, wf::warp_lanes, 0, gathered, all[0].header, op, to, done.data());
  const A result = out.value();
  if (done.value() != 0 && is_written) return result;
  EXPECT_TRUE(same_bits(result, before)) << "written beside the way";
  return std::nullopt;
}

/// Parts in the order of ranks, a third of them empty. An empty part may name any item.
std::vector<std::pair<std::int64_t, std::int64_t>> parts_in_order(std::int64_t count, int ranks,
                                                                  wf_test::random_source& source) {
  auto parts = ranks_tests::random_parts(count, ranks, source);
  std::sort(parts.begin(), parts.end());
  for (auto& [first, end] : parts)
    if (first == end) first = end = source.below(count + 1);
  return parts;
}

TEST(ranks_join_in_warp, splits_in_order_have_the_bits_of_the_whole_list) {
  wf_test::random_source source(5);
  const auto doubles = wf_test::random_items<double>(6000);
  std::vector<interval<std::int64_t>> intervals;
  for (std::int64_t i = 0; i < 6000; ++i) intervals.push_back(interval<std::int64_t>::of(i));
  for (int round = 0; round < 100; ++round) {
    const int ranks = 1 + static_cast<int>(source.below(8));
    const std::int64_t count = 1 + source.below(round % 2 == 0 ? 40 : 6000);
    const auto parts = parts_in_order(count, ranks, source);
    wf::canonical_nodes<double, wf::plus> whole;
    whole.append_items(doubles.data(), count, wf::plus{});
    const auto sum = joined(messages_of(doubles, parts, wf::plus{}), -1.0, wf::plus{});
    ASSERT_TRUE(sum) << count << " items on " << ranks;
    EXPECT_TRUE(same_bits(*sum, whole.root(wf::plus{}))) << count << " items on " << ranks;
    const auto all = joined(messages_of(intervals, parts, join{}), interval<std::int64_t>::of(-1), join{});
    ASSERT_TRUE(all);
    wf::canonical_nodes<interval<std::int64_t>, join> order;
    order.append_items(intervals.data(), count, join{});
    EXPECT_TRUE(same_bits(*all, order.root(join{}))) << count << " items on " << ranks;
  }
}

TEST(ranks_join_in_warp, what_is_not_regular_is_left_to_others) {
  const auto items = wf_test::random_items<double>(7);
  const auto left_alone = [&](const messages<double, wf::plus>& all) { return !joined(all, -1.0, wf::plus{}); };
  using parts = std::vector<std::pair<std::int64_t, std::int64_t>>;
  const auto of = [&](const parts& each) { return messages_of(items, each, wf::plus{}); };
  const auto regular = of({{0, 3}, {3, 5}});
  EXPECT_FALSE(left_alone(regular));
  EXPECT_TRUE(left_alone(of({{3, 5}, {0, 3}}))) << "another order";
  EXPECT_TRUE(left_alone(of({{0, 3}, {4, 5}}))) << "a gap";
  EXPECT_TRUE(left_alone(of({{0, 3}, {2, 5}}))) << "items twice";
  EXPECT_TRUE(left_alone(of({{1, 3}, {3, 5}}))) << "not from item 0 on";
  EXPECT_TRUE(left_alone(of({{0, 0}, {7, 7}}))) << "no items";
  auto other = regular;
  other[1].header.call = 78;
  EXPECT_TRUE(left_alone(other)) << "another call";
  other[1].header = regular[1].header, other[1].header.root = 0;
  EXPECT_TRUE(left_alone(other)) << "another root";
  EXPECT_FALSE(joined(regular, -1.0, wf::plus{}, false)) << "on ranks that are no root";
  std::vector<interval<std::int64_t>> intervals;
  for (std::int64_t i = 0; i < 1023; ++i) intervals.push_back(interval<std::int64_t>::of(i));
  const auto long_list = messages_of(intervals, {{0, 1}, {1, 1023}}, join{});
  EXPECT_FALSE(joined(long_list, intervals[7], join{})) << "18 nodes of 16 bytes do not travel at once";
}

}  // namespace ranks_join_in_warp_tests
