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

/// That of the segments that lie `pitch` items apart among the items [begin, end) of `source`, from `begin` on.
template <class Source>
__device__ chunk_access access_of(const Source& source, std::int64_t begin, std::int64_t end, std::int64_t pitch) {
  const bool inside = source.is_inside(begin, end);
  if constexpr (requires { source.are_at_boundaries(begin, pitch); })
    return {inside, source.are_at_boundaries(begin, pitch)};
  else return inside;
}

/// Calls load(load_one), where load_one(chunk, first, count) loads the items [first, first + count) in the best way
/// that `access` allows. All loads of one call go the same way.
template <class Leaves, class Load>
__device__ void load_by(const Leaves& leaves, const chunk_access& access, Load load) {
  const auto& source = leaves.source;
  if constexpr (requires(typename Leaves::chunk & to) { source.load_aligned(to, 0, 0); })
    if (access.is_aligned) return load([&](auto& to, auto first, int count) { source.load_aligned(to, first, count); });
  if (access.inside) load([&](auto& to, auto first, int count) { source.load_inside(to, first, count); });
  else load([&](auto& to, auto first, int count) { source.load_items(to, first, count); });
}
/// Loads `Count` chunks: chunk r has the items [first(r), first(r) + count(r)), if there are any.
template <class Leaves, int Count, class First, class Items>
__device__ void load_chunks(const Leaves& leaves, typename Leaves::chunk (&to)[Count], const chunk_access& access,
                            First first, Items count) {
  load_by(leaves, access, [&](auto load_one) {
    WARPFOLD_UNROLL
    for (int r = 0; r < Count; ++r) load_one(to[r], first(r), count(r));
  });
}
/// Loads one chunk: the items [first, first + count), if there are any.
template <class Leaves, class Index>
__device__ void load_chunk(const Leaves& leaves, typename Leaves::chunk& to, Index first, int count,
                           const chunk_access& access) {
  load_by(leaves, access, [&](auto load_one) { load_one(to, first, count); });
}

}  // namespace warpfold::segmented
