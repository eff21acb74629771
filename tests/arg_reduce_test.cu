// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// argmin, argmax, arg_minmax, of segments and by key, against loops on the CPU.
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>
#include <warpfold/arg_reduce.cuh>

#include "common/device.cuh"
#include "common/random_items.hpp"

namespace arg_reduce_tests {

namespace wf = warpfold;
using wf::nans, wf::ties;
using wf_test::device_array;

/// The index by NumPy's definition; -1 if there are no items.
template <class T>
std::int64_t expected_index(const T* items, std::int64_t count, bool smallest, ties which, nans treated) {
  const auto value = [&](std::int64_t i) { return static_cast<double>(items[i]); };
  bool any_nan = false, any_number = false;
  double best = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    if (std::isnan(value(i))) {
      any_nan = true;
      continue;
    }
    if (!any_number || (smallest ? value(i) < best : value(i) > best)) best = value(i);
    any_number = true;
  }
  const bool is_nan = any_nan && (treated == nans::propagate || !any_number);
  std::int64_t found = -1;
  for (std::int64_t i = 0; i < count; ++i)
    if ((is_nan ? std::isnan(value(i)) : value(i) == best) && (found < 0 || which == ties::last)) found = i;
  return found;
}

template <class T, class V> void expect_item(const std::vector<T>& items, const V& value, std::int64_t index) {
  const auto item = static_cast<double>(items[static_cast<std::size_t>(index)]);
  if (std::isnan(item)) EXPECT_TRUE(std::isnan(static_cast<double>(value)));
  else EXPECT_EQ(item, static_cast<double>(value));
  EXPECT_EQ(std::signbit(item), std::signbit(static_cast<double>(value)));
}

/// Items of few values, so that there are ties; floating-point ones also with zeros of both signs and, in patterns 2
/// and 3, NaN. Pattern 4: all are NaN, or equal.
template <class T> std::vector<T> patterned(std::int64_t count, int pattern) {
  wf_test::random_source random(static_cast<std::uint64_t>(count) * 8 + static_cast<std::uint64_t>(pattern));
  constexpr bool has_nan = std::is_floating_point_v<T> || wf::is_half_like<T>;
  std::vector<T> items;
  for (std::int64_t i = 0; i < count; ++i) {
    auto value = static_cast<double>(random.below(pattern == 0 ? 100 : 3) - (std::is_unsigned_v<T> ? 0 : 1));
    if (value == 0 && random.below(2) == 0) value = -0.0;
    if (has_nan && pattern == 2 && random.below(700) == 0) value = std::nan("");
    if (has_nan && pattern == 3 && i == count / 2) value = std::nan("");
    if (pattern == 4) value = has_nan ? std::nan("") : 5;
    items.push_back(static_cast<T>(static_cast<float>(value)));
  }
  return items;
}

constexpr std::int64_t sizes[] = {1, 2, 31, 129, 513, 4095, 4097, 33'001, 70'003};
constexpr int patterns = 5;

template <bool Smallest, ties Which, nans Treated, class T> void expect_of_one_sequence() {
  for (const std::int64_t size : sizes)
    for (int pattern = 0; pattern < patterns; ++pattern) {
      const auto items = patterned<T>(size, pattern);
      const auto expected = expected_index(items.data(), size, Smallest, Which, Treated);
      const device_array<T> in(items, size % 4);
      using value = typename wf::accumulator_t<wf::minimum, T>;
      const device_array<wf::indexed_value<value>> out(1);
      const int max_blocks = size > 10'000 ? 2 : 0;
      if constexpr (Smallest) wf::argmin<Which, Treated>(in.items(), out.data(), {.max_blocks = max_blocks});
      else wf::argmax<Which, Treated>(in.items(), out.data(), {.max_blocks = max_blocks});
      ASSERT_EQ(out.value().index, expected) << size << " items, pattern " << pattern;
      expect_item(items, out.value().value, expected);
    }
}

TEST(arg_reduce, floats_first) { expect_of_one_sequence<true, ties::first, nans::propagate, float>(); }
TEST(arg_reduce, doubles_last_ignoring_nan) { expect_of_one_sequence<false, ties::last, nans::ignore, double>(); }
TEST(arg_reduce, halves_first_ignoring_nan) { expect_of_one_sequence<true, ties::first, nans::ignore, __half>(); }
TEST(arg_reduce, signed_bytes_first) { expect_of_one_sequence<false, ties::first, nans::propagate, std::int8_t>(); }
TEST(arg_reduce, unsigned_shorts_last) { expect_of_one_sequence<true, ties::last, nans::propagate, std::uint16_t>(); }

