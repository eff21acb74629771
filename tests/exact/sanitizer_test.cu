// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each way of the kernels of exact sums in small: one block and several, whole batches and the end of the input,
// shifted loads, every way to add, and segments that several warps share.
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include <warpfold/exact_plus.cuh>
#include <warpfold/reduce.cuh>
#include <warpfold/segmented_reduce.cuh>

#include "common/device.cuh"
#include "common/exact_reference.hpp"
#include "exact/team_sums.cuh"

namespace exact_sanitizer_tests {

namespace wf = warpfold;
using wf_test::hard_items;

template <class T> void expect_sums() {
  wf_test::random_source source(1);
  for (const hard_items what : {hard_items::narrow, hard_items::wide, hard_items::infinities})
    for (const int count : {100, 3000}) {
      const auto items = wf_test::make_hard_items<T>(what, count, source);
      const wf_test::device_array<T> in(items, count % 7 % 3);
      for (const int max_blocks : {1, 3}) {
        const wf_test::device_array<T> out(1);
        wf::reduce(in.items(), out.data(), wf::exact_plus{}, {.max_blocks = max_blocks});
        EXPECT_TRUE(wf_test::exact_sum_of(items).rounds_to(out.value())) << count;
      }
    }
}

TEST(exact_sanitizer, init_joins) {
  wf_test::random_source source(3);
  const auto items = wf_test::make_hard_items<double>(hard_items::wide, 700, source);
  const wf_test::device_array<double> in(items), out(1);
  const wf_test::device_array<wf::exact::superaccumulator<double>> init(std::vector{wf::exact_plus{}.lift(items[0])});
  const std::int64_t others = std::ssize(items) - 1;
  wf::reduce(in.data() + 1, others, out.data(), wf::exact_plus{}, {.init = wf::exact_plus{}.lift(items[0])});
  EXPECT_TRUE(wf_test::exact_sum_of(items).rounds_to(out.value()));
  wf::reduce(in.data() + 1, others, out.data(), wf::exact_plus{}, {.init = init.data()});
  EXPECT_TRUE(wf_test::exact_sum_of(items).rounds_to(out.value()));
}

/// Segments of all lengths, many short neighbours in the midst of the input, and tiles of few teams, which leave no
/// lane without work between them.
std::vector<std::vector<int>> lists_of_offsets() {
  std::vector<int> neighbours{10};
  for (int s = 0; s < 200; ++s) neighbours.push_back(neighbours.back() + s % 50);
  return {{0, 3, 3, 20, 90, 400, 3000, 3001, 3100},
          neighbours,
          {0, 9, 18, 27, 36, 45},
          {0, 9, 90},
          {10, 19, 28, 37, 46, 55, 64, 73, 82, 91, 100}};
}

template <class T> void expect_segments(const std::vector<int>& offsets, int max_blocks = 1) {
  wf_test::random_source source(2);
  const std::size_t segments = offsets.size() - 1;
  for (const hard_items what : {hard_items::narrow, hard_items::wide, hard_items::infinities}) {
    const auto items = wf_test::make_hard_items<T>(what, offsets.back() + offsets.front(), source);
    const wf_test::device_array<T> in(items, 1), out(static_cast<std::int64_t>(segments));
    const wf_test::device_array<int> device_offsets(offsets);
    wf::segmented_reduce(in.items(), device_offsets.items(), std::span<T>(out.data(), segments), wf::exact_plus{},
                         {.max_blocks = max_blocks});
    const auto sums = out.to_host();
    for (std::size_t s = 0; s < segments; ++s) {
      wf_test::exact_sum expected;
      expected.other_than_minus_zero = offsets[s] == offsets[s + 1];
      for (int i = offsets[s]; i < offsets[s + 1]; ++i) expected.add(items[static_cast<std::size_t>(i)]);
      EXPECT_TRUE(expected.rounds_to(sums[s])) << s;
    }
  }
}

TEST(exact_sanitizer, segments_of_floats) {
  for (const auto& offsets : lists_of_offsets()) expect_segments<float>(offsets);
}
TEST(exact_sanitizer, segments_of_doubles) {
  for (const auto& offsets : lists_of_offsets()) expect_segments<double>(offsets);
}
// Parts have one level, or several: the second half of a row is far larger than the first. Parts of all magnitudes fit
// none.
TEST(exact_sanitizer, rows_by_teams) {
  for (const hard_items what : {hard_items::narrow, hard_items::wide})
    for (const int warps : {1, 4}) {
      constexpr int length = 3001;
      wf_test::random_source source(4);
      auto items = wf_test::make_hard_items<float>(what, 2 * length, source);
      if (what == hard_items::narrow)
        for (int i = 0; i < 2 * length; ++i)
          if (2 * (i % length) > length) items[static_cast<std::size_t>(i)] *= 0x1p40f;
      wf_test::expect_team_sums(items, length, warps, 1);
    }
}

// Under this schedule, a block adds to a sum before others do, and takes it after they have.
TEST(exact_sanitizer, sums_that_blocks_share) {
  const wf_test::schedule_seed scheduled(2);
  expect_sums<double>();
  expect_segments<double>({0, 9000}, 4);
}

/// Adds `number` * 2^64 units twice, and carries.
__global__ void carry_kernel(std::int64_t number, unsigned long long* words) {
  using sum = wf::exact::lazy_superaccumulator<float>;
  __shared__ sum own;
  const int lane = static_cast<int>(threadIdx.x);
  for (int i = lane; i < sum::words; i += wf::warp_lanes) own.word[i] = 0;
  __syncwarp();
  for (int times = 0; times < 2; ++times) {
    own.add(number, wf::exact::superaccumulator<float>::least_exponent + 64, {wf::warp_lanes, true});
    own.carry();
  }
  for (int i = lane; i < sum::words; i += wf::warp_lanes) words[i] = own.word[i];
}

TEST(exact_sanitizer, words_are_carried) {
  constexpr std::int64_t number = 0x7abcdef01;
  const wf_test::device_array<unsigned long long> words(wf::exact::lazy_superaccumulator<float>::words);
  wf_test::launch_and_wait(&carry_kernel, 1, wf::warp_lanes, 0, number, words.data());
  std::vector<unsigned long long> expected(words.size());
  expected[2] = 2 * number & 0xffffffff, expected[3] = 2 * number >> 32;
  EXPECT_EQ(words.to_host(), expected);
}

TEST(exact_sanitizer, halves) { expect_sums<__half>(); }
TEST(exact_sanitizer, floats) { expect_sums<float>(); }
TEST(exact_sanitizer, doubles) { expect_sums<double>(); }

}  // namespace exact_sanitizer_tests
