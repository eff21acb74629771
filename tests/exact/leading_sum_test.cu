// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums that a warp prepares for rounding, against those that one thread carries: digits that pass carries and borrows
// on through many lanes, or that are no sum of items.
#include <gtest/gtest.h>

#include <warpfold/exact/leading_sum.cuh>

#include "common/device.cuh"
#include "common/random_items.hpp"

namespace leading_sum_tests {

namespace wf = warpfold;
using wf_test::device_array;

template <class T> struct found {
  wf::exact::leading_sum<T> by_warp, by_thread;
  int finders;
};
template <class T> __global__ void find(const wf::exact::lazy_superaccumulator<T>* sums, found<T>* results) {
  const wf::exact::lazy_superaccumulator<T>& sum = sums[blockIdx.x];
  wf::exact::leading_sum<T> leading;
  const bool is_found = wf::exact::find_leading_sum(sum, 5u, leading);
  const unsigned finders = __ballot_sync(wf::full_warp, is_found);
  if (!is_found) return;
  const wf::exact::superaccumulator<T> carried = sum.carried(5u);
  const bool is_negative = carried.word[carried.words - 1] >> 31;
  results[blockIdx.x] = {leading, {wf::exact::leading_bits_of(carried), is_negative, 5u}, __popc(finders)};
}

/// Words whose carries go far: most digits are all ones or zeros, most high parts are 0, 1 or -1.
template <class T> void expect_same_leading_sums() {
  wf_test::random_source source(sizeof(T));
  constexpr unsigned long long low[] = {0, 0, 1, 0xffffffff, 0xffffffff, 0xfffffffe, 0x80000000, 0x12345678},
                               high[] = {0, 0, 0, 1, ~0ull, 0x3fffffff, ~0x3fffffffull, 2};
  constexpr int count = 4000, words = wf::exact::lazy_superaccumulator<T>::words;
  std::vector<wf::exact::lazy_superaccumulator<T>> sums(count);
  for (auto& sum : sums) {
    const std::int64_t lows = source.below(8) + 1, highs = source.below(8) + 1;
    const std::int64_t first = source.below(words), last = source.below(words);
    for (std::int64_t k = 0; k < words; ++k)
      sum.word[k] = k < first && k > last ? 0 : low[source.below(lows)] + (high[source.below(highs)] << 32);
  }
  const device_array<wf::exact::lazy_superaccumulator<T>> in(sums);
  const device_array<found<T>> out(count);
  wf_test::launch_and_wait(&find<T>, count, wf::warp_lanes, 0, in.data(), out.data());
  const std::vector<found<T>> results = out.to_host();
  for (const found<T>& result : results) {
    const auto &warp = result.by_warp, &thread = result.by_thread;
    ASSERT_EQ(result.finders, 1);
    ASSERT_EQ(warp.leading.bits, thread.leading.bits);
    ASSERT_EQ(warp.leading.highest, thread.leading.highest);
    ASSERT_EQ(warp.leading.any_below, thread.leading.any_below);
    ASSERT_EQ(warp.is_negative, thread.is_negative);
    ASSERT_EQ(warp.kinds, thread.kinds);
  }
}

TEST(leading_sum, of_floats) { expect_same_leading_sums<float>(); }
TEST(leading_sum, of_doubles) { expect_same_leading_sums<double>(); }

}  // namespace leading_sum_tests
