// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a reduction's leaves come from. A source knows its item count and gives a lane the chunk of consecutive items
// that starts at a given item, a multiple of chunk_items: whole and aligned (`load`), whole (`load_shifted`), or what
// exists (`load_edge`); or, from any item, a given number (`load_some`). `leaf` turns item k of a chunk into an accumulator. Sources: `pointer_source` (vector loads), `iterator_source` (anything indexable), `zip_source` (two).
#pragma once
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <warpfold/operator_traits.hpp>
#include <warpfold/thread/chunk.cuh>

namespace warpfold::thread {

/// The transform of plain reduce. A source drops it, since it says nothing about the items' type.
struct no_transform {
  template <class T> __host__ __device__ constexpr const T& operator()(const T& item) const { return item; }
};

/// Contiguous items behind a pointer, `Items` a chunk.
template <class T, int Items = items_per_chunk(sizeof(T))> struct pointer_source {
  static constexpr int chunk_items = Items;
  using chunk = thread::chunk<T, Items>;
  using item = T;

  const T* data;
  std::int64_t items;

  /// Bytes by which the items are off a vector boundary; 0 lets `load` read whole vectors.
  __device__ int misaligned_bytes() const {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(data) & (chunk::vector_bytes - 1));
  }
  /// The same of item `first`.
  __device__ int misaligned_bytes(std::int64_t first) const {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(data + first) & (chunk::vector_bytes - 1));
  }
  __device__ void load(chunk& to, std::int64_t first) const { to.load(data + first); }
  __device__ void load_edge(chunk& to, std::int64_t first) const {
    const std::int64_t left = items - first;
    if (left >= Items && misaligned_bytes() == 0) to.load(data + first);
    else if (left > 0) to.load(data + first, static_cast<int>(left < Items ? left : Items));
  }
  __device__ void load_shifted(chunk& to, std::int64_t first) const requires(chunk::vector_bytes == 16) {
    to.load_shifted(data + first, misaligned_bytes());
  }
  /// Whether any vector that holds one of the items [begin, end) lies within the array.
  __device__ bool is_inside(std::int64_t begin, std::int64_t end) const {
    constexpr int least = (chunk::vector_bytes + int{sizeof(T)} - 2) / int{sizeof(T)};  // items of a vector but one byte
    return begin >= least && end + least <= items;
  }
  /// The first `count` items from `first` on, at most a chunk, none if it is not positive: by vectors where these lie within
  /// the array. Lanes may have unrelated ones. `inside`: is_inside is known of all of them.
  __device__ void load_some(chunk& to, std::int64_t first, int count, bool inside) const {
    if (count <= 0) return;
    if (count > Items) count = Items;
    const T* from = data + first;
    if constexpr (chunk::vector_bytes == 16) {
      const auto* begin = reinterpret_cast<const unsigned char*>(from);
      const int shift = static_cast<int>(reinterpret_cast<std::uintptr_t>(from) & 15);
      const int bytes = (shift + count * int{sizeof(T)} + 15) & ~15;
      if (inside || (begin - shift >= reinterpret_cast<const unsigned char*>(data) &&
                     begin - shift + bytes <= reinterpret_cast<const unsigned char*>(data + items)))
        return to.load_window(begin - shift, shift, bytes);
    }
    to.load(from, count);
  }
  /// Whether load_shifted stays within the items for all chunks in [first, last), and is needed.
  __device__ bool can_shift(std::int64_t first, std::int64_t last) const requires(chunk::vector_bytes == 16) {
    const int before = misaligned_bytes(), after = 16 - before;
    return before != 0 && first * std::int64_t{sizeof(T)} >= before && (items - last) * std::int64_t{sizeof(T)} >= after;
  }
  __device__ static T value(const chunk& from, int k) { return from.item(k); }
  __device__ T at(std::int64_t item) const { return data[item]; }
};

/// Items that an iterator computes or finds: one a chunk, so that lanes touch neighbouring items.
template <class It> struct iterator_source {
  static constexpr int chunk_items = 1;
  using item = std::iter_value_t<It>;
  struct chunk { item value; };

  It first_item;
  std::int64_t items;

  __device__ static constexpr int misaligned_bytes() { return 0; }
  __device__ static constexpr int misaligned_bytes(std::int64_t) { return 0; }
  __device__ void load(chunk& to, std::int64_t first) const {
    to.value = first_item[static_cast<std::iter_difference_t<It>>(first)];
  }
  __device__ void load_edge(chunk& to, std::int64_t first) const {
    if (first < items) load(to, first);
  }
  __device__ static constexpr bool is_inside(std::int64_t, std::int64_t) { return true; }
  __device__ void load_some(chunk& to, std::int64_t first, int count, bool) const {
    if (count > 0) load(to, first);
  }
  __device__ static item value(const chunk& from, int) { return from.value; }
  __device__ item at(std::int64_t i) const { return first_item[static_cast<std::iter_difference_t<It>>(i)]; }
};

/// Two sources of equal length and chunks, read side by side.
template <class Left, class Right> struct zip_source {
  static_assert(Left::chunk_items == Right::chunk_items);
  static constexpr int chunk_items = Left::chunk_items;
  struct chunk {
    typename Left::chunk left;
    typename Right::chunk right;
  };

  Left left;
  Right right;
  std::int64_t items;

  __device__ int misaligned_bytes() const { return left.misaligned_bytes() | right.misaligned_bytes(); }
  __device__ void load(chunk& to, std::int64_t first) const {
    left.load(to.left, first);
    right.load(to.right, first);
  }
  __device__ void load_edge(chunk& to, std::int64_t first) const {
    left.load_edge(to.left, first);
    right.load_edge(to.right, first);
  }
};

/// `Source` seen through `transform`, as accumulators of type `A`.
template <class Source, class Transform, class A> struct leaves {
  static constexpr int chunk_items = Source::chunk_items;
  using source_type = Source;
  using chunk = typename Source::chunk;
  using accumulator = A;

  Source source;
  Transform transform;

  __device__ A leaf(const chunk& from, int k) const {
    if constexpr (requires { from.left; from.right; })
      return warpfold::detail::convert<A>(
          transform(decltype(source.left)::value(from.left, k), decltype(source.right)::value(from.right, k)));
    else return warpfold::detail::convert<A>(transform(Source::value(from, k)));
  }
};

}  // namespace warpfold::thread
