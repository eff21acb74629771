// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How lanes read chunks of segments, from any item on: item by item, by the vectors around them, or, where chunks begin
// at boundaries of vectors, by their own. (Cutting a chunk of 16 floats out of the vectors around it takes 34
// instructions. On an H200, 2^26 floats in rows of 300, us cut and not: logsumexp 105 and 92, argmax 87 and 78.)
#pragma once
#include <warpfold/standard.hpp>
#include <warpfold/thread/lift.cuh>

namespace warpfold::segmented {

/// How the chunks of some segments may be read.
struct chunk_access {
  bool inside;      ///< whether the source's is_inside holds for all their items
  bool is_aligned;  ///< if so: whether they begin at boundaries of vectors

  __device__ chunk_access(bool is_inside, bool begin_at_boundaries = false)
      : inside(is_inside), is_aligned(is_inside && begin_at_boundaries) {}
};

/// That of the items [begin, end) of `source`, which have segments `pitch` items apart from `begin` on.
template <class Source>
__device__ chunk_access access_of(const Source& source, std::int64_t begin, std::int64_t end, std::int64_t pitch) {
  const bool inside = source.is_inside(begin, end);
  if constexpr (requires { source.boundary_bytes(begin, pitch); })
    return {inside, source.boundary_bytes(begin, pitch) == 0};
  else return inside;
}

/// Loads `Count` chunks: chunk r has the items [first(r), first(r) + count(r)), if there are any.
template <class Leaves, int Count, class First, class Items>
__device__ void load_chunks(const Leaves& leaves, typename Leaves::chunk (&to)[Count], const chunk_access& access,
                            First first, Items count) {
  if constexpr (requires { leaves.source.load_aligned(to[0], first(0), 0); })
    if (access.is_aligned) {
      WARPFOLD_UNROLL
      for (int r = 0; r < Count; ++r) leaves.source.load_aligned(to[r], first(r), count(r));
      return;
    }
  if (access.inside) {
    WARPFOLD_UNROLL
    for (int r = 0; r < Count; ++r) leaves.source.load_inside(to[r], first(r), count(r));
  } else {
    WARPFOLD_UNROLL
    for (int r = 0; r < Count; ++r) leaves.source.load_items(to[r], first(r), count(r));
  }
}
/// Loads one.
template <class Leaves, class Index>
__device__ void load_chunk(const Leaves& leaves, typename Leaves::chunk& to, Index first, int count,
                           const chunk_access& access) {
  if constexpr (requires { leaves.source.load_aligned(to, first, count); })
    if (access.is_aligned) return leaves.source.load_aligned(to, first, count);
  if (access.inside) leaves.source.load_inside(to, first, count);
  else leaves.source.load_items(to, first, count);
}

}  // namespace warpfold::segmented