TEST(arg_reduce, both_extrema_and_value_forms) {
  for (const std::int64_t size : {1, 127, 4097, 9001}) {
    const auto items = patterned<float>(size, 1);
    const device_array<float> in(items, 3);
    const wf::indexed_extrema<float> both = wf::arg_minmax_value(in.data(), size);
    EXPECT_EQ(both.minimum.index, expected_index(items.data(), size, true, ties::first, nans::propagate));
    EXPECT_EQ(both.maximum.index, expected_index(items.data(), size, false, ties::first, nans::propagate));
    EXPECT_EQ(wf::argmin_value(in.items()), both.minimum);
  }
}

/// 5, 4, 3, …: an iterator that is no pointer.
struct descending {
  using value_type = int;
  using difference_type = std::int64_t;
  __host__ __device__ int operator[](std::int64_t i) const { return static_cast<int>(5 - i); }
};
/// Stops the kernel where an item is not one of the input's.
struct distance_to_1000 {
  __host__ __device__ float operator()(float item) const {
#if defined(__CUDA_ARCH__) || !defined(__CUDACC__)
    if (!(1000 <= item && item < 1100)) __trap();
#endif
    return std::fabs(item - 1050);
  }
};

TEST(arg_reduce, transforms_iterators_init_and_nothing) {
  std::vector<float> items;
  wf_test::random_source random(7);
  for (int i = 0; i < 9001; ++i) items.push_back(1000.0f + static_cast<float>(random.below(100)));
  std::vector<float> distances;
  for (const float item : items) distances.push_back(std::fabs(item - 1050));
  for (const std::int64_t size : {1, 70, 4099, 9001}) {
    const device_array<float> in(std::span<const float>(items).first(static_cast<std::size_t>(size)), 1);
    EXPECT_EQ(wf::transform_reduce_value(in.items(), wf::arg_minimum{}, distance_to_1000{}).index,
              expected_index(distances.data(), size, true, ties::first, nans::propagate));
  }
  EXPECT_EQ(wf::argmax_value(descending{}, 3000), (wf::indexed_value<int>{5, 0}));
  EXPECT_EQ(wf::argmin_value(descending{}, 3000), (wf::indexed_value<int>{-2994, 2999}));
  EXPECT_EQ(wf::argmin_value(descending{}, 0), (wf::indexed_value<int>{std::numeric_limits<int>::max(), -1}));
  // The left operand wins ties, whatever its index.
  EXPECT_EQ(wf::argmax_value(descending{}, 10, {.init = wf::indexed_value<int>{5, 77}}).index, 77);
  EXPECT_EQ(wf::argmax_value(descending{}, 10, {.init = wf::indexed_value<int>{4, 77}}).index, 0);
  const device_array<wf::indexed_value<double, int>> converted(1);
  wf::argmin(descending{}, 6, converted.data());
  EXPECT_EQ(converted.value(), (wf::indexed_value<double, int>{0, 5}));
}

/// Lengths of all magnitudes, with empty segments.
std::vector<std::int64_t> segment_ends() {
  std::vector<std::int64_t> ends;
  std::int64_t at = 0, length = 1;
  for (int s = 0; at < 30'000; ++s, length = length * 7 % 1013) {
    ends.push_back(at += s % 5 == 3 ? 0 : s % 3 == 1 ? length % 9 : s == 40 ? 9000 : length);
    if (s == 70) ends.insert(ends.end(), 40, at);
  }
  return ends;
}

template <class T> class arg_segments {
 public:
  explicit arg_segments(int pattern, std::vector<std::int64_t> ends = segment_ends())
      : ends_(std::move(ends)), items_(patterned<T>(ends_.back(), pattern)) {
    for (std::size_t s = 0; s < ends_.size(); ++s) begins_.push_back(s == 0 ? 0 : ends_[s - 1]);
  }
  const std::vector<std::int64_t>& ends() const { return ends_; }
  const std::vector<std::int64_t>& begins() const { return begins_; }
  std::vector<int> offsets() const {
    std::vector<int> offsets{0};
    offsets.insert(offsets.end(), ends_.begin(), ends_.end());
    return offsets;
  }
  std::vector<int> owners() const {
    std::vector<int> ids;
    for (std::size_t s = 0; s < ends_.size(); ++s)
      ids.insert(ids.end(), static_cast<std::size_t>(ends_[s] - begins_[s]), static_cast<int>(s));
    return ids;
  }
  const std::vector<T>& items() const { return items_; }

  template <class V>
  void expect(const std::vector<wf::indexed_value<V>>& results, bool smallest, ties which, wf::relative_to from) const {
    ASSERT_EQ(results.size(), ends_.size());
    for (std::size_t s = 0; s < ends_.size(); ++s) {
      const std::int64_t index =
          expected_index(items_.data() + begins_[s], ends_[s] - begins_[s], smallest, which, nans::propagate);
      ASSERT_EQ(results[s].index, index < 0 || from == wf::relative_to::segment ? index : begins_[s] + index) << s;
      if (index >= 0) expect_item(items_, results[s].value, begins_[s] + index);
    }
  }

 private:
  std::vector<std::int64_t> ends_, begins_;
  std::vector<T> items_;
};

