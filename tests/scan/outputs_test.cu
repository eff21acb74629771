// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans of narrow items into iterators, which take accumulators, and of items of odd sizes and wide alignments. That
// every tile fits its shared memory is checked in plan_test.cu.
#include <gtest/gtest.h>
#include <warpfold/scan_by_key.cuh>

#include "common/monoids.hpp"
#include "common/outputs.cuh"
#include "common/random_items.hpp"
#include "scan/expect_prefixes.cuh"

namespace scan_output_tests {

namespace wf = warpfold;
using wf_test::all_same_bits, wf_test::device_array, wf_test::scan_kind;

/// Stores one more than what is assigned.
struct next_output {
  struct place {
    long long* to;
    __host__ __device__ const place& operator=(long long value) const { return *to = value + 1, *this; }
  };
  long long* first;
  __host__ __device__ place operator[](std::int64_t i) const { return {first + i}; }
};

constexpr std::int64_t count = 50'021;  // several tiles of the narrowest items, and an end

template <class T> std::vector<T> narrow_items() {
  wf_test::random_source random(7);
  std::vector<T> items;
  for (std::int64_t i = 0; i < count; ++i) items.push_back(static_cast<T>(random() >> 32));
  return items;
}

/// The results that `Op` gives from left to right, plus one: of an exclusive scan from its identity on.
template <scan_kind Kind, class T, class Op> std::vector<long long> expected_of(const std::vector<T>& items, Op op) {
  using A = wf::accumulator_t<Op, T>;
  std::vector<long long> expected;
  A before = wf::identity<Op, A>::value();
  for (const T& item : items) {
    const A through = op(before, wf::detail::convert<A>(item));
    expected.push_back(static_cast<long long>(Kind == scan_kind::exclusive ? before : through) + 1);
    before = through;
  }
  return expected;
}

template <scan_kind Kind, class T, class Op> void expect_into_iterators(Op op) {
  const auto items = narrow_items<T>();
  const device_array<T> in(items, 1);
  const device_array<long long> out(std::vector<long long>(items.size()));
  if constexpr (Kind == scan_kind::inclusive) wf::inclusive_scan(in.items(), next_output{out.data()}, op);
  else wf::exclusive_scan(in.items(), next_output{out.data()}, op);
  EXPECT_TRUE(all_same_bits(out.to_host(), expected_of<Kind>(items, op)));
}

TEST(scan_outputs, bytes) {
  expect_into_iterators<scan_kind::exclusive, std::uint8_t>(wf::plus{});
  expect_into_iterators<scan_kind::inclusive, std::int8_t>(wf::maximum{});
  expect_into_iterators<scan_kind::inclusive, std::int8_t>(wf::multiplies{});
}
TEST(scan_outputs, bytes_as_wide_numbers) {
  expect_into_iterators<scan_kind::inclusive, std::int8_t>(wf::accumulate_in<long long>(wf::plus{}));
}
TEST(scan_outputs, shorts) {
  expect_into_iterators<scan_kind::exclusive, short>(wf::accumulate_in<long long>(wf::plus{}));
  expect_into_iterators<scan_kind::inclusive, std::uint16_t>(wf::bit_or{});
}
TEST(scan_outputs, words_as_wide_numbers) {
  expect_into_iterators<scan_kind::inclusive, int>(wf::accumulate_in<long long>(wf::plus{}));
}

struct is_positive {
  __host__ __device__ bool operator()(std::int8_t item) const { return item > 0; }
};
TEST(scan_outputs, flags_of_bytes) {  // as stream compaction counts what it keeps
  const auto items = narrow_items<std::int8_t>();
  std::vector<std::uint8_t> flags;
  for (const std::int8_t item : items) flags.push_back(item > 0);
  const auto expected = expected_of<scan_kind::exclusive>(flags, wf::plus{});
  const device_array<std::int8_t> in(items);
  const device_array<std::uint8_t> in_flags(flags);
  const device_array<long long> out(std::vector<long long>(items.size()));
  wf::transform_exclusive_scan(in.items(), next_output{out.data()}, wf::plus{}, is_positive{});
  EXPECT_TRUE(all_same_bits(out.to_host(), expected));
  const device_array<long long> of_flags(std::vector<long long>(items.size()));
  wf::exclusive_scan(reinterpret_cast<const bool*>(in_flags.data()), count, next_output{of_flags.data()}, wf::plus{});
  EXPECT_TRUE(all_same_bits(of_flags.to_host(), expected));
  wf::inclusive_scan(in_flags.items(), wf_test::outputs::discarding_output{}, wf::bit_or{});
}

TEST(scan_outputs, bytes_by_key) {
  const auto items = narrow_items<std::uint8_t>();
  std::vector<std::uint8_t> keys;
  std::vector<long long> expected;
  long long sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    keys.push_back(static_cast<std::uint8_t>(i / 3000 % 2));
    sum = i % 3000 == 0 ? items[static_cast<std::size_t>(i)] : sum + items[static_cast<std::size_t>(i)];
    expected.push_back(sum + 1);
  }
  const device_array<std::uint8_t> k(keys), in(items);
  const device_array<long long> out(std::vector<long long>(items.size()));
  wf::inclusive_scan_by_key(k.items(), in.items(), next_output{out.data()}, wf::plus{});
  EXPECT_TRUE(all_same_bits(out.to_host(), expected));
  wf::inclusive_scan_by_key(k.items(), in.items(), next_output{out.data()}, wf::accumulate_in<long long>(wf::plus{}));
  EXPECT_TRUE(all_same_bits(out.to_host(), expected));
}

