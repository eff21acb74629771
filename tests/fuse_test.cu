// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fused reductions through every function.
#include <cuda_fp16.h>

#include <warpfold/canonical_tree.hpp>
#include <warpfold/fuse.hpp>
#include <warpfold/reduce.cuh>
#include <warpfold/reduce_by_key.cuh>
#include <warpfold/scan.cuh>
#include <warpfold/scan_by_key.cuh>
#include <warpfold/segmented_reduce.cuh>
#include <warpfold/strategies.cuh>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/device.cuh"
#include "common/interval.hpp"
#include "common/random_items.hpp"
#include "common/refusal.hpp"
#include "common/same_bits.hpp"
#include "common/special_values.hpp"

namespace fuse_tests {

namespace wf = warpfold;
using wf_test::device_array;
using wf_test::same_bits;
using span = wf_test::interval<std::int64_t>;

struct square {
  __host__ __device__ float operator()(float x) const { return wf::multiplies{}(x, x); }
};
struct half_square {
  __host__ __device__ float operator()(__half x) const { return square{}(__half2float(x)); }
};
struct widen {
  __host__ __device__ long long operator()(int x) const { return x; }
};
struct product {
  __host__ __device__ float operator()(float a, float b) const { return wf::multiplies{}(a, b); }
};

/// Lifts item i, which must be i, to the interval [i, i], by its number; lowers to the length, -1 for poison.
struct counted {
  __host__ __device__ span lift(int item, std::int64_t index) const {
    return item == index ? span::of(index) : span::poison();
  }
  __host__ __device__ span operator()(const span& a, const span& b) const { return wf_test::join{}(a, b); }
  __host__ __device__ std::int64_t lower(const span& all) const {
    return all.is_poison() ? -1 : all.last - all.first + 1;
  }
};

// The order of items, seen three ways, beside sums: an interval by transform, a length by number, and fused in fused.
constexpr auto ordered = wf::fuse(wf::with(wf_test::to_interval<span>{}, wf_test::join{}),
                                  wf::with(widen{}, wf::plus{}), wf::fuse(counted{}, wf::last{}));
using ordered_op = std::remove_cv_t<decltype(ordered)>;
using ordered_result = wf::lowered_t<ordered_op, wf::accumulator_t<ordered_op, int>>;
static_assert(std::is_same_v<ordered_result, wf::fused<span, long long, wf::fused<std::int64_t, int>>>);
static_assert(std::is_trivially_copyable_v<wf::fused<float, int>> && sizeof(wf::fused<float, double, float>) == 16);

/// That of the items `first` to `last`.
ordered_result expected_of(std::int64_t first, std::int64_t last) {
  const long long sum = (first + last) * (last - first + 1) / 2;
  return {span::of(first, last), sum, {last - first + 1, static_cast<int>(last)}};
}
wf::fused<span, long long, wf::fused<span, int>> before_all() { return {span::of(-1), 0, {span::of(-1), -1}}; }
/// With before_all() as init.
ordered_result joined_of(std::int64_t last) {
  return {span::of(-1, last), last * (last + 1) / 2, {last + 2, static_cast<int>(last)}};
}
std::vector<int> numbers_to(int count) {
  std::vector<int> items(static_cast<std::size_t>(count));
  std::iota(items.begin(), items.end(), 0);
  return items;
}

/// Every result of a fused call has the bits of the tree of its own operator.
template <class T, class Values, class Op>
void expect_own_bits(const std::vector<T>& items, std::int64_t count, const Values& values, const Op& op,
                     std::int64_t offset) {
  const auto expect = [&](auto index) {
    const auto expected = wf::canonical_tree::replay(items.data(), count, op.template part<index>());
    EXPECT_TRUE(wf_test::same_bits_or_nan(values.template get<index>(), expected))
        << "result " << index << " of " << count << " items, " << offset << " off";
  };
  [&]<std::size_t... Is>(std::index_sequence<Is...>) { (expect(std::integral_constant<std::size_t, Is>()), ...); }
  (std::make_index_sequence<Op::part_count>());
}
template <class T, class Op> void expect_own_bits(const std::vector<T>& items, const Op& op) {
  using results = wf::accumulator_t<Op, T>;
  const device_array<results> out(1);
  for (const std::int64_t offset : {0, 1, 3})
    for (const std::int64_t count : {1, 2, 31, 33, 1000, 4099, 45007}) {
      const device_array<T> in(std::span<const T>(items).first(static_cast<std::size_t>(count)), offset);
      for (const int max_blocks : {0, 1}) {
        wf::reduce(in.items(), out.data(), op, {.max_blocks = max_blocks});
        expect_own_bits(items, count, out.value(), op, offset);
      }
    }
}

TEST(fuse, each_result_has_the_bits_of_its_own_call) {
  const auto op = wf::fuse(wf::plus{}, wf::minimum{}, wf::maximum{}, wf::with(square{}, wf::plus{}),
                           wf::accumulate_in<double>(wf::plus{}), wf::first{}, wf::maximum_number{}, wf::last{});
  std::vector<float> items = wf_test::random_items<float>(45007);
  expect_own_bits(items, op);
  const device_array<float> in(items);
  const auto values = wf::reduce_value(in.items(), op);
  EXPECT_TRUE(same_bits(get<0>(values), wf::reduce_value(in.items())));
  EXPECT_TRUE(same_bits(get<3>(values), wf::transform_reduce_value(in.items(), wf::plus{}, square{})));
  EXPECT_TRUE(same_bits(get<4>(values), wf::reduce_value(in.items(), wf::accumulate_in<double>(wf::plus{}))));
  const std::vector<float> special = wf_test::special_values<float>();
  for (std::size_t k = 0; k < special.size(); ++k) items[k * 1001] = special[k];
  expect_own_bits(items, wf::fuse(wf::minimum{}, wf::maximum_number{}, wf::minimum_number{}));
}

TEST(fuse, keeps_the_accumulator_of_each_operator) {
  std::vector<__half> halves;
  for (const float x : wf_test::random_items<float>(45007)) halves.push_back(__float2half(x));
  expect_own_bits(halves, wf::fuse(wf::plus{}, wf::maximum{}, wf::with(half_square{}, wf::plus{})));
  const auto bytes = wf_test::random_items<std::int8_t>(45007);
  const auto op =
      wf::fuse(wf::plus{}, wf::minimum{}, wf::bit_xor{}, wf::accumulate_in<long long>(wf::plus{}), wf::last{});
  using op_type = std::remove_cv_t<decltype(op)>;
  static_assert(
      std::is_same_v<wf::accumulator_t<op_type, std::int8_t>, wf::fused<int, int, int, long long, std::int8_t>>);
  expect_own_bits(bytes, op);
}

TEST(fuse, order_of_reductions) {
  const device_array<span> spans(1);
  const device_array<long long> sums(1);
  const device_array<ordered_result> all(1);
  const device_array<wf::fused<std::int64_t, int>> inner(1);
  for (const int count : {1, 31, 257, 5000, 70001})
    for (const int offset : {0, 1, 3}) {
      const device_array<int> in(numbers_to(count), offset);
      EXPECT_EQ(wf::reduce_value(in.items(), ordered), expected_of(0, count - 1)) << offset;
      wf::reduce(in.data(), count, wf::outputs(spans.data(), sums.data(), inner.data()), ordered,
                 {.init = before_all(), .max_blocks = 3});
      EXPECT_EQ((ordered_result{spans.value(), sums.value(), inner.value()}), joined_of(count - 1)) << offset;
    }
  const device_array<int> in(numbers_to(5000));
  wf::reduce<wf::strategy<wf::block::shuffle<128>, wf::grid::persistent, wf::finish::last_block>>(in.items(),
                                                                                                  all.data(), ordered);
  EXPECT_EQ(all.value(), expected_of(0, 4999));
  wf::reduce<wf::strategy<wf::block::matrix<32, 32>, wf::grid::persistent, wf::finish::two_launch>>(
      in.items(), all.data(), ordered);
  EXPECT_EQ(all.value(), expected_of(0, 4999));
}

TEST(fuse, order_of_segments) {
  std::vector<int> ends;
  for (int at = 0, length = 1; at < 20000; length = length * 5 % 1013 + (length == 700) * 9000)
    ends.push_back(at += length);
  const int count = ends.back(), segments = static_cast<int>(ends.size());
  std::vector<int> offsets{0}, owners;
  offsets.insert(offsets.end(), ends.begin(), ends.end());
  for (int s = 0; s < segments; ++s)
    owners.insert(owners.end(), static_cast<std::size_t>(offsets[s + 1] - offsets[s]), s);
  const device_array<int> in(numbers_to(count), 1), device_offsets(offsets), device_owners(owners);
  const device_array<span> spans(segments);
  const device_array<long long> sums(segments);
  const device_array<wf::fused<std::int64_t, int>> inner(segments);
  const auto out = wf::outputs(std::span<span>(spans.data(), spans.size()), sums.data(), inner.data());
  const auto expect = [&] {
    const auto got_spans = spans.to_host();
    const auto got_sums = sums.to_host();
    const auto got_inner = inner.to_host();
    for (int s = 0; s < segments; ++s) {
      const auto k = static_cast<std::size_t>(s);
      ASSERT_EQ((ordered_result{got_spans[k], got_sums[k], got_inner[k]}), expected_of(offsets[k], offsets[k + 1] - 1))
          << s;
    }
  };
  const wf::fused<span, long long, wf::fused<span, int>> none{span::poison(), -1, {span::poison(), -1}};
  wf::segmented_reduce(in.items(), device_offsets.items(), out, ordered, {.empty = none});
  expect();
  wf::segmented_reduce(in.items(), wf::owners{device_owners.items()}, out, ordered, {.empty = none});
  expect();
  wf::segmented_reduce(
      in.items(),
      wf::bounds{device_offsets.data(), std::span<int>(device_offsets.data() + 1, static_cast<std::size_t>(segments))},
      out, ordered, {.empty = none});
  expect();
  for (const int length : {1, 3, 20, 100, 900}) {
    const int number = 4000 / length;
    const device_array<ordered_result> results(number);
    wf::segmented_reduce(in.data(), number * length, wf::fixed_length{length}, results.data(), ordered);
    for (int s = 0; s < number; ++s)
      ASSERT_EQ(results.value(s), expected_of(s * length, (s + 1) * length - 1)) << length;
  }
}

TEST(fuse, order_of_runs_and_scans) {
  constexpr int count = 9001;
  std::vector<int> keys;
  for (int i = 0; i < count; ++i) keys.push_back(i / 700);
  const device_array<int> in(numbers_to(count)), device_keys(keys), out_keys(20), runs(1);
  const device_array<span> spans(count);
  const device_array<long long> sums(count);
  const device_array<wf::fused<std::int64_t, int>> inner(count);
  const auto out = wf::outputs(spans.data(), sums.data(), inner.data());
  const auto result = [&](int i) { return ordered_result{spans.value(i), sums.value(i), inner.value(i)}; };
  wf::reduce_by_key(device_keys.items(), in.items(), std::span<int>(out_keys.data(), 20), out, runs.data(), ordered);
  ASSERT_EQ(runs.value(), 13);
  for (int run = 0; run < 13; ++run)
    EXPECT_EQ(result(run), expected_of(run * 700, std::min(run * 700 + 699, count - 1)));
  const auto expect_prefixes = [&](auto expected) {
    const auto got_spans = spans.to_host();
    const auto got_sums = sums.to_host();
    const auto got_inner = inner.to_host();
    for (int i = 0; i < count; ++i) {
      const auto k = static_cast<std::size_t>(i);
      ASSERT_EQ((ordered_result{got_spans[k], got_sums[k], got_inner[k]}), expected(i)) << i;
    }
  };
  wf::inclusive_scan(in.items(), out, ordered);
  expect_prefixes([](int i) { return expected_of(0, i); });
  wf::exclusive_scan(in.items(), out, ordered, {.init = before_all()});
  expect_prefixes([](int i) { return joined_of(i - 1); });
  wf::inclusive_scan_by_key(device_keys.items(), in.items(), out, ordered);
  expect_prefixes([](int i) { return expected_of(i / 700 * 700, i); });
}

TEST(fuse, transforms_of_one_and_two_inputs_come_first) {
  const std::vector<float> a = wf_test::random_items<float>(5003, 1), b = wf_test::random_items<float>(5003, 2);
  const device_array<float> left(a), right(b, 1);
  const auto op = wf::fuse(wf::plus{}, wf::with(square{}, wf::maximum{}));
  auto [sum, largest] = wf::transform_reduce_value(left.items(), right.items(), op, product{});
  EXPECT_TRUE(same_bits(sum, wf::transform_reduce_value(left.items(), right.items(), wf::plus{}, product{})));
  float most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, square{}(a[i] * b[i]));
  EXPECT_EQ(largest, most);
  const device_array<float> sums(1), maxima(1);
  wf::transform_reduce(left.items(), wf::outputs(sums, maxima.data()), op, square{});
  EXPECT_TRUE(same_bits(sums.value(), wf::transform_reduce_value(left.items(), wf::plus{}, square{})));
}

