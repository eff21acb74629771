// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments of host memory have the bits of reduce over each, whatever travels together.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <warpfold/exact_plus.cuh>
#include <warpfold/host_memory_segments.cuh>
#include <warpfold/statistics.hpp>

#include "common/device.cuh"
#include "common/devices.cuh"
#include "common/interval.hpp"
#include "common/pinned_array.cuh"
#include "common/random_items.hpp"
#include "common/refusal.hpp"
#include "common/same_bits.hpp"

namespace host_memory_segments_tests {

namespace wf = warpfold;
using wf_test::device_array, wf_test::interval, wf_test::join, wf_test::pinned_array;

/// Offsets of segments of many lengths; a few are empty, and a few are long.
template <class I> std::vector<I> random_offsets(std::int64_t items, std::uint64_t seed) {
  wf_test::random_source source(seed);
  std::vector<I> offsets{0};
  while (static_cast<std::int64_t>(offsets.back()) < items) {
    const std::int64_t length = source.below(std::int64_t{1} << source.below(14));
    offsets.push_back(
        static_cast<I>(std::min<std::int64_t>(static_cast<std::int64_t>(offsets.back()) + length, items)));
  }
  return offsets;
}

template <class Options> Options options_of(int way) {
  const std::size_t chunk_bytes[] = {64, 1000, 4096, 1 << 16, std::size_t{32} << 20};
  Options options;
  options.chunk_bytes = chunk_bytes[way % 5];
  options.buffers = 1 + way % 3, options.threads = 1 + way % 4;
  if (way % 2 == 1) options.devices = {wf_test::device_number(way), wf_test::device_number(0)};
  return options;
}

template <class I> void expect_intervals(std::int64_t count, std::uint64_t seed) {
  const auto items = wf_test::interval_items(count);
  const pinned_array<interval<>> pinned(items);
  const std::vector<I> offsets = random_offsets<I>(count, seed);
  for (int way = 0; way < 10; ++way) {
    auto options = options_of<wf::host_segmented_options<interval<>>>(way);
    options.empty = interval<>::of(7, 9);
    if (count > 20'000 && options.chunk_bytes < 1000) continue;
    std::vector<interval<>> results(offsets.size() - 1);
    const auto in = way / 2 % 2 == 0 ? wf::host(items) : pinned.input();
    wf::segmented_reduce(in, offsets, results, join{}, options);
    for (std::size_t s = 0; s < results.size(); ++s) {
      const auto expected =
          offsets[s] == offsets[s + 1] ? interval<>::of(7, 9) : interval<>::of(offsets[s], offsets[s + 1] - 1);
      ASSERT_EQ(results[s], expected) << "segment " << s << ", way " << way;
    }
  }
}
TEST(host_memory_segments, keep_the_order_and_the_borders) {
  for (const std::int64_t count : {0, 1, 1000, 60'000}) {
    expect_intervals<std::int32_t>(count, 1);
    expect_intervals<std::int64_t>(count, 2);
    if (HasFatalFailure()) return;
  }
}

template <class T, class Op> void expect_bits_of_segmented_reduce(std::int64_t count, Op op) {
  using R = wf::lowered_t<Op, wf::accumulator_t<Op, T>>;
  const auto items = wf_test::random_items<T>(count, 3);
  const auto offsets = random_offsets<std::int64_t>(count, 5);
  const device_array<T> in(items);
  const device_array<std::int64_t> borders(offsets);
  const device_array<R> out(std::ssize(offsets) - 1);
  wf::segmented_reduce(in.items(), borders.items(), std::span<R>(out.data(), out.size()), op);
  const std::vector<R> expected = out.to_host();
  for (int way = 1; way < 10; ++way) {
    const auto options = options_of<wf::host_segmented_options<wf::accumulator_t<Op, T>>>(way);
    if (options.chunk_bytes < 1000) continue;
    std::vector<R> results(expected.size());
    wf::segmented_reduce(wf::host(items), offsets, results, op, options);
    for (std::size_t s = 0; s < results.size(); ++s) ASSERT_TRUE(wf_test::same_bits(results[s], expected[s])) << s;
    if (!options.devices.empty()) continue;
    const device_array<R> on_device(std::ssize(results));
    wf::segmented_reduce(wf::host(items), offsets, std::span<R>(on_device.data(), on_device.size()), op, options);
    results = on_device.to_host();
    for (std::size_t s = 0; s < results.size(); ++s) ASSERT_TRUE(wf_test::same_bits(results[s], expected[s])) << s;
  }
}
TEST(host_memory_segments, have_the_bits_of_segmented_reduce) {
  expect_bits_of_segmented_reduce<float>(40'000, wf::plus{});
  expect_bits_of_segmented_reduce<float>(40'000, wf::exact_plus{});
  expect_bits_of_segmented_reduce<float>(40'000, wf::moments<2>{});
  expect_bits_of_segmented_reduce<std::int8_t>(40'000, wf::plus{});
  expect_bits_of_segmented_reduce<double>(40'000, wf::maximum{});
}

TEST(host_memory_segments, progress_ends_with_all_items) {
  const auto items = wf_test::random_items<float>(50'000, 1);
  const std::vector<std::int64_t> offsets{0, 10, 30'000, 30'000, 50'000};
  std::vector<float> sums(4);
  std::int64_t last = 0;
  wf::host_segmented_options<float> options;
  options.chunk_bytes = 4096;
  options.progress = [&](std::int64_t done, std::int64_t all) {
    EXPECT_EQ(all, 50'000);
    EXPECT_GE(done, last);
    last = done;
  };
  wf::segmented_reduce(wf::host(items), offsets, sums, options);
  EXPECT_EQ(last, 50'000);
}

TEST(host_memory_segments, refusals_name_the_segment) {
  const std::vector<float> items(10, 1);
  std::vector<float> sums(2);
  const auto with_offsets = [&](const auto& offsets) {
    return wf_test::refusal([&] { wf::segmented_reduce(wf::host(items), offsets, sums); });
  };
  const auto with = [&](const std::vector<int>& offsets) { return with_offsets(offsets); };
  const std::vector<std::uint64_t> beyond{0, 5, ~std::uint64_t{2}};
  EXPECT_NE(with_offsets(beyond).find("segment 1 is [5, -3)"), std::string::npos) << with_offsets(beyond);
  EXPECT_NE(with({0, 5, 4}).find("segment 1 is [5, 4); in has 10 items"), std::string::npos) << with({0, 5, 4});
  EXPECT_NE(with({0, 5, 11}).find("segment 1 is [5, 11)"), std::string::npos);
  EXPECT_NE(with({-1, 5, 9}).find("segment 0 is [-1, 5)"), std::string::npos);
  EXPECT_NE(with({0, 5}).find("offsets has 2 entries"), std::string::npos);
  EXPECT_EQ(with({1, 5, 9}), "accepted");
  EXPECT_EQ(sums, (std::vector<float>{4, 4}));
}

TEST(host_memory_segments, items_that_were_sent_before_a_refusal_leave_the_next_call_alone) {
  const std::int64_t segments = 1000;
  const pinned_array<float> items(std::vector<float>(3 * segments, 1));
  std::vector<std::int64_t> offsets;
  for (std::int64_t s = 0; s <= segments; ++s) offsets.push_back(3 * s);
  std::vector<float> sums(segments, -1);
  wf::host_segmented_options<float> options;
  options.chunk_bytes = 1024, options.buffers = 3;
  for (const std::int64_t wrong : {1, 85, 170, 999}) {
    std::swap(offsets[wrong - 1], offsets[wrong]);
    const std::string refused =
        wf_test::refusal([&] { wf::segmented_reduce(items.input(), offsets, sums, wf::plus{}, options); });
    EXPECT_NE(refused.find("segment " + std::to_string(wrong - 1) + " is ["), std::string::npos) << refused;
    EXPECT_EQ(sums, std::vector<float>(segments, -1));
    std::swap(offsets[wrong - 1], offsets[wrong]);
  }
  for (const std::int64_t far : {INT64_MIN, INT64_MIN + 1, INT64_MAX - 1, INT64_MAX}) {
    const std::vector<std::int64_t> beyond{0, far, 2, 3};
    std::vector<float> three(3);
    EXPECT_NE(wf_test::refusal([&] { wf::segmented_reduce(items.input(), beyond, three); }), "accepted") << far;
  }
  wf::segmented_reduce(items.input(), offsets, sums, options);
  EXPECT_EQ(sums, std::vector<float>(segments, 3));
}

TEST(host_memory_segments, a_generator_that_throws_leaves_the_next_call_alone) {
  const std::vector<std::int64_t> offsets{0, 100, 5000, 20'000};
  std::vector<float> sums(3);
  wf::host_segmented_options<float> options;
  options.chunk_bytes = 2048;
  for (std::int64_t fatal = 0; fatal < 20'000; fatal += 1999) {
    const auto in = wf::chunks<float>(20'000, [fatal](std::int64_t first, std::span<float> to) {
      if (first <= fatal && fatal < first + std::ssize(to)) throw std::runtime_error("no more");
      std::fill(to.begin(), to.end(), 1.0f);
    });
    EXPECT_THROW(wf::segmented_reduce(in, offsets, sums, wf::plus{}, options), std::runtime_error);
  }
  wf::segmented_reduce(wf::host(std::vector<float>(20'000, 1)), offsets, sums, options);
  EXPECT_EQ(sums, (std::vector<float>{100, 4900, 15'000}));
}

}  // namespace host_memory_segments_tests