TEST(arg_reduce, segments_of_every_form) {
  for (const int pattern : {0, 1, 2, 4}) {
    const arg_segments<float> problem(pattern);
    const auto segments = static_cast<std::int64_t>(problem.ends().size());
    const device_array<float> in(problem.items(), pattern);
    const device_array<int> offsets(problem.offsets()), ids(problem.owners());
    const device_array<std::int64_t> begins(problem.begins()), ends(problem.ends());
    const device_array<wf::indexed_value<float>> out(segments);
    const std::span<wf::indexed_value<float>> to(out.data(), out.size());
    using enum wf::relative_to;
    wf::segmented_argmin(in.items(), offsets.items(), to);
    problem.expect(out.to_host(), true, ties::first, segment);
    wf::segmented_argmax<array>(in.items(), wf::owners{ids.items()}, to);
    problem.expect(out.to_host(), false, ties::first, array);
    wf::segmented_argmax<segment, ties::last>(in.data(), in.count(), wf::owners{ids.items()}, to);
    problem.expect(out.to_host(), false, ties::last, segment);
    wf::segmented_argmin(in.items(), wf::bounds{begins.items(), ends.items()}, to, {.max_blocks = 1});
    problem.expect(out.to_host(), true, ties::first, segment);
    // Indices of 64 bits, as in inputs of more than 2^31 items.
    wf::segmented_reduce(in.items(), offsets.items(), to, wf::within_segment{wf::arg_minimum{}});
    problem.expect(out.to_host(), true, ties::first, segment);
  }
}

