// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that misuse warp intrinsics: each mistake is found, and the message says what it is.
#include <cmath>

#include "emulated.hpp"

namespace {

using namespace emulated;

constexpr unsigned full = 0xFFFFFFFFu;

__global__ void names_others_only() { __syncwarp(1u << ((threadIdx.x + 1) % 32)); }

TEST(warp_faults, calling_lane_not_in_mask) {
  for_each_seed(5, [] {
    expect_fault(em::fault::lane_not_in_mask, {"__syncwarp", "names_others_only", "does not name the calling lane"},
                 names_others_only, shape(1, 32));
  });
}

__global__ void names_different_masks(int* out) {
  out[threadIdx.x] = __any_sync(threadIdx.x < 16 ? full : 0x0000FFFFu | 1u << threadIdx.x, 1);
}

TEST(warp_faults, lanes_name_different_masks) {
  device_array<int> out(32);
  for_each_seed(5, [&] {
    expect_fault(em::fault::mask_mismatch, {"__any_sync", "different masks", "0xffffffff"}, names_different_masks,
                 shape(1, 32), out.get());
  });
}

__global__ void calls_different_intrinsics(int* out) {
  if (threadIdx.x < 16) out[threadIdx.x] = __shfl_sync(full, 1, 0);
  else out[threadIdx.x] = __shfl_xor_sync(full, 1, 1);
}

TEST(warp_faults, lanes_call_different_intrinsics) {
  device_array<int> out(32);
  for_each_seed(5, [&] {
    expect_fault(em::fault::mask_mismatch, {"different intrinsics", "__shfl_sync", "__shfl_xor_sync"},
                 calls_different_intrinsics, shape(1, 32), out.get());
  });
}

__global__ void one_lane_leaves() {
  if (threadIdx.x == 7) return;
  __syncwarp();
}

TEST(warp_faults, lane_of_the_mask_has_left) {
  for_each_seed(10, [] {
    expect_fault(em::fault::exited_lane, {"__syncwarp", "left the kernel", "threads 7: left the kernel"},
                 one_lane_leaves, shape(1, 32));
  });
}

TEST(warp_faults, lanes_that_have_left_can_be_allowed) {
  for_each_seed(10, [] {
    em::settings().allow_exited_lanes = true;
    EXPECT_EQ(em::launch(one_lane_leaves, shape(3, 32)), cudaSuccess);
  });
}

__global__ void reads_outside_mask(float* out) {
  if (threadIdx.x < 16) out[threadIdx.x] = __shfl_down_sync(0x0000FFFFu, 1.0f, 8);
}

TEST(warp_faults, shuffle_from_an_inactive_lane) {
  device_array<float> out(32);
  expect_fault(em::fault::inactive_source, {"__shfl_down_sync", "reads lane", "does not take part"}, reads_outside_mask,
               shape(1, 32), out.get());
}

TEST(warp_faults, shuffle_from_an_inactive_lane_can_be_allowed_and_gives_poison) {
  em::scoped_settings settings;
  settings->allow_inactive_source = true;
  device_array<float> out(32);
  ASSERT_EQ(em::launch(reads_outside_mask, shape(1, 32), out.get()), cudaSuccess);
  for (int i = 0; i < 16; ++i) {
    if (i < 8) EXPECT_EQ(out[i], 1.0f);
    else EXPECT_TRUE(std::isnan(out[i]));
  }
}

__global__ void shuffle_in_threes(int* out) { out[threadIdx.x] = __shfl_sync(full, 1, 0, 3); }

TEST(warp_faults, width_is_no_power_of_two) {
  device_array<int> out(32);
  expect_fault(em::fault::usage, {"__shfl_sync", "width"}, shuffle_in_threes, shape(1, 32), out.get());
}

__global__ void half_a_warp_shuffles() {
  if (threadIdx.x < 16) __syncwarp();
  else __syncthreads();
}

TEST(warp_faults, lanes_wait_at_different_kinds_of_barriers) {
  for_each_seed(5, [] {
    expect_fault(em::fault::deadlock,
                 {"no thread can run", "threads 0-15: wait at __syncwarp, mask 0xffffffff, warp_faults_test.cu:",
                  "threads 16-31: wait at __syncthreads, warp_faults_test.cu:"},
                 half_a_warp_shuffles, shape(1, 32));
  });
}

TEST(warp_faults, intrinsic_outside_a_kernel) {
  try {
    __syncwarp();
    ADD_FAILURE() << "no error was found";
  } catch (const em::error& e) {
    EXPECT_EQ(e.kind(), em::fault::usage);
    EXPECT_NE(std::string(e.what()).find("__syncwarp called outside a kernel"), std::string::npos) << e.what();
  }
}

}  // namespace
