// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks of one process: every split of the items over them has the bits of one call, in one launch through mailboxes and
// through gathered lists; what is wrong is thrown on all ranks.
#include <gtest/gtest.h>

#include <warpfold/arg_operators.hpp>
#include <warpfold/compensated_plus.hpp>
#include <warpfold/exact_plus.cuh>
#include <warpfold/fuse.hpp>
#include <warpfold/reduce.cuh>
#include <warpfold/statistics.hpp>

#include "common/interval.hpp"
#include "common/same_bits.hpp"
#include "ranks/local.cuh"

namespace ranks_local_tests {

namespace wf = warpfold;
using namespace ranks_tests;
using namespace std::chrono_literals;
using wf_test::device_array, wf_test::interval, wf_test::join, wf_test::same_bits;

template <class R> bool same(const R& a, const R& b) { return same_bits(a, b); }
template <class A, class B> bool same(const wf::fused<A, B>& a, const wf::fused<A, B>& b) {  // may have padding
  return same(a.template get<0>(), b.template get<0>()) && a.template get<1>().index == b.template get<1>().index;
}

template <class T, class Op> void expect_bits_of_reduce(const std::vector<T>& items, Op op, int ranks, int rounds) {
  if (!can_wait(ranks)) return;
  wf::check(cudaSetDevice(0), "cudaSetDevice");
  const device_array<T> whole(items);
  const auto expected = wf::reduce_value(whole.items(), op);
  const std::vector<int> devices = devices_of(ranks);
  wf::local_ranks all(devices);
  wf_test::random_source source(items.size() + static_cast<std::size_t>(ranks));
  for (int round = 0; round < rounds; ++round) {
    const auto data = distribute(devices, items, random_parts(std::ssize(items), ranks, source));
    over_both(all, devices, [&](int r, auto& one) {
      const auto& [in, out, stream, first] = *data[static_cast<std::size_t>(r)];
      const auto value = wf::all_reduce_value(one, in.items(), {.first = first}, op, {.stream = stream});
      EXPECT_TRUE(same(value, expected)) << items.size() << " items, rank " << r << " of " << ranks;
    });
  }
}

TEST(ranks, order_and_bits_are_those_of_one_call) {
  const std::pair<int, std::int64_t> cases[]{{1, 77}, {2, 1}, {2, 5003}, {3, 77}, {5, 5003}, {8, 5003}, {10, 203}};
  for (const auto& [ranks, count] : cases) {
    std::vector<interval<std::int64_t>> items;
    for (std::int64_t i = 0; i < count; ++i) items.push_back(interval<std::int64_t>::of(i));
    expect_bits_of_reduce(items, join{}, ranks, ranks > 4 ? 1 : 2);
  }
  expect_bits_of_reduce(wf_test::random_items<float>(50'021), wf::plus{}, 3, 3);
}

TEST(ranks, operators_of_all_kinds_have_the_bits_of_one_call) {
  const auto floats = wf_test::random_items<float>(3001, 3);
  expect_bits_of_reduce(floats, wf::moments<2>{}, 3, 1);
  expect_bits_of_reduce(floats, wf::exact_plus{}, 3, 1);  // a kernel of its own, and lists beyond one all-gather
  expect_bits_of_reduce(floats, wf::fuse(wf::compensated_plus{}, wf::arg_maximum{}), 3, 1);
}

struct twice {
  __host__ __device__ float operator()(float x) const { return 2 * x; }
};

TEST(ranks, found_parts_roots_transforms_init_and_nothing) {
  const std::vector<int> devices = devices_of(3);
  const auto items = wf_test::random_items<float>(1500, 4);
  wf::check(cudaSetDevice(0), "cudaSetDevice");
  const device_array<float> whole(items);
  const float sum = wf::reduce_value(whole.items(), wf::plus{}, {.init = 3}),
              twice_sum = wf::transform_reduce_value(whole.items(), wf::plus{}, twice{}),
              dot = wf::transform_reduce_value(whole.items(), whole.items(), wf::plus{}, wf::multiplies{});
  const auto data = distribute(devices, items, {{0, 1001}, {1001, 1001}, {1001, 1500}});
  wf::local_ranks all(devices);
  over_both(all, devices, [&](int r, auto& one) {
    const auto& [in, out, stream, first] = *data[static_cast<std::size_t>(r)];
    const wf::part of = wf::gathered(one, in.count(), {.stream = stream});
    EXPECT_EQ(of.first, first);
    const auto nothing = in.items().first(0);
    wf::reduce(one, wf::root{2}, in.items(), of, r == 2 ? out.data() : nullptr, wf::plus{},
               {.stream = stream, .init = 3});
    one.wait(stream);
    EXPECT_TRUE(r != 2 || same_bits(out.value(), sum));
    EXPECT_TRUE(same_bits(wf::transform_all_reduce_value(one, in.items(), of, wf::plus{}, twice{}, {.stream = stream}),
                          twice_sum));
    wf::transform_all_reduce(one, in.data(), in.data(), in.count(), of, out, wf::plus{}, wf::multiplies{},
                             {.stream = stream});
    one.wait(stream);
    EXPECT_TRUE(same_bits(out.value(), dot));
    EXPECT_EQ(wf::all_reduce_value(one, nothing, {.first = r}, wf::plus{}, {.stream = stream}), 0);
    EXPECT_EQ(wf::all_reduce_value(one, nothing, {}, wf::plus{}, {.stream = stream, .init = 7}), 7);
  });
}

/// Runs body(rank, communicator) both ways, and expects each rank to throw an `Error` that has `text`.
template <class Error, class Body>
void expect_on_all(wf::local_ranks& all, const std::vector<int>& devices, const char* text, Body body, int apart = -1,
                   const char* text_apart = "") {
  const auto gathered = gathering_ranks(all, devices);
  for (const bool gathers : {false, true}) {
    const auto failures = failures_on(devices, [&](int r) {
      if (gathers) body(r, *gathered[static_cast<std::size_t>(r)]);
      else body(r, all[r]);
    });
    for (int r = 0; r < std::ssize(failures); ++r) {
      const std::string said = text_of(failures[static_cast<std::size_t>(r)]);
      EXPECT_NE(said.find(r == apart ? text_apart : text), std::string::npos) << "rank " << r << ": " << said;
      if (r == apart || !failures[static_cast<std::size_t>(r)]) continue;
      EXPECT_THROW(std::rethrow_exception(failures[static_cast<std::size_t>(r)]), Error);
    }
  }
}

TEST(ranks, what_does_not_fit_is_thrown_on_all_ranks) {
  const std::vector<int> devices = devices_of(3);
  wf::local_ranks all(devices);
  using moments = wf::moments<2>;
  const auto data =
      distribute<float, wf::moments_of<2>>(devices, wf_test::random_items<float>(30), {{0, 10}, {10, 20}, {20, 30}});
  const auto sum_of = [&](int r, auto& one, std::int64_t first, auto op) {
    const auto& [in, out, stream, mine] = *data[static_cast<std::size_t>(r)];
    return wf::all_reduce_value(one, in.items(), {.first = first}, op, {.stream = stream});
  };
  const auto sum = [&](int r, auto& one, std::int64_t first) { (void)sum_of(r, one, first, wf::plus{}); };
  using invalid = std::invalid_argument;
  expect_on_all<invalid>(
      all, devices,
      "all_reduce_value: no rank has items 10 to 11, which follow those of rank 2, before those of rank 0",
      [&](int r, auto& one) {
        sum(r, one, r == 0 ? 12 : r == 1 ? 22 : 0);
      });
  expect_on_all<invalid>(all, devices, "no rank has item 0, before those of rank 1", [&](int r, auto& one) {
    sum(r, one, r == 0 ? 11 : r == 1 ? 1 : 21);
  });
  expect_on_all<invalid>(all, devices, "rank 1 and rank 2 both have items 15 to 19", [&](int r, auto& one) {
    sum(r, one, r == 0 ? 0 : r == 1 ? 10 : 15);
  });
  expect_on_all<invalid>(all, devices,
                         "rank 2 calls all_reduce_value with warpfold::maximum in float, rank 0 all_reduce_value with "
                         "warpfold::plus in float",
                         [&](int r, auto& one) {
                           if (r == 2) (void)sum_of(r, one, 20, wf::maximum{});
                           else sum(r, one, r * 10);
                         });
  expect_on_all<invalid>(all, devices, "rank 1 calls reduce with", [&](int r, auto& one) {
    if (r != 1) return sum(r, one, 0);
    const auto& [in, out, stream, first] = *data[1];
    wf::reduce(one, wf::root{1}, in.items(), {}, out, moments{}, {.stream = stream});
    one.wait(stream);
  });
  expect_on_all<invalid>(all, devices, "rank 2 sends the result to rank 2, rank 0 to rank 1", [&](int r, auto& one) {
    const auto& [in, out, stream, first] = *data[static_cast<std::size_t>(r)];
    wf::reduce(one, wf::root{r == 2 ? 2 : 1}, in.items(), {.first = first}, out, moments{}, {.stream = stream});
    one.wait(stream);
  });
  expect_on_all<invalid>(all, devices, "gathered: rank 1 has -5 items", [&](int r, auto& one) {
    (void)wf::gathered(one, r == 1 ? -5 : 5, {.stream = data[static_cast<std::size_t>(r)]->stream});
  });
  expect_on_all<invalid>(all, devices, "no rank has items, the operator has no identity", [&](int r, auto& one) {
    const interval<>* const none = nullptr;
    (void)wf::all_reduce_value(one, none, 0, {}, join{}, {.stream = data[static_cast<std::size_t>(r)]->stream});
  });
  expect_on_all<wf::rank_error>(
      all, devices, "rank 1 cannot take part: warpfold::all_reduce_value: part.first is -3",
      [&](int r, auto& one) { sum(r, one, r == 1 ? -3 : r * 10); }, 1, "part.first is -3");
  over_both(all, devices, [&](int r, auto& one) { sum(r, one, r * 10); });  // all goes on
}

TEST(ranks, a_rank_that_does_not_come_is_an_error_in_time) {
  const std::vector<int> devices = devices_of(3);
  wf::local_ranks all(devices), others(devices);
  const auto data = distribute<float>(devices, {1, 2, 3, 4, 5, 6}, {{0, 2}, {2, 4}, {4, 6}});
  const auto sum = [&](wf::local_ranks& over, int r, std::chrono::nanoseconds timeout) {
    const auto& [in, out, stream, first] = *data[static_cast<std::size_t>(r)];
    return wf::all_reduce_value(over[r], in.items(), {.first = first}, wf::plus{},
                                {.stream = stream, .timeout = timeout});
  };
  on_ranks(devices, [&](int r) { EXPECT_EQ(sum(all, r, 30s), 21); });
  const auto failures = failures_on(devices, [&](int r) {
    if (r != 1) (void)sum(all, r, r == 0 ? 50ms : 30s);
  });
  EXPECT_NE(text_of(failures[0]).find("rank 1 has not answered for 50 ms"), std::string::npos) << text_of(failures[0]);
  EXPECT_NE(text_of(failures[2]).find("rank 0 has given up"), std::string::npos) << text_of(failures[2]);
  for (const auto& failure : failures_on(devices, [&](int r) { (void)sum(all, r, 30s); }))
    EXPECT_NE(text_of(failure).find("rank 0 has given up"), std::string::npos) << text_of(failure);
  on_ranks(devices, [&](int r) { EXPECT_EQ(sum(others, r, 30s), 21); });
  all.reset();
  on_ranks(devices, [&](int r) { EXPECT_EQ(sum(all, r, 30s), 21); });
}

TEST(ranks, a_call_is_one_node_of_a_graph) {
  const std::vector<int> devices = devices_of(2);
  wf::local_ranks all(devices);
  const auto items = wf_test::random_items<float>(40'000, 1);
  const auto data = distribute(devices, items, {{0, 20'000}, {20'000, 40'000}});
  std::vector<std::unique_ptr<wf_test::graph>> graphs;
  for (int r = 0; r < 2; ++r) {  // other threads must not allocate while one captures
    wf::check(cudaSetDevice(devices[static_cast<std::size_t>(r)]), "cudaSetDevice");
    const auto& [in, out, stream, first] = *data[static_cast<std::size_t>(r)];
    graphs.push_back(std::make_unique<wf_test::graph>(
        [&](cudaStream_t s) { wf::all_reduce(all[r], in.items(), {.first = first}, out, wf::plus{}, {.stream = s}); }));
    EXPECT_EQ(graphs.back()->nodes(), 1u);
  }
  wf::check(cudaSetDevice(0), "cudaSetDevice");
  for (const float x : {1.5f, 1e5f, 3.f}) {
    std::vector<float> changed = items;
    changed[0] = x;
    data[0]->in.set(0, x);
    const device_array<float> whole(changed);
    const float expected = wf::reduce_value(whole.items());
    on_ranks(devices, [&](int r) {
      graphs[static_cast<std::size_t>(r)]->launch(data[static_cast<std::size_t>(r)]->stream);
      all[r].wait(data[static_cast<std::size_t>(r)]->stream);
    });
    for (const auto& each : data) EXPECT_TRUE(same_bits(each->out.value(), expected));
  }
}

TEST(ranks, one_host_thread_can_call_for_all) {
  if (wf_test::emulated) GTEST_SKIP() << "the emulator runs a kernel when it is launched";
  const std::vector<int> devices = devices_of(2);
  wf::local_ranks all(devices);
  const auto items = wf_test::random_items<float>(3'000'017);
  const device_array<float> whole(items);
  const float expected = wf::reduce_value(whole.items());
  const auto data = distribute(devices, items, {{1'000'001, 3'000'017}, {0, 1'000'001}});
  for (int round = 0; round < 100; ++round)
    for (int r = 0; r < 2; ++r) {
      const auto& [in, out, stream, first] = *data[static_cast<std::size_t>(r)];
      wf::check(cudaSetDevice(devices[static_cast<std::size_t>(r)]), "cudaSetDevice");
      wf::all_reduce(all[r], in.items(), {.first = first}, out, wf::plus{}, {.stream = stream});
    }
  for (int r = 0; r < 2; ++r) {
    all[r].wait(data[static_cast<std::size_t>(r)]->stream);
    EXPECT_TRUE(same_bits(data[static_cast<std::size_t>(r)]->out.value(), expected));
  }
  wf::check(cudaSetDevice(0), "cudaSetDevice");
}

TEST(local_ranks, refuses_devices) {
  EXPECT_NE(text_of(failures_on({0}, [](int) { wf::local_ranks({}); })[0]).find("there are 0 devices"),
            std::string::npos);
  EXPECT_NE(text_of(failures_on({0},
                                [](int) {
                                  wf::local_ranks({0, 99});
                                })[0])
                .find("there is no device 99"),
            std::string::npos);
}

}  // namespace ranks_local_tests