TEST(fuse, empty_inputs) {
  const device_array<float> none(0);
  auto [sum, least, most] =
      wf::reduce_value(none.items(), wf::fuse(wf::plus{}, wf::minimum{}, wf::with(square{}, wf::maximum{})));
  EXPECT_TRUE(same_bits(sum, 0.f));  // not -0
  EXPECT_EQ(least, std::numeric_limits<float>::infinity());
  EXPECT_EQ(most, -std::numeric_limits<float>::infinity());
  const auto without = wf::fuse(wf::plus{}, wf::first{});
  EXPECT_THROW((void)wf::reduce_value(none.items(), without), std::invalid_argument);
  const wf::fused<float, float> given = wf::reduce_value(none.items(), without, {.init = wf::fused(1.f, 2)});
  EXPECT_EQ(given, wf::fused(1.f, 2.f));
  // Empty segments among others.
  const device_array<float> items(std::vector<float>{-0.f, 3, 4});
  const device_array<int> offsets(std::vector<int>{0, 0, 1, 3, 3});
  const device_array<float> sums(4), least_of(4);
  wf::segmented_reduce(items.items(), offsets.items(), wf::outputs(sums.data(), least_of.data()),
                       wf::fuse(wf::plus{}, wf::minimum{}));
  EXPECT_TRUE(same_bits(sums.value(0), 0.f));
  EXPECT_TRUE(same_bits(sums.value(1), -0.f));
  EXPECT_EQ(sums.value(2), 7);
  EXPECT_EQ(least_of.value(3), std::numeric_limits<float>::infinity());
}

