// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// top_k_items and bottom_k_items, of sequences and of segments, against a stable sort.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <vector>
#include <warpfold/device_count.cuh>
#include <warpfold/reduce.cuh>
#include <warpfold/top_k.cuh>
#include <warpfold/workspace.cuh>

#include "common/device.cuh"
#include "common/random_items.hpp"
#include "common/refusal.hpp"
#include "reduce/stream.cuh"

namespace top_k_items_tests {

namespace wf = warpfold;
using wf_test::device_array, wf_test::refusal;

constexpr std::int64_t untouched = -7;

/// Values and indices of a call, each `count` items, with one more behind them that must stay as it is.
template <class T, class Index = std::int64_t> struct results {
  explicit results(std::int64_t count)
      : values(std::vector<T>(static_cast<std::size_t>(count + 1), T(1))),
        indices(std::vector<Index>(static_cast<std::size_t>(count + 1), Index(untouched))) {}
  device_array<T> values;
  device_array<Index> indices;
};

/// Items of any type as numbers that hold all of them, so that few functions are compiled.
using number = long double;
template <class T> std::vector<number> numbers_of(const std::vector<T>& items) {
  using held = std::conditional_t<std::is_arithmetic_v<T>, T, float>;
  std::vector<number> result;
  for (const T& item : items) result.push_back(static_cast<held>(item));
  return result;
}

/// The numbers, in their segment, of the first `k` of the items [begin, end), best first; -1 where there is none.
std::vector<std::int64_t> expected(const std::vector<number>& items, std::int64_t begin, std::int64_t end, int k,
                                   bool smallest, bool nan_wins = true) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(end - begin));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t i, std::int64_t j) {
    const number a = items[static_cast<std::size_t>(begin + i)], b = items[static_cast<std::size_t>(begin + j)];
    if (a != a || b != b) return nan_wins ? a != a && b == b : a == a && b != b;
    return smallest ? a < b : b < a;
  });
  order.resize(static_cast<std::size_t>(k), -1);
  return order;
}

/// Compares results with the sorted items of each segment [offsets[s], offsets[s + 1]).
template <class T>
void expect_lists(const results<T>& found, const std::vector<T>& items, const std::vector<std::int64_t>& offsets, int k,
                  bool smallest, const std::string& about) {
  const auto values = found.values.to_host();
  const auto indices = found.indices.to_host();
  const auto numbers = numbers_of(items);
  std::size_t place = 0;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    for (const std::int64_t index : expected(numbers, offsets[s], offsets[s + 1], k, smallest)) {
      ASSERT_EQ(indices[place], index) << about << ", segment " << s << ", place " << place;
      if (index >= 0) {
        const T item = items[static_cast<std::size_t>(offsets[s] + index)];
        ASSERT_EQ(std::memcmp(&values[place], &item, sizeof(T)), 0) << about;
      } else {
        using limits = std::numeric_limits<T>;
        const T worst = limits::has_infinity ? (smallest ? limits::infinity() : -limits::infinity())
                                             : (smallest ? limits::max() : limits::lowest());
        ASSERT_EQ(values[place], worst) << about;
      }
      ++place;
    }
  ASSERT_EQ(indices[place], untouched) << about;
}

/// The top and the bottom of a sequence, or one of them.
enum class ends { both, top, bottom };
template <ends Which = ends::both, class T>
void expect_sequence(const std::vector<T>& items, int k, int max_blocks, int offset = 0) {
  const auto count = static_cast<std::int64_t>(items.size());
  const device_array<T> in(items, offset);
  const results<T> out(k);
  const std::string about = std::to_string(count) + " items, k " + std::to_string(k);
  if constexpr (Which != ends::bottom) {
    wf::top_k_items(in.items(), k, out.values.data(), out.indices.data(), {.max_blocks = max_blocks});
    expect_lists(out, items, {0, count}, k, false, "top of " + about);
  }
  if constexpr (Which != ends::top) {
    wf::bottom_k_items(in.data(), count, k, out.values.data(), out.indices.data(), {.max_blocks = max_blocks});
    expect_lists(out, items, {0, count}, k, true, "bottom of " + about);
  }
}

