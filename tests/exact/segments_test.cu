// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exact sums of segments: every kind of items, lengths for lanes, groups and warps, segments that many warps share, and
// every form in which segments are told.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <warpfold/exact_plus.cuh>
#include <warpfold/explain.hpp>
#include <warpfold/segmented_reduce.cuh>
#include <warpfold/workspace.cuh>

#include "common/device.cuh"
#include "common/exact_reference.hpp"

namespace exact_segments_tests {

namespace wf = warpfold;
using wf_test::device_array;
using wf_test::hard_items;

/// Segments of 0 to 20, 300 and 2000 items, and a long one.
std::vector<int> make_offsets(wf_test::random_source& source) {
  std::vector<int> offsets{0};
  for (int s = 0; s < 90; ++s) {
    const int most = s % 3 == 0 ? 20 : s % 7 == 0 ? 2000 : 300;
    offsets.push_back(offsets.back() + static_cast<int>(source.below(most)) + (s == 40) * 12000);
  }
  return offsets;
}

template <class T> wf_test::exact_sum sum_of(const std::vector<T>& items, std::int64_t begin, std::int64_t end) {
  wf_test::exact_sum sum;
  sum.other_than_minus_zero = begin == end;
  for (std::int64_t i = begin; i < end; ++i) sum.add(items[static_cast<std::size_t>(i)]);
  return sum;
}

template <class T, class R>
void expect_sums(const std::vector<T>& items, const std::vector<int>& offsets, const std::vector<R>& sums) {
  for (std::size_t s = 0; s < sums.size(); ++s)
    ASSERT_TRUE(sum_of(items, offsets[s], offsets[s + 1]).rounds_to(sums[s])) << s;
}

/// On grids of one block, three, and as many as there are.
template <class T> void expect_exact_segments() {
  wf_test::random_source source(sizeof(T) + 1);
  const wf::workspace workspace(sizeof(wf::accumulator_t<wf::exact_plus, T>));
  int offset = 0;
  for (const hard_items what : wf_test::all_hard_items) {
    const auto offsets = make_offsets(source);
    const auto items = wf_test::make_hard_items<T>(what, offsets.back(), source);
    const device_array<T> in(items, ++offset);
    const device_array<int> device_offsets(offsets);
    for (const int max_blocks : {0, 1, 3}) {
      const device_array<T> out(static_cast<std::int64_t>(offsets.size()) - 1);
      wf::segmented_reduce(in.items(), device_offsets.items(), std::span<T>(out.data(), out.size()), wf::exact_plus{},
                           {.workspace = workspace, .max_blocks = max_blocks});
      expect_sums(items, offsets, out.to_host());
    }
  }
}

/// Segments that single lanes sum, and tiles in which a few longer ones stand.
template <class T> void expect_exact_short_segments() {
  wf_test::random_source source(sizeof(T) + 5);
  for (const hard_items what : wf_test::all_hard_items)
    for (const bool has_longer : {false, true}) {
      std::vector<int> offsets{0};
      for (int s = 0; s < 300; ++s)
        offsets.push_back(offsets.back() + static_cast<int>(source.below(has_longer && s % 40 == 0 ? 100 : 9)));
      const auto items = wf_test::make_hard_items<T>(what, offsets.back(), source);
      const device_array<T> in(items, 1), out(300);
      const device_array<int> device_offsets(offsets);
      wf::segmented_reduce(in.items(), device_offsets.items(), std::span<T>(out.data(), 300), wf::exact_plus{});
      expect_sums(items, offsets, out.to_host());
    }
}
TEST(exact_plus_of_segments, of_few_floats) { expect_exact_short_segments<float>(); }
TEST(exact_plus_of_segments, of_few_bfloat16) { expect_exact_short_segments<__nv_bfloat16>(); }

/// So many segments of few items that a lane takes several of them, with longer and empty ones among them. Some warps'
/// items have one magnitude; and tiles of zeros have signs.
template <class T> void expect_exact_tiny_segments() {
  wf_test::random_source source(sizeof(T) + 9);
  for (const int mean : {1, 4, 12}) {
    std::vector<int> offsets{0};
    for (int s = 0; s < 6000; ++s) {
      const int most = s % 997 == 0 ? 9000 : s % 250 == 0 ? 200 : 2 * mean + 1;
      offsets.push_back(offsets.back() + (s / 200 % 5 == 4 ? 0 : static_cast<int>(source.below(most))));
    }
    std::vector<T> items = wf_test::make_hard_items<T>(hard_items::wide, offsets.back(), source);
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
      for (int i = offsets[s]; i < offsets[s + 1] && s < 4500; ++i)
        items[static_cast<std::size_t>(i)] =
            s / 300 % 4 == 3 ? T(s % 3 == 0 ? -0.0f : 0.0f)
                             : T(static_cast<float>(static_cast<int>(source.below(257)) - 128) / 64);
    const device_array<T> in(items, 3);
    const device_array<int> device_offsets(offsets);
    for (const int max_blocks : {0, 1}) {
      const device_array<T> out(std::ssize(offsets) - 1);
      const auto call = [&] {
        wf::segmented_reduce(in.items(), device_offsets.items(), std::span<T>(out.data(), out.size()), wf::exact_plus{},
                             {.max_blocks = max_blocks});
      };
      EXPECT_NE(std::string(wf::explain(call).front().why).find("several segments"), std::string::npos);
      expect_sums(items, offsets, out.to_host());
    }
  }
}
TEST(exact_plus_of_segments, of_few_items_by_whole_tiles) { expect_exact_tiny_segments<float>(); }
TEST(exact_plus_of_segments, of_few_halves_by_whole_tiles) { expect_exact_tiny_segments<__half>(); }

TEST(exact_plus_of_segments, floats) { expect_exact_segments<float>(); }
TEST(exact_plus_of_segments, doubles) { expect_exact_segments<double>(); }
TEST(exact_plus_of_segments, halves) { expect_exact_segments<__half>(); }
TEST(exact_plus_of_segments, bfloats) { expect_exact_segments<__nv_bfloat16>(); }

/// Aborts on NaN, which stand outside segments.
template <class T> struct number_only {
  __device__ T operator()(const T& item) const {
    const float number = static_cast<float>(item);
    if (!(number - number == 0)) __trap();
    return item;
  }
};

/// Segments of any lengths, with items that one window holds; some sums cancel, and some segments are zeros.
template <class T> void expect_exact_segments_of_one_magnitude() {
  wf_test::random_source source(sizeof(T) + 7);
  for (const int most : {2, 20, 90, 400, 1500})
    for (const int gap : {0, 1, 40}) {
      std::vector<std::int64_t> begins, ends;
      std::vector<T> items(37, T(NAN));
      for (int s = 0; s < 150; ++s) {
        const auto length = static_cast<std::int64_t>(source.below(most));
        begins.push_back(static_cast<std::int64_t>(items.size()));
        for (std::int64_t i = 0; i < length; ++i) {
          const float number = static_cast<float>(static_cast<int>(source.below(257)) - 128) / 128;
          items.push_back(T(s % 5 == 0 ? (i % 2 ? 0.5f : -0.5f) : s % 7 == 0 ? -0.0f : s % 11 == 0 ? 0.0f : number));
        }
        ends.push_back(static_cast<std::int64_t>(items.size()));
        items.insert(items.end(), static_cast<std::size_t>(gap), T(NAN));
      }
      items.insert(items.end(), 45, T(NAN));
      const device_array<T> in(items, most % 3), out(150);
      const device_array<std::int64_t> first(begins), last(ends);
      for (const int max_blocks : {0, 1}) {
        wf::transform_segmented_reduce(in.items(), wf::bounds{first.items(), last.items()},
                                       std::span<T>(out.data(), 150), wf::exact_plus{}, number_only<T>{},
                                       {.max_blocks = max_blocks});
        const auto sums = out.to_host();
        for (std::size_t s = 0; s < 150; ++s)
          ASSERT_TRUE(sum_of(items, begins[s], ends[s]).rounds_to(sums[s])) << s << " of " << most << ", gap " << gap;
      }
    }
}
TEST(exact_plus_of_segments, floats_of_one_magnitude) { expect_exact_segments_of_one_magnitude<float>(); }
TEST(exact_plus_of_segments, halves_of_one_magnitude) { expect_exact_segments_of_one_magnitude<__half>(); }

// Two segments that the warps of a block share, among tiny ones or alone. Among tiny ones, a warp sums its part in
// stretches, each at a level if its items fit one: here all do, but for what `change` makes of some of them.
template <class Change> void expect_exact_long_segments(Change change) {
  for (const int tiny : {0, 40'000}) {
    wf_test::random_source source(11);
    std::vector<int> offsets{0};
    for (const int length : {450'001, 350'002}) {
      offsets.push_back(offsets.back() + length);
      for (int s = 0; s < tiny; ++s) offsets.push_back(offsets.back() + s % 3);
    }
    std::vector<float> items(static_cast<std::size_t>(offsets.back()));
    for (float& each : items) each = static_cast<float>(static_cast<int>(source.below(257)) - 128) / 64;
    change(items);
    const device_array<float> in(items, 1), out(std::ssize(offsets) - 1);
    const device_array<int> device_offsets(offsets);
    const auto call = [&] {
      wf::segmented_reduce(in.items(), device_offsets.items(), std::span<float>(out.data(), out.size()),
                           wf::exact_plus{}, {.max_blocks = 1});
    };
    EXPECT_EQ(std::string(wf::explain(call).front().why).find("several segments") != std::string::npos, tiny > 0);
    expect_sums(items, offsets, out.to_host());
  }
}
TEST(exact_plus_of_segments, long_ones_of_one_magnitude) {
  expect_exact_long_segments([](std::vector<float>&) {});
}
TEST(exact_plus_of_segments, long_ones_with_some_items_far_apart) {
  expect_exact_long_segments([](std::vector<float>& items) {
    items[60'000] = 0x1p100f, items[60'001] = -0x1p100f, items[200'000] = 0x1p-100f, items[700'000] = 0x1.8p-140f;
  });
}
TEST(exact_plus_of_segments, long_ones_with_many_items_far_apart) {
  expect_exact_long_segments([](std::vector<float>& items) {
    wf_test::random_source source(12);
    const auto wide = wf_test::make_hard_items<float>(hard_items::wide, 300'000, source);
    std::copy(wide.begin(), wide.end(), items.begin() + 70'000);
  });
}
TEST(exact_plus_of_segments, long_ones_of_negative_zeros_and_infinities) {
  expect_exact_long_segments([](std::vector<float>& items) {
    std::fill(items.begin(), items.begin() + 450'001, -0.0f);
    items[799'000] = -INFINITY;
  });
}

TEST(exact_plus_of_segments, fixed_lengths) {
  wf_test::random_source source(5);
  for (const int length : {1, 3, 16, 17, 100, 256, 257, 1000}) {
    const int segments = 3000 / length;
    const auto items = wf_test::make_hard_items<float>(hard_items::wide, segments * length, source);
    const device_array<float> in(items, length % 4), out(segments);
    wf::segmented_reduce(in.data(), segments * length, wf::fixed_length{length}, out.data(), wf::exact_plus{});
    const auto sums = out.to_host();
    for (int s = 0; s < segments; ++s)
      ASSERT_TRUE(sum_of(items, s * length, (s + 1) * length).rounds_to(sums[static_cast<std::size_t>(s)])) << length;
  }
}

// About as many segments as the device holds warps: each has a warp, or some are cut.
TEST(exact_plus_of_segments, fixed_lengths_of_a_warp_each) {
  wf_test::random_source source(8);
  const auto warps = static_cast<int>(wf_test::emulated ? 128 : 3168);
  for (const int segments : {warps / 2, warps * 7 / 10, warps, warps + 1, warps * 7 / 4})
    for (const int length : {600, 1601}) {
      const auto items = wf_test::make_hard_items<float>(hard_items::wide, segments * length, source);
      const device_array<float> in(items, length % 4), out(segments);
      wf::segmented_reduce(in.data(), segments * length, wf::fixed_length{length}, out.data(), wf::exact_plus{});
      const auto sums = out.to_host();
      for (int s = 0; s < segments; ++s)
        ASSERT_TRUE(sum_of(items, s * length, (s + 1) * length).rounds_to(sums[static_cast<std::size_t>(s)]))
            << segments << " of " << length;
    }
}

TEST(exact_plus_of_segments, bounds_with_items_between_segments) {
  wf_test::random_source source(6);
  const auto items = wf_test::make_hard_items<float>(hard_items::infinities, 20000, source);
  const std::vector<std::int64_t> begins{0, 5, 5, 700, 1500, 1533, 19000}, ends{3, 5, 600, 1400, 1501, 18000, 20000};
  const device_array<float> in(items), out(7);
  const device_array<std::int64_t> first(begins), last(ends);
  wf::segmented_reduce(in.items(), wf::bounds{first.items(), last.items()}, std::span<float>(out.data(), 7),
                       wf::exact_plus{});
  const auto sums = out.to_host();
  for (std::size_t s = 0; s < 7; ++s) ASSERT_TRUE(sum_of(items, begins[s], ends[s]).rounds_to(sums[s])) << s;
}

/// A tenth, of items that are counted.
struct tenths {
  using value_type = float;
  using difference_type = std::int64_t;
  __host__ __device__ float operator[](std::int64_t) const { return 0.1f; }
};
struct three_bytes {
  std::uint8_t byte[3];
};
/// Aborts on any value that is not an item of a segment.
struct first_byte {
  __device__ float operator()(const three_bytes& item) const {
    if (item.byte[1] != 7 || item.byte[2] != 9) __trap();
    return static_cast<float>(item.byte[0]);
  }
};

TEST(exact_plus_of_segments, iterators_transforms_and_narrow_items) {
  const std::vector<int> offsets{0, 0, 1, 1000, 3001};
  const device_array<int> device_offsets(offsets);
  const device_array<float> out(4);
  const std::span<float> to(out.data(), 4);
  wf::segmented_reduce(tenths{}, 3001, device_offsets.items(), to, wf::exact_plus{});
  expect_sums(std::vector<float>(3001, 0.1f), offsets, out.to_host());

  std::vector<three_bytes> bytes(3001);
  std::vector<float> numbers;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = {{static_cast<std::uint8_t>(i * 31), 7, 9}};
    numbers.push_back(static_cast<float>(bytes[i].byte[0]));
  }
  const device_array<three_bytes> in(bytes, 1);
  wf::transform_segmented_reduce(in.items(), device_offsets.items(), to, wf::exact_plus{}, first_byte{});
  expect_sums(numbers, offsets, out.to_host());

  std::vector<__nv_fp8_e4m3> narrow;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    narrow.push_back(__nv_fp8_e4m3(numbers[i]));
    numbers[i] = static_cast<float>(narrow[i]);
  }
  const device_array<__nv_fp8_e4m3> of_fp8(narrow, 5);
  wf::segmented_reduce(of_fp8.items(), device_offsets.items(), to, wf::exact_plus{});
  expect_sums(numbers, offsets, out.to_host());
}

TEST(exact_plus_of_segments, init_joins_exactly_and_empty_segments_are_filled) {
  const device_array<double> in(std::vector<double>{1, 0x1p-60, 5}), out(3);
  const device_array<int> offsets(std::vector<int>{0, 2, 2, 3});
  const wf::exact_plus op;
  wf::segmented_reduce(in.items(), offsets.items(), std::span<double>(out.data(), 3), op,
                       {.init = op.lift(-1.0), .empty = op.lift(7.0)});
  EXPECT_EQ(out.to_host(), (std::vector<double>{0x1p-60, 7, 4}));
}

TEST(exact_plus_of_segments, results_of_other_types) {
  const device_array<__half> in(std::vector<__half>(3000, __float2half(65504.0f)));
  const device_array<int> offsets(std::vector<int>{0, 1000, 3000});
  const device_array<float> out(2);
  wf::segmented_reduce(in.items(), offsets.items(), std::span<float>(out.data(), 2), wf::exact_plus_as<float>{});
  EXPECT_EQ(out.to_host(), (std::vector<float>{65504000.0f, 131008000.0f}));
}

}  // namespace exact_segments_tests
