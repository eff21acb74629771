// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arg-reductions of every kind of item, with bounds and without, of nothing, one item and many, in every function. Each
// type is compiled with some of the functions; with WARPFOLD_ALL_TYPES defined, with all of them.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>
#include <warpfold/warpfold.cuh>

#include "common/device.cuh"
#include "common/random_items.hpp"

namespace arg_type_tests {

namespace wf = warpfold;
using wf_test::device_array;

enum class color : std::int8_t { red = -1, green, blue };
enum plain_enum { zero, one, two };
/// Structures are ordered by their keys; the library knows no least or greatest value of them.
template <int Words> struct keyed {
  int payload[Words - 1];
  int key;

  __host__ __device__ friend bool operator<(const keyed& a, const keyed& b) { return a.key < b.key; }
};

/// Item of a few values, of which 0 is the smallest one.
template <class T> T item_of(int value) {
  if constexpr (std::is_same_v<T, color>) return static_cast<color>(value - 1);
  else if constexpr (requires(T all) { all.payload; }) {
    T all{};
    for (int& each : all.payload) each = ++value * 77;
    all.key = all.payload[0];
    return all;
  } else if constexpr (std::is_enum_v<T> || std::is_integral_v<T> || wf::detail::is_wide_integer<T>)
    return static_cast<T>(value);
  else return static_cast<T>(static_cast<float>(value));
}

/// Items, and the numbers that they stand for; bools have two of these.
template <class T> struct sequence {
  std::vector<int> numbers;
  device_array<T> items;

  explicit sequence(std::int64_t count, int seed = 1) : numbers(drawn(count, seed)), items(count, 1) {
    for (std::int64_t i = 0; i < count; ++i) items.set(i, item_of<T>(numbers[static_cast<std::size_t>(i)]));
  }
  static std::vector<int> drawn(std::int64_t count, int seed) {
    wf_test::random_source random(static_cast<std::uint64_t>(seed));
    std::vector<int> numbers;
    for (std::int64_t i = 0; i < count; ++i)
      numbers.push_back(static_cast<int>(random.below(std::is_same_v<T, bool> ? 2 : 3)));
    return numbers;
  }
  std::int64_t count() const { return items.count(); }
};

/// Of items `first`, `first` + `step`, … of `count`: the first smallest one, or the last greatest one; -1 without
/// items.
template <bool Smallest>
std::int64_t expected_index(const std::vector<int>& numbers, std::int64_t first, std::int64_t count,
                            std::int64_t step = 1) {
  std::int64_t best = -1;
  const auto number = [&](std::int64_t i) { return numbers[static_cast<std::size_t>(first + i * step)]; };
  for (std::int64_t i = 0; i < count; ++i)
    if (best < 0 || (Smallest ? number(i) < number(best) : number(i) >= number(best))) best = i;
  return best;
}

constexpr auto last = wf::ties::last;
using last_maximum = wf::arg_maximum<last>;

template <class T> using value_of = wf::accumulator_t<wf::minimum, T>;
/// Whether `found` is item `index`, counted from item `first` on; with index -1, any value is right.
template <class T, class V>
void expect_item(const wf::indexed_value<V>& found, const sequence<T>& in, std::int64_t first, std::int64_t index,
                 std::int64_t step = 1) {
  ASSERT_EQ(found.index, index);
  if (index < 0) return;
  const V item = wf::detail::convert<V>(item_of<T>(in.numbers[static_cast<std::size_t>(first + index * step)]));
  EXPECT_TRUE(!(found.value < item) && !(item < found.value)) << index;
}

// ---- of one sequence ---------------------------------------------------------------------------------------------
constexpr std::int64_t counts[] = {0, 1, 2, 31, 4'099, 40'003};

template <class T> void expect_of_sequences() {
  for (const std::int64_t count : counts) {
    const sequence<T> in(count);
    const std::int64_t least = expected_index<true>(in.numbers, 0, count),
                       greatest = expected_index<false>(in.numbers, 0, count);
    expect_item(wf::argmin_value(in.items.items()), in, 0, least);
    expect_item(wf::argmax_value<last>(in.items.items()), in, 0, greatest);
    const auto both = wf::arg_minmax_value(in.items.items());
    expect_item(both.minimum, in, 0, least);
    if (count == 0) EXPECT_EQ(both.maximum.index, -1);
    else
      EXPECT_EQ(in.numbers[static_cast<std::size_t>(both.maximum.index)],
                in.numbers[static_cast<std::size_t>(greatest)]);
  }
}

// ---- of segments -------------------------------------------------------------------------------------------------
template <class T> void expect_of_segments() {
  const std::vector<int> offsets{0, 0, 1, 9, 9, 75, 1'000, 1'001, 9'000, 40'003, 40'003};
  const sequence<T> in(offsets.back());
  const device_array<int> device_offsets(offsets);
  const std::int64_t segments = std::ssize(offsets) - 1;
  const device_array<wf::indexed_value<value_of<T>>> out(segments);
  const auto expect = [&](bool smallest) {
    for (std::int64_t s = 0; s < segments; ++s) {
      SCOPED_TRACE("segment " + std::to_string(s));
      const int begin = offsets[static_cast<std::size_t>(s)], length = offsets[static_cast<std::size_t>(s + 1)] - begin;
      expect_item(out.value(s), in, begin,
                  smallest ? expected_index<true>(in.numbers, begin, length)
                           : expected_index<false>(in.numbers, begin, length));
    }
  };
  wf::segmented_argmin(in.items.items(), device_offsets.items(), out.data());
  expect(true);
  wf::segmented_argmax<wf::relative_to::segment, last>(in.items.items(), device_offsets.items(), out.data());
  expect(false);
}
template <class T> void expect_of_equal_segments() {
  for (const int length : {1, 7, 40, 1'000}) {
    const std::int64_t segments = length > 500 ? 11 : 900;
    const sequence<T> in(segments * length);
    const device_array<wf::indexed_value<value_of<T>>> out(segments);
    wf::segmented_argmin(in.items.items(), wf::fixed_length{length}, out.data());
    for (std::int64_t s = 0; s < segments; ++s)
      expect_item(out.value(s), in, s * length, expected_index<true>(in.numbers, s * length, length));
  }
  const device_array<T> nothing(0);
  const device_array<wf::indexed_value<value_of<T>>> out(3);
  wf::segmented_argmin(nothing.items(), wf::fixed_length{0}, std::span(out.data(), 3));
  EXPECT_EQ(out.value(2).index, -1);
}
template <class T> void expect_of_owners() {
  const sequence<T> in(5'000);
  std::vector<int> ids;
  for (int i = 0; i < 5'000; ++i) ids.push_back(i / 1'000 * 2);  // every other segment is empty
  const device_array<int> owners(ids);
  const device_array<wf::indexed_value<value_of<T>>> out(10);
  wf::segmented_argmin(in.items.items(), wf::owners{owners.items()}, std::span(out.data(), 10));
  for (std::int64_t s = 0; s < 10; ++s)
    expect_item(out.value(s), in, s * 500, s % 2 == 0 ? expected_index<true>(in.numbers, s * 500, 1'000) : -1);
}

// ---- along axes --------------------------------------------------------------------------------------------------
template <class T> void expect_of_axes() {
  for (const std::int64_t columns : {1, 3, 8, 70, 1'003}) {
    const std::int64_t rows = 20'000 / columns;
    const sequence<T> in(rows * columns);
    const wf::strided<const T, 2> matrix(in.items.data(), {rows, columns});
    const device_array<wf::indexed_value<value_of<T>>> of_rows(rows), of_columns(columns);
    wf::reduce_rows(matrix, std::span(of_rows.data(), of_rows.size()), wf::arg_minimum{});
    for (std::int64_t row = 0; row < rows; ++row)
      expect_item(of_rows.value(row), in, row * columns, expected_index<true>(in.numbers, row * columns, columns));
    wf::reduce_columns(matrix, std::span(of_columns.data(), of_columns.size()), last_maximum{});
    for (std::int64_t column = 0; column < columns; ++column)
      expect_item(of_columns.value(column), in, column, expected_index<false>(in.numbers, column, rows, columns),
                  columns);
  }
  const device_array<wf::indexed_value<value_of<T>>> of_nothing(3);
  const device_array<T> one(1);
  wf::reduce_rows(wf::strided<const T, 2>(one.data(), {3, 0}), std::span(of_nothing.data(), 3), wf::arg_minimum{});
  EXPECT_EQ(of_nothing.value(2).index, -1);
}

// ---- by key, fused, scanned --------------------------------------------------------------------------------------
template <class T> void expect_of_runs() {
  constexpr std::int64_t run = 77, count = 5'000, runs = (count + run - 1) / run;
  const sequence<T> in(count);
  std::vector<int> keys;
  for (std::int64_t i = 0; i < count; ++i) keys.push_back(static_cast<int>(i / run));
  const device_array<int> in_keys(keys), out_keys(runs), out_count(1);
  const device_array<wf::indexed_value<value_of<T>>> out(runs);
  wf::argmax_by_key<wf::relative_to::segment, last>(in_keys.items(), in.items.items(), std::span(out_keys.data(), runs),
                                                    out.data(), out_count.data());
  ASSERT_EQ(out_count.value(), runs);
  for (std::int64_t r = 0; r < runs; ++r)
    expect_item(out.value(r), in, r * run, expected_index<false>(in.numbers, r * run, std::min(run, count - r * run)));
}
template <class T> void expect_of_fused() {
  for (const std::int64_t count : {0, 1, 9'001}) {
    const sequence<T> in(count);
    const device_array<wf::indexed_value<value_of<T>>> least(1), greatest(1);
    wf::reduce(in.items.items(), wf::outputs(least.data(), greatest.data()),
               wf::fuse(wf::arg_minimum{}, last_maximum{}));
    expect_item(least.value(), in, 0, expected_index<true>(in.numbers, 0, count));
    expect_item(greatest.value(), in, 0, expected_index<false>(in.numbers, 0, count));
  }
}
template <class T> void expect_of_scans() {
  const sequence<T> in(9'001);
  const device_array<wf::indexed_value<value_of<T>>> out(in.count());
  wf::exclusive_scan(in.items.items(), out.data(), wf::arg_minimum{});
  for (const std::int64_t i : {0, 1, 2, 31, 32, 8'191, 9'000})
    expect_item(out.value(i), in, 0, expected_index<true>(in.numbers, 0, i));
}
template <class T> void expect_of_best_items() {
  for (const std::int64_t count : {0, 1, 2, 9'001}) {
    const sequence<T> in(count);
    const auto best = wf::reduce_value(in.items.items(), wf::bottom_k<2>{});
    expect_item(best.item[0], in, 0, expected_index<true>(in.numbers, 0, count));
    EXPECT_EQ(best.item[1].index >= 0, count >= 2);
  }
}

TEST(arg_types, sequences_of_types_without_bounds) {
  expect_of_sequences<color>();
  expect_of_sequences<keyed<6>>();
}
TEST(arg_types, segments_of_types_without_bounds) {
  expect_of_segments<keyed<6>>();
  expect_of_equal_segments<plain_enum>();
  expect_of_owners<color>();
}
TEST(arg_types, axes_of_types_without_bounds) { expect_of_axes<keyed<3>>(); }
TEST(arg_types, runs_fused_and_scans_of_types_without_bounds) {
  expect_of_runs<color>();
  expect_of_fused<keyed<6>>();
  expect_of_scans<plain_enum>();
  expect_of_best_items<color>();
}
TEST(arg_types, bools) {
  expect_of_equal_segments<bool>();
  expect_of_axes<bool>();
}
TEST(arg_types, numbers_of_8_bits) {
  expect_of_segments<__nv_fp8_e4m3>();
  expect_of_owners<__nv_fp8_e5m2>();
}
TEST(arg_types, integers_of_128_bits) {
  expect_of_sequences<wf::int128>();
  expect_of_equal_segments<wf::uint128>();
}

#if defined(WARPFOLD_ALL_TYPES)
template <class T> class every_arg_type : public testing::Test {};
using every_type =
    testing::Types<bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                   std::int64_t, std::uint64_t, wf::int128, wf::uint128, __half, __nv_bfloat16, __nv_fp8_e4m3,
                   __nv_fp8_e5m2, float, double, color, plain_enum, keyed<3>, keyed<6>>;
TYPED_TEST_SUITE(every_arg_type, every_type);
TYPED_TEST(every_arg_type, sequences) { expect_of_sequences<TypeParam>(); }
TYPED_TEST(every_arg_type, segments) { expect_of_segments<TypeParam>(); }
TYPED_TEST(every_arg_type, equal_segments) { expect_of_equal_segments<TypeParam>(); }
TYPED_TEST(every_arg_type, owners) { expect_of_owners<TypeParam>(); }
TYPED_TEST(every_arg_type, axes) { expect_of_axes<TypeParam>(); }
TYPED_TEST(every_arg_type, runs) { expect_of_runs<TypeParam>(); }
TYPED_TEST(every_arg_type, fused) { expect_of_fused<TypeParam>(); }
TYPED_TEST(every_arg_type, scans) { expect_of_scans<TypeParam>(); }
TYPED_TEST(every_arg_type, best_items) { expect_of_best_items<TypeParam>(); }
#endif

}  // namespace arg_type_tests
