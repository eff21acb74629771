// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of host memory have the bits of reduce, however the input is cut, staged and shared by devices.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <warpfold/host_memory.cuh>

#include "common/device.cuh"
#include "common/interval.hpp"
#include "common/random_items.hpp"
#include "common/refusal.hpp"
#include "host_memory/expect_bits.cuh"

namespace host_memory_tests {

namespace wf = warpfold;
using wf_test::device_array, wf_test::interval, wf_test::join, wf_test::pinned_array;
using namespace wf_test::host_memory;

TEST(host_memory, keeps_the_order_of_items_and_init) {
  for (const std::int64_t count : {1, 8, 9, 65, 1000, 20'001}) {
    const auto items = wf_test::interval_items(count);
    for (const way& w : ways) {
      auto options = options_of<interval<>>(w);
      EXPECT_EQ(wf::reduce_value(wf::host(items), join{}, options), interval<>::of(0, count - 1)) << count;
      options.init = interval<>::of(-1);
      EXPECT_EQ(wf::reduce_value(wf::host(items), join{}, options), interval<>::of(-1, count - 1)) << count;
    }
  }
}

struct difference {
  __host__ __device__ double operator()(float a, std::int16_t b) const { return static_cast<double>(a) - b; }
};
struct squared {
  __host__ __device__ double operator()(float a) const { return static_cast<double>(a) * a; }
};
TEST(host_memory, transforms_of_one_and_two_inputs) {
  const auto left = wf_test::random_items<float>(9001, 8);
  const auto right = wf_test::random_items<std::int16_t>(9001, 9);
  const device_array<float> l(left);
  const device_array<std::int16_t> r(right);
  const double of_pairs = wf::transform_reduce_value(l.items(), r.items(), wf::plus{}, difference{}),
               of_squares = wf::transform_reduce_value(l.items(), wf::plus{}, squared{});
  const pinned_array<std::int16_t> pinned(right);
  for (const way& w : ways) {
    const auto options = options_of<double>(w);
    EXPECT_EQ(wf::transform_reduce_value(wf::host(left), pinned.input(), wf::plus{}, difference{}, options), of_pairs);
    EXPECT_EQ(wf::transform_reduce_value(generated(left), wf::host(right), wf::plus{}, difference{}, options),
              of_pairs);
    EXPECT_EQ(wf::transform_reduce_value(wf::host(left), wf::plus{}, squared{}, options), of_squares);
    const wf::host_memory::device_guard guard(w.devices.empty() ? 0 : w.devices[0]);  // which writes the result
    const device_array<double> out(1);
    wf::transform_reduce(wf::host(left), wf::host(right), out.data(), wf::plus{}, difference{}, options);
    EXPECT_EQ(out.value(), of_pairs);
  }
}

TEST(host_memory, of_nothing_there_is_init_or_the_identity) {
  const std::vector<int> none;
  EXPECT_EQ(wf::reduce_value(wf::host(none)), 0);
  EXPECT_EQ(wf::reduce_value(wf::host(none), wf::plus{}, {.init = 3}), 3);
  EXPECT_EQ(wf::reduce_value(wf::host(none), wf::maximum{}), std::numeric_limits<int>::min());
  EXPECT_THROW((void)wf::reduce_value(wf::host(std::vector<interval<>>{}), join{}), std::invalid_argument);
}

TEST(host_memory, small_items_of_any_address_and_outputs_of_narrow_types) {
  const auto items = wf_test::random_items<std::int8_t>(10'001, 10);
  const device_array<std::int8_t> in(items), out(2);
  wf::reduce(in.items().subspan(1), out.data(), wf::maximum{});
  wf::reduce(wf::host(items.data() + 1, 10'000), out.data() + 1, wf::maximum{}, {.chunk_bytes = 999});
  EXPECT_EQ(out.value(0), out.value(1));
}

TEST(host_memory, progress_tells_of_all_items) {
  const auto items = wf_test::random_items<int>(5000, 11);
  for (const way& w : ways) {
    std::vector<std::int64_t> done;
    auto options = options_of<int>(w);
    options.progress = [&](std::int64_t items_done, std::int64_t all) {
      EXPECT_EQ(all, 5000);
      done.push_back(items_done);
    };
    (void)wf::reduce_value(wf::host(items), wf::plus{}, options);
    ASSERT_FALSE(done.empty());
    EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
    EXPECT_EQ(done.back(), 5000);
  }
}

// Whatever throws, the call ends, says so, and the next one works.
TEST(host_memory, exceptions_leave_nothing_behind) {
  const auto items = wf_test::random_items<int>(20'000, 12);
  const int expected = std::accumulate(items.begin(), items.end(), 0u);
  wf_test::random_source random(13);
  for (int round = 0; round < 25; ++round) {
    auto options = options_of<int>(ways[static_cast<std::size_t>(random.below(5))]);
    options.chunk_bytes = std::max<std::size_t>(options.chunk_bytes, 256);
    const std::int64_t at = random.below(20'000);
    const auto throwing = wf::chunks<int>(20'000, [&](std::int64_t first, std::span<int> to) {
      if (first <= at && at < first + std::ssize(to)) throw std::runtime_error("item " + std::to_string(at));
      std::copy_n(items.begin() + first, to.size(), to.begin());
    });
    try {
      (void)wf::reduce_value(throwing, wf::plus{}, options);
      ADD_FAILURE() << at;
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), "item " + std::to_string(at));
    }
    options.progress = [&](std::int64_t done, std::int64_t) {
      if (done > at) throw std::domain_error("enough");
    };
    EXPECT_THROW((void)wf::reduce_value(wf::host(items), wf::plus{}, options), std::domain_error);
    options.progress = {};
    EXPECT_EQ(wf::reduce_value(wf::host(items), wf::plus{}, options), expected);
  }
}

TEST(host_memory, many_threads_at_once) {
  const auto items = wf_test::random_items<int>(30'000, 14);
  const int expected = std::accumulate(items.begin(), items.end(), 0u);
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&, t] {
      for (int round = 0; round < 5; ++round)
        right += wf::reduce_value(wf::host(items), wf::plus{},
                                  options_of<int>(ways[static_cast<std::size_t>(2 + (t + round) % 4)])) == expected;
    });
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(right, 30);
  wf::release_host_buffers();
  EXPECT_EQ(wf::reduce_value(wf::host(items)), expected);
}

TEST(host_memory, mistakes_are_named) {
  const std::vector<int> items(10, 1), fewer(9, 1);
  const auto sum_with = [&](wf::host_options<int> options) {
    return wf_test::refusal([&] { (void)wf::reduce_value(wf::host(items), wf::plus{}, options); });
  };
  const std::string name = "warpfold::reduce_value: ";
  EXPECT_EQ(sum_with({.chunk_bytes = 0}), name + "chunk_bytes is 0; it must be positive");
  EXPECT_EQ(sum_with({.buffers = -1}), name + "buffers is -1; it must be positive");
  EXPECT_EQ(sum_with({.threads = 0}), name + "threads is 0; it must be positive");
  EXPECT_TRUE(sum_with({.devices = {0, 77}}).starts_with(name + "devices name device 77; devices are numbered 0 to "));
  EXPECT_EQ(wf_test::refusal([&] { (void)wf::reduce_value(wf::host(items.data(), -3)); }), name + "in has -3 items");
  EXPECT_EQ(wf_test::refusal([&] { (void)wf::reduce_value(wf::host(static_cast<int*>(nullptr), 3)); }),
            name + "in is a null pointer");
  EXPECT_EQ(wf_test::refusal([&] {
              (void)wf::transform_reduce_value(wf::host(items), wf::host(fewer), wf::plus{}, wf::multiplies{});
            }),
            "warpfold::transform_reduce_value: left has 10 items, right has 9");
  const device_array<int> on_device(items);
  EXPECT_EQ(wf_test::refusal([&] { (void)wf::reduce_value(wf::host(on_device.data(), 10)); }),
            name + "in is device memory: pass it without wf::host");
  EXPECT_EQ(wf_test::refusal([&] { wf::reduce(wf::host(items), static_cast<int*>(nullptr)); }),
            "warpfold::reduce: out is a null pointer");
}

}  // namespace host_memory_tests
