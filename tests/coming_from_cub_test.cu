// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of the README's table "Coming from CUB or Thrust", as a CUB user would write them at the first attempt.
#include <warpfold/block/reduce.cuh>
#include <warpfold/warpfold.cuh>

#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "common/device.cuh"

namespace {

namespace wf = warpfold;
using wf_test::device_array;

struct larger {
  __host__ __device__ int operator()(int a, int b) const { return a < b ? b : a; }
};
struct square {
  __host__ __device__ int operator()(int x) const { return x * x; }
};

struct in_a_block {
  int* out;
};
__global__ void block_and_warp(in_a_block to) {
  __shared__ wf::block::reduce_storage<int, 256> storage;
  const int x = static_cast<int>(threadIdx.x);
  const int sum = wf::block::reduce(storage, x, wf::plus{});
  const int largest = wf::warp::reduce(x, larger{});
  if (threadIdx.x == 0) to.out[0] = sum, to.out[1] = largest;
}

class coming_from_cub : public testing::Test {
 protected:
  const device_array<int> items_{std::vector<int>{5, 1, 4, 1, 5, 9, 2, 6}}, begins_{std::vector<int>{0, 2, 5}},
      ends_{std::vector<int>{2, 5, 8}}, keys_{std::vector<int>{1, 1, 2, 2, 2, 3, 3, 3}};
  const device_array<int> out_{8}, out_keys_{8}, runs_{1};

  void expect(std::vector<int> values) const {
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(out_.value(static_cast<std::int64_t>(i)), values[i]);
  }
  const int* const in = items_.data();
  const int n = 8;
  int* const out = out_.data();
};

TEST_F(coming_from_cub, device_reduce_sum) {
  wf::reduce(items_, out);
  expect({33});
  wf::reduce(in, n, out);
  expect({33});
}
TEST_F(coming_from_cub, device_reduce_reduce) {
  cudaStream_t s{};
  wf::reduce(in, n, out, larger{}, {.stream = s, .init = 7});
  expect({9});
}
TEST_F(coming_from_cub, device_reduce_transform_reduce) {
  wf::transform_reduce(in, n, out, wf::plus{}, square{}, {.init = 1});
  expect({190});
}
TEST_F(coming_from_cub, device_segmented_reduce_by_begins_and_ends) {
  wf::segmented_reduce(items_,
                       wf::bounds{std::span<const int>(begins_.data(), 3), std::span<const int>(ends_.data(), 3)}, out);
  expect({6, 10, 17});
}
TEST_F(coming_from_cub, device_segmented_reduce_by_pointers) {
  wf::segmented_reduce(in, n, wf::bounds{begins_.data(), ends_.data()}, std::span<int>(out, 3));
  expect({6, 10, 17});
}
TEST_F(coming_from_cub, fixed_segment_size) {
  wf::segmented_reduce(in, n, wf::fixed_length{4}, out);
  expect({11, 22});
}
TEST_F(coming_from_cub, device_reduce_reduce_by_key) {
  wf::reduce_by_key(keys_, items_, out_keys_, out_, runs_.data(), wf::plus{});
  expect({6, 10, 17});
  EXPECT_EQ(runs_.value(), 3);
}
TEST_F(coming_from_cub, block_reduce_and_warp_reduce) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1);
  config.blockDim = dim3(256);
  wf::launch(&block_and_warp, config, in_a_block{out});
  expect({255 * 128, 31});
}
TEST_F(coming_from_cub, thrust_reduce) {
  EXPECT_EQ(wf::reduce_value(items_, larger{}, {.init = 12}), 12);
  EXPECT_EQ(wf::reduce_value(in, n), 33);
}
TEST_F(coming_from_cub, thrust_inner_product) {
  EXPECT_EQ(wf::transform_reduce_value(items_, items_, wf::plus{}, wf::multiplies{}, {.init = 100}), 289);
}

}  // namespace
