// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which operators' folds take much code. The kernel for segments of any lengths has several ways to fold them, and
// among mixed lengths a warp takes all of them in turn. If they do not fit the instruction cache together, warps wait
// for instructions most of the time: 69 of 100 stalls of moments over log-normal lengths. So for these operators the
// kernel keeps fewer ways, each with fewer copies of a join.
#pragma once
#include <warpfold/thread/fold_chunk.cuh>
#include <warpfold/thread/locate.cuh>

namespace warpfold::segmented {

/// Whether a join takes some hundred instructions: accumulators are wide, or the operator says so (operator_traits.hpp:
/// has_long_joins).
template <class Leaves> WARPFOLD_JIT consteval bool find_has_long_joins() {
  if constexpr (sizeof(typename Leaves::accumulator) > 16) return true;
  else if constexpr (requires { decltype(Leaves::transform.op)::has_long_joins; })
    return decltype(Leaves::transform.op)::has_long_joins;
  else return false;
}
template <class Leaves> inline constexpr bool has_long_joins = find_has_long_joins<Leaves>();

/// Whether folds of chunks do without long joins: they locate extrema, try plain terms first, or turn each item into a
/// double.
template <class Leaves>
inline constexpr bool has_long_folds = thread::locates<Leaves> || thread::detail::has_terms<Leaves> ||
                                       (std::is_same_v<typename Leaves::accumulator, double> &&
                                        sizeof(typename Leaves::source_type::item) < sizeof(double));

/// Whether folds take longer than those of sums.
template <class Leaves>
inline constexpr bool folds_slowly = has_long_joins<Leaves> || has_long_folds<Leaves> ||
                                     (sizeof(typename Leaves::accumulator) >= 8 &&
                                      sizeof(typename Leaves::accumulator) >
                                          sizeof(typename Leaves::source_type::item));

/// Whether a span folds half a batch at a time where less than a batch is left (fold_span.cuh).
template <class Leaves>
inline constexpr bool folds_halves_in_turn = thread::locates<Leaves> || thread::folds_parts_by_runs<Leaves>;

/// Whether all short segments that have items are packed, however few these are.
template <class Leaves> inline constexpr bool packs_all_lengths = has_long_joins<Leaves> || has_long_folds<Leaves>;
/// Whether a longer segment is loaded in one way, at any alignment. Located extrema are faster by whole batches.
template <class Leaves> inline constexpr bool has_one_span_loop = packs_all_lengths<Leaves> && !thread::locates<Leaves>;

}  // namespace warpfold::segmented
