// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Joins what the threads of a block, and the blocks that share outputs, have folded.
#pragma once
#include <warpfold/arch/published.cuh>
#include <warpfold/arch/ticket.cuh>
#include <warpfold/axes/arguments.cuh>
#include <warpfold/axes/policy.hpp>
#include <warpfold/thread/fold.cuh>
#include <warpfold/thread/node_counter.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// A node of each output of a vector, which memory takes at once.
template <class A, int Vector> struct alignas(vector_alignment(sizeof(A) * Vector, alignof(A))) node_vector {
  A values[Vector];
};

template <class A, int Vector> __device__ void put_nodes(node_vector<A, Vector>& to, const A (&values)[Vector]) {
  node_vector<A, Vector> held;
  WARPFOLD_UNROLL
  for (int v = 0; v < Vector; ++v) held.values[v] = values[v];
  to = held;
}

/// The shared memory of a block that has places for so many nodes of vectors, or of single outputs.
template <class A, int Places, int Vector> struct join_storage {
  union {
    thread::array<node_vector<A, Vector>, Places> vectors;
    thread::array<node_vector<A, 1>, Places> singles;
  };
  bool is_last;

  template <int Outputs> __device__ auto& places() {
    if constexpr (Outputs == 1) return singles;
    else return vectors;
  }
  template <int Outputs> __device__ void put(int place, const A (&values)[Outputs]) {
    put_nodes(places<Outputs>()[place], values);
  }
};

/// Where a thread of a tile stands: lane `lane` of row group `group`. Lanes of all groups have the same outputs; groups
/// have adjacent nodes of their items.
struct tile_thread {
  int lanes, lane, group;

  __device__ explicit tile_thread(int of_lanes)
      : lanes(of_lanes), lane(arch::flat_thread() % of_lanes), group(arch::flat_thread() / of_lanes) {}

  /// The lanes of the calling thread's warp that are of its group.
  __device__ unsigned of_same_warp() const {
    const int own = arch::lane_id(), below = least_of(own, lane), above = least_of(warp_lanes - own, lanes - lane);
    return full_warp >> (warp_lanes - below - above) << (own - below);
  }
};

/// Joins `count` adjacent nodes of each of a tile's outputs, 8 at a time: node n of lane l, a vector, is in place
/// n * lanes + l. A thread joins a vector of outputs, or a single one: then `own` has a lane for each. The roots are
/// valid in group 0; if there is but one node, they are what `values` was. All threads of the block call it; those
/// without outputs have `exists` false. There is a barrier before and after. Cost: another one for each factor of 8 in
/// `count` but the first.
template <int Vector, int Outputs, class A, class Op, class Storage>
__device__ void join_nodes(Storage& shared, const tile_thread& own, int row_groups, bool exists, int count, Op op,
                           A (&values)[Outputs]) {
  static_assert(Outputs == Vector || Outputs == 1);
  constexpr int adjacent = 8, lanes_of_vector = Vector / Outputs;
  const int lanes = own.lanes / lanes_of_vector, lane = own.lane / lanes_of_vector,
            first_output = own.lane % lanes_of_vector;
  WARPFOLD_NO_UNROLL
  for (int step = 1; step < count; step *= adjacent) {
    if (step > 1) __syncthreads();
    WARPFOLD_NO_UNROLL
    for (int node = own.group * adjacent * step; exists && node < count; node += row_groups * adjacent * step) {
      auto* const first = &shared.template places<Vector>()[node * lanes + lane];
      node_vector<A, Outputs> held[adjacent] = {};
      WARPFOLD_UNROLL
      for (int k = 0; k < adjacent; ++k)
        if (node + k * step < count) {
          if constexpr (Outputs == Vector) held[k] = first[k * step * lanes];
          else held[k].values[0] = first[k * step * lanes].values[first_output];
        }
      WARPFOLD_UNROLL
      for (int v = 0; v < Outputs; ++v) {
        A column[adjacent];
        WARPFOLD_UNROLL
        for (int k = 0; k < adjacent; ++k) column[k] = held[k].values[v];
        values[v] = thread::fold(column, op, (count - node + step - 1) / step);
      }
      if (step * adjacent >= count) continue;
      if constexpr (Outputs == Vector) put_nodes(*first, values);
      else first->values[first_output] = values[0];
    }
  }
}

