// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Item types that other tests do not use: complex numbers, short vectors, fp8, integers of 128 bits. Results have the
// bits of the tree, and the documented accumulators.
#include <cuda_fp8.h>
#include <gtest/gtest.h>

#include <cuda/std/complex>
#include <warpfold/canonical_tree.hpp>
#include <warpfold/reduce.cuh>
#include <warpfold/segmented_reduce.cuh>

#include "common/device.cuh"
#include "common/random_items.hpp"
#include "common/same_bits.hpp"

namespace item_types_tests {

namespace wf = warpfold;
using wf_test::device_array;
template <class T> using complex = cuda::std::complex<T>;

template <class A> bool equal_bytes(const A& a, const A& b) { return std::memcmp(&a, &b, sizeof(A)) == 0; }

/// Reductions of a few counts and alignments have the bits of the tree.
template <class T, class Op> void expect_bits_of_tree(const std::vector<T>& items, Op op) {
  using A = wf::accumulator_t<Op, T>;
  const device_array<A> out(3);
  for (const std::int64_t count : {1, 2, 33, 1000, 5001}) {
    const device_array<T> in(std::vector<T>(items.begin(), items.begin() + count), count % 3);
    wf::reduce(in.items(), out.data(), op);
    ASSERT_TRUE(equal_bytes(out.value(), wf::canonical_tree::replay(items.data(), count, op))) << count;
  }
}
/// So have segments. (A few types only: the paths are the same, and the kernels take long to compile.)
template <class T, class Op> void expect_segments_bits_of_tree(const std::vector<T>& items, Op op) {
  using A = wf::accumulator_t<Op, T>;
  const device_array<A> out(3);
  const device_array<T> in(items);
  const device_array<int> offsets(std::vector<int>{0, 7, 900, 5001});
  wf::segmented_reduce(in.items(), offsets.items(), std::span<A>(out.data(), 3), op, {.empty = A{}});
  const int bounds[] = {0, 7, 900, 5001};
  for (int s = 0; s < 3; ++s)
    ASSERT_TRUE(
        equal_bytes(out.value(s), wf::canonical_tree::replay(items.data() + bounds[s], bounds[s + 1] - bounds[s], op)))
        << s;
}

template <class T, class Make> std::vector<T> make_items(Make make) {
  wf_test::random_source source(5);
  std::vector<T> items;
  for (int i = 0; i < 5001; ++i) items.push_back(make(source));
  return items;
}
template <class T> std::vector<complex<T>> complex_items(bool near_one) {
  return make_items<complex<T>>([=](wf_test::random_source& source) {
    const T re = wf_test::random_item<T>(source), im = wf_test::random_item<T>(source);
    if (!near_one) return complex<T>(re, im);
    const T angle = re;  // a factor of magnitude 1, so that products stay finite
    return complex<T>(std::cos(angle), std::sin(angle));
  });
}

TEST(item_types, complex_sums) {
  expect_bits_of_tree(complex_items<float>(false), wf::plus{});
  expect_bits_of_tree(complex_items<double>(false), wf::plus{});
  expect_segments_bits_of_tree(complex_items<float>(false), wf::plus{});
}
TEST(item_types, complex_products) {
  expect_bits_of_tree(complex_items<float>(true), wf::multiplies{});
  EXPECT_TRUE(wf::multiplies{}(complex<float>(1, 2), complex<float>(3, 4)) == complex<float>(-5, 10));
  const auto product = wf::reduce_value(device_array<complex<float>>(0).items(), wf::multiplies{});
  EXPECT_TRUE(product == complex<float>(1, 0));
}
// Products round before they are added: a fused operation would leave what the rounding loses.
TEST(item_types, complex_products_are_not_contracted) {
  const float x = 1 + 0x1p-12f;
  EXPECT_EQ(wf::multiplies{}(complex<float>(x, x), complex<float>(x, x)).real(), 0.0f);
}

TEST(item_types, short_vectors) {
  const auto any = [](wf_test::random_source& s) { return wf_test::random_item<float>(s); };
  expect_bits_of_tree(make_items<float2>([&](auto& s) { return float2{any(s), any(s)}; }), wf::plus{});
  expect_bits_of_tree(make_items<float3>([&](auto& s) { return float3{any(s), any(s), any(s)}; }), wf::plus{});
  expect_bits_of_tree(make_items<float4>([&](auto& s) { return float4{any(s), any(s), any(s), any(s)}; }), wf::plus{});
  expect_bits_of_tree(make_items<double2>([&](auto& s) { return double2{any(s), any(s)}; }), wf::plus{});
  const float2 sum =
      wf::reduce_value(device_array<float2>(std::vector<float2>(700, float2{1, -2})).items(), wf::plus{});
  EXPECT_TRUE(sum.x == 700 && sum.y == -1400);
}

template <class T> void expect_fp8() {
  static_assert(std::is_same_v<wf::accumulator_t<wf::plus, T>, float>);
  const auto items = make_items<T>([](wf_test::random_source& s) { return T(wf_test::random_item<float>(s)); });
  expect_bits_of_tree(items, wf::plus{});
  expect_bits_of_tree(items, wf::maximum{});
}
TEST(item_types, e4m3) { expect_fp8<__nv_fp8_e4m3>(); }
TEST(item_types, e5m2) { expect_fp8<__nv_fp8_e5m2>(); }

/// What a reduction of `items` by maximum writes as a `T`.
template <class T, class Item> T largest_as(const std::vector<Item>& items) {
  const device_array<T> out(1);
  wf::reduce(device_array<Item>(items).items(), out.data(), wf::maximum{});
  return out.value();
}
/// Extrema of fp8 items are exact in an fp8 output, infinities among them.
template <class T> void expect_exact_extrema() {
  for (int bits = 0; bits < 256; ++bits) {
    T item{};
    item.__x = static_cast<unsigned char>(bits);
    const float number = static_cast<float>(item);
    const T largest = largest_as<T>(std::vector<T>(3, item));
    if (number != number) ASSERT_TRUE(static_cast<float>(largest) != static_cast<float>(largest));
    else ASSERT_EQ(largest.__x, bits);
  }
}
TEST(item_types, extrema_are_exact_in_outputs_of_e4m3) { expect_exact_extrema<__nv_fp8_e4m3>(); }
TEST(item_types, extrema_are_exact_in_outputs_of_e5m2) { expect_exact_extrema<__nv_fp8_e5m2>(); }
TEST(item_types, floats_round_to_the_nearest_fp8_and_saturate) {
  using e4m3 = __nv_fp8_e4m3;
  const auto as_e4m3 = [](float x) { return static_cast<float>(largest_as<e4m3>(std::vector<float>{x})); };
  EXPECT_EQ(as_e4m3(1.06f), 1);  // 1.0625 lies in the middle
  EXPECT_EQ(as_e4m3(1.0625f), 1);
  EXPECT_EQ(as_e4m3(1.1875f), 1.25f);
  EXPECT_EQ(as_e4m3(500), 448);
  EXPECT_EQ(as_e4m3(-INFINITY), -448);
  EXPECT_EQ(static_cast<float>(largest_as<e4m3>(std::vector<e4m3>{})), -448);
  EXPECT_EQ(static_cast<float>(largest_as<__nv_fp8_e5m2>(std::vector<__nv_fp8_e5m2>{})), -INFINITY);
}

TEST(item_types, integers_of_128_bits) {
  const auto items = make_items<wf::int128>(
      [](wf_test::random_source& s) { return static_cast<wf::int128>(wf::uint128{s()} << 64 | s()); });
  expect_bits_of_tree(items, wf::plus{});
  expect_bits_of_tree(items, wf::multiplies{});
  expect_bits_of_tree(items, wf::maximum{});
  expect_bits_of_tree(items, wf::bit_and{});
  EXPECT_TRUE(wf::reduce_value(device_array<wf::int128>(0).items(), wf::bit_and{}) == -1);
  expect_segments_bits_of_tree(items, wf::plus{});
  wf::uint128 sum = 0;  // that of all items wraps
  for (const wf::int128 item : items) sum += static_cast<wf::uint128>(item);
  EXPECT_TRUE(wf::reduce_value(device_array<wf::int128>(items).items(), wf::plus{}) == static_cast<wf::int128>(sum));
  const device_array<wf::int128> nothing(0);
  EXPECT_TRUE(wf::reduce_value(nothing.items(), wf::plus{}) == 0);
  const auto most = static_cast<wf::int128>(~wf::uint128{0} >> 1);
  EXPECT_TRUE(wf::reduce_value(nothing.items(), wf::minimum{}) == most);
  EXPECT_TRUE(wf::reduce_value(nothing.items(), wf::maximum{}) == -most - 1);
}
// Missing items are padded with the identity: all 128 bits of it.
TEST(item_types, bits_of_128) {
  const auto items =
      make_items<wf::uint128>([](wf_test::random_source& s) { return wf::uint128{s() | 5} << 64 | wf::uint128{3}; });
  expect_bits_of_tree(items, wf::bit_and{});
  expect_bits_of_tree(items, wf::bit_or{});
  expect_bits_of_tree(items, wf::bit_xor{});
  EXPECT_TRUE(wf::reduce_value(device_array<wf::uint128>(0).items(), wf::bit_and{}) == ~wf::uint128{0});
}

TEST(item_types, narrow_integers_accumulate_in_32_bits) {
  const device_array<std::int8_t> bytes(std::vector<std::int8_t>(5000, 127));
  EXPECT_EQ(wf::reduce_value(bytes.items(), wf::plus{}), 635000);
  EXPECT_EQ(wf::reduce_value(bytes.items(), wf::accumulate_in<std::int64_t>(wf::plus{})), 635000);
}

}  // namespace item_types_tests
