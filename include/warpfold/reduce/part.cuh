// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of `reduce` when the output is the list of a part's nodes: they take the units of
// part_cuts.hpp, fold the pieces at the part's ends by single warps, and join pieces to the list's nodes, not to a
// root.
//
// Who may see what when: the values of pieces lie in scratch. Those of edges are written by any warp of a block, and
// handed to its warp 0 by a barrier; those of units are written by warp 0. Warp 0 arrives at the ticket, which releases
// them; the last block has acquired them all.
#pragma once
#include <warpfold/canonical_nodes.hpp>
#include <warpfold/reduce/part_cuts.hpp>
#include <warpfold/reduce/policy.hpp>
#include <warpfold/reduce/unit_schedule.cuh>
#include <warpfold/thread/window.cuh>
#include <warpfold/warp/fold_batch.cuh>
#include <warpfold/warp/fold_values.cuh>

namespace warpfold::reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The output of a part, in place of an iterator.
template <class A, class Op> struct part_output { canonical_nodes<A, Op>* list; };
template <class Out> inline constexpr bool is_part = false;
template <class A, class Op> inline constexpr bool is_part<part_output<A, Op>> = true;
/// The static shared memory that a kernel has for its output, at most.
template <class Out> inline constexpr std::size_t shared_bytes_for = 0;

/// The output of a part whose result does not depend on grouping, and is found by a kernel of its own: the list's first
/// node is all of it, the others are the identity.
template <class A, class Op> struct whole_part_output {
  struct reference {
    const whole_part_output& of;
    __device__ void operator=(const A& value) const {
      warpfold::detail::list_writer::set_items(*of.list, of.first, of.end);
      const int nodes = of.list->size();
      for (int i = 0; i < nodes; ++i) warpfold::detail::list_writer::set_node(*of.list, i, i == 0 ? value : of.none);
    }
  };
  canonical_nodes<A, Op>* list;
  std::int64_t first, end;
  A none;  ///< the identity

  __device__ reference operator*() const { return {*this}; }
};

/// Writes the list of a part without items.
template <class A, class Op> __global__ void write_empty_list_kernel(canonical_nodes<A, Op>* list, std::int64_t first) {
  warpfold::detail::list_writer::set_items(*list, first, first);
}

/// Folds edge `edge` of the part, a batch or a node in it. The leaves begin with item `tiles_begin`: some edges have
/// negative numbers in them. All lanes of the warp call it; valid in every lane.
template <int MaxRows, class Leaves, class Op>
__device__ auto fold_edge(const Leaves& leaves, const part_cuts& cuts, int piece, int rows, Op op) {
  constexpr int half = MaxRows > 1 ? MaxRows / 2 : 1;
  const part_piece items = cuts.edge_piece(piece);
  const std::int64_t first = items.first - cuts.tiles_begin;
  if (items.items >> cuts.batch_level != 0) return warp::fold_batch<MaxRows>(leaves, first, op, rows);
  return warp::fold_partial_batch<half>(thread::ending_at(leaves, first + items.items), first, half, op);
}

/// fold_edges of a block that has some. Not inlined: it would take registers from the loop over the units. `cuts` are
/// shared: a kernel's argument would be read as global memory, which takes a microsecond.
template <int MaxRows, class Leaves, class Op, class A = typename Leaves::accumulator>
__device__ __attribute__((noinline)) void fold_own_edges(Leaves leaves, const part_cuts& cuts, A* pieces, int rows,
                                                         Op op, int block, int blocks) {
  __syncthreads();  // `cuts` are there
  const int warps = static_cast<int>(blockDim.x / warp_lanes), edges = cuts.edges();
  WARPFOLD_NO_UNROLL
  for (int edge = block * warps + arch::flat_warp(); edge < edges; edge += blocks * warps) {
    const int piece = cuts.piece_of_edge(edge);
    const A value = fold_edge<MaxRows>(leaves, cuts, piece, rows, op);
    if (arch::lane_id() == 0) pieces[piece] = value;
  }
  __syncthreads();
}
/// Folds the edges of `given`, the warps of blocks 0 to `blocks` - 1 in turn; this is block `block`. All threads of the
/// block call it. The values are visible to warp 0 afterwards. Keeps what is given in `cuts`, in shared memory, for the
/// time after the next barrier.
template <int MaxRows, class Leaves, class Op, class A = typename Leaves::accumulator>
__device__ void fold_edges(const Leaves& leaves, const part_cuts& given, part_cuts& cuts, A* pieces, int rows, Op op,
                           int block, int blocks) {
  if (arch::flat_thread() + 1 == static_cast<int>(blockDim.x)) cuts = given;  // thread 0 has enough to do
  if (block * static_cast<int>(blockDim.x / warp_lanes) < given.edges())      // the same in the whole block
    fold_own_edges<MaxRows>(leaves, cuts, pieces, rows, op, block, blocks);
}