/// Joins the values of the first `count` row groups; the result is valid in group 0. Nobody uses `shared` before or
/// after, but for a barrier. There is little else to do meanwhile: the fewer barriers the better.
template <int Vector, class A, class Op, class Storage>
__device__ void join_row_groups(Storage& shared, const tile_thread& own, int row_groups, bool exists, int count, Op op,
                                A (&values)[Vector]) {
  if (count <= 1) return;
  if (exists && own.group < count) shared.put(arch::flat_thread(), values);
  __syncthreads();
  join_nodes<Vector>(shared, own, row_groups, exists, count, op, values);
}

/// The node over `count` partial results, which lie `pitch` apart from `partials` on; those of single outputs, side by
/// side. The result is valid in group 0.
template <int Vector, class A, class Op, class Storage>
__device__ void join_partials(Storage& shared, const tile_thread& own, int row_groups, bool exists, int count,
                              const node_vector<A, Vector>* partials, std::int64_t pitch, Op op, A (&values)[Vector]) {
  constexpr int batch = join_batch(Vector * sizeof(A));
  if constexpr (Vector == 1) pitch = 1;
  int share = least_joined(Vector * sizeof(A));
  while (share * row_groups < count) share *= 2;
  const int first = own.group * share, end = least_of(first + share, count);
  if (exists && first < end) {
    thread::node_counter<Vector, A, log2_of(max_work_items) + 1, 0> nodes;
    unsigned batches = 0;
    WARPFOLD_NO_UNROLL
    for (int i = first; i < end; i += batch, ++batches) {
      node_vector<A, Vector> held[batch] = {};
      WARPFOLD_UNROLL
      for (int k = 0; k < batch; ++k)
        if (i + k < end) held[k] = partials[(i + k) * pitch];
      WARPFOLD_UNROLL
      for (int v = 0; v < Vector; ++v) {
        A column[batch];
        WARPFOLD_UNROLL
        for (int k = 0; k < batch; ++k) column[k] = held[k].values[v];
        values[v] = thread::fold(column, op, end - i);
      }
      if (share > batch) nodes.push(batches, values, op);
    }
    if (share > batch) nodes.total(batches, values, op);
  }
  join_row_groups<Vector>(shared, own, row_groups, exists, (count + share - 1) / share, op, values);
}

