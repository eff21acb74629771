// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accumulations have the bits of reduce whatever the parts, their order, the memory they come from and the checkpoints.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <warpfold/accumulation.cuh>
#include <warpfold/arg_operators.hpp>
#include <warpfold/exact_plus.cuh>
#include <warpfold/statistics.hpp>
#include <warpfold/top_k_operators.hpp>

#include "common/device.cuh"
#include "common/devices.cuh"
#include "common/interval.hpp"
#include "common/monoids.hpp"
#include "common/random_items.hpp"
#include "common/refusal.hpp"
#include "common/same_bits.hpp"
#include "common/same_results.hpp"
#include "common/samples.hpp"

namespace accumulation_tests {

namespace wf = warpfold;
using wf_test::device_array, wf_test::interval, wf_test::join;

/// Pushes [begin, end) of the items from a place drawn at random.
template <class Accumulation, class T>
void push_from_somewhere(Accumulation& to, const std::vector<T>& items, const device_array<T>& on_device,
                         std::int64_t begin, std::int64_t end, wf_test::random_source& source) {
  const auto first = static_cast<std::size_t>(begin), count = static_cast<std::size_t>(end - begin);
  switch (source.below(3)) {
    case 0: return to.push(wf::host(items.data() + begin, end - begin), begin);
    case 1:
      return to.push(wf::chunks<T>(end - begin,
                                   [&items, begin](std::int64_t from, std::span<T> out) {
                                     std::copy_n(items.begin() + begin + from, out.size(), out.begin());
                                   }),
                     begin);
    default: return to.push(on_device.items().subspan(first, count), begin);
  }
}

template <class T, class Op> void expect_bits_of_reduce(const std::vector<T>& items, Op op, int rounds) {
  using accumulation = wf::accumulation<T, Op>;
  const device_array<T> in(items);
  const auto expected = wf::reduce_value(in.items(), op);
  wf_test::random_source source(items.size());
  const std::size_t chunk_bytes[] = {100, 4096, 1 << 16};
  for (int round = 0; round < wf_test::share_of(rounds); ++round) {
    typename accumulation::options how;
    how.chunk_bytes = std::max<std::size_t>(chunk_bytes[round % 3], items.size() * sizeof(T) / 50);
    how.buffers = 1 + round % 3, how.threads = 1 + round % 2;
    if (round % 2 == 0) how.devices = {wf_test::device_number(round), wf_test::device_number(1)};
    std::vector<std::int64_t> borders{0, std::ssize(items)};
    for (std::int64_t i = source.below(12); i > 0; --i) borders.push_back(source.below(std::ssize(items) + 1));
    std::sort(borders.begin(), borders.end());
    std::vector<std::size_t> order(borders.size() - 1);
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[static_cast<std::size_t>(source.below(static_cast<std::int64_t>(i)))]);
    accumulation all(op, how);
    for (const std::size_t i : order) {
      push_from_somewhere(all, items, in, borders[i], borders[i + 1], source);
      if (source.below(4) == 0) all = accumulation::load(all.save(), op, how);
    }
    ASSERT_EQ(all.items(), std::ssize(items));
    ASSERT_TRUE(wf_test::same_result(all.value(), expected)) << items.size() << " items, round " << round;
    ASSERT_TRUE(wf_test::same_result(all.value(), expected)) << "a second time";
  }
}