/// `count` items, as many `distinct` values, of which one in 200 is NaN.
std::vector<float> random_values(std::int64_t count, std::int64_t distinct) {
  wf_test::random_source random(static_cast<std::uint64_t>(count + distinct));
  std::vector<float> items;
  for (std::int64_t i = 0; i < count; ++i)
    items.push_back(random.below(200) == 0 ? NAN : static_cast<float>(random.below(distinct)) - 3);
  return items;
}

TEST(top_k_items, of_any_size_and_k) {
  for (const int k : {1, 2, 16, 17, 31, 32, 33, 64, 100, 1000, 1024})
    for (const std::int64_t size : {0, 1, 31, 1000, 1025, 9001}) {
      expect_sequence(random_values(size, size % 2 == 0 ? 5 : 100'000), k, k % 3, k % 4);
      if (HasFatalFailure()) return;
    }
}

/// Sorted items of many blocks, and of one: also the worst order for a list of the best so far.
TEST(top_k_items, of_sorted_and_of_equal_items) {
  std::vector<float> items(60'001);
  for (const float slope : {0.0f, 1.0f, -1.0f}) {
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = slope * static_cast<float>(i);
    expect_sequence(items, 70, 0, 1);
    expect_sequence(items, 300, 1);
    if (HasFatalFailure()) return;
  }
}

template <class T> std::vector<T> integers() {
  using limits = std::numeric_limits<T>;
  return {limits::min(), T(limits::min() + 1), T(0), T(1), T(-1), T(limits::max() - 1), limits::max()};
}
template <class T> std::vector<T> numbers() {
  using limits = std::numeric_limits<T>;
  return {-limits::infinity(),   limits::lowest(), T(-1),
          -limits::denorm_min(), T(-0.0),          T(0.0),
          limits::denorm_min(),  limits::max(),    limits::infinity(),
          limits::quiet_NaN()};
}
template <class T> std::vector<T> repeated(const std::vector<T>& items, int count) {
  wf_test::random_source random(items.size());
  std::vector<T> result;
  for (int i = 0; i < count; ++i)
    result.push_back(items[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(items.size())))]);
  return result;
}

/// Lists so long that the first tile's items are counted one by one: no bound may count an infinity as a NaN, nor, of
/// items of few bits, an item as one of the next better rank.
TEST(top_k_items, of_infinities_and_nans_and_of_few_bits) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const int k : {200, 300}) {
    for (const int nans : {0, 20, 250}) {
      auto items = random_values(5000, 100);
      for (std::size_t i = 0; i < 290; ++i)
        items[17 * i] = infinity, items[17 * i + 1] = -infinity, items[17 * i + 2] = i < std::size_t(nans) ? NAN : 0;
      expect_sequence(items, k, 1);
    }
    std::vector<__half> halfs;
    for (const float item : random_values(5000, 1500)) halfs.push_back(__float2half(item * 0.01f));
    expect_sequence<ends::top>(halfs, k, 1);
    if (HasFatalFailure()) return;
  }
}

