// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// half and bfloat16 accumulate in float: they have the bits of the same items reduced as floats.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include "common/random_items.hpp"
#include "reduce/expect_canonical.cuh"

namespace wf = warpfold;
using wf_test::expect_canonical, wf_test::items_of_all_shapes;

namespace {

template <class T, class Round> std::vector<T> rounded_items(Round round) {
  std::vector<T> items;
  for (const float item : wf_test::random_items<float>(items_of_all_shapes)) items.push_back(round(item));
  return items;
}
const std::vector<__half>& halves() {
  static const auto items = rounded_items<__half>([](float x) { return __float2half(x); });
  return items;
}
const std::vector<__nv_bfloat16>& bfloats() {
  static const auto items = rounded_items<__nv_bfloat16>([](float x) { return __float2bfloat16(x); });
  return items;
}

TEST(reduce_half, accumulate_in_float) {
  static_assert(std::is_same_v<wf::accumulator_t<wf::plus, __half>, float>);
  static_assert(std::is_same_v<wf::accumulator_t<wf::maximum, __nv_bfloat16>, float>);
  const wf_test::device_array<__half> in(std::vector<__half>(5000, __float2half(1.0f)),
                                         1);  // half itself stops at 2048
  const wf_test::device_array<float> out(1);
  wf::reduce(in.items(), out.data());
  EXPECT_EQ(out.value(), 5000.0f);
}

TEST(reduce_half, plus) { expect_canonical(halves(), wf::plus{}); }
TEST(reduce_half, minimum) { expect_canonical(halves(), wf::minimum{}); }
TEST(reduce_half, bfloat16_plus) { expect_canonical(bfloats(), wf::plus{}); }
TEST(reduce_half, bfloat16_maximum_number) { expect_canonical(bfloats(), wf::maximum_number{}); }
TEST(reduce_half, plus_in_double) { expect_canonical(halves(), wf::accumulate_in<double>(wf::plus{})); }

}  // namespace
