// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that host functions make before anything is written or launched. Each throws std::invalid_argument, which
// names the function, the argument and the values.
#pragma once
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <warpfold/host/device.cuh>
#include <warpfold/host/reachable_memory.cuh>
#include <warpfold/host/scratch.hpp>
#include <warpfold/options.hpp>

namespace warpfold::host_side {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Throws if the device cannot reach what `pointer` points to (reachable_memory.cuh).
inline void check_device_pointer(const char* function, const char* argument, const void* pointer) {
  if (!is_reachable(pointer)) reject(function, {argument, " points to host memory that the device cannot reach"});
}

inline void check_count(const char* function, std::int64_t count) {
  if (count < 0) reject(function, {"count is ", count, "; it must not be negative"});
}

/// Throws if two inputs that are read in pairs have not as many items.
inline void check_equal_counts(const char* function, std::int64_t left, std::int64_t right) {
  if (left != right) reject(function, {"left has ", left, " items, right has ", right});
}

/// Throws if there are more than the `most` items, `of` these types, that a kernel can count.
inline void check_items(const char* function, std::int64_t items, std::int64_t most, const char* of = "this type") {
  if (items > most) reject(function, {"there are ", items, " items; of ", of, " it takes ", most});
}

/// Checks a pointer argument: not null, and within the device's reach.
template <class It> void check_pointer(const char* function, const char* argument, const It& it) {
  if constexpr (std::contiguous_iterator<It>) {
    const void* pointer = to_pointer(it);
    if (pointer == nullptr) reject(function, {argument, " is a null pointer"});
    check_device_pointer(function, argument, pointer);
  }
}

/// Throws "OUT lies within IN" if the `count` items from `first` on and the `out_count` items from `out` on share
/// memory: blocks write their results while others still read. Only pointers and contiguous iterators can be compared.
template <class It, class Out>
void check_apart(const char* function, const char* in_argument, const It& first, std::int64_t count,
                 const char* out_argument, const Out& out, std::int64_t out_count) {
  if constexpr (std::contiguous_iterator<It> && std::contiguous_iterator<Out>) {
    const auto in = reinterpret_cast<std::uintptr_t>(to_pointer(first)),
               to = reinterpret_cast<std::uintptr_t>(to_pointer(out));
    if (count > 0 && out_count > 0 && to < in + static_cast<std::uintptr_t>(count) * sizeof(std::iter_value_t<It>) &&
        in < to + static_cast<std::uintptr_t>(out_count) * sizeof(std::iter_value_t<Out>))
      reject(function, {out_argument, " lies within ", in_argument});
  }
}

/// As check_apart, for as many outputs as items. They may be the same objects: each is read before it is written.
template <class It, class Out>
void check_apart_or_in_place(const char* function, const char* in_argument, const It& first, const char* out_argument,
                             const Out& out, std::int64_t count) {
  if constexpr (std::contiguous_iterator<It> && std::contiguous_iterator<Out>)
    if constexpr (std::is_same_v<std::iter_value_t<It>, std::iter_value_t<Out>>)
      if (to_pointer(first) == to_pointer(out)) return;
  check_apart(function, in_argument, first, count, out_argument, out, count);
}

/// Throws "ARGUMENT lies within OUT" if `value`, .init or .empty, is a pointer to one of the `out_count` items from
/// `out` on: each result joins or copies *value, and another block may have written a result there by then. (reduce
/// needs no such check: the only thread that reads *init is the one that writes the only result, afterwards.)
template <class A, class Out>
void check_initial_apart(const char* function, const char* argument, const initial<A>& value, const char* out_argument,
                         const Out& out, std::int64_t out_count) {
  check_apart(function, out_argument, out, out_count, argument, value.pointer(), value.pointer() != nullptr);
}

/// Throws unless `bytes` can be scratch of `needed` bytes. The message tells size and alignment, needed and given.
inline void check_scratch_bytes(const char* function, const char* argument, std::span<const std::byte> bytes,
                                std::size_t needed) {
  const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
  const std::size_t alignment = address % workspace_alignment == 0 ? workspace_alignment : address & -address;
  if (bytes.size() >= needed && alignment == workspace_alignment) return;
  reject(function, {argument, " has ", bytes.size(), " bytes aligned to ", alignment, "; ", needed,
                    " bytes aligned to ", workspace_alignment, " are needed"});
}

/// Checks a call's options.workspace, if it has one.
inline void check_workspace(const char* function, std::span<std::byte> bytes, std::size_t needed) {
  if (bytes.empty()) return;
  check_scratch_bytes(function, "workspace", bytes, needed);
  check_device_pointer(function, "workspace", bytes.data());
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host_side
