// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA's atomic functions and fences. They are atomic between host threads, too, since kernels may run on several.
#pragma once

#include <cuda_emulator/packed_float.hpp>
#include <cuda_emulator/races/events.hpp>
#include <cuda_emulator/warp_collective.hpp>

#include <atomic>
#include <concepts>
#include <type_traits>

namespace cuda_emulator {

// At random, lets another thread run before the caller's access of `address`: a kernel must not rely on running
// undisturbed.
inline void interleave(const volatile void* address) {
  if (current_scheduler != nullptr) current_scheduler->preempt(const_cast<const void*>(address));
}
template <class T> void begin_atomic(T* address) {
  require_aligned(address, sizeof(T), "atomic");
  interleave(address);
}

namespace detail {

template <class T, class... Allowed>
concept one_of = (std::same_as<T, Allowed> || ...);
using ull = unsigned long long;

template <class T, class Word> T from_word(Word bits) {
  T value;
  std::memcpy(static_cast<void*>(&value), &bits, sizeof(T));
  return value;
}
template <class T, class Word, class Change> Word changed_bits(Word old, Change change) {
  const T value = change(from_word<T>(old));
  Word bits;
  std::memcpy(&bits, static_cast<const void*>(&value), sizeof(T));
  return bits;
}

// CUDA's atomics are relaxed. Here they are sequentially consistent: weak memory is not modelled, but races that the
// order leaves are found where they are looked for.
template <class T, class Change>
T atomic_change(T* address, Change change, std::memory_order order = std::memory_order_relaxed,
                races::scope reach = races::scope::device, bool is_exchange = false) {
  begin_atomic(address);
  const undivided whole;
  races::strong_access(address, sizeof(T), true, true, order, reach, is_exchange);
  if constexpr (is_packed_float<T>) {  // some are not trivially copyable, as atomic_ref requires
    using word [[gnu::may_alias]] = std::conditional_t<sizeof(T) == 2, unsigned short, unsigned>;
    auto* target = reinterpret_cast<word*>(address);
    word old = __atomic_load_n(target, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n(target, &old, changed_bits<T, word>(old, change), true, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST)) {}
    return from_word<T>(old);
  } else {
    std::atomic_ref<T> target(*address);
    T old = target.load();
    while (!target.compare_exchange_weak(old, change(old))) {}
    return old;
  }
}

template <class T> T wrapping_add(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using wide = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<wide>(a) + static_cast<wide>(b));
  } else {
    return static_cast<T>(a + b);
  }
}

}  // namespace detail
}  // namespace cuda_emulator

#define CUDA_EMULATOR_ATOMIC(name, ...) \
  template <cuda_emulator::detail::one_of<__VA_ARGS__> T> T name(T* address, std::type_identity_t<T> value)

CUDA_EMULATOR_ATOMIC(atomicAdd, int, unsigned, cuda_emulator::detail::ull, float, double, __half, __half2,
                     __nv_bfloat16, __nv_bfloat162) {
  return cuda_emulator::detail::atomic_change(address,
                                              [&](T old) { return cuda_emulator::detail::wrapping_add(old, value); });
}
CUDA_EMULATOR_ATOMIC(atomicSub, int, unsigned) {
  return cuda_emulator::detail::atomic_change(
      address, [&](T old) { return static_cast<T>(static_cast<unsigned>(old) - static_cast<unsigned>(value)); });
}
CUDA_EMULATOR_ATOMIC(atomicMin, int, unsigned, long long, cuda_emulator::detail::ull) {
  return cuda_emulator::detail::atomic_change(address, [&](T old) { return value < old ? value : old; });
}
CUDA_EMULATOR_ATOMIC(atomicMax, int, unsigned, long long, cuda_emulator::detail::ull) {
  return cuda_emulator::detail::atomic_change(address, [&](T old) { return old < value ? value : old; });
}
CUDA_EMULATOR_ATOMIC(atomicAnd, int, unsigned, cuda_emulator::detail::ull) {
  return cuda_emulator::detail::atomic_change(address, [&](T old) { return old & value; });
}
CUDA_EMULATOR_ATOMIC(atomicOr, int, unsigned, cuda_emulator::detail::ull) {
  return cuda_emulator::detail::atomic_change(address, [&](T old) { return old | value; });
}
CUDA_EMULATOR_ATOMIC(atomicXor, int, unsigned, cuda_emulator::detail::ull) {
  return cuda_emulator::detail::atomic_change(address, [&](T old) { return old ^ value; });
}
CUDA_EMULATOR_ATOMIC(atomicExch, int, unsigned, cuda_emulator::detail::ull, float) {
  return cuda_emulator::detail::atomic_change(
      address, [&](T) { return value; }, std::memory_order_relaxed, cuda_emulator::races::scope::device, true);
}
inline unsigned atomicInc(unsigned* address, unsigned limit) {
  return cuda_emulator::detail::atomic_change(address, [&](unsigned old) { return old >= limit ? 0u : old + 1; });
}
inline unsigned atomicDec(unsigned* address, unsigned limit) {
  return cuda_emulator::detail::atomic_change(address,
                                              [&](unsigned old) { return old == 0 || old > limit ? limit : old - 1; });
}
template <cuda_emulator::detail::one_of<int, unsigned, cuda_emulator::detail::ull, unsigned short> T>
T atomicCAS(T* address, std::type_identity_t<T> expected, std::type_identity_t<T> desired) {
  cuda_emulator::begin_atomic(address);
  const cuda_emulator::undivided whole;
  std::atomic_ref<T> target(*address);
  cuda_emulator::races::strong_access(address, sizeof(T), true, target.load() == expected, std::memory_order_relaxed,
                                      cuda_emulator::races::scope::device);
  target.compare_exchange_strong(expected, desired);
  return expected;
}

#undef CUDA_EMULATOR_ATOMIC

inline void __threadfence_block() {
  const cuda_emulator::undivided whole;
  cuda_emulator::races::fence(std::memory_order_acq_rel, cuda_emulator::races::scope::block);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}
inline void __threadfence() {
  cuda_emulator::interleave(&threadIdx);  // one address for all fences: loops that wait may fence
  const cuda_emulator::undivided whole;
  cuda_emulator::races::fence(std::memory_order_acq_rel, cuda_emulator::races::scope::device);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}
inline void __threadfence_system() { __threadfence(); }
