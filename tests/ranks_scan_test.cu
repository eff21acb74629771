// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans over ranks have the results of one scan over all items, wherever parts begin.
#include <gtest/gtest.h>

#include <warpfold/ranks_scan.cuh>
#include <warpfold/scan.cuh>

#include "common/interval.hpp"
#include "common/same_bits.hpp"
#include "ranks/local.cuh"

namespace ranks_scan_tests {

namespace wf = warpfold;
using namespace ranks_tests;
using wf_test::interval, wf_test::join, wf_test::same_bits;
using whole = interval<std::int64_t>;

template <class T, class Op, class A = wf::accumulator_t<Op, T>>
void expect_one_scan(const std::vector<T>& items, Op op, const A& init, int ranks, int rounds) {
  if (!can_wait(ranks)) return;
  wf::check(cudaSetDevice(0), "cudaSetDevice");
  const auto count = std::ssize(items);
  const device_array<T> all_items(items);
  const device_array<A> all_results(count);
  const wf::reduce_options<A> with_init{.init = init};
  wf::inclusive_scan(all_items.items(), all_results.data(), op);
  const std::vector<A> inclusive = all_results.to_host();
  wf::exclusive_scan(all_items.items(), all_results.data(), op, with_init);
  const std::vector<A> exclusive = all_results.to_host();

  const std::vector<int> devices = devices_of(ranks);
  wf::local_ranks all(devices);
  wf_test::random_source source(items.size());
  for (int round = 0; round < rounds; ++round) {
    const auto parts = random_parts(count, ranks, source);
    const auto data = distribute(devices, items, parts);
    std::vector<std::unique_ptr<device_array<A>>> results;
    for (std::size_t r = 0; r < devices.size(); ++r) {
      wf::check(cudaSetDevice(devices[r]), "cudaSetDevice");
      results.emplace_back(new device_array<A>(parts[r].second - parts[r].first, static_cast<std::int64_t>(r) % 3));
    }
    const auto expect = [&](int r, const std::vector<A>& expected) {
      const std::vector<A> part = results[static_cast<std::size_t>(r)]->to_host();
      const std::int64_t first = data[static_cast<std::size_t>(r)]->first;
      for (std::int64_t i = 0; i < std::ssize(part); ++i)
        ASSERT_TRUE(same_bits(part[static_cast<std::size_t>(i)], expected[static_cast<std::size_t>(first + i)]))
            << "item " << i << " of those from " << first << " on, " << count << " on " << ranks << " ranks";
    };
    over_both(all, devices, [&](int r, auto& one) {
      const auto& [in, out, stream, first] = *data[static_cast<std::size_t>(r)];
      const auto to = std::span(results[static_cast<std::size_t>(r)]->data(), in.size());
      wf::inclusive_scan(one, in.items(), wf::part{first}, to, op, {.stream = stream});
      one.wait(stream);
      expect(r, inclusive);
      wf::exclusive_scan(one, in.items(), wf::part{first}, to, op, {.stream = stream, .init = init});
      one.wait(stream);
      expect(r, exclusive);
    });
    if (testing::Test::HasFailure()) return;
  }
}

TEST(ranks_scan, has_the_order_and_bits_of_one_scan) {
  const std::pair<int, std::int64_t> cases[]{{1, 77}, {2, 1}, {3, 5003}, {5, 300}};
  for (const auto& [ranks, count] : cases) {
    std::vector<whole> items;
    for (std::int64_t i = 0; i < count; ++i) items.push_back(whole::of(i));
    expect_one_scan(items, join{}, whole::of(-1), ranks, 1);
  }
  expect_one_scan(wf_test::random_items<float>(20'011), wf::plus{}, 3.f, 3, 1);
}

TEST(ranks_scan, writes_onto_its_input_and_refuses_gaps) {
  const std::vector<int> devices = devices_of(2);
  const std::vector<int> items{1, 2, 3, 4, 5, 6, 7};
  const auto data = distribute(devices, items, {{0, 3}, {3, 7}});
  wf::local_ranks all(devices);
  const auto scan = [&](int r, std::int64_t first) {
    const auto& [in, out, stream, mine] = *data[static_cast<std::size_t>(r)];
    wf::inclusive_scan(all[r], in.items(), wf::part{first}, std::span(in.data(), in.size()), wf::plus{},
                       {.stream = stream});
    all[r].wait(stream, "inclusive_scan");
  };
  on_ranks(devices, [&](int r) { scan(r, 3 * r); });
  EXPECT_EQ(data[0]->in.to_host(), (std::vector<int>{1, 3, 6}));
  EXPECT_EQ(data[1]->in.to_host(), (std::vector<int>{10, 15, 21, 28}));
  for (const auto& failure : failures_on(devices, [&](int r) { scan(r, 5 * r); }))
    EXPECT_NE(text_of(failure).find("inclusive_scan: no rank has items 3 to 4"), std::string::npos) << text_of(failure);
}

}  // namespace ranks_scan_tests