// So many that the kernel stages their items in shared memory.
TEST(arg_reduce, many_short_segments) {
#if !defined(__CUDACC__)
  cuda_emulator::scoped_settings settings;
  settings->multiprocessors = 1;
#endif
  const int multiprocessors = wf::host_side::limits_of(wf::host_side::current_device()).multiprocessors;
  wf_test::random_source random(17);
  std::vector<std::int64_t> ends;
  std::int64_t at = 0;
  for (int s = 0; s < multiprocessors * 20'000; ++s)
    ends.push_back(at += s % 500 == 7       ? 100 + random.below(1000)
                         : s / 300 % 3 == 0 ? random.below(5)
                                            : random.below(13));
  for (const int pattern : {1, 2}) {
    const arg_segments<float> problem(pattern, ends);
    const auto segments = static_cast<std::int64_t>(problem.ends().size());
    const device_array<float> in(problem.items(), pattern);
    const device_array<int> offsets(problem.offsets());
    const device_array<wf::indexed_value<float>> out(segments);
    const std::span<wf::indexed_value<float>> to(out.data(), out.size());
    wf::segmented_argmax(in.items(), offsets.items(), to);
    problem.expect(out.to_host(), false, ties::first, wf::relative_to::segment);
    wf::segmented_argmin<wf::relative_to::array, ties::last>(in.items(), offsets.items(), to);
    problem.expect(out.to_host(), true, ties::last, wf::relative_to::array);
  }
}

// Whole words are written: also the bytes between the members, which are zero.
TEST(arg_reduce, results_have_no_unwritten_bytes) {
  constexpr int segments = 200;
  using result = wf::indexed_value<float>;
  static_assert(sizeof(result) == 16);
  std::vector<int> offsets{0};
  for (int s = 0; s < segments; ++s) offsets.push_back(offsets.back() + s % 40);
  const device_array<float> in(patterned<float>(offsets.back(), 1));
  const device_array<int> offsets_on_device(offsets);
  const device_array<unsigned char> bytes(std::vector<unsigned char>(segments * sizeof(result), 0xA5));
  wf::segmented_argmax(in.items(), offsets_on_device.items(),
                       std::span<result>(reinterpret_cast<result*>(bytes.data()), std::size_t{segments}));
  const auto written = bytes.to_host();
  for (std::size_t i = 0; i < written.size(); i += sizeof(result))
    for (std::size_t k = 4; k < 8; ++k) ASSERT_EQ(int{written[i + k]}, 0) << "byte " << i + k;
}

TEST(arg_reduce, segments_of_bytes_and_both_extrema) {
  const arg_segments<std::int8_t> problem(1);
  const auto segments = static_cast<std::int64_t>(problem.ends().size());
  const device_array<std::int8_t> in(problem.items(), 3);
  const device_array<int> offsets(problem.offsets());
  const device_array<wf::indexed_extrema<int>> out(segments);
  wf::segmented_arg_minmax(in.items(), offsets.items(), std::span<wf::indexed_extrema<int>>(out.data(), out.size()));
  std::vector<wf::indexed_value<int>> least, greatest;
  for (const auto& both : out.to_host()) least.push_back(both.minimum), greatest.push_back(both.maximum);
  problem.expect(least, true, ties::first, wf::relative_to::segment);
  problem.expect(greatest, false, ties::first, wf::relative_to::segment);
}

TEST(arg_reduce, segments_of_halves) {
  for (const int pattern : {0, 2}) {
    const arg_segments<__half> problem(pattern);
    const auto segments = static_cast<std::int64_t>(problem.ends().size());
    const device_array<__half> in(problem.items(), 1);
    const device_array<int> offsets(problem.offsets());
    const device_array<wf::indexed_value<float>> out(segments);
    const std::span<wf::indexed_value<float>> to(out.data(), out.size());
    wf::segmented_argmax(in.items(), offsets.items(), to);
    problem.expect(out.to_host(), false, ties::first, wf::relative_to::segment);
    wf::segmented_argmin<wf::relative_to::segment, ties::last>(in.items(), offsets.items(), to);
    problem.expect(out.to_host(), true, ties::last, wf::relative_to::segment);
  }
}

TEST(arg_reduce, segments_of_one_length) {
  for (const std::int64_t length : {1, 2, 4, 7, 16, 33, 130, 250, 900, 5000}) {
    const std::int64_t segments = 10'000 / length;
    const auto items = patterned<double>(segments * length, 1);
    const device_array<double> in(items, length % 2);
    const device_array<wf::indexed_value<double, int>> out(segments);
    wf::segmented_argmax(in.items(), wf::fixed_length{length}, out.data());
    const auto results = out.to_host();
    for (std::int64_t s = 0; s < segments; ++s)
      ASSERT_EQ(results[static_cast<std::size_t>(s)].index,
                expected_index(items.data() + s * length, length, false, ties::first, nans::propagate))
          << length;
  }
}

TEST(arg_reduce, runs_of_equal_keys) {
  const auto items = patterned<float>(9001, 2);
  std::vector<int> keys, begins;
  for (int i = 0; i < 9001; ++i) {
    keys.push_back(i < 5000 ? i / 7 : i / 1500);
    if (i == 0 || keys[static_cast<std::size_t>(i)] != keys[static_cast<std::size_t>(i) - 1]) begins.push_back(i);
  }
  begins.push_back(9001);
  const auto runs = static_cast<std::int64_t>(begins.size()) - 1;
  const device_array<float> in(items);
  const device_array<int> device_keys(keys), out_keys(runs), out_count(1);
  const device_array<wf::indexed_value<float>> out(runs);
  const auto expect = [&](bool relative) {
    ASSERT_EQ(out_count.value(), runs);
    const auto results = out.to_host();
    for (std::size_t r = 0; r < results.size(); ++r) {
      const std::int64_t index =
          expected_index(items.data() + begins[r], begins[r + 1] - begins[r], true, ties::first, nans::propagate);
      ASSERT_EQ(results[r].index, index + (relative ? 0 : begins[r])) << r;
    }
  };
  const std::span<wf::indexed_value<float>> to(out.data(), out.size());
  wf::argmin_by_key(device_keys.items(), in.items(), out_keys.data(), to, out_count.data());
  expect(false);
  wf::argmin_by_key<wf::relative_to::segment>(device_keys.items(), in.items(), out_keys.data(), to, out_count.data());
  expect(true);
}

TEST(arg_reduce, errors) {
  const device_array<wf::indexed_value<float>> out(1);
  const std::span<wf::indexed_value<float>> none(out.data(), std::size_t{0});
  const float* const null = nullptr;
  EXPECT_THROW(wf::argmin(null, 3, out.data()), std::invalid_argument);
  EXPECT_THROW(wf::argmin(null, -1, out.data()), std::invalid_argument);
  EXPECT_THROW(wf::argmax(null, 0, none), std::invalid_argument);
  EXPECT_THROW(wf::segmented_argmax(null, 0, wf::fixed_length{-1}, none), std::invalid_argument);
}

}  // namespace arg_reduce_tests
