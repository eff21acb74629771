// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomic functions: their results, their effects, and that other blocks run between them.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <set>

#include "emulated.hpp"

namespace {

using namespace emulated;

template <class T> __global__ void add_one(T* total) { atomicAdd(total, static_cast<T>(1)); }
template <> __global__ void add_one<__half>(__half* total) { atomicAdd(total, __float2half(1)); }
template <> __global__ void add_one<__nv_bfloat16>(__nv_bfloat16* total) { atomicAdd(total, __float2bfloat16(1)); }

template <class T> class atomic_add : public testing::Test {};
using added_types = testing::Types<int, unsigned, unsigned long long, float, double, __half, __nv_bfloat16>;
TYPED_TEST_SUITE(atomic_add, added_types);

TYPED_TEST(atomic_add, counts_threads) {
  device_array<TypeParam> total(1);
  ASSERT_EQ(em::launch(add_one<TypeParam>, shape(6, 40), total.get()), cudaSuccess);
  EXPECT_EQ(static_cast<float>(total[0]), 240.0f);
}

__global__ void add_pairs(__half2* total) { atomicAdd(total, __floats2half2_rn(1, 2)); }

TEST(atomics, add_pairs) {
  device_array<__half2> total(1);
  ASSERT_EQ(em::launch(add_pairs, shape(2, 32), total.get()), cudaSuccess);
  EXPECT_EQ(__low2float(total[0]), 64);
  EXPECT_EQ(__high2float(total[0]), 128);
}

template <class T> struct results { T least, greatest, conjunction, disjunction, exclusion, difference; };

template <class T> __global__ void combine(results<T>* r) {
  const T x = static_cast<T>(blockIdx.x * blockDim.x + threadIdx.x + 5);
  atomicMin(&r->least, x);
  atomicMax(&r->greatest, x);
  atomicAnd(&r->conjunction, x | 64);
  atomicOr(&r->disjunction, x);
  atomicXor(&r->exclusion, x);
}
__global__ void subtract(int* signed_total, unsigned* total) {
  atomicSub(signed_total, 2);
  atomicSub(total, 1u);
}

template <class T> void check_combine() {
  device_array<results<T>> r(1);
  r[0] = {.least = static_cast<T>(1000),
          .greatest = 0,
          .conjunction = static_cast<T>(127),
          .disjunction = 0,
          .exclusion = 0,
          .difference = 0};
  ASSERT_EQ(em::launch(combine<T>, shape(2, 32), r.get()), cudaSuccess);
  T exclusion = 0, disjunction = 0;
  for (int i = 5; i < 69; ++i) exclusion ^= static_cast<T>(i), disjunction |= static_cast<T>(i);
  EXPECT_EQ(r[0].least, static_cast<T>(5));
  EXPECT_EQ(r[0].greatest, static_cast<T>(68));
  EXPECT_EQ(r[0].conjunction, static_cast<T>(64));
  EXPECT_EQ(r[0].disjunction, disjunction);
  EXPECT_EQ(r[0].exclusion, exclusion);
}

TEST(atomics, combine_in_every_way) {
  check_combine<int>();
  check_combine<unsigned>();
  check_combine<unsigned long long>();
  device_array<int> signed_total(1, 10);
  device_array<unsigned> total(1, 3);
  ASSERT_EQ(em::launch(subtract, shape(1, 32), signed_total.get(), total.get()), cudaSuccess);
  EXPECT_EQ(signed_total[0], 10 - 64);
  EXPECT_EQ(total[0], 3u - 32u);
}

__global__ void take_tickets(unsigned* next, unsigned* tickets, unsigned* wrapping, unsigned* falling) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  tickets[i] = atomicAdd(next, 1u);
  atomicInc(wrapping, 9);  // 0 to 9, then 0 again
  atomicDec(falling, 9);   // down to 0, then 9 again
}

TEST(atomics, tickets_are_unique_and_counters_wrap) {
  device_array<unsigned> next(1), tickets(64), wrapping(1), falling(1, 100);
  ASSERT_EQ(em::launch(take_tickets, shape(2, 32), next.get(), tickets.get(), wrapping.get(), falling.get()),
            cudaSuccess);
  const auto taken = tickets.host();
  EXPECT_EQ(std::set<unsigned>(taken.begin(), taken.end()).size(), 64u);
  EXPECT_EQ(wrapping[0], 4u);               // 64 steps of 10
  EXPECT_EQ(falling[0], 9u - (63u % 10u));  // the first step goes to 9, since 100 is out of range
}

__global__ void lock_and_count(int* lock, int* count) {  // every thread in turn, by compare-and-swap
  while (atomicCAS(lock, 0, 1) != 0) em::yield();
  const int before = *count;
  em::yield();  // others must not get in between
  *count = before + 1;
  __threadfence();
  atomicExch(lock, 0);
}

TEST(atomics, compare_and_swap_excludes) {
  for_each_seed(3, [] {
    device_array<int> lock(1), count(1);
    ASSERT_EQ(em::launch(lock_and_count, shape(4, 16), lock.get(), count.get()), cudaSuccess);
    EXPECT_EQ(count[0], 64);
    EXPECT_EQ(lock[0], 0);
  });
}

__global__ void count_without_atomics(int* count, int* other) {
  const int before = *count;
  atomicAdd(other, 1);  // a place where others may get in between
  *count = before + 1;
}

TEST(atomics, a_race_shows) {
  int lost = 0;
  for_each_seed(5, [&] {
    device_array<int> count(1), other(1);
    ASSERT_EQ(em::launch(count_without_atomics, shape(4, 64), count.get(), other.get()), cudaSuccess);
    lost += 256 - count[0];
  });
  EXPECT_GT(lost, 0);
}

}  // namespace
