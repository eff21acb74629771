// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of keys, values, results and counts; equalities; transforms and iterators; every call form; and the outputs if
// there is too little room, or nothing to reduce.
#include <gtest/gtest.h>

#include <cuda_fp16.h>

#include <limits>
#include <memory>

#include "by_key/ways.cuh"
#include "common/monoids.hpp"
#include "reduce/iterators.cuh"
#include "segmented/expect_canonical.cuh"

namespace wf = warpfold;
using wf_test::by_key_way, wf_test::device_array, wf_test::layout;

namespace {

template <class T> std::vector<T> random_of(std::int64_t count) {
  const auto random = wf_test::random_items<std::conditional_t<std::is_same_v<T, __half>, float, T>>(count, 29);
  return wf_test::converted<T>(random, random.size());
}

/// Items of `T`, that make(count) makes, reduced by `op` have the bits of the canonical tree.
template <class T, class OutValue = void, class Op, class A>
void expect_canonical_runs(Op op, const A& init, std::vector<T> (*make)(std::int64_t) = random_of<T>) {
  std::int64_t step = 0;
  for (const layout& where : wf_test::some_layouts(256)) {
    const layout runs = wf_test::runs_of(where);
    const auto items = make(runs.items);
    const auto keys = wf_test::keys_of<int>(runs);
    const auto expected = wf_test::canonical_runs(keys, items, op);
    for (int i = 0; i < 3; ++i) {
      const by_key_way way = wf_test::by_key_way_of(step++);
      const device_array<int> k(keys, way.keys_off);
      const device_array<T> v(items, way.values_off);
      const auto reduce = [&](auto out_keys, auto out_values, auto out_count, const auto& options) {
        wf::reduce_by_key(k.items(), v.items(), out_keys, out_values, out_count, op, options);
      };
      EXPECT_TRUE((wf_test::gives_runs<void, OutValue>(way, expected, init, op, reduce))) << runs;
    }
  }
}

TEST(reduce_by_key_values, float_sums_by_their_bits) { expect_canonical_runs<float>(wf::plus{}, -1234.567f); }
TEST(reduce_by_key_values, double_sums_by_their_bits) { expect_canonical_runs<double>(wf::plus{}, 0.1); }
TEST(reduce_by_key_values, int8_accumulates_in_int) { expect_canonical_runs<std::int8_t>(wf::plus{}, 1'000'000); }
TEST(reduce_by_key_values, int16_accumulates_in_int) { expect_canonical_runs<std::int16_t>(wf::plus{}, 1'000'000); }
TEST(reduce_by_key_values, half_accumulates_in_float) { expect_canonical_runs<__half>(wf::plus{}, 0.1f); }
TEST(reduce_by_key_values, twelve_bytes) {
  expect_canonical_runs<wf_test::triple>(wf_test::add_triples{}, wf_test::triple{1, 2, 3});
}

// Missing items must not turn a -0 into a +0.
TEST(reduce_by_key_values, sums_of_negative_zeros) {
  const auto zeros = [](std::int64_t count) { return std::vector<float>(static_cast<std::size_t>(count), -0.0f); };
  expect_canonical_runs<float>(wf::plus{}, -0.0f, +zeros);
}

TEST(reduce_by_key_values, results_of_another_type) {
  expect_canonical_runs<__half, __half>(wf::plus{}, 0.1f);
  expect_canonical_runs<std::int8_t, double>(wf::maximum{}, 0);
}

struct square {
  __host__ __device__ double operator()(float x) const { return static_cast<double>(x) * static_cast<double>(x); }
};
struct to_one {
  template <class T> __host__ __device__ std::int64_t operator()(const T&) const { return 1; }
};

/// Sums of transformed random floats are those of the host, with the default equality or another.
template <class Transform, class... Equal> void expect_transformed(Transform transform, Equal... equal) {
  using A = std::invoke_result_t<Transform, float>;
  const layout runs = wf_test::runs_of({"", wf_test::power_law(400, 3000)});
  const auto keys = wf_test::keys_of<int>(runs);
  const auto items = random_of<float>(runs.items);
  std::vector<A> transformed;
  for (const float x : items) transformed.push_back(transform(x));
  const auto expected = wf_test::canonical_runs(keys, transformed, wf::plus{});
  for (std::int64_t step = 0; step < 9; ++step) {
    const by_key_way way = wf_test::by_key_way_of(step);
    const device_array<int> k(keys, way.keys_off);
    const device_array<float> v(items, way.values_off);
    const auto reduce = [&](auto out_keys, auto out_values, auto out_count, const auto& options) {
      wf::transform_reduce_by_key(k.items(), v.items(), out_keys, out_values, out_count, wf::plus{}, transform,
                                  equal..., options);
    };
    EXPECT_TRUE(wf_test::gives_runs(way, expected, A{5}, wf::plus{}, reduce));
  }
}

TEST(reduce_by_key_values, transform_decides_the_accumulator) {
  expect_transformed(square{});
  expect_transformed(to_one{}, wf::equal_to{});
}

// Run-length encoding: the value of each item is a constant.
struct constant {
  using value_type = int;
  using difference_type = std::int64_t;
  int value;

