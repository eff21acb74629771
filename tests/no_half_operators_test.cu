// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As PyTorch compiles: half and bfloat16 without operators and without implicit conversions.
#define __CUDA_NO_HALF_OPERATORS__
#define __CUDA_NO_HALF_CONVERSIONS__
#define __CUDA_NO_HALF2_OPERATORS__
#define __CUDA_NO_BFLOAT16_CONVERSIONS__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include <warpfold/canonical_tree.hpp>
#include <warpfold/warp/fold_batch.cuh>

#include "common/device.cuh"
#include "common/random_items.hpp"
#include "common/same_bits.hpp"

namespace wf = warpfold;

namespace {

static_assert(!std::is_convertible_v<__half, float> && !std::is_convertible_v<__nv_bfloat16, float>,
              "the definitions above are at work");

__half narrow(__half*, float x) { return __float2half(x); }
__nv_bfloat16 narrow(__nv_bfloat16*, float x) { return __float2bfloat16(x); }

template <class T> std::vector<T> narrow_items(std::int64_t count) {
  std::vector<T> items;
  for (const float x : wf_test::random_items<float>(count)) items.push_back(narrow(static_cast<T*>(nullptr), x));
  return items;
}

TEST(without_half_operators, conversions_are_found) {
  EXPECT_EQ(wf::detail::convert<float>(__float2half(0.5f)), 0.5f);
  EXPECT_EQ(wf::detail::convert<double>(__float2bfloat16(-4.f)), -4.0);
  EXPECT_TRUE((std::is_same_v<wf::accumulator_t<wf::plus, __half>, float>));
  EXPECT_TRUE((std::is_same_v<wf::accumulator_t<wf::maximum, __nv_bfloat16>, float>));
}

template <class T> __global__ void sum_kernel(const T* items, int count, float* out) {
  using source = wf::thread::pointer_source<T>;
  const wf::thread::leaves<source, wf::thread::no_transform, float> leaves{{items, count}, {}};
  const float sum = wf::warp::fold_batch<2>(leaves, 0, wf::plus{});
  if (wf::arch::lane_id() == 0) *out = sum;
}

template <class T> void expect_sum_of_replay(int count) {
  const std::vector<T> items = narrow_items<T>(count);
  const wf_test::device_array<T> on_device(items);
  const wf_test::device_array<float> out(1);
  wf_test::launch_and_wait(&sum_kernel<T>, 1, 32, 0, on_device.data(), count, out.data());
  EXPECT_TRUE(wf_test::same_bits(out.value(), wf::canonical_tree::replay(items.data(), count, wf::plus{}))) << count;
}

TEST(without_half_operators, a_warp_sums_on_the_device) {
  for (const int count : {1, 7, 256, 300, 511, 512}) {
    expect_sum_of_replay<__half>(count);
    expect_sum_of_replay<__nv_bfloat16>(count);
  }
}

}  // namespace
