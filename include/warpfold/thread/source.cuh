// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sources of items. A source knows its item count, and loads one chunk per lane: chunk_items consecutive items.
// - load: a whole, aligned chunk; load_shifted: a whole chunk from any alignment; load_edge: the items that exist. All
//   three start at a multiple of chunk_items.
// - load_items and load_inside: a given number of items, from any item; load_aligned: from a boundary of vectors.
// `leaf` turns item k of a chunk into an accumulator. Sources: `pointer_source` (vector loads), `iterator_source`
// (anything that can be indexed), `zip_source` (two sources).
#pragma once
#include <warpfold/operator_traits.hpp>
#include <warpfold/standard.hpp>
#include <warpfold/thread/chunk.cuh>

namespace warpfold::thread {

/// The transform of plain reduce. A source drops it, since it says nothing about the items' type.
struct no_transform {
  template <class T> __host__ __device__ constexpr const T& operator()(const T& item) const { return item; }
};

namespace detail {
/// Whether items of type `T` are numbers of the language or of the toolkit, whose conversions accept any bytes.
template <class T>
inline constexpr bool is_number =
    std::is_arithmetic_v<T> || !std::is_same_v<typename warpfold::detail::promoted<T>::type, T>;
}  // namespace detail

/// Contiguous items behind a pointer, `Items` per chunk.
template <class T, int Items = items_per_chunk(sizeof(T))> struct pointer_source {
  static constexpr int chunk_items = Items;
  using chunk = thread::chunk<T, Items>;
  using item = T;

  const T* data;
  std::int64_t items;

  /// Bytes between a vector boundary and the first item. If 0, `load` may read whole vectors.
  __host__ __device__ int misaligned_bytes() const {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(data) & (chunk::vector_bytes - 1));
  }
  /// The same for item `first`.
  __device__ int misaligned_bytes(std::int64_t first) const {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(data + first) & (chunk::vector_bytes - 1));
  }
  __device__ void load(chunk& to, std::int64_t first) const { to.load(data + first); }
  __device__ void load_edge(chunk& to, std::int64_t first) const {
    const std::int64_t rest = items - first;
    if (rest >= Items && misaligned_bytes(first) == 0) to.load(data + first);
    else if (rest > 0) to.load(data + first, static_cast<int>(rest < Items ? rest : Items));
  }
  __device__ void load_shifted(chunk& to, std::int64_t first) const requires(chunk::vector_bytes == 16) {
    load_shifted(to, first, misaligned_bytes());
  }
  __device__ void load_shifted(chunk& to, std::int64_t first, int misaligned_bytes) const
      requires(chunk::vector_bytes == 16) {
    to.load_shifted(data + first, misaligned_bytes);
  }
  /// Whether all vectors that hold an item of [begin, end) lie within the array.
  __device__ bool is_inside(std::int64_t begin, std::int64_t end) const {
    return begin >= chunk::margin && end + chunk::margin <= items;
  }
  /// Loads items [skipped, count) of those from `first` on, at most a chunk, one by one. Nothing is loaded if `count`
  /// is not positive.
  template <class Index> __device__ void load_items(chunk& to, Index first, int count, int skipped = 0) const {
    to.load(data + first, least_of(count, Items), skipped);
  }
  /// The same by vectors, where is_inside holds for these items.
  template <class Index> __device__ void load_inside(chunk& to, Index first, int count) const {
    if constexpr (chunk::vector_bytes == 16) to.load_window(data + first, least_of(count, Items));
    else load_items(to, first, count);
  }
  /// The same from a boundary of vectors on.
  template <class Index>
  __device__ void load_aligned(chunk& to, Index first, int count) const requires(chunk::vector_bytes == 16) {
    to.load_vectors(data + first, least_of(count, Items));
  }
  /// Whether item `first` lies at a boundary of vectors, and so does every `pitch`th from there on.
  __device__ bool are_at_boundaries(std::int64_t first, std::int64_t pitch) const requires(chunk::vector_bytes == 16) {
    return ((misaligned_bytes(first) | pitch * std::int64_t{sizeof(T)}) & 15) == 0;
  }
  /// Whether the source is misaligned, and load_shifted stays within its items for all chunks in [first, last).
  __device__ bool can_shift(std::int64_t first, std::int64_t last) const requires(chunk::vector_bytes == 16) {
    const int before = misaligned_bytes(), after = 16 - before;
    return before != 0 && first * std::int64_t{sizeof(T)} >= before &&
           (items - last) * std::int64_t{sizeof(T)} >= after;
  }
  /// The items from item `first` on, `Count` per chunk.
  template <int Count = Items> __host__ __device__ pointer_source<T, Count> from(std::int64_t first) const {
    return {data + first, items - first};
  }
  __device__ static T value(const chunk& from, int k) { return from.item(k); }
  __device__ T at(std::int64_t number) const { return data[number]; }
};