TEST(accumulation, random_splits_orders_places_and_checkpoints_keep_the_bits) {
  for (const std::int64_t count : {1, 130, 5003, 40'021}) {
    const auto floats = wf_test::random_items<float>(count, 3);
    expect_bits_of_reduce(floats, wf::plus{}, 60);
    expect_bits_of_reduce(floats, wf::maximum{}, 5);
    expect_bits_of_reduce(floats, wf::moments<2>{}, 10);
    expect_bits_of_reduce(floats, wf::exact_plus{}, 4);
    expect_bits_of_reduce(floats, wf::arg_maximum{}, 10);
    expect_bits_of_reduce(floats, wf::top_k<3>{}, 4);
    expect_bits_of_reduce(wf_test::random_items<std::int8_t>(count, 5), wf::plus{}, 5);
    expect_bits_of_reduce(wf_test::random_items<wf_test::affine<>>(count, 6), wf_test::compose{}, 5);
    if (HasFatalFailure()) return;
  }
}

TEST(accumulation, keeps_the_order_of_many_small_pushes) {
  const std::int64_t count = 3000;
  const auto items = wf_test::interval_items(count);
  const device_array<interval<>> in(items);
  wf::accumulation<interval<>, join> forwards, backwards;
  for (std::int64_t i = 0; i < count; i += 7) {
    const auto end = std::min<std::int64_t>(i + 7, count);
    forwards.push(in.items().subspan(static_cast<std::size_t>(i), static_cast<std::size_t>(end - i)));
  }
  for (std::int64_t end = count; end > 0; end -= 5)
    backwards.push(in.items().subspan(static_cast<std::size_t>(end - 5), 5), end - 5);
  EXPECT_EQ(forwards.next(), count);
  EXPECT_EQ(forwards.value(), interval<>::of(0, count - 1));
  EXPECT_EQ(forwards.value(interval<>::of(-1)), interval<>::of(-1, count - 1));
  EXPECT_EQ(backwards.value(), interval<>::of(0, count - 1));
}

void expect_message(const std::string& message, const char* part) {
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(accumulation, refuses_gaps_and_overlaps_with_the_numbers) {
  const std::vector<float> items(100, 1);
  wf::accumulation<float> sum;
  sum.push(wf::host(items), 50);
  expect_message(wf_test::refusal([&] { sum.push(wf::host(items), 100); }), "items 100 to 149 have been pushed before");
  expect_message(wf_test::refusal([&] { sum.push(wf::host(items), 0); }), "items 50 to 99 have been pushed before");
  expect_message(wf_test::refusal([&] { (void)sum.value(); }), "items 0 to 49 have not been pushed");
  expect_message(wf_test::refusal([&] { sum.push(wf::host(items), -1); }), "first is -1");
  EXPECT_EQ(sum.items(), 100);
  sum.push(wf::host(items.data(), 50), 0);
  EXPECT_EQ(sum.value(), 150);
  sum.push(wf::host(items.data(), 0), 70);
  EXPECT_EQ(wf::accumulation<float>().value(), 0);
  using intervals = wf::accumulation<interval<>, join>;
  expect_message(wf_test::refusal([] { (void)intervals().value(); }), "the operator has no identity");
}

TEST(accumulation, a_push_that_throws_leaves_no_trace) {
  const std::int64_t count = 20'000;
  const auto items = wf_test::random_items<float>(count, 1);
  wf::accumulation<float>::options how;
  how.chunk_bytes = 4096;
  wf::accumulation<float> sum({}, how);
  for (int round = 0; round < wf_test::share_of(50); ++round) {
    EXPECT_THROW(sum.push(wf::chunks<float>(count,
                                            [&](std::int64_t first, std::span<float> to) {
                                              if (first >= 350 * round) throw std::runtime_error("no more");
                                              std::copy_n(items.begin() + first, to.size(), to.begin());
                                            })),
                 std::runtime_error);
    ASSERT_EQ(sum.items(), 0);
  }
  sum.push(wf::host(items));
  const device_array<float> in(items);
  EXPECT_TRUE(wf_test::same_result(sum.value(), wf::reduce_value(in.items(), wf::plus{})));
}

TEST(accumulation, foreign_and_damaged_checkpoints_are_refused) {
  wf::accumulation<float> sum;
  const auto items = wf_test::random_items<float>(1000, 1);
  sum.push(wf::host(items), 24);
  std::vector<std::byte> bytes = sum.save();
  EXPECT_EQ(wf::accumulation<float>::load(bytes).next(), 1024);
  expect_message(wf_test::refusal([&] { (void)wf::accumulation<double>::load(bytes); }), "the checkpoint is of");
  using products = wf::accumulation<float, wf::multiplies>;
  expect_message(wf_test::refusal([&] { (void)products::load(bytes); }),
                 "warpfold::plus of float, not of warpfold::multiplies");
  for (std::size_t size = 0; size < bytes.size(); size += 3)
    EXPECT_NE(wf_test::refusal([&] { (void)wf::accumulation<float>::load(std::span(bytes).first(size)); }), "accepted");
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] ^= std::byte{4};
    EXPECT_NE(wf_test::refusal([&] { (void)wf::accumulation<float>::load(bytes); }), "accepted") << i;
    bytes[i] ^= std::byte{4};
  }
}

}  // namespace accumulation_tests
