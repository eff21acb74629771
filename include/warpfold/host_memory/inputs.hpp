// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs that lie in host memory, or that a function generates there, and how a call reads them.
#pragma once
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <warpfold/error.hpp>
#include <warpfold/host/relaxed_capture.cuh>

namespace warpfold {

/// `count` items in host memory: wf::host(range).
template <class T> struct host_items {
  using item = T;      ///< the items' type
  const T* first;      ///< in host memory
  std::int64_t count;  ///< of items
};

/// `count` items that fill(first, std::span<T>) writes: wf::chunks<T>(count, fill).
template <class T, class Fill> struct host_chunks {
  using item = T;      ///< the items' type
  Fill fill;           ///< writes items first to first + to.size() - 1
  std::int64_t count;  ///< of items
};

namespace detail {
template <class In> inline constexpr bool is_host_input = false;
template <class T> inline constexpr bool is_host_input<host_items<T>> = true;
template <class T, class Fill> inline constexpr bool is_host_input<host_chunks<T, Fill>> = true;
}  // namespace detail
/// What wf::host or wf::chunks returns.
template <class In>
concept host_input = detail::is_host_input<std::remove_cvref_t<In>>;

}  // namespace warpfold

namespace warpfold::host_memory {
inline namespace WARPFOLD_HIDDEN_V1 {

/// An input without its type.
struct reader {
  std::size_t item_bytes;
  /// The items, if the device can copy them from where they lie: pinned or managed memory. Else null.
  const std::byte* resident;
  /// fill(first, to, count) writes items first … first + count - 1 to `to`. Threads call it at once.
  std::function<void(std::int64_t first, std::byte* to, std::int64_t count)> fill;
  /// Which of its items belong to a part; if empty, those of the part's numbers. A part has at most `most_items`.
  std::function<std::pair<std::int64_t, std::int64_t>(std::int64_t part)> items_of = {};
  std::int64_t most_items = 0;
};

/// Where results go, without their type; nowhere, if `to` is null.
struct writer {
  std::byte* to = nullptr;
  std::size_t item_bytes = 0;
  bool is_resident = true;  ///< whether the device can copy to there
  /// As in reader.
  std::function<std::pair<std::int64_t, std::int64_t>(std::int64_t part)> items_of = {};
  std::int64_t most_items = 0;
};

inline cudaMemoryType memory_type(const void* pointer) {
  const host_side::relaxed_capture relaxed;
  cudaPointerAttributes attributes{};
  require_success(cudaPointerGetAttributes(&attributes, pointer), "cudaPointerGetAttributes");
  return attributes.type;
}
/// Whether the bytes can be copied without staging. Throws if they are device memory.
inline bool is_resident(const char* function, const char* argument, const void* first, const void* last) {
  const cudaMemoryType begin = memory_type(first), end = memory_type(last);
  if (begin == cudaMemoryTypeDevice) reject(function, {argument, " is device memory: pass it without wf::host"});
  return begin == end && begin != cudaMemoryTypeUnregistered;
}

/// A writer of `count` items to host, device or managed memory.
template <class R> writer writer_to(R* out, std::int64_t count) {
  static_assert(std::is_trivially_copyable_v<R>, "warpfold: results in host memory must be trivially copyable");
  const bool is_resident = count > 0 && memory_type(out) != cudaMemoryTypeUnregistered &&
                           memory_type(out + count - 1) != cudaMemoryTypeUnregistered;
  return {reinterpret_cast<std::byte*>(out), sizeof(R), is_resident};
}

template <class T> reader reader_of(const char* function, const char* argument, const host_items<T>& in) {
  static_assert(std::is_trivially_copyable_v<T>, "warpfold: items in host memory must be trivially copyable");
  if (in.count < 0) reject(function, {argument, " has ", in.count, " items"});
  if (in.count > 0 && in.first == nullptr) reject(function, {argument, " is a null pointer"});
  const auto* const bytes = reinterpret_cast<const std::byte*>(in.first);
  const bool resident = in.count > 0 && is_resident(function, argument, bytes,
                                                    reinterpret_cast<const std::byte*>(in.first + in.count) - 1);
  return {sizeof(T), resident ? bytes : nullptr, [in](std::int64_t first, std::byte* to, std::int64_t count) {
            std::memcpy(to, in.first + first, static_cast<std::size_t>(count) * sizeof(T));
          }};
}
template <class T, class Fill>
reader reader_of(const char* function, const char* argument, const host_chunks<T, Fill>& in) {
  static_assert(std::is_trivially_copyable_v<T>, "warpfold: items in host memory must be trivially copyable");
  if (in.count < 0) reject(function, {argument, " has ", in.count, " items"});
  return {sizeof(T), nullptr, [fill = in.fill](std::int64_t first, std::byte* to, std::int64_t count) {
            fill(first, std::span<T>(reinterpret_cast<T*>(to), static_cast<std::size_t>(count)));
          }};
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host_memory