template <class Order, class T> __global__ void keys_of(const T* items, int count, wf::selection::key_of<Order>* keys) {
  for (int i = 0; i < count; ++i) keys[i] = wf::selection::key_of<Order>::of(Order::rank(items[i]), i);
}
/// Counts the items that a threshold excludes though they may be among the best, and those that it admits though they
/// are worse than the last one, or equal and behind it; and those of which the sign of a difference tells otherwise.
template <class Order, class T> __global__ void mistakes_of_thresholds(const T* items, int count, int* mistakes) {
  using key = wf::selection::key_of<Order>;
  const auto number = [&](int i) { return Order::number_of(items[i]); };
  int found = 0;
  for (int i = 0; i < count; i += count / 50 + 1)
    for (const key& last : {key::of(Order::rank(items[i]), 100), key::least_of(Order::rank(items[i])), key::none()})
      for (const int first : {50, 150})
        for (const unsigned bound : {0u, last.leading()}) {
          const wf::selection::threshold<Order> worst(bound, last, first);
          for (int j = 0; j < count; ++j) {
            const key own = key::of(Order::rank(items[j]), first);
            const bool admits = worst.admits_any(number(j));
            const bool may_be = own.leading() >= bound && own.comes_before(last);
            const bool is_worse = Order::rank(items[j]) < last.rank_bits() || (first > 100 && !own.comes_before(last));
            found += may_be ? !admits : admits && is_worse;
            found += (worst.shift_in(1, number(j)) & 1) != (worst.admits(number(j)) ? 0 : 1);
          }
        }
  *mistakes = found;
}
/// Whether keys of items have the order of a stable sort, and tell places.
template <bool Smallest, wf::nans Nans, class T>
void expect_order(const std::vector<T>& items, const std::vector<number>& as_numbers) {
  using order = wf::selection::item_order<Smallest, Nans, T>;
  const device_array<T> in(items);
  const device_array<wf::selection::key_of<order>> on_device(in.count());
  const int count = static_cast<int>(in.count());
  wf::launch(&keys_of<order, T>, wf::host_side::launch_config(1, 1, 0, {}), in.data(), count, on_device.data());
  const auto keys = on_device.to_host();
  const auto places = expected(as_numbers, 0, count, count, Smallest, Nans == wf::nans::propagate);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto& key = keys[static_cast<std::size_t>(places[i])];
    ASSERT_TRUE(key.holds() && key.place() == places[i]) << typeid(T).name() << ' ' << i;
    const bool is_in_order = i == 0 || keys[static_cast<std::size_t>(places[i - 1])].comes_before(key);
    ASSERT_TRUE(is_in_order) << typeid(T).name() << ' ' << i;
  }
  const device_array<int> mistakes(1);
  wf::launch(&mistakes_of_thresholds<order, T>, wf::host_side::launch_config(1, 1, 0, {}), in.data(), count,
             mistakes.data());
  EXPECT_EQ(mistakes.value(), 0) << typeid(T).name();
}
template <class T> void expect_orders(const std::vector<T>& items, const std::vector<number>& as_numbers) {
  expect_order<false, wf::nans::propagate>(items, as_numbers),
      expect_order<true, wf::nans::propagate>(items, as_numbers);
  expect_order<false, wf::nans::ignore>(items, as_numbers), expect_order<true, wf::nans::ignore>(items, as_numbers);
}
template <class T> void expect_orders_of(const std::vector<T>& special) {
  const auto items = repeated(special, 60);
  expect_orders(items, numbers_of(items));
}
TEST(top_k_order, of_special_values_of_every_type) {
  expect_orders_of(integers<std::int8_t>()), expect_orders_of(integers<std::uint8_t>());
  expect_orders_of(integers<std::int16_t>()), expect_orders_of(integers<std::uint16_t>());
  expect_orders_of(integers<std::int32_t>()), expect_orders_of(integers<std::uint32_t>());
  expect_orders_of(integers<std::int64_t>()), expect_orders_of(integers<std::uint64_t>());
  expect_orders_of(numbers<float>()), expect_orders_of(numbers<double>());
}
/// All 65536 bit patterns, as the floats that they are.
template <class T> void expect_orders_of_narrow() {
  std::vector<T> items;
  std::vector<number> as_floats;
  for (unsigned bits = 0; bits < 0x10000; bits += 7) {
    T item;
    const auto word = static_cast<std::uint16_t>(bits);
    std::memcpy(static_cast<void*>(&item), &word, sizeof(item));
    items.push_back(item), as_floats.push_back(static_cast<float>(item));
  }
  expect_orders(items, as_floats);
}
TEST(top_k_order, of_half_and_bfloat16) {
  expect_orders_of_narrow<__half>();
  expect_orders_of_narrow<__nv_bfloat16>();
}