  __host__ __device__ int operator[](std::int64_t) const { return value; }
};

/// The lengths of the runs of `keys` by `equal`, or by the default, for counts of type `Count`.
template <class Count = std::int64_t, class OutKey = void, class K, class... Equal>
void expect_run_lengths(const std::vector<K>& keys, by_key_way way, Equal... equal) {
  const device_array<K> k(keys, way.keys_off);
  const auto expected = wf_test::canonical_runs(keys, std::vector<int>(keys.size(), 1), wf::plus{}, equal...);
  const auto reduce = [&](auto out_keys, auto out_values, auto out_count, const auto& options) {
    wf::reduce_by_key(k.data(), constant{1}, k.count(), out_keys, out_values, out_count, wf::plus{}, equal..., options);
  };
  EXPECT_TRUE((wf_test::gives_runs<OutKey, void, Count>(way, expected, 100, wf::plus{}, reduce)))
      << expected.keys.size() << " runs of " << keys.size() << " items";
}
constexpr by_key_way roomy{.own_workspace = true, .spare = 3};

std::vector<int> random_keys(std::int64_t count, int kinds) {
  wf_test::random_source source(7);
  std::vector<int> keys;
  for (std::int64_t i = 0; i < count; ++i) keys.push_back(static_cast<int>(source.below(kinds)) - 1);
  return keys;
}
constexpr std::int64_t some = wf_test::emulated ? 9'001 : 300'001;

TEST(reduce_by_key_values, counts_of_8_32_and_64_bits) {
  expect_run_lengths<std::uint8_t>(random_keys(255, 100), roomy);
  expect_run_lengths<int>(random_keys(some, 3), roomy);
  expect_run_lengths<std::int64_t>(random_keys(some, 100), roomy);
}

TEST(reduce_by_key_values, keys_go_out_as_another_type) {
  expect_run_lengths<int, double>(random_keys(some, 3), roomy);
}

TEST(reduce_by_key_values, each_nan_is_a_run_of_its_own) {
  std::vector<float> keys;
  for (std::int64_t i = 0; i < some; ++i) keys.push_back(i % 11 < 4 ? std::numeric_limits<float>::quiet_NaN() : 1.0f);
  keys.insert(keys.end(), 3000, std::numeric_limits<float>::quiet_NaN());
  expect_run_lengths(keys, roomy);
}

// Equal zeros are one run, with the bits of the first.
TEST(reduce_by_key_values, zeros_of_both_signs) {
  std::vector<float> keys;
  for (const int bits : random_keys(some, 20)) keys.push_back(bits == 7 ? 1.0f : bits % 2 == 0 ? -0.0f : 0.0f);
  expect_run_lengths(keys, roomy);
}

struct equal_modulo_10 {
  __host__ __device__ bool operator()(int a, int b) const { return (a + 10) % 10 == (b + 10) % 10; }
};
// Not an equivalence at all: "one after the other".
struct successive {
  __host__ __device__ bool operator()(int a, int b) const { return b == a + 1; }
};

TEST(reduce_by_key_values, a_users_equality_and_the_first_ones_key) {
  for (const int kinds : {11, 20, 1000}) expect_run_lengths(random_keys(some, kinds), roomy, equal_modulo_10{});
}

TEST(reduce_by_key_values, equality_is_asked_of_neighbours_in_their_order) {
  std::vector<int> keys;
  for (const int jump : random_keys(some, 30))
    keys.push_back(keys.empty() ? 0 : jump > 20 ? keys.back() - jump : keys.back() + 1);
  expect_run_lengths(keys, roomy, successive{});
}

// Runs without room are counted, and nothing is written beyond the room.
TEST(reduce_by_key_values, too_little_room) {
  for (const std::vector<int>& keys : {random_keys(some, 2), random_keys(some, 1'000'000), std::vector<int>(some, 3)}) {
    const auto runs = std::ssize(wf_test::canonical_runs(keys, keys, wf::plus{}).keys);
    for (const std::int64_t room : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, runs / 3, runs - 1})
      for (const wf_test::from init : {wf_test::from::nothing, wf_test::from::value})
        if (room < runs) expect_run_lengths(keys, {.init = init, .out_off = room % 3, .spare = room - runs});
  }
}

