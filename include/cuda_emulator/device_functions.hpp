// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer and memory intrinsics of single threads.
#pragma once

#include <cuda_emulator/atomics.hpp>

#include <bit>
#include <chrono>

namespace cuda_emulator {

// Lets other threads run. Call it in loops that wait for another thread's write.
inline void yield() {
  if (current_scheduler != nullptr) current_scheduler->spin();
}

}  // namespace cuda_emulator

inline int __popc(unsigned x) { return std::popcount(x); }
inline int __popcll(unsigned long long x) { return std::popcount(x); }
inline int __clz(int x) { return std::countl_zero(static_cast<unsigned>(x)); }
inline int __clzll(long long x) { return std::countl_zero(static_cast<unsigned long long>(x)); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __brev(unsigned x) {
  unsigned reversed = 0;
  for (int i = 0; i < 32; ++i) reversed |= (x >> i & 1u) << (31 - i);
  return reversed;
}
inline unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
         __brev(static_cast<unsigned>(x >> 32));
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) << (shift & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> (shift & 31));
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}
// Each nibble of the selector picks one byte of {y, x}. If the nibble's top bit is set, the result is the byte's sign,
// eight times.
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned nibble = selector >> (4 * i) & 0xF;
    unsigned byte = static_cast<unsigned>(bytes >> (8 * (nibble & 7))) & 0xFF;
    if ((nibble & 8) != 0) byte = (byte & 0x80) != 0 ? 0xFF : 0;
    result |= byte << (8 * i);
  }
  return result;
}
inline int __mulhi(int a, int b) { return static_cast<int>(static_cast<long long>(a) * b >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
__extension__ typedef __int128 emulated_int128;  // ISO C++ has none
__extension__ typedef unsigned __int128 emulated_uint128;
inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<emulated_int128>(a) * b >> 64);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<emulated_uint128>(a) * b >> 64);
}
inline int __dp4a(int a, int b, int c) {
  auto sum = static_cast<unsigned>(c);
  for (int i = 0; i < 4; ++i)
    sum += static_cast<unsigned>(static_cast<signed char>(a >> (8 * i)) * static_cast<signed char>(b >> (8 * i)));
  return static_cast<int>(sum);
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 4; ++i) c += (a >> (8 * i) & 0xFF) * (b >> (8 * i) & 0xFF);
  return c;
}
inline int __dp2a_lo(int a, int b, int c) {
  auto sum = static_cast<unsigned>(c);
  for (int i = 0; i < 2; ++i)
    sum += static_cast<unsigned>(static_cast<short>(a >> (16 * i)) * static_cast<signed char>(b >> (8 * i)));
  return static_cast<int>(sum);
}
inline unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 2; ++i) c += (a >> (16 * i) & 0xFFFF) * (b >> (8 * i) & 0xFF);
  return c;
}

namespace cuda_emulator {
/// choose(own, other) for both pairs of 16-bit halves, seen as `Half`.
template <class Half, class Choose> unsigned of_halves(unsigned a, unsigned b, Choose choose) {
  const auto half = [&](int shift) {
    const auto chosen = choose(static_cast<Half>(a >> shift), static_cast<Half>(b >> shift));
    return static_cast<unsigned>(static_cast<unsigned short>(chosen)) << shift;
  };
  return half(16) | half(0);
}
}  // namespace cuda_emulator
inline unsigned __vmins2(unsigned a, unsigned b) {
  return cuda_emulator::of_halves<short>(a, b, [](short x, short y) { return x < y ? x : y; });
}
inline unsigned __vmaxs2(unsigned a, unsigned b) {
  return cuda_emulator::of_halves<short>(a, b, [](short x, short y) { return x < y ? y : x; });
}
inline unsigned __vminu2(unsigned a, unsigned b) {
  using half = unsigned short;
  return cuda_emulator::of_halves<half>(a, b, [](half x, half y) { return x < y ? x : y; });
}
inline unsigned __vmaxu2(unsigned a, unsigned b) {
  using half = unsigned short;
  return cuda_emulator::of_halves<half>(a, b, [](half x, half y) { return x < y ? y : x; });
}

inline int __float_as_int(float x) { return std::bit_cast<int>(x); }
inline unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
inline float __int_as_float(int x) { return std::bit_cast<float>(x); }
inline float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
inline long long __double_as_longlong(double x) { return std::bit_cast<long long>(x); }
inline double __longlong_as_double(long long x) { return std::bit_cast<double>(x); }

namespace cuda_emulator {
template <class T> T load_aligned(const T* address, const char* what) {
  require_aligned(address, alignof(T), what);
  return *address;
}
template <class T> void store_aligned(T* address, const T& value, const char* what) {
  require_aligned(address, alignof(T), what);
  *address = value;
}
// The same, but other threads see the access as a whole, as they see one scalar instruction of up to 16 bytes.
template <class T> T load_whole(const T* address) {
  const undivided whole;
  races::strong_access(address, sizeof(T), true, false, std::memory_order_relaxed, races::scope::device);
  return load_aligned(address, "load");
}
template <class T> void store_whole(T* address, const T& value) {
  const undivided whole;
  races::strong_access(address, sizeof(T), false, true, std::memory_order_relaxed, races::scope::device);
  store_aligned(address, value, "store");
}
}  // namespace cuda_emulator
template <class T> T __ldg(const T* address) {
  cuda_emulator::races::constant_load(address, sizeof(T));
  return cuda_emulator::load_aligned(address, "__ldg");
}
template <class T> T __ldca(const T* address) { return cuda_emulator::load_aligned(address, "__ldca"); }
template <class T> T __ldcs(const T* address) { return cuda_emulator::load_aligned(address, "__ldcs"); }
template <class T> T __ldlu(const T* address) { return cuda_emulator::load_aligned(address, "__ldlu"); }
// These loads bypass the first-level cache, and kernels use them to poll what other blocks write. Therefore they let
// other threads run first.
template <class T> T __ldcg(const T* address) {
  cuda_emulator::interleave(address);
  return cuda_emulator::load_aligned(address, "__ldcg");
}
template <class T> T __ldcv(const T* address) {
  cuda_emulator::interleave(address);
  return cuda_emulator::load_aligned(address, "__ldcv");
}
template <class T> void __stwb(T* address, std::type_identity_t<T> value) {
  cuda_emulator::store_aligned(address, value, "__stwb");
}
template <class T> void __stcg(T* address, std::type_identity_t<T> value) {
  cuda_emulator::store_aligned(address, value, "__stcg");
}
template <class T> void __stcs(T* address, std::type_identity_t<T> value) {
  cuda_emulator::store_aligned(address, value, "__stcs");
}
template <class T> void __stwt(T* address, std::type_identity_t<T> value) {
  cuda_emulator::store_aligned(address, value, "__stwt");
}

inline void __nanosleep(unsigned) { cuda_emulator::yield(); }
[[noreturn]] inline void __trap() {
  cuda_emulator::running_thread("__trap");
  cuda_emulator::current_scheduler->fail(cuda_emulator::fault::trap, "__trap()");
}
inline long long clock64() { return std::chrono::steady_clock::now().time_since_epoch().count(); }
