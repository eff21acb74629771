// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps of scans over ranks beside the scan of the local part: ranks_scan.cuh says why. Each kernel runs behind the
// ones before it, on one stream.
#pragma once
#include <warpfold/ranks/join.cuh>
#include <warpfold/reduce/part_cuts.hpp>
#include <warpfold/thread/missing_items.cuh>

namespace warpfold::ranks {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The blocks of the items [first, end): nodes whose sizes rise up to `peak`, and the rest.
struct scan_blocks_of_part {
  std::int64_t first, peak, end;
  int count;  ///< 0 without items

  __host__ __device__ int rising() const { return reduction::powers::bits_of(peak - first); }
  /// The first item of block `i`; the end for i = count.
  __device__ std::int64_t border(int i) const {
    if (i == count) return end;
    return i < rising() ? reduction::powers::rising_node(first, peak, i).first : peak;
  }
};
inline scan_blocks_of_part cut_for_scan(std::int64_t first, std::int64_t count) {
  const std::int64_t end = first + count;
  if (first < 0 || count <= 0 || end < first) return {first, first, first, 0};
  const std::int64_t peak = end & ~(reduction::powers::greatest_power(first ^ end) - 1);
  scan_blocks_of_part blocks{first, peak, end, 0};
  blocks.count = blocks.rising() + (peak < end);
  return blocks;
}

/// The room of a scan on one rank.
template <class A, class Op> struct prefix_work {
  using list = canonical_nodes<A, Op>;

  scan_blocks_of_part blocks;
  unsigned* is_valid;     ///< not 0 if the exchange has succeeded
  std::int64_t* borders;  ///< of blocks, from the part's first item on
  list* lists;            ///< for each block, of all items before it

  static std::size_t bytes(int blocks) { return 1024 + static_cast<std::size_t>(blocks) * sizeof(list); }
  prefix_work(std::byte* room, const scan_blocks_of_part& of)
      : blocks(of),
        is_valid(reinterpret_cast<unsigned*>(room)),
        borders(reinterpret_cast<std::int64_t*>(room + 128)),
        lists(reinterpret_cast<list*>(room + 1024)) {}
};

/// Writes the borders of the blocks of the part's first `scanned` items, which are one less in an exclusive scan.
template <class A, class Op>
__global__ void write_borders_kernel(const __grid_constant__ prefix_work<A, Op> at, std::int64_t scanned) {
  if (threadIdx.x == 0) *at.is_valid = 0;
  for (int i = static_cast<int>(threadIdx.x); i <= at.blocks.count; i += static_cast<int>(blockDim.x))
    at.borders[i] = least_of(at.blocks.border(i) - at.blocks.first, scanned);
}

/// The prefixes before an item's own block joined to its result, and init.
template <class A, class Op> struct prefix_join {
  prefix_work<A, Op> at;
  Op op;
  grid::initial_value<A> init;
  A nothing;
  int ahead;  ///< 1 in an exclusive scan: the local scan's result of an item is that of the next one

  /// To results of the local scan, of consecutive items of the part from `first` on. They stay as they are if the
  /// exchange has failed.
  template <int Items> __device__ void operator()(A (&values)[Items], unsigned live, std::int64_t first) const {
    if (live == 0 || *at.is_valid == 0) return;
    const std::int64_t own = first + ahead;  // may be less than 0, where it is not live
    const block_place begin = place_of(greatest_of(own, 0)), end = place_of(own + Items - 1);
    if (begin.block == end.block && own >= begin.first + ahead) {
      const canonical_nodes<A, Op>& list = at.lists[begin.block];
      WARPFOLD_NO_UNROLL
      for (int node = begin.nodes - 1; node >= 0; --node) {
        const A left = list[node];
        WARPFOLD_UNROLL
        for (int k = 0; k < Items; ++k)
          if (thread::may_combine_missing<Op, A> || live >> k & 1) values[k] = op(left, values[k]);
      }
      if (init.exists()) WARPFOLD_UNROLL
      for (int k = 0; k < Items; ++k)
        if (live >> k & 1) values[k] = init.join(values[k], op);
      return;
    }
    WARPFOLD_UNROLL
    for (int k = 0; k < Items; ++k)
      if (live >> k & 1) values[k] = joined(own + k, values[k]);
  }
  /// The result of item `item` of the part, of which `value` is that of its block alone: an exclusive result has some
  /// from the block's second item on, and what was scanned for the first one is a part of the list. Not inlined: few
  /// results are.
  WARPFOLD_NO_INLINE __device__ A joined(std::int64_t item, A value) const {
    const block_place of = place_of(item);
    const canonical_nodes<A, Op>& list = at.lists[of.block];
    int node = of.nodes;
    const bool has_own = item >= of.first + ahead;
    if (!has_own && node == 0) return init.exists() ? init.alone() : nothing;
    A result = has_own ? value : list[--node];
    WARPFOLD_NO_UNROLL
    while (node > 0) result = op(list[--node], result);
    return init.join(result, op);
  }

 private:
  struct block_place {
    int block;
    std::int64_t first;  ///< item of the block, in the part
    int nodes;           ///< before it
  };
  /// The block of item `item` of the part, or of the item behind the last one: then of the last block.
  __device__ block_place place_of(std::int64_t item) const {
    const auto [first, peak, end, count] = at.blocks;
    std::int64_t rest = 0;  // from the block's begin to the peak
    int block = at.blocks.rising();
    if (first + item < peak) {
      // The blocks before the peak are as long as the binary digits of their sum. So the item's block is that of the
      // highest digit in which what lies behind the item differs.
      const std::int64_t all = peak - first, behind = all - item - 1,
                         size = reduction::powers::greatest_power(all ^ behind);
      block = reduction::powers::bits_of(all & (size - 1));
      rest = all & ~(size - 1);
    }
    return {block, peak - rest - first, reduction::powers::bits_of(peak - rest)};
  }
};

/// Joins the lists of the ranks before this one, and writes the list on the left of each block; in an exclusive scan
/// also the first result, which is that of no item of the part.
template <class A, class Op> struct list_left {
  prefix_join<A, Op> prefixes;
  int rank;
  A* out;

  __device__ void operator()(const gathered_messages& all, const Op& op, report* to, int& shared) const {
    using message = list_message<A, Op>;
    using writer = warpfold::detail::list_writer;
    const prefix_work<A, Op>& at = prefixes.at;
    if (!check_calls(all, to, shared)) return;
    const int ranks = order_parts(all, to, shared);
    if (ranks <= 0 || at.blocks.count == 0) return;
    int place = 0;
    while (all.order[place] != rank) ++place;
    join_neighbours<A>(all, place, op);
    const canonical_nodes<A, Op>& own = all.of<message>(rank).nodes;
    for (int i = static_cast<int>(threadIdx.x); i < at.blocks.count; i += static_cast<int>(blockDim.x)) {
      canonical_nodes<A, Op>& list = at.lists[i];
      writer::set_items(list, 0, at.blocks.first);
      if (place > 0) {
        const canonical_nodes<A, Op>& before = all.of<message>(all.order[0]).nodes;
        for (int node = 0; node < before.size(); ++node) writer::set_node(list, node, before[node]);
      }
      for (int node = 0; node < i; ++node) {
        const std::int64_t items = at.blocks.border(node + 1) - at.blocks.border(node);
        list.append_node(reduction::powers::bits_of(items - 1), own[node], op);
      }
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    if (prefixes.ahead != 0) *out = prefixes.joined(0, A{});
    *at.is_valid = 1;
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::ranks