/// `it` from its item `first` on.
template <class It> struct shifted_iterator {
  using value_type = std::iter_value_t<It>;
  using difference_type = std::int64_t;
  It it;
  std::int64_t first;
  __device__ decltype(auto) operator[](std::int64_t i) const {
    return it[static_cast<std::iter_difference_t<It>>(first + i)];
  }
};

/// Items that an iterator computes or finds, `Items` per chunk. With one item per chunk, neighbouring lanes touch
/// neighbouring items.
template <class It, int Items = 1> struct iterator_source {
  static constexpr int chunk_items = Items;
  using item = std::iter_value_t<It>;
  struct chunk {
    std::conditional_t<std::is_default_constructible_v<item>, item[Items], array<item, Items>> values;
  };

  It first_item;
  std::int64_t items;

  __device__ static constexpr int misaligned_bytes() { return 0; }
  __device__ static constexpr int misaligned_bytes(std::int64_t) { return 0; }
  __device__ void load(chunk& to, std::int64_t first) const {
    WARPFOLD_UNROLL
    for (int k = 0; k < Items; ++k) to.values[k] = at(first + k);
  }
  __device__ void load_edge(chunk& to, std::int64_t first) const {
    load_items(to, first, static_cast<int>(least_of(items - first, Items)));
  }
  __device__ static constexpr bool is_inside(std::int64_t, std::int64_t) { return true; }
  __device__ void load_inside(chunk& to, std::int64_t first, int count) const { load_items(to, first, count); }
  __device__ void load_items(chunk& to, std::int64_t first, int count, int skipped = 0) const {
    WARPFOLD_UNROLL
    for (int k = 0; k < Items; ++k)
      if (k >= skipped && k < count) to.values[k] = at(first + k);
  }
  template <int Count = Items> __host__ __device__ auto from(std::int64_t first) const {
    return iterator_source<shifted_iterator<It>, Count>{{first_item, first}, items - first};
  }
  __device__ static item value(const chunk& from, int k) { return from.values[k]; }
  __device__ item at(std::int64_t i) const { return first_item[static_cast<std::iter_difference_t<It>>(i)]; }
};

/// The bytes of registers that a lane holds for one loaded item until it is folded: the item's, or, for sources that
/// load items one by one, the accumulator's if they are more.
template <class Source, class A> inline constexpr std::size_t held_bytes = requires { Source::chunk::vector_bytes; }
|| sizeof(typename Source::item) > sizeof(A) ? sizeof(typename Source::item) : sizeof(A);

/// The bytes that a lane loads for a chunk. Other members that a source adds to its chunks, as numbers of items, do not
/// count.
template <class Chunk> inline constexpr std::size_t loaded_bytes = sizeof(Chunk);
template <class Chunk>
  requires requires { Chunk::bytes; }
inline constexpr std::size_t loaded_bytes<Chunk> = Chunk::words * 4;

/// Two sources of equal length and chunks, read side by side.
template <class Left, class Right> struct zip_source {
  static_assert(Left::chunk_items == Right::chunk_items);
  static constexpr int chunk_items = Left::chunk_items;
  struct pair {
    using left = typename Left::item;
    using right = typename Right::item;
  };
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
  using transform_type = Transform;
  using chunk = typename Source::chunk;
  using accumulator = A;

  Source source;
  Transform transform;

  __device__ A leaf(const chunk& from, int k) const {
    if constexpr (requires {
                    from.left;
                    from.right;
                  })
      return warpfold::detail::convert<A>(
          transform(decltype(source.left)::value(from.left, k), decltype(source.right)::value(from.right, k)));
    else return leaf_of(Source::value(from, k));
  }
  /// The leaves from item `first` on, `Count` per chunk. (The host asks for its type, too: there nvcc takes `auto` of a
  /// device function for void.)
  template <int Count = chunk_items> __host__ __device__ auto from(std::int64_t first) const {
    const auto rest = source.template from<Count>(first);
    return leaves<std::remove_cv_t<decltype(rest)>, Transform, A>{rest, transform};
  }
  template <class Item> __device__ A leaf_of(const Item& item) const {
    return warpfold::detail::convert<A>(transform(item));
  }
};

/// The same items, or leaves, `Items` per chunk.
template <int Items, class T, int Own>
__host__ __device__ constexpr pointer_source<T, Items> rechunk(const pointer_source<T, Own>& source) {
  return {source.data, source.items};
}
template <int Items, class It, int Own>
__host__ __device__ constexpr iterator_source<It, Items> rechunk(const iterator_source<It, Own>& source) {
  return {source.first_item, source.items};
}
template <int Items, class Source, class Transform, class A>
__host__ __device__ constexpr auto rechunk(const leaves<Source, Transform, A>& given) {
  const auto source = rechunk<Items>(given.source);
  return leaves<std::remove_cv_t<decltype(source)>, Transform, A>{source, given.transform};
}

}  // namespace warpfold::thread