/// Several maps that are composed side by side: items of any size and alignment.
template <int Count, int Alignment> struct maps {
  alignas(Alignment) wf_test::affine<> map[Count];

  static maps random(wf_test::random_source& source) {
    maps all{};
    for (auto& each : all.map) each = wf_test::affine<>::random(source);
    return all;
  }
  friend bool operator==(const maps&, const maps&) = default;
  friend std::ostream& operator<<(std::ostream& out, const maps& all) { return out << all.map[0]; }
};
struct compose_maps {
  template <int Count, int Alignment>
  __host__ __device__ maps<Count, Alignment> operator()(const maps<Count, Alignment>& f,
                                                        const maps<Count, Alignment>& g) const {
    maps<Count, Alignment> all{};
    for (int i = 0; i < Count; ++i) all.map[i] = wf_test::compose{}(f.map[i], g.map[i]);
    return all;
  }
};

/// By pointers and by iterators, plainly and by one key.
template <class Item> void expect_of_sizes(std::int64_t items_count) {
  std::vector<Item> items;
  wf_test::random_source random(5);
  for (std::int64_t i = 0; i < items_count; ++i) items.push_back(Item::random(random));
  const auto expected = wf_test::canonical_prefixes(items, compose_maps{});
  const device_array<Item> in(items), out(items);
  wf::inclusive_scan(in.items(), out.data(), compose_maps{});
  EXPECT_TRUE(all_same_bits(out.to_host(), expected));
  if constexpr (sizeof(Item) <= 32) {  // of more, kernels compile for long
    const device_array<Item> stored(items), of_runs(items);
    wf::inclusive_scan(in.items(), wf_test::outputs::storing_output<Item>{stored.data()}, compose_maps{});
    EXPECT_TRUE(all_same_bits(stored.to_host(), expected));
    const device_array<char> keys(std::vector<char>(items.size()));
    wf::inclusive_scan_by_key(keys.items(), in.items(), of_runs.data(), compose_maps{});
    EXPECT_TRUE(all_same_bits(of_runs.to_host(), expected));
  }
}

TEST(scan_outputs, items_of_24_bytes) { expect_of_sizes<maps<3, 4>>(20'011); }
TEST(scan_outputs, items_aligned_to_32_bytes) { expect_of_sizes<maps<4, 32>>(9'011); }
TEST(scan_outputs, items_aligned_to_128_bytes) { expect_of_sizes<maps<16, 128>>(2'011); }

}  // namespace scan_output_tests