/// How a block leaves the nodes of its work items in memory, and how the nodes of a tile are joined when all are there.
/// If each block has but one item, the block that comes last joins the tile, and nobody waits. If blocks draw many,
/// they wait for all items at the end, and share the work: each joins a slice of a tile's lanes, while one block alone
/// would take several microseconds. None waits in vain: running blocks have drawn all items. If `JoinsSingly`, the plan
/// may have a lane join one output instead of a vector.
template <int Vector, bool JoinsSingly, class Arguments, class Storage> class split_joiner {
 public:
  using A = typename Arguments::A;

  /// `is_clerk` is true for the thread that arrives for its block. An arrival waits for what the thread's warp has
  /// under way, so that warp had better load nothing. The first `threads` threads join.
  __device__ split_joiner(const Arguments& arguments, Storage& shared, int threads, bool is_clerk)
      : arguments_(arguments), shared_(shared), threads_(threads), is_clerk_(is_clerk) {}

  /// Leaves the node of `item`, valid in group 0. All threads of the block call it. Cost: one barrier.
  __device__ void leave(const work_item& item, const tile_thread& own, const A (&values)[Vector]) {
    if (own.group == 0 && item.tile * own.lanes + own.lane < arguments_.vectors) put(item, own, values);
    __syncthreads();
    arrive(item);
  }
  /// The same in two parts, with a barrier in between of all threads that call them: the first, put, for those of
  /// group 0; or put_one, for a thread of each output.
  __device__ void put(const work_item& item, const tile_thread& own, const A (&values)[Vector]) {
    if (!is_by_output()) return put_nodes(*partial_of<Vector>(item.tile, item.split, own.lane), values);
    WARPFOLD_UNROLL
    for (int v = 0; v < Vector; ++v) partial_of<1>(item.tile, item.split, own.lane * Vector + v)->values[0] = values[v];
  }
  __device__ void put_one(const work_item& item, int output, const A& value) {
    if (is_by_output()) partial_of<1>(item.tile, item.split, output)->values[0] = value;
    else partial_of<Vector>(item.tile, item.split, output / Vector)->values[output % Vector] = value;
  }
  __device__ void arrive(const work_item& item) {
    if (is_clerk_) before_ = arch::count_arrival(arguments_.counter_of(item.tile), arrivals());
  }
  /// Joins what this block has to, when it has left its items. All threads call it.
  __device__ void finish() {
    const auto& plan = arguments_.plan;
    const int numbers = static_cast<int>(plan.waits() ? plan.tiles * plan.slices : plan.work_items());
    WARPFOLD_NO_UNROLL
    for (int number = blockIdx.x; number < numbers; number += gridDim.x) {
      const int divisor = plan.waits() ? plan.slices : static_cast<int>(plan.tiles), quotient = number / divisor,
                rest = number - quotient * divisor, tile = plan.waits() ? quotient : rest,
                slice = plan.waits() ? rest : 0;
      unsigned* const counter = arguments_.counter_of(tile);
      if (is_clerk_) {
        if (plan.waits()) {
          while (arch::acquire(counter) < plan.splits) arch::pause<20>();
        } else if (before_ + 1 == arrivals()) arch::fence_after_arrivals();
        shared_.is_last = plan.waits() || before_ + 1 == arrivals();
      }
      __syncthreads();
      if (!shared_.is_last) return;
      if (plan.waits() && is_clerk_) atomicInc(counter, arrivals() - 1);
      if (is_by_output()) join_slice<1>(tile, slice);
      else join_slice<Vector>(tile, slice);
      __syncthreads();
    }
  }

 private:
  __device__ bool is_by_output() const { return Vector == 1 || (JoinsSingly && arguments_.plan.by_output); }
  /// Joins the partial results of a slice of a tile, of `Outputs` outputs a lane.
  template <int Outputs> __device__ void join_slice(int tile, int slice) {
    const auto& plan = arguments_.plan;
    constexpr int lanes_of_vector = Vector / Outputs;
    const tile_thread own(plan.slice_lanes);
    const int row_groups = threads_ / plan.slice_lanes, lane = slice * plan.slice_lanes + own.lane;
    const std::int64_t vector = plan.first_of(tile) + lane / lanes_of_vector;
    const bool exists =
        own.group < row_groups && lane < plan.lanes_of(tile) * lanes_of_vector && vector < arguments_.vectors;
    A values[Outputs] = {};
    join_partials<Outputs>(shared_, own, row_groups, exists, static_cast<int>(plan.splits),
                           partial_of<Outputs>(tile, 0, lane), plan.lanes, arguments_.op, values);
    if (!exists || own.group > 0) return;
    if constexpr (Outputs == Vector) arguments_.template write<Vector>(vector, values);
    else arguments_.write_one(vector, lane % Vector, values[0]);
  }
  /// Where a split's node of output `lane` of a tile lies: beside those of other splits; or that of vector `lane`:
  /// beside those of other vectors.
  template <int Outputs> __device__ auto* partial_of(std::int64_t tile, std::int64_t split, int lane) const {
    const auto& plan = arguments_.plan;
    return reinterpret_cast<node_vector<A, Outputs>*>(arguments_.partials) +
           (Outputs == 1 ? (tile * plan.lanes * Vector + lane) * plan.splits + split
                         : (tile * plan.splits + split) * plan.lanes + lane);
  }
  /// The counter of a tile goes round once: all splits arrive, and then all slices that have waited for them.
  __device__ unsigned arrivals() const {
    const auto& plan = arguments_.plan;
    return static_cast<unsigned>(plan.splits + (plan.waits() ? plan.slices : 0));
  }

  const Arguments& arguments_;
  Storage& shared_;
  int threads_;
  bool is_clerk_;
  unsigned before_ = 0;  // arrivals before the clerk's last one
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
