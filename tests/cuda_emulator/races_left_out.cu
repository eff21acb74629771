// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Orders that are left out by name, to see whether a suite finds what they prevent.
#include "emulated.hpp"

namespace {

using namespace emulated;

// Lines are counted from here.
constexpr int base = __LINE__;
void send(int* value, unsigned* flag) {
  *value = 7;
  em::fence(std::memory_order_acq_rel);
  em::store(flag, 1);
}
__global__ void hand_over(int* value, unsigned* flag) {
  if (blockIdx.x == 0) {
    send(value, flag);
  } else {
    while (em::load(flag, std::memory_order_acquire) == 0) __nanosleep(20);
    *value = *value + 1;
  }
}
__global__ void take_ticket(int* values, unsigned* ticket) {
  values[blockIdx.x] = 1;
  if (em::atomic_inc(ticket, gridDim.x - 1, std::memory_order_acq_rel) == gridDim.x - 1)
    for (unsigned i = 0; i < gridDim.x; ++i) values[i] = values[i] + 1;
}
__global__ void reverse(int* values, unsigned*) {
  values[threadIdx.x] = 1;
  em::named_barrier_sync(1, 64);
  values[threadIdx.x ^ 63] = 2;
  __syncthreads();
  values[threadIdx.x] = 3;
}

// A block writes into the shared memory of another one.
__global__ void hand_over_in_cluster(int* values, unsigned*) {
  int* const own = static_cast<int*>(em::dynamic_shared());
  if (blockIdx.x == 1) *static_cast<int*>(em::map_shared_rank(own, 0)) = 7;
  em::cluster_arrive();
  em::cluster_wait();
  if (blockIdx.x == 0) values[0] = *own;
}

template <class Kernel>
void expect_needed(Kernel kernel, const cudaLaunchConfig_t& config, const char* suffix, int line) {
  device_array<int> values(64);
  device_array<unsigned> word(1);
  const std::string name = "races_left_out.cu:" + std::to_string(base + line), place = name + suffix;
  SCOPED_TRACE(place);
  em::scoped_settings settings;
  const auto run = [&] { return em::launch(kernel, config, values.get(), word.get()); };
  EXPECT_EQ(run(), cudaSuccess);
  word[0] = 0;
  settings->without_order = place.c_str();
  expect_fault(em::fault::race, {"not ordered after an earlier"}, kernel, config, values.get(), word.get());
  word[0] = 0;
  settings->without_order = name.c_str();
  EXPECT_THROW(run(), em::error);
  word[0] = 0;
  settings->without_order = "races_left_out.cu:1";
  EXPECT_EQ(run(), cudaSuccess);
}

TEST(races, orders_are_left_out_by_line) {
  expect_needed(hand_over, shape(2, 1), ":release", 3);
  expect_needed(hand_over, shape(2, 1), "", 8);  // through the call
  expect_needed(hand_over, shape(2, 1), ":acquire", 10);
  expect_needed(take_ticket, shape(2, 1), ":acquire", 16);
  expect_needed(take_ticket, shape(2, 1), ":release", 16);
  expect_needed(reverse, shape(1, 64), "", 21);
  cudaLaunchConfig_t pair = shape(2, 1, sizeof(int));
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {2, 1, 1};
  pair.attrs = &attribute;
  pair.numAttrs = 1;
  expect_needed(hand_over_in_cluster, pair, ":release", 31);
  expect_needed(hand_over_in_cluster, pair, ":acquire", 32);
}

// Half of an order is left in place.
TEST(races, half_an_order_is_left_out_by_line) {
  device_array<int> values(64);
  device_array<unsigned> word(1);
  const std::string place = "races_left_out.cu:" + std::to_string(base + 3) + ":acquire";
  em::scoped_settings settings;
  settings->without_order = place.c_str();
  EXPECT_EQ(em::launch(hand_over, shape(2, 1), values.get(), word.get()), cudaSuccess);
}

TEST(races, barriers_are_left_out_by_line) {
  device_array<int> values(64);
  const std::string place = "races_left_out.cu:" + std::to_string(base + 23);
  em::scoped_settings settings;
  settings->without_barrier = place.c_str();
  expect_fault(em::fault::race, {"reverse"}, reverse, shape(1, 64), values.get(), static_cast<unsigned*>(nullptr));
}

}  // namespace
