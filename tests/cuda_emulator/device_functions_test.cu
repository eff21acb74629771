// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer, floating-point and memory intrinsics of single threads.
#include <cmath>
#include <cstdint>
#include <limits>

#include "emulated.hpp"

namespace {

using namespace emulated;

TEST(device_functions, count_bits) {
  EXPECT_EQ(__popc(0u), 0);
  EXPECT_EQ(__popc(0xF0F0F0F0u), 16);
  EXPECT_EQ(__popcll(~0ull), 64);
  EXPECT_EQ(__clz(0), 32);
  EXPECT_EQ(__clz(1), 31);
  EXPECT_EQ(__clz(-1), 0);
  EXPECT_EQ(__clzll(1ll << 40), 23);
  EXPECT_EQ(__ffs(0), 0);
  EXPECT_EQ(__ffs(8), 4);
  EXPECT_EQ(__ffsll(1ll << 40), 41);
  EXPECT_EQ(__brev(1u), 0x80000000u);
  EXPECT_EQ(__brev(0x12345678u), 0x1E6A2C48u);
  EXPECT_EQ(__brevll(1ull), 1ull << 63);
}

TEST(device_functions, shift_and_permute) {
  EXPECT_EQ(__funnelshift_l(0x89ABCDEFu, 0x01234567u, 8), 0x23456789u);
  EXPECT_EQ(__funnelshift_r(0x89ABCDEFu, 0x01234567u, 8), 0x6789ABCDu);
  EXPECT_EQ(__funnelshift_l(1u, 2u, 32), 2u);   // the shift is taken modulo 32
  EXPECT_EQ(__funnelshift_lc(1u, 2u, 32), 1u);  // or clamped
  EXPECT_EQ(__funnelshift_r(1u, 2u, 32), 1u);
  EXPECT_EQ(__funnelshift_rc(1u, 2u, 40), 2u);
  EXPECT_EQ(__byte_perm(0x33221100u, 0x77665544u, 0x7531u), 0x77553311u);
  EXPECT_EQ(__byte_perm(0x33229100u, 0x77665544u, 0x0009u), 0x000000FFu);  // the sign of byte 1, then byte 0
}

TEST(device_functions, multiply) {
  EXPECT_EQ(__mulhi(-1, 1), -1);
  EXPECT_EQ(__umulhi(~0u, 2u), 1u);
  EXPECT_EQ(__mul64hi(-1, 1), -1);
  EXPECT_EQ(__umul64hi(~0ull, 2ull), 1ull);
  EXPECT_EQ(__dp4a(static_cast<int>(0xFF02FF01u), 0x01010101, 10), 10 + 1 - 1 + 2 - 1);
  EXPECT_EQ(__dp4a(0xFF02FF01u, 0x01010101u, 10u), 10u + 1 + 255 + 2 + 255);
  EXPECT_EQ(__dp2a_lo(static_cast<int>(0xFFFE0003u), 0x7F7FFF02, 10), 10 + 2 * 3 + -1 * -2);
  EXPECT_EQ(__dp2a_lo(0xFFFE0003u, 0x7F7FFF02u, 10u), 10u + 2 * 3 + 255 * 0xFFFE);
  EXPECT_EQ(__vmins2(0x80000001u, 0x0001FFFFu), 0x8000FFFFu);
  EXPECT_EQ(__vmaxs2(0x80000001u, 0x0001FFFFu), 0x00010001u);
  EXPECT_EQ(__vminu2(0x80000001u, 0x0001FFFFu), 0x00010001u);
  EXPECT_EQ(__vmaxu2(0x80000001u, 0x0001FFFFu), 0x8000FFFFu);
}

TEST(device_functions, round_once) {
  const float a = 1.0f + 0x1p-12f;
  EXPECT_EQ(__fadd_rn(__fmul_rn(a, a), -(1.0f + 0x1p-11f)), 0.0f);  // a fused form would keep 2^-24
  EXPECT_EQ(__fmaf_rn(a, a, -(1.0f + 0x1p-11f)), 0x1p-24f);
  const double b = 1.0 + 0x1p-27;
  EXPECT_EQ(__dadd_rn(__dmul_rn(b, b), -(1.0 + 0x1p-26)), 0.0);
  EXPECT_EQ(__fma_rn(b, b, -(1.0 + 0x1p-26)), 0x1p-54);
  EXPECT_EQ(__fdiv_rn(1.0f, 3.0f), 1.0f / 3.0f);
  EXPECT_EQ(__fsqrt_rn(2.0f), std::sqrt(2.0f));
  EXPECT_EQ(__fsub_rn(3.0f, 1.0f), 2.0f);
  EXPECT_EQ(rsqrtf(4.0f), 0.5f);
}

TEST(device_functions, min_max_ignore_nan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(::min(1.0f, nan), 1.0f);
  EXPECT_EQ(::max(nan, 1.0f), 1.0f);
  EXPECT_EQ(::min(-1, 1), -1);
  EXPECT_EQ(::max(1u, ~0u), ~0u);
  EXPECT_EQ(__saturatef(nan), 0.0f);
  EXPECT_EQ(__saturatef(2.0f), 1.0f);
}

TEST(device_functions, reinterpret) {
  EXPECT_EQ(__float_as_uint(1.0f), 0x3F800000u);
  EXPECT_EQ(__int_as_float(0x40000000), 2.0f);
  EXPECT_EQ(__longlong_as_double(__double_as_longlong(-3.5)), -3.5);
}

__global__ void load_and_store(const float2* in, float2* out) {
  __stcg(&out[0], __ldg(&in[0]));
  __stcs(&out[1], __ldcs(&in[1]));
  __stwt(&out[2], __ldcg(&in[2]));
  __stwb(&out[3], __ldcv(&in[3]));
}

TEST(device_functions, loads_and_stores_with_hints) {
  device_array<float2> in(4), out(4);
  for (int i = 0; i < 4; ++i) in[i] = {static_cast<float>(i), 7};
  ASSERT_EQ(em::launch(load_and_store, shape(1, 1), in.get(), out.get()), cudaSuccess);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(out[i].x, static_cast<float>(i));
}

// Which access, at an address that is `byte` bytes past a multiple of 16.
__global__ void access_misaligned(int which, unsigned char* memory, int byte) {
  auto* const vector = reinterpret_cast<float4*>(memory + byte);
  auto* const word = reinterpret_cast<unsigned*>(memory + byte);
  switch (which) {
    case 0: __stcg(word, static_cast<unsigned>(__ldg(vector).x)); break;
    case 1: __ldca(vector); break;
    case 2: __ldcs(vector); break;
    case 3: __ldlu(vector); break;
    case 4: __ldcg(vector); break;
    case 5: __ldcv(vector); break;
    case 6: __stwb(vector, float4{}); break;
    case 7: __stcg(vector, float4{}); break;
    case 8: __stcs(vector, float4{}); break;
    case 9: __stwt(vector, float4{}); break;
    case 10: atomicAdd(word, 1u); break;
    case 11: atomicExch(word, 1u); break;
    case 12: atomicCAS(word, 1u, 2u); break;
    case 13: atomicAdd(reinterpret_cast<double*>(word), 1.0); break;
  }
}

TEST(device_functions, misaligned_accesses_are_found) {
  device_array<unsigned char> memory(64);
  for (int which = 0; which < 14; ++which) {
    SCOPED_TRACE("access " + std::to_string(which));
    EXPECT_EQ(em::launch(access_misaligned, shape(1, 1), which, memory.get(), 16), cudaSuccess);
    expect_fault(em::fault::misaligned, {"2 bytes past a multiple of", "access_misaligned"}, access_misaligned,
                 shape(1, 1), which, memory.get(), 18);
  }
}

__device__ int device_counter = 1;
__constant__ int constant_table[3] = {1, 2, 3};

__global__ void use_symbols(int* out) {
  device_counter += constant_table[2];
  *out = device_counter;
}

TEST(device_functions, symbols_are_reachable_from_the_host) {
  device_array<int> out(1);
  const int table[3] = {5, 6, 7};
  ASSERT_EQ(cudaMemcpyToSymbol(constant_table, table, sizeof table), cudaSuccess);
  ASSERT_EQ(em::launch(use_symbols, shape(1, 1), out.get()), cudaSuccess);
  EXPECT_EQ(out[0], 8);
  int copy = 0;
  ASSERT_EQ(cudaMemcpyFromSymbol(&copy, device_counter, sizeof copy), cudaSuccess);
  EXPECT_EQ(copy, 8);
  void* address = nullptr;
  std::size_t bytes = 0;
  EXPECT_EQ(cudaGetSymbolAddress(&address, device_counter), cudaSuccess);
  EXPECT_EQ(address, &device_counter);
  EXPECT_EQ(cudaGetSymbolSize(&bytes, constant_table), cudaSuccess);
  EXPECT_EQ(bytes, sizeof table);
}

__global__ void trap_in_thread(unsigned which) {
  __nanosleep(100);
  if (threadIdx.x == which) __trap();
}

TEST(device_functions, trap_stops_the_kernel) {
  expect_fault(em::fault::trap, {"__trap()", "trap_in_thread", "thread (9, 0, 0)"}, trap_in_thread, shape(1, 32), 9u);
}

}  // namespace