/// As many neighbouring units are folded by one warp, if a node has more.
inline constexpr int chunk_units = 256;

/// How write_list joins pieces, in shared memory: a kernel's argument would be read as global memory, which takes a
/// microsecond.
struct list_plan {
  part_cuts cuts;  ///< those of the schedule
  int nodes, chunks;
  int first_piece;             ///< of the first chunk
  piece_range of[warp_lanes];  ///< the pieces of the first nodes

  __device__ piece_range pieces_of(int node) const { return node < warp_lanes ? of[node] : cuts.pieces_of(node); }
};

/// Completes a plan whose cuts are there. A warp calls it. Not inlined, as above.
__device__ __attribute__((noinline)) inline void complete(list_plan& plan) {
  const part_cuts& cuts = plan.cuts;
  const int lane = arch::lane_id(), nodes = cuts.list().count();
  if (lane < nodes) plan.of[lane] = cuts.pieces_of(lane);
  if (lane != 0) return;
  const std::int64_t first_unit = cuts.units_begin >> cuts.unit_level, end_unit = cuts.units_end >> cuts.unit_level,
                     first_chunk = (first_unit + chunk_units - 1) / chunk_units;
  plan.nodes = nodes;
  plan.chunks = static_cast<int>(end_unit / chunk_units - first_chunk);
  plan.first_piece = cuts.units + static_cast<int>(first_chunk * chunk_units - first_unit);
}
/// What a block does for write_list before it knows whether it is the last one, where nothing else would run meanwhile.
/// All threads call it, before the barrier of their arrival; the last warp has kept the plan's cuts.
__device__ inline void prepare_list(list_plan& plan) {
  if (arch::flat_warp() + 1 != static_cast<int>(blockDim.x / warp_lanes)) return;
  __syncwarp();
  complete(plan);
}

/// What a block does for steps behind the list, as soon as its first loads are on their way (ranks/afterwards.cuh).
template <class A, class Op> __device__ void prepare_steps_behind(const part_output<A, Op>&) {}

/// Joins pieces to the nodes of the list, and writes it. All threads of the last block call it. `shared` has room for
/// the values of all whole chunks of units. Not inlined, as above.
template <class A, class Op, class Out>
__device__ __attribute__((noinline)) void write_list(part_output<A, Out> to, const list_plan& plan, const A* pieces,
                                                     A* shared, Op op) {
  using writer = warpfold::detail::list_writer;
  const int warp = arch::flat_warp(), lane = arch::lane_id(), warps = static_cast<int>(blockDim.x / warp_lanes),
            nodes = plan.nodes, chunks = plan.chunks, first_piece = plan.first_piece;
  if (arch::flat_thread() == 0) writer::set_items(*to.list, plan.cuts.begin, plan.cuts.end);
  const auto fold_pieces = [&](int first, int count) {
    return warp::fold_values<A>(
        count, [&](int i) { return pieces[first + i]; }, op);
  };
  WARPFOLD_NO_UNROLL
  for (int chunk = warp; chunk < chunks; chunk += warps) {
    const A value = fold_pieces(first_piece + chunk * chunk_units, chunk_units);
    if (lane == 0) shared[chunk] = value;
  }
  WARPFOLD_NO_UNROLL
  for (int i = warp; i < nodes; i += warps) {
    const piece_range of = plan.pieces_of(i);
    if (of.count >= chunk_units) continue;
    const A value = of.count == 1 ? pieces[of.first] : fold_pieces(of.first, of.count);
    if (lane == 0) writer::set_node(*to.list, i, value);
  }
  if (chunks <= 0) return;
  __syncthreads();
  WARPFOLD_NO_UNROLL
  for (int i = warp; i < nodes; i += warps) {
    const piece_range of = plan.pieces_of(i);
    const int count = of.count / chunk_units;
    if (lane >= count) continue;
    const A value = warp::reduce(shared[(of.first - first_piece) / chunk_units + lane], op, count);
    if (lane == 0) writer::set_node(*to.list, i, value);
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::reduction