TEST(fuse, initial_values_on_the_device) {
  const device_array<float> items(std::vector<float>{1, 2, 3});
  const device_array<wf::fused<float, float>> init(std::vector<wf::fused<float, float>>{{10, 20}});
  const wf::fused<float, float> result =
      wf::reduce_value(items.items(), wf::fuse(wf::plus{}, wf::maximum{}), {.init = init.data()});
  EXPECT_EQ(result, wf::fused(16.f, 20.f));
}

TEST(fuse, traits_follow_the_operators) {
  using exact = decltype(wf::fuse(wf::minimum{}, wf::plus{}));
  static_assert(wf::is_exact<exact, wf::fused<float, int>> && !wf::is_exact<exact, wf::fused<float, float>>);
  static_assert(wf::is_commutative<exact> && !wf::is_commutative<decltype(wf::fuse(wf::plus{}, wf::first{}))>);
  static_assert(wf::has_identity_v<exact, wf::fused<float, int>>);
  static_assert(!wf::has_identity_v<ordered_op, wf::accumulator_t<ordered_op, int>>);
  using squares = decltype(wf::with(widen{}, wf::plus{}));
  static_assert(std::is_same_v<wf::accumulator_t<squares, int>, long long> && wf::is_exact<squares, long long>);
  // The identity, and associativity of exact operators, on special values.
  const auto op = wf::fuse(wf::minimum{}, wf::maximum_number{}, wf::plus{});
  const auto floats = wf_test::special_values<float>();
  const auto ints = wf_test::special_values<int>();
  using values = wf::fused<float, float, int>;
  const auto none = wf::identity<decltype(wf::fuse(wf::minimum{}, wf::maximum_number{}, wf::plus{})), values>::value();
  const auto same = [](const values& a, const values& b) {
    return wf_test::same_bits_or_nan(get<0>(a), get<0>(b)) && wf_test::same_bits_or_nan(get<1>(a), get<1>(b)) &&
           get<2>(a) == get<2>(b);
  };
  wf_test::random_source random(5);
  const auto some = [&] {
    return values(floats[static_cast<std::size_t>(random.below(std::ssize(floats)))],
                  floats[static_cast<std::size_t>(random.below(std::ssize(floats)))],
                  ints[static_cast<std::size_t>(random.below(std::ssize(ints)))]);
  };
  for (int round = 0; round < 100'000; ++round) {
    const values a = some(), b = some(), c = some();
    ASSERT_TRUE(same(op(none, a), a) && same(op(a, none), a));
    ASSERT_TRUE(same(op(op(a, b), c), op(a, op(b, c)))) << round;
  }
}

