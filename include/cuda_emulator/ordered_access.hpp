// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strong accesses and fences with an order and a scope, for functions whose device code has PTX: st.release.gpu is
// store(word, value, std::memory_order_release). Where races are looked for (CUDA_EMULATOR_RACES), they order what the
// instruction orders. Otherwise they are sequentially consistent.
#pragma once

#include <cuda_emulator/atomics.hpp>

namespace cuda_emulator {

using races::scope;  // block, or device, which stands for cluster and system, too

/// ld.relaxed or ld.acquire, of up to 16 bytes.
template <class T>
T load(const T* address, std::memory_order order = std::memory_order_relaxed, scope reach = scope::device) {
  begin_atomic(const_cast<T*>(address));
  const undivided whole;
  races::strong_access(address, sizeof(T), true, false, order, reach);
  if constexpr (sizeof(T) > 8) return *address;
  T value;
  __atomic_load(const_cast<T*>(address), &value, __ATOMIC_SEQ_CST);
  return value;
}
/// st.relaxed or st.release, of up to 16 bytes.
template <class T>
void store(T* address, std::type_identity_t<T> value, std::memory_order order = std::memory_order_relaxed,
           scope reach = scope::device) {
  begin_atomic(address);
  const undivided whole;
  races::strong_access(address, sizeof(T), false, true, order, reach);
  if constexpr (sizeof(T) > 8) *address = value;
  else __atomic_store(address, &value, __ATOMIC_SEQ_CST);
}
/// atom.inc and atom.add of an order.
inline unsigned atomic_inc(unsigned* address, unsigned limit, std::memory_order order, scope reach = scope::device) {
  return detail::atomic_change(
      address, [&](unsigned old) { return old >= limit ? 0u : old + 1; }, order, reach);
}
template <class T>
T atomic_add(T* address, std::type_identity_t<T> value, std::memory_order order, scope reach = scope::device) {
  return detail::atomic_change(
      address, [&](T old) { return detail::wrapping_add(old, value); }, order, reach);
}
/// fence.release, fence.acquire or fence.acq_rel.
inline void fence(std::memory_order order, scope reach = scope::device) {
  if (reach != scope::block) interleave(&threadIdx);
  const undivided whole;
  races::fence(order, reach);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}
/// fence.proxy.async: bulk copies see what ordinary accesses did before.
inline void fence_proxy_async() {
  running_thread("fence_proxy_async");
  races::proxy_fence();
}
/// A load by ld.global.nc, of memory that nobody writes while the kernel runs.
inline void load_constant(const void* source, void* target, std::size_t bytes) {
  races::constant_load(source, bytes);
  std::memcpy(target, source, bytes);
}

}  // namespace cuda_emulator
