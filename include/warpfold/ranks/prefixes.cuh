// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps of scans over ranks beside the scan of the local part: ranks_scan.cuh says why. Each kernel runs behind the
// ones before it, on one stream.
#pragma once
#include <warpfold/ranks/join.cuh>
#include <warpfold/reduce/part_cuts.hpp>

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

/// Joins the lists of the ranks before this one, and writes the list on the left of each block.
template <class A, class Op> struct list_left {
  prefix_work<A, Op> at;
  int rank;

  __device__ void operator()(const gathered_messages& all, const Op& op, report* to, int& shared) const {
    using message = list_message<A, Op>;
    using writer = warpfold::detail::list_writer;
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
    if (threadIdx.x == 0) *at.is_valid = 1;
  }
};

/// Joins to each result the nodes on the left of its block, and init.
template <bool IsExclusive, class A, class Op> __global__ void __launch_bounds__(256)
join_prefixes_kernel(const __grid_constant__ prefix_work<A, Op> at, A* out, std::int64_t count, Op op,
                     const __grid_constant__ grid::initial_value<A> init, A nothing) {
  __shared__ std::int64_t borders[66];
  if (*at.is_valid == 0) return;
  for (int i = static_cast<int>(threadIdx.x); i <= at.blocks.count; i += static_cast<int>(blockDim.x))
    borders[i] = at.blocks.border(i) - at.blocks.first;
  __syncthreads();
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  int block = 0;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    while (borders[block + 1] <= i) ++block;
    // An exclusive result has the block's own prefix from the block's second item on; that of the block's first item
    // lies in its place, but is a part of the list already.
    const canonical_nodes<A, Op>& list = at.lists[block];
    int node = list.size();
    const bool has_own = !IsExclusive || i > borders[block];
    if (!has_own && node == 0) {
      out[i] = init.exists() ? init.alone() : nothing;
      continue;
    }
    A value = has_own ? out[i] : list[--node];
    while (node > 0) value = op(list[--node], value);
    out[i] = init.join(value, op);
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::ranks
