// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where races are looked for, accesses that go wrong by themselves are found, too: outside an array or an allocation,
// before anybody has written, misaligned; and flags that are still set from the launch before.
#include "emulated.hpp"

namespace {

using namespace emulated;

// `kernel(arguments..., fault)` meets the fault if `fault` is 1, under any schedule, and none if it is 0.
template <class Kernel, class... A>
void expect_only(em::fault kind, std::vector<std::string> texts, Kernel kernel, const cudaLaunchConfig_t& config,
                 A... args) {
  texts.push_back("checked_accesses.cu:");
  texts.push_back("\n  kernel ");
  for_each_seed(2, [&] {
    expect_fault(kind, texts, kernel, config, args..., 1);
    EXPECT_EQ(em::launch(kernel, config, args..., 0), cudaSuccess);
  });
}

// ---- outside ---------------------------------------------------------------------------------------------------------

__global__ void read_item(const int* in, int* out, int at, int fault) { *out = in[fault != 0 ? at : 0]; }
__global__ void write_item(int* out, int at, int fault) { out[fault != 0 ? at : 0] = 1; }
__global__ void count_item(int* out, int at, int fault) { atomicAdd(out + (fault != 0 ? at : 0), 1); }
__global__ void copy_items(int* out, int fault) {
  int items[8] = {};
  std::memcpy(out + 24 + (fault != 0 ? 1 : 0), items, sizeof items);
}

TEST(checked_accesses, outside_of_an_allocation) {
  device_array<int> out(32), other(1);
  const auto outside = em::fault::out_of_bounds;
  const auto one = shape(1, 1);
  expect_only(outside, {"read of 4 bytes of an allocation of 128 bytes, at byte 128", "read_item"}, read_item, one,
              static_cast<const int*>(out.get()), other.get(), 32);
  expect_only(outside, {"write of 4 bytes of an allocation of 128 bytes, at byte 380"}, write_item, one, out.get(), 95);
  expect_only(outside, {"allocation of 128 bytes, 4 bytes before it"}, write_item, one, out.get(), -1);
  expect_only(outside, {"atomic of 4 bytes of an allocation of 4 bytes, at byte 4"}, count_item, one, other.get(), 1);
  expect_only(outside, {"write of 32 bytes of an allocation of 128 bytes, at byte 128"}, copy_items, one, out.get());
}

__global__ void index_array(int* out, int at, int fault) {
  __shared__ int items[48], others[48];
  items[threadIdx.x] = others[threadIdx.x] = 1;
  __syncthreads();
  items[static_cast<int>(threadIdx.x) + (fault != 0 ? at : 0)] = 1;
  __syncthreads();
  out[threadIdx.x] = items[threadIdx.x] + others[threadIdx.x];
}
__global__ void index_own_array(int* out, int at, int fault) {
  int items[4] = {1, 2, 3, 4};
  *out = items[fault != 0 ? at : 3];
}
__global__ void point_behind_array(int* out, int fault) {
  __shared__ int items[32];
  int* const first = items;
  first[threadIdx.x + (fault != 0 ? 32 : 0)] = 1;
  out[threadIdx.x] = 0;
}
__global__ void index_dynamic(int* out, int at, int fault) {
  int* const items = static_cast<int*>(em::dynamic_shared());
  items[fault != 0 ? at : 0] = 1;
  *out = items[0];
}

TEST(checked_accesses, outside_of_an_array) {
  device_array<int> out(64);
  const auto outside = em::fault::out_of_bounds;
  expect_only(outside, {"index 48 of 'int [48]'", "thread (47, 0, 0)"}, index_array, shape(1, 48), out.get(), 1);
  expect_only(outside, {"index -1 of 'int [48]'", "thread (0, 0, 0)"}, index_array, shape(1, 48), out.get(), -1);
  expect_only(outside, {"index 4 of 'int [4]'"}, index_own_array, shape(1, 1), out.get(), 4);
  expect_only(outside, {"behind the __shared__ variables of the block"}, point_behind_array, shape(1, 32), out.get());
  expect_only(em::fault::shared_memory, {"write of 4 bytes of 100 bytes of dynamic shared memory, at byte 100"},
              index_dynamic, shape(1, 1, 100), out.get(), 25);
}

// ---- unwritten -------------------------------------------------------------------------------------------------------

__global__ void sum_unwritten(int* out, int fault) {
  __shared__ int sums[2][32];
  if (threadIdx.x != 7 || fault == 0) sums[0][threadIdx.x] = 1;
  sums[1][threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int i = 0; i < 32; ++i) out[blockIdx.x] += sums[0][i];
}
__global__ void count_unwritten(int* out, int fault) {
  auto* const counts = static_cast<unsigned*>(em::dynamic_shared());
  if (fault == 0 && threadIdx.x < 4) counts[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(counts + threadIdx.x % 4, 1u);
  __syncthreads();
  if (threadIdx.x < 4) out[threadIdx.x] = static_cast<int>(counts[threadIdx.x]);
}
struct padded {
  char letter;
  int number;
};
__global__ void copy_padded(int* out, int) {
  __shared__ padded items[32];
  items[threadIdx.x].letter = 'a';
  items[threadIdx.x].number = 1;
  __syncwarp();
  padded other;
  std::memcpy(&other, &items[31 - threadIdx.x], sizeof other);
  out[threadIdx.x] = other.number;
}

TEST(checked_accesses, of_what_nobody_has_written) {
  device_array<int> out(64);
  const std::string text = "which nobody in the block has written";
  expect_only(em::fault::uninitialised, {"read of 4 bytes of a __shared__ variable", text, "sum_unwritten(int*, int)"},
              sum_unwritten, shape(1, 32), out.get());
  expect_only(em::fault::uninitialised, {"atomic of 4 bytes of 16 bytes of dynamic shared memory, at byte", text},
              count_unwritten, shape(1, 64, 16), out.get());
  em::scoped_settings settings;
  settings->resident_blocks = 1;  // all blocks have the memory of the first
  for_each_seed(2, [&] {
    expect_fault(em::fault::uninitialised, {text}, sum_unwritten, shape(3, 32), out.get(), 1);
    EXPECT_EQ(em::launch(copy_padded, shape(1, 32), out.get(), 0), cudaSuccess);
  });
  settings->allow_unwritten_reads = true;
  EXPECT_EQ(em::launch(sum_unwritten, shape(1, 32), out.get(), 1), cudaSuccess);
  settings->allow_unwritten_reads = false;
  settings->poison = false;
  EXPECT_EQ(em::launch(sum_unwritten, shape(1, 32), out.get(), 1), cudaSuccess);
}

// ---- misaligned ------------------------------------------------------------------------------------------------------

__global__ void read_pairs(const float* in, float* out, int fault) {
  const float2 pair = *reinterpret_cast<const float2*>(in + 2 * threadIdx.x + (fault != 0 ? 1 : 0));
  out[threadIdx.x] = pair.x + pair.y;
}

TEST(checked_accesses, of_addresses_that_do_not_suit_the_type) {
  device_array<float> in(66), out(32);
  expect_only(em::fault::misaligned, {"4 bytes past a multiple of its alignment, 8 bytes", "read_pairs"}, read_pairs,
              shape(1, 32), static_cast<const float*>(in.get()), out.get());
}

// ---- flags of the launch before --------------------------------------------------------------------------------------

enum class flag_kind { of_volatile, of_atomic, of_release };
template <flag_kind Kind> __global__ void hand_over(int* value, int* flag, int launch) {
  if (blockIdx.x == 0) {
    *value = launch;
    if (Kind != flag_kind::of_release) __threadfence();
    if (Kind == flag_kind::of_volatile) *static_cast<volatile int*>(flag) = 1;
    if (Kind == flag_kind::of_atomic) atomicExch(flag, 1);
    if (Kind == flag_kind::of_release) em::store(flag, 1, std::memory_order_release);
  } else {
    while (em::load(flag) == 0) __nanosleep(20);
    __threadfence();
    value[1] = *value;
  }
}

TEST(checked_accesses, behind_a_flag_that_is_still_set) {
  int notes = 0;
  const auto twice = [&](auto kernel) {
    device_array<int> value(2), flag(1);
    for_each_seed(5, [&] {
      flag[0] = 0;
      EXPECT_EQ(em::launch(kernel, shape(2, 1), value.get(), flag.get(), 1), cudaSuccess);
      EXPECT_EQ(value[1], 1);
      try {
        EXPECT_EQ(em::launch(kernel, shape(2, 1), value.get(), flag.get(), 2), cudaSuccess);
        ADD_FAILURE() << "no error was found";
      } catch (const em::error& e) {
        const std::string said = e.what();
        EXPECT_EQ(e.kind(), em::fault::race) << said;
        EXPECT_NE(said.find("of an allocation of 8 bytes, at byte 0"), std::string::npos) << said;
        notes += said.find("stored what was there before") != std::string::npos;
      }
    });
  };
  twice(hand_over<flag_kind::of_volatile>);
  twice(hand_over<flag_kind::of_atomic>);
  twice(hand_over<flag_kind::of_release>);
  EXPECT_GT(notes, 0);  // where the writer comes first, the message names the store, too
  EXPECT_LT(notes, 15);
}

}  // namespace