TEST(top_k_items, of_bytes_and_of_wide_integers) {
  expect_sequence<ends::top>(repeated(integers<std::int8_t>(), 9000), 40, 2, 1);
  expect_sequence<ends::bottom>(repeated(integers<std::int64_t>(), 9000), 400, 2, 1);
}

/// Items that are compared in pairs. Of `masked` bits, so that many are equal, or subnormal, or neither number.
template <class T> std::vector<T> narrow_items(std::size_t count, unsigned mask, unsigned always) {
  wf_test::random_source random(count + mask);
  std::vector<T> items(count);
  for (T& item : items) {
    const auto bits = static_cast<std::uint16_t>((static_cast<unsigned>(random.below(0x10000)) & mask) | always);
    std::memcpy(static_cast<void*>(&item), &bits, sizeof(item));
  }
  return items;
}
template <class T> void expect_narrow_sequences() {
  constexpr unsigned exponent = std::is_same_v<T, __half> ? 0x7C00 : 0x7F80,
                     least_mantissa = exponent & ~(exponent << 1);
  int offset = 0;
  for (const int k : {1, 5, 64, 300})
    for (const std::size_t count : {300, 4096, 20'003}) {
      const std::pair<unsigned, unsigned> kinds[] = {{0xFFFF, 0},                           // any
                                                     {0xFFFF & ~least_mantissa, 0},         // fewer NaN
                                                     {0xFFFF & ~exponent, 0},               // subnormals and zeros
                                                     {0x8003, 0},                           // few of these
                                                     {0x8000 | least_mantissa, exponent},   // infinities and NaN
                                                     {0x8001 | exponent, 0},                // few of all kinds
                                                     {0x8000, 0},                           // -0 and +0
                                                     {0x8000, exponent},                    // infinities
                                                     {0x8000 | (exponent & -0x1000u), 0}};  // powers of two
      for (const auto& [mask, always] : kinds) {
        expect_sequence(narrow_items<T>(count, mask, always), k, k % 2, offset++ % 9);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
}
TEST(top_k_items, of_halfs_and_of_bfloat16) {
  expect_narrow_sequences<__half>();
  expect_narrow_sequences<__nv_bfloat16>();
}

/// More equal items than a block has threads enter the list, the first of them last, and a worse one that is in front
/// of them. Tiles of 4096 items are visited in the order 0, 3, 2, 1.
TEST(top_k_items, of_many_equal_items_behind_a_worse_one) {
  constexpr std::size_t tile = 4096;
  std::vector<float> items(4 * tile, 0.0f);
  for (std::size_t i = 3 * tile; i < 4 * tile; i += 6) items[i] = 1;
  for (std::size_t i = 2 * tile - 150; i < 2 * tile; ++i) items[i] = 1;
  expect_sequence<ends::top>(items, 1, 1);
  for (float& item : items) item = -item;
  expect_sequence<ends::bottom>(items, 1, 1);
}

/// Segments of all lengths around k, by offsets with a gap before the first, and rows of one length.
TEST(top_k_items, of_segments) {
  for (const int k : {1, 7, 40}) {
    std::vector<std::int64_t> offsets{3};
    for (const int length : {0, 1, k - 1, k, k + 1, 0, 700, 5000, 2}) offsets.push_back(offsets.back() + length);
    const auto items = random_values(offsets.back() + 5, 30);
    const device_array<float> in(items, k % 2);
    const device_array<std::int64_t> on_device(offsets);
    const auto segments = static_cast<std::int64_t>(offsets.size()) - 1;
    const results<float> out(segments * k);
    wf::segmented_top_k(in.items(), on_device.items(), k, out.values.data(), out.indices.data());
    expect_lists(out, items, offsets, k, false, "offsets");
  }
  for (const auto& [rows, length, k] : {std::array{40, 33, 5}, {3, 9000, 20}, {2, 40, 64}}) {
    const auto items = random_values(rows * length, 1000);
    std::vector<std::int64_t> offsets;
    for (std::int64_t row = 0; row <= rows; ++row) offsets.push_back(row * length);
    const device_array<float> in(items, 1);
    const results<float> out(rows * k);
    for (const int max_blocks : {0, 1}) {
      wf::segmented_top_k(in.items(), wf::fixed_length{length}, k, out.values.data(), out.indices.data(),
                          {.max_blocks = max_blocks});
      expect_lists(out, items, offsets, k, false, "rows");
    }
  }
}

/// As many segments as the device knows: entries behind them are not read, and lists of others not written.
TEST(top_k_items, of_the_first_segments) {
  constexpr int most = 6, k = 4;
  const std::vector<std::int64_t> ends{0, 5, 5, 3000, 3002, 9000, 9009};
  const auto items = random_values(ends.back(), 1000);
  const device_array<float> in(items);
  for (const int known : {0, 1, 4, most}) {
    auto entries = ends;
    std::fill(entries.begin() + known + 1, entries.end(), -1);
    const device_array<std::int64_t> offsets(entries);
    const device_array<int> count(std::vector<int>{known});
    const results<float> out(most * k);
    wf::segmented_top_k(in.items(), wf::first_segments{offsets.data(), wf::device_count(count.data(), most)}, k,
                        std::span(out.values.data(), most * k), out.indices.data());
    expect_lists(out, items, {ends.begin(), ends.begin() + known + 1}, k, false, "of the first");
    EXPECT_EQ(out.indices.value(most * k - 1) == untouched, known < most);
  }
}

/// The operator of K = 16 gives the same values and indices, here in outputs of other types.
TEST(top_k_items, agrees_with_the_operator) {
  const auto items = random_values(3000, 20);
  for (const std::size_t size : {std::size_t{3000}, std::size_t{3}}) {
    const device_array<float> in(std::span<const float>(items).first(size));
    const auto list = wf::reduce_value(in.items(), wf::top_k<5, wf::nans::ignore>{});
    const device_array<double> values(5);
    const device_array<int> indices(5);
    wf::top_k_items<wf::nans::ignore>(in.items(), 5, std::span(values.data(), 5), std::span(indices.data(), 5));
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(indices.value(i), list.item[i].index);
      EXPECT_EQ(values.value(i), double{list.item[i].value});
    }
  }
}

/// i -> i mod 1009: an iterator that is no pointer.
struct remainders {
  using value_type = int;
  using difference_type = std::int64_t;
  __host__ __device__ int operator[](std::int64_t i) const { return static_cast<int>(i % 1009); }
};
TEST(top_k_items, of_computed_items_in_a_graph) {
  const std::int64_t size = 20'000;
  std::vector<int> items;
  for (std::int64_t i = 0; i < size; ++i) items.push_back(remainders{}[i]);
  const results<int> out(50);
  const wf::workspace workspace;
  const wf_test::graph graph([&](cudaStream_t s) {
    wf::top_k_items(remainders{}, size, 50, out.values.data(), out.indices.data(), {.stream = s});
    wf::top_k_items(remainders{}, size, 50, out.values.data(), out.indices.data(),
                    {.stream = s, .workspace = workspace});
  });
  EXPECT_EQ(graph.nodes(), 2u);
  const wf_test::stream stream;
  for (int replay = 0; replay < 2; ++replay) {
    graph.launch(stream);
    stream.wait();
    expect_lists(out, items, {0, size}, 50, false, "replay");
  }
}

// Blocks that read segments alone are smaller, but for lists of many keys; short segments have fewer warps.
TEST(top_k_plan, warps_of_a_block) {
  const auto warps = [](std::int64_t length, int k, bool alone) {
    return wf::selection::plan_block_warps(1000 * length, 1000, 512, k, alone);
  };
  EXPECT_EQ(warps(32'768, 64, true), 4);
  EXPECT_EQ(warps(32'768, 256, true), 4);
  EXPECT_EQ(warps(32'768, 257, true), 8);
  EXPECT_EQ(warps(32'768, 64, false), 8);
  EXPECT_EQ(warps(512, 64, true), 1);
  EXPECT_EQ(warps(513, 64, true), 2);
  EXPECT_EQ(warps(512, 1024, true), 8);
}

/// Every tile has one turn, in one part.
TEST(top_k_tile_order, visits_each_tile_once) {
  for (const std::int64_t tiles : {0, 1, 2, 3, 7, 8, 100, 1025})
    for (const int parts : {1, 2, 5, 132}) {
      std::vector<int> visits(static_cast<std::size_t>(tiles));
      for (int part = 0; part < parts; ++part)
        for (wf::selection::tile_order order(tiles, part, parts); order.exists(); order.advance())
          ++visits[static_cast<std::size_t>(order.tile())];
      EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), tiles) << tiles << ' ' << parts;
    }
}
/// Of ascending tiles, few are better than all before.
TEST(top_k_tile_order, makes_few_records_of_sorted_tiles) {
  for (const std::int64_t tiles : {62, 4000, 100'000}) {
    std::int64_t greatest = -1, least = tiles, records = 0;
    for (wf::selection::tile_order order(tiles, 0, 1); order.exists(); order.advance()) {
      if (order.tile() > greatest) greatest = order.tile(), ++records;
      if (order.tile() < least) least = order.tile(), ++records;
    }
    EXPECT_LE(records, 50) << tiles;
  }
}

TEST(top_k_items, errors) {
  const device_array<float> in(100), values(20);
  const device_array<std::int64_t> indices(20);
  const std::span<float> ten(values.data(), 10);
  const auto top = [&](auto first, std::int64_t count, std::int64_t k, auto to, auto at) {
    return refusal([&] { wf::top_k_items(first, count, k, to, at); });
  };
  const std::string begin = "warpfold::top_k_items: ";
  float* const null = nullptr;
  EXPECT_EQ(top(in.data(), 100, -1, values.data(), indices.data()), begin + "k is -1; it must be 0 to 1024");
  EXPECT_EQ(top(in.data(), 100, 1025, values.data(), indices.data()), begin + "k is 1025; it must be 0 to 1024");
  EXPECT_EQ(top(null, 100, 3, values.data(), indices.data()), begin + "first is a null pointer");
  EXPECT_EQ(top(in.data(), 100, 3, null, indices.data()), begin + "values is a null pointer");
  EXPECT_EQ(top(in.data(), -2, 3, values.data(), indices.data()), begin + "count is -2; it must not be negative");
  EXPECT_EQ(top(in.data(), 100, 9, ten, indices.data()),
            begin + "values has 10 items, not 9, k for each sequence or segment");
  EXPECT_EQ(top(in.data(), 100, 3, in.data() + 99, indices.data()), begin + "values lies within first");
  EXPECT_EQ(top(in.data(), 100, 3, values.data(), reinterpret_cast<std::int64_t*>(values.data() + 2)),
            begin + "indices lies within values");
  const device_array<int> integers(3);
  EXPECT_EQ(top(remainders{}, std::int64_t{1} << 32, 3, integers.data(), indices.data()),
            begin + "there are 4294967296 items; of this type it takes 4294967295");
  EXPECT_EQ(top(null, 0, 0, null, static_cast<std::int64_t*>(nullptr)), "accepted");
  EXPECT_EQ(refusal([&] { wf::segmented_top_k(in.items(), wf::fixed_length{10}, 3, ten, indices.data()); }),
            "warpfold::segmented_top_k: an output has 10 items, no multiple of k, which is 3");
  EXPECT_EQ(refusal([&] { wf::segmented_top_k(in.items(), wf::fixed_length{20}, 5, ten, indices.data()); }),
            "warpfold::segmented_top_k: in has 100 items; out has 2 segments of 20");
  EXPECT_EQ(refusal([&] { wf::top_k_items(in.items(), 3, values.data(), indices.data(), {.max_blocks = -1}); }),
            begin + "max_blocks is -1");
}

}  // namespace top_k_items_tests
