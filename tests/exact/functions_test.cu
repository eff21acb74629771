// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exact sums of segments, of runs of equal keys, and of every prefix.
#include <gtest/gtest.h>

#include <warpfold/exact_plus.cuh>
#include <warpfold/reduce_by_key.cuh>
#include <warpfold/scan.cuh>
#include <warpfold/segmented_reduce.cuh>

#include "common/device.cuh"
#include "common/exact_reference.hpp"

namespace exact_functions_tests {

namespace wf = warpfold;
using wf_test::device_array;
using wf_test::hard_items;

/// Segments of 0 to 700 items, and a long one.
std::vector<int> make_offsets(wf_test::random_source& source) {
  std::vector<int> offsets{0};
  for (int s = 0; s < 60; ++s)
    offsets.push_back(offsets.back() + static_cast<int>(source.below(s % 3 == 0 ? 700 : 20)) + (s == 40) * 5000);
  return offsets;
}

template <class T> void expect_exact_segments() {
  wf_test::random_source source(sizeof(T) + 1);
  for (const hard_items what : {hard_items::cancelling, hard_items::infinities}) {
    const auto offsets = make_offsets(source);
    const auto items = wf_test::make_hard_items<T>(what, offsets.back(), source);
    const device_array<T> in(items, 1), out(static_cast<std::int64_t>(offsets.size()) - 1);
    const device_array<int> device_offsets(offsets);
    wf::segmented_reduce(in.items(), device_offsets.items(), std::span<T>(out.data(), out.size()), wf::exact_plus{});
    const auto sums = out.to_host();
    for (std::size_t s = 0; s < sums.size(); ++s) {
      wf_test::exact_sum expected;
      expected.other_than_minus_zero = offsets[s] == offsets[s + 1];
      for (int i = offsets[s]; i < offsets[s + 1]; ++i) expected.add(items[static_cast<std::size_t>(i)]);
      ASSERT_TRUE(expected.rounds_to(sums[s])) << s;
    }
  }
}

TEST(ExactPlusOfSegments, Floats) { expect_exact_segments<float>(); }
TEST(ExactPlusOfSegments, Doubles) { expect_exact_segments<double>(); }

TEST(ExactPlusOfSegments, FixedLengths) {
  wf_test::random_source source(5);
  for (const int length : {1, 3, 100, 1000}) {
    const int segments = 3000 / length;
    const auto items = wf_test::make_hard_items<float>(hard_items::wide, segments * length, source);
    const device_array<float> in(items), out(segments);
    wf::segmented_reduce(in.data(), segments * length, wf::fixed_length{length}, out.data(), wf::exact_plus{});
    const auto sums = out.to_host();
    for (int s = 0; s < segments; ++s) {
      wf_test::exact_sum expected;
      for (int i = 0; i < length; ++i) expected.add(items[static_cast<std::size_t>(s * length + i)]);
      ASSERT_TRUE(expected.rounds_to(sums[static_cast<std::size_t>(s)])) << length << ' ' << s;
    }
  }
}

template <class T> void expect_exact_runs() {
  wf_test::random_source source(sizeof(T) + 2);
  constexpr int count = 5000;
  const auto items = wf_test::make_hard_items<T>(hard_items::cancelling, count, source);
  std::vector<int> keys;
  for (int i = 0; i < count; ++i) keys.push_back(i < 2000 ? i / 7 : 1000);
  const device_array<T> in(items), out(400);
  const device_array<int> device_keys(keys), out_keys(400), runs(1);
  wf::reduce_by_key(device_keys.items(), in.items(), std::span<int>(out_keys.data(), 400), out.data(), runs.data(),
                    wf::exact_plus{});
  ASSERT_EQ(runs.value(), 287);
  const auto sums = out.to_host();
  for (int run = 0; run < 287; ++run) {
    wf_test::exact_sum expected;
    for (int i = 0; i < count; ++i)
      if (keys[static_cast<std::size_t>(i)] == (run < 286 ? run : 1000))
        expected.add(items[static_cast<std::size_t>(i)]);
    ASSERT_TRUE(expected.rounds_to(sums[static_cast<std::size_t>(run)])) << run;
  }
}

TEST(ExactPlusOfRuns, Floats) { expect_exact_runs<float>(); }
TEST(ExactPlusOfRuns, Doubles) { expect_exact_runs<double>(); }

template <class T> void expect_exact_prefixes(int count) {
  wf_test::random_source source(sizeof(T) + 3);
  const auto items = wf_test::make_hard_items<T>(hard_items::cancelling, count, source);
  const device_array<T> in(items), out(count);
  wf::inclusive_scan(in.items(), out.data(), wf::exact_plus{});
  const auto sums = out.to_host();
  wf_test::exact_sum expected;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    expected.add(items[i]);
    ASSERT_TRUE(expected.rounds_to(sums[i])) << i;
  }
}

TEST(ExactPlusOfPrefixes, Floats) { expect_exact_prefixes<float>(3001); }
TEST(ExactPlusOfPrefixes, Doubles) { expect_exact_prefixes<double>(1001); }

}  // namespace exact_functions_tests