TEST(fuse_errors, name_the_output_and_write_nothing) {
  const device_array<float> items(std::vector<float>{1, 2, 3, 4});
  const device_array<int> offsets(std::vector<int>{0, 1, 4}), keys(std::vector<int>{1, 1, 2, 2}), runs(1), out_keys(4);
  const device_array<float> a(std::vector<float>{-7, -7, -7, -7}), b(std::vector<float>{-7, -7, -7, -7});
  float* const null = nullptr;
  const auto op = wf::fuse(wf::plus{}, wf::maximum{});
  const auto expect = [&](const std::string& message, const char* part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  const auto range = [](const device_array<float>& of, std::size_t size) { return std::span<float>(of.data(), size); };
  expect(wf_test::refusal([&] { wf::reduce(items.items(), wf::outputs(a.data(), null), op); }),
         "reduce: out 2 of 2 is a null pointer");
  expect(wf_test::refusal([&] { wf::reduce(items.items(), wf::outputs(range(a, 0), b.data()), op); }),
         "out 1 of 2 has no items");
  expect(wf_test::refusal([&] { wf::reduce(items.items(), wf::outputs(a.data(), a.data()), op); }),
         "out 2 lies within out 1");
  const auto segmented = [&](const auto& out) {
    return wf_test::refusal([&] { wf::segmented_reduce(items.items(), offsets.items(), out, op); });
  };
  expect(segmented(wf::outputs(range(a, 2), range(b, 3))), "out 2 of 2 has 3 items, another output has 2");
  expect(segmented(wf::outputs(range(a, 3), range(b, 3))), "offsets has 3 entries, not 4");
  expect(segmented(wf::outputs(a.data(), null)), "out 2 of 2 is a null pointer");
  expect(segmented(wf::outputs(a.data(), a.data() + 1)), "out 2 lies within out 1");
  expect(segmented(wf::outputs(a.data(), items.data() + 3)), "out 2 of 2 lies within in");
  const auto by_key = [&](const auto& out) {
    return wf_test::refusal(
        [&] { wf::reduce_by_key(keys.items(), items.items(), out_keys.data(), out, runs.data(), op); });
  };
  expect(by_key(wf::outputs(a.data(), null)), "out_values 2 of 2 is a null pointer");
  expect(by_key(wf::outputs(a.data(), items.data())), "out_values 2 of 2 lies within values");
  expect(by_key(wf::outputs(a.data(), a.data() + 3)), "out_values 2 lies within out_values 1");
  const auto scan = [&](const auto& out) {
    return wf_test::refusal([&] { wf::inclusive_scan(items.items(), out, op); });
  };
  expect(scan(wf::outputs(range(a, 4), range(b, 3))), "out 2 of 2 has 3 items, fewer than the input's 4");
  expect(scan(wf::outputs(a.data(), items.data() + 1)), "out 2 of 2 lies within in");
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(a.value(i), -7);
    EXPECT_EQ(b.value(i), -7);
  }
  EXPECT_EQ(segmented(wf::outputs(a.data(), range(b, 2))), "accepted");
  EXPECT_EQ(a.value(1), 9);
}

}  // namespace fuse_tests
