// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which leaves' segments have their right edges joined together (edge_joins.cuh), and in which chunks.
#pragma once
#include <warpfold/segmented/arguments.cuh>
#include <warpfold/thread/full_form.cuh>

namespace warpfold::segmented {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Whether full nodes are joined so. Segments with NaN that do not count are folded again, by the operator's own joins
/// (fold_again.cuh).
template <class Leaves> WARPFOLD_JIT consteval bool find_may_join_full_nodes() {
  if constexpr (thread::has_full_form<Leaves>)
    return sizeof(thread::full_node<Leaves>) <= 24 && Leaves::chunk_items > 1;
  else return false;
}
template <class Leaves> inline constexpr bool may_join_full_nodes = find_may_join_full_nodes<Leaves>();
/// Whether nodes can be joined so by the operator's own joins; where these take long, they are.
template <class Leaves>
inline constexpr bool may_join_own_nodes =
    !may_join_full_nodes<Leaves> && sizeof(typename Leaves::accumulator) <= 16 && Leaves::chunk_items > 1;
template <class Leaves>
inline constexpr bool may_join_edges_late = may_join_full_nodes<Leaves> ||
                                            (may_join_own_nodes<Leaves> && has_long_joins<Leaves>);
/// Whether no segment is ever folded again.
template <class Leaves> WARPFOLD_JIT consteval bool find_never_folds_again() {
  if constexpr (may_join_full_nodes<Leaves>) return thread::always_counts<Leaves>;
  else return true;
}
template <class Leaves> inline constexpr bool never_folds_again = find_never_folds_again<Leaves>();
template <class Leaves>
inline constexpr bool joins_edges_late = may_join_full_nodes<Leaves>&& never_folds_again<Leaves>;

/// The same leaves in the chunks that are folded so: a lane holds few full nodes, and no accumulators, while it folds
/// one, so chunks are longer.
template <class Leaves> struct late_chunks { using type = wide_leaves<Leaves>; };
template <class Leaves>
  requires may_join_full_nodes<wide_leaves<Leaves>>
struct late_chunks<Leaves> {
  static constexpr std::size_t node_bytes = least_of(sizeof(thread::full_node<wide_leaves<Leaves>>), std::size_t{16});
  using type = typename in_chunks<Leaves, wide_chunk_items(thread::held_bytes<typename Leaves::source_type, double>,
                                                           node_bytes, wide_items<Leaves>)>::type;
};
template <class Leaves> using late_leaves = typename late_chunks<Leaves>::type;

/// What such a node holds.
template <class Leaves> struct edge_node_of { using type = typename Leaves::accumulator; };
template <class Leaves>
  requires may_join_full_nodes<Leaves>
struct edge_node_of<Leaves> {
  using type = thread::full_node<Leaves>;
};
template <class Leaves> using edge_node = typename edge_node_of<Leaves>::type;

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::segmented