TEST(reduce_by_key_values, nothing_to_reduce) {
  for (std::int64_t step = 0; step < 18; ++step)
    expect_run_lengths<int>(std::vector<int>{}, wf_test::by_key_way_of(step));
  const wf_test::by_key_outputs<int, int, int> out(3);
  wf::reduce_by_key(std::span<const int>{}, std::span<const int>{}, out.keys(), out.values(),
                    out.count());  // null pointers
  EXPECT_TRUE(out.hold(wf_test::run_list<int, int>{}));
}

TEST(reduce_by_key_values, logical_or_of_bools) {
  const auto bits = random_keys(some, 40), keys = random_keys(some, 2);
  const auto bools = std::make_unique<bool[]>(bits.size());
  for (std::size_t i = 0; i < bits.size(); ++i) bools[i] = bits[i] == 0;
  auto expected = wf_test::canonical_runs(keys, bits, wf::plus{});
  expected.values.clear();
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (i == 0 || keys[i - 1] != keys[i]) expected.values.push_back(0);
    if (bools[i]) expected.values.back() = 1;
  }
  for (const int off : {0, 1, 3}) {
    const device_array<bool> values(std::span<const bool>(bools.get(), bits.size()), off);
    const device_array<int> k(keys);
    const wf_test::by_key_outputs<int, int> out(std::ssize(keys), off);
    wf::reduce_by_key(k.items(), values.items(), out.keys(), out.values(), out.count(), wf::logical_or{},
                      {.max_blocks = off});
    EXPECT_TRUE(out.hold(expected));
  }
}

TEST(reduce_by_key_values, sums_without_an_operator_or_options) {
  const device_array<int> keys(std::vector<int>{7, 7, 7, 3, 7, 7});
  const device_array<short> values(std::vector<short>{1, 2, 3, 4, 5, 6});
  const auto k = keys.items();
  const auto v = values.items();
  const wf_test::by_key_outputs<int, int, int> out(6);
  const auto expect_sums = [&](int init) {
    EXPECT_TRUE(out.hold(wf_test::run_list<int, int>{{7, 3, 7}, {init + 6, init + 4, init + 11}}));
    out.clear();
  };
  wf::reduce_by_key(k, v, out.keys(), out.values(), out.count());
  expect_sums(0);
  wf::reduce_by_key(k, v, out.keys(), out.values(), out.count(), {.init = 10});
  expect_sums(10);
  wf::reduce_by_key(k, v, out.keys(), out.values(), out.count(), wf::plus{});
  expect_sums(0);
  wf::reduce_by_key(k, v, out.keys(), out.values(), out.count(), wf::plus{}, equal_modulo_10{});
  expect_sums(0);
  wf::reduce_by_key(k.data(), v.data(), 6, out.keys(), out.values(), out.count());
  expect_sums(0);
  wf::reduce_by_key(k.data(), v.data(), 6, out.keys(), out.values(), out.count(), wf::plus{}, {.init = 5});
  expect_sums(5);
}

}  // namespace
