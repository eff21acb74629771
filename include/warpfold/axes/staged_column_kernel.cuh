// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel for tall matrices of some columns, whose rows are adjacent or nearly so, and no vectors: the copy engine
// of sm_90 brings whole rows to shared memory, ahead of the threads that fold them.
#pragma once
#include <warpfold/arch/bulk_copy.cuh>
#include <warpfold/arch/named_barrier.cuh>
#include <warpfold/arch/shared_access.cuh>
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/axes/join_splits.cuh>
#include <warpfold/axes/leaves.cuh>
#include <warpfold/axes/staged_plan.hpp>
#include <warpfold/grid/drawn_work.cuh>
#include <warpfold/thread/fold.cuh>
#include <warpfold/warp/shuffle.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class Leaves>
inline constexpr staged_policy staged_policy_of = staged_policy_for(sizeof(typename Leaves::item),
                                                                    sizeof(typename Leaves::accumulator));

/// A work item, and how its rows come: row groups have adjacent ones, of which each stage takes as many of all groups.
struct staged_item {
  std::int64_t number;  ///< -1 after the last
  work_item rows;
  std::int64_t origin;  ///< the place of the first item of the matrix
  int groups;           ///< that have rows
  int stages;
  int before;      ///< bytes from a boundary of 16 bytes to the first item of a group
  bool is_inside;  ///< whether the vectors of 16 bytes around its rows lie within the array
};
template <class Arguments>
__device__ staged_item staged_item_at(const Arguments& arguments, int pitch, std::int64_t number) {
  const auto& plan = arguments.plan;
  staged_item item{};
  item.number = number;
  item.rows = arguments.item_at(number);
  item.origin = arguments.kept.place_of(item.rows.tile * plan.lanes).in;
  const std::int64_t rows = item.rows.end - item.rows.first, group_rows = std::int64_t{1} << plan.log_rows;
  item.groups = static_cast<int>((rows - 1) >> plan.log_rows) + 1;
  constexpr int stage_rows = staged_policy_of<typename Arguments::leaves_type>.stage_rows;
  item.stages = static_cast<int>((least_of(rows, group_rows) - 1) / stage_rows) + 1;
  const std::int64_t begin = item.origin + item.rows.first * pitch,
                     end = item.origin + (item.rows.end - 1) * pitch + plan.lanes;
  // Groups and stages are multiples of 16 bytes apart.
  item.before = static_cast<int>(reinterpret_cast<std::uintptr_t>(arguments.leaves.data + begin) & 15);
  item.is_inside = arguments.leaves.is_inside(begin, end);
  return item;
}

template <class Leaves> struct staged_storage {
  static constexpr staged_policy policy = staged_policy_of<Leaves>;
  using A = typename Leaves::accumulator;
  alignas(16) unsigned char bytes[policy.shared_bytes];  ///< of all stages
  staged_item items[policy.max_stages];                  ///< of each stage that is the first of a work item
  arch::mbarrier filled[policy.max_stages], emptied[policy.max_stages];
  thread::array<A, policy.block_threads> nodes[2];  ///< of alternate work items
  std::int64_t folded[2];                           ///< these; -1 after the last
  join_storage<A, policy.block_threads, 1> join;
};

/// A place in the ring of stages.
struct stage_place {
  int number = 0;
  unsigned parity = 0;  ///< of the rounds before

  __device__ void advance(int stages) {
    if (++number == stages) number = 0, parity ^= 1;
  }
};

/// The rows of one row group of a work item, a stage after another.
template <class Arguments> class group_rows {
 public:
  static constexpr int stage_rows = staged_policy_of<typename Arguments::leaves_type>.stage_rows;

  __device__ group_rows(const Arguments& arguments, const staged_item& item, int group)
      : first_(item.rows.first + (std::int64_t{group} << arguments.plan.log_rows)),
        remaining_(least_of(item.rows.end - first_, std::int64_t{1} << arguments.plan.log_rows)) {}

  __device__ std::int64_t first() const { return first_; }
  /// Rows of the current stage; none if not positive.
  __device__ int count() const { return static_cast<int>(least_of(remaining_, stage_rows)); }
  __device__ void advance() { first_ += stage_rows, remaining_ -= stage_rows; }

 private:
  std::int64_t first_, remaining_;
};

/// The warp that starts the copies of a stage as soon as all others have read what was in its place.
template <class Arguments, class Storage> class row_stager {
 public:
  using T = typename Arguments::leaves_type::item;

  /// Draws the first work item, if the warp is the stager.
  __device__ row_stager(const Arguments& arguments, const stage_shape& shape, Storage& shared, bool is_stager)
      : arguments_(arguments), shape_(shape), shared_(shared) {
    drawn_ = !arguments.plan.draws ? blockIdx.x : is_stager ? draw() : 0;
    place_.parity = 1;  // the places are free at first
  }

  /// Brings all rows of the block's work items. All lanes call it, after the barriers have been set up.
  __device__ void run() {
    const auto& plan = arguments_.plan;
    std::int64_t number = warp::shuffle(drawn_, 0);
    while (number < plan.work_items()) {
      const staged_item item = staged_item_at(arguments_, shape_.pitch, number);
      group_rows rows(arguments_, item, arch::lane_id());
      for (int stage = 0; stage < item.stages; ++stage, rows.advance()) {
        if (stage == item.stages - 1 && plan.draws) drawn_ = draw();  // on its way while the place is waited for
        fill(item, rows, stage == 0);
      }
      number = plan.draws ? warp::shuffle(drawn_, 0) : number + gridDim.x;
    }
    take_place();
    if (arch::lane_id() == 0) shared_.items[place_.number].number = -1;
    if (arch::lane_id() < plan.groups) shared_.filled[place_.number].arrive();
  }

 private:
  /// Each block draws until an item does not exist. The counter is zero again when all have.
  __device__ unsigned draw() const {
    return arch::lane_id() == 0 ? grid::draw_item(arguments_.draw_counter(), arguments_.plan.work_items(), true) : 0;
  }
  __device__ void take_place() {
    shared_.emptied[place_.number].wait_parity(place_.parity);
    __syncwarp();
  }
  /// Lane g copies the rows of group g.
  __device__ void fill(const staged_item& item, const group_rows<Arguments>& rows, bool is_first) {
    const int group = arch::lane_id(), count = rows.count();
    arch::mbarrier& filled = shared_.filled[place_.number];
    take_place();
    if (is_first && group == 0) shared_.items[place_.number] = item;
    if (group < arguments_.plan.groups) {
      if (count > 0) {
        const int items = (count - 1) * shape_.pitch + arguments_.plan.lanes;
        const T* const from = arguments_.leaves.data + item.origin + rows.first() * shape_.pitch;
        copy_items(shared_.bytes + shape_.offset(place_.number, arguments_.plan.groups, group),
                   reinterpret_cast<const unsigned char*>(from) - item.before, item.before,
                   item.before + items * int{sizeof(T)}, item.is_inside, filled);
      } else filled.arrive();
    }
    place_.advance(shape_.stages);
  }

  /// Starts to copy the items that lie in bytes [begin, end) of `from`, by whole vectors. Where these are not
  /// `is_inside` the array, items that share a vector with what lies beside them are copied one by one.
  __device__ void copy_items(unsigned char* to, const unsigned char* from, int begin, int end, bool is_inside,
                             arch::mbarrier& filled) const {
    int whole_begin = begin & ~15, whole_end = (end + 15) & ~15;
    if (!is_inside) {
      whole_begin = (begin + 15) & ~15, whole_end = greatest_of(end & ~15, whole_begin);
      copy_pieces(to, from, begin, least_of(whole_begin, end));
      copy_pieces(to, from, whole_end, end);
      arch::fence_proxy_async();  // before a later bulk copy into the same place
    }
    const auto bytes = static_cast<unsigned>(whole_end - whole_begin);
    filled.arrive_expect_tx(bytes);
    if (bytes > 0) arch::bulk_copy_to_shared(to + whole_begin, from + whole_begin, bytes, filled);
  }
  __device__ void copy_pieces(unsigned char* to, const unsigned char* from, int begin, int end) const {
    constexpr int piece = alignof(T) < 16 ? int{alignof(T)} : 16;
    WARPFOLD_NO_UNROLL
    for (int byte = begin; byte < end; byte += piece) {
      unsigned char held[piece];
      arch::load<piece>(from + byte, held);
      arch::store_shared<piece>(to + byte, held);
    }
  }

  const Arguments& arguments_;
  const stage_shape& shape_;
  Storage& shared_;
  unsigned drawn_;
  stage_place place_;
};

/// An item at any address to which its type is aligned.
template <class Chunk, class T> __device__ void load_staged(Chunk& to, const unsigned char* from) {
  constexpr int piece = alignof(T) < 16 ? int{alignof(T)} : 16;
  WARPFOLD_UNROLL
  for (int byte = 0; byte < int{sizeof(T)}; byte += piece)
    arch::load_shared<piece>(from + byte, reinterpret_cast<unsigned char*>(to.word) + byte);
}

/// Calls push(node) for the nodes over batches of the `count` items of a column that a stage has at `items`. The first
/// one is number `first` of the column.
template <class Leaves, class Op, class Push>
__device__ void fold_stage(const Leaves& leaves, Op op, int row_bytes, std::int64_t first, int count,
                           const unsigned char* items, Push push) {
  using T = typename Leaves::item;
  constexpr int batch_rows = staged_policy_of<Leaves>.batch_rows, stage_rows = staged_policy_of<Leaves>.stage_rows;
  WARPFOLD_NO_UNROLL
  for (int row = 0; row < count; row += batch_rows) {
    // Behind the last rows lie old items, which are still within the storage.
    typename Leaves::chunk held[batch_rows] = {};
    WARPFOLD_UNROLL
    for (int k = 0; k < batch_rows; ++k) load_staged<typename Leaves::chunk, T>(held[k], items + (row + k) * row_bytes);
    push(fold_batch_rows(leaves, held, 0, first + row, count - row, op));
    if constexpr (batch_rows == stage_rows) break;
  }
}

/// Folds the rows that the caller's group has of `item`, stage after stage from `place` on, and keeps their node in
/// shared.nodes[buffer].
template <class Arguments, class Leaves = typename Arguments::leaves_type>
__device__ void fold_group(const Arguments& arguments, const stage_shape& shape, staged_storage<Leaves>& shared,
                           const tile_thread& own, const staged_item& item, stage_place& place, int buffer) {
  using A = typename Leaves::accumulator;
  using T = typename Leaves::item;
  const bool has_rows = own.group < item.groups;
  group_rows rows(arguments, item, own.group);
  thread::node_counter<1, A, 31, 0> nodes;
  unsigned batches = 0;
  A root[1] = {};
  for (int stage = 0; stage < item.stages; ++stage, rows.advance()) {
    if (stage > 0) shared.filled[place.number].wait_parity(place.parity);
    if (has_rows)
      fold_stage(arguments.leaves, arguments.op, shape.pitch * int{sizeof(T)}, rows.first(), rows.count(),
                 shared.bytes + shape.offset(place.number, arguments.plan.groups, own.group) + item.before +
                     own.lane * int{sizeof(T)},
                 [&](const A& node) {
                   root[0] = node;
                   nodes.push(batches++, root, arguments.op);
                 });
    __syncwarp();
    if (arch::lane_id() == 0) shared.emptied[place.number].arrive();
    place.advance(shape.stages);
  }
  if (!has_rows) return;
  nodes.total(batches, root, arguments.op);
  shared.nodes[buffer][arch::flat_thread()] = root[0];
}

/// The folding threads and the clerk's warp meet when the nodes of a work item are in shared memory.
template <class Leaves> __device__ void meet_clerk() {
  arch::meet_warps<1, staged_policy_of<Leaves>.block_threads + warp_lanes>();
}

/// Folds each work item whose stages come, until one has number -1. All threads but the last two warps call it.
template <class Arguments, class Joiner, class Leaves = typename Arguments::leaves_type>
__device__ void fold_items(const Arguments& arguments, const stage_shape& shape, staged_storage<Leaves>& shared,
                           Joiner& joiner) {
  using A = typename Leaves::accumulator;
  constexpr staged_policy policy = staged_policy_of<Leaves>;
  const auto& plan = arguments.plan;
  const tile_thread own(plan.lanes);
  stage_place place;
  for (int buffer = 0;; buffer ^= 1) {
    shared.filled[place.number].wait_parity(place.parity);
    const staged_item item = shared.items[place.number];
    if (arch::flat_thread() == 0) shared.folded[buffer] = item.number;
    if (item.number < 0) break;
    fold_group(arguments, shape, shared, own, item, place, buffer);
    meet_clerk<Leaves>();
    if (own.group > 0) continue;
    A groups[policy.max_groups] = {};
    WARPFOLD_UNROLL
    for (int g = 0; g < policy.max_groups; ++g)
      if (g < item.groups) groups[g] = shared.nodes[buffer][g * plan.lanes + own.lane];
    const A root[1] = {thread::fold(groups, arguments.op, item.groups)};
    if (plan.splits == 1) arguments.template write<1>(item.rows.tile * plan.lanes + own.lane, root);
    else joiner.put(item.rows, own, root);
  }
  meet_clerk<Leaves>();
}

/// The clerk's warp arrives for a work item when the threads have folded the next one: its nodes are then written.
template <class Arguments, class Joiner, class Leaves = typename Arguments::leaves_type>
__device__ void arrive_for_items(const Arguments& arguments, staged_storage<Leaves>& shared, Joiner& joiner) {
  std::int64_t finished = -1;
  for (int buffer = 0;; buffer ^= 1) {
    meet_clerk<Leaves>();
    if (arguments.plan.splits > 1 && finished >= 0) joiner.arrive(arguments.item_at(finished));
    finished = shared.folded[buffer];
    if (finished < 0) break;
  }
}

/// Each block draws splits of matrices. Row groups of threads have adjacent rows of a split, and each thread has one
/// column. When all stages of the split have come, the first group joins the values of all groups. Two more warps start
/// the copies, and arrive for the work items whose nodes the block has written.
template <class Arguments, class Leaves = typename Arguments::leaves_type>
__global__ void __launch_bounds__(staged_policy_of<Leaves>.block_threads + 2 * warp_lanes, 1)
staged_column_kernel(const __grid_constant__ Arguments arguments, const __grid_constant__ stage_shape shape) {
  constexpr int threads = staged_policy_of<Leaves>.block_threads;
  constexpr int stager_warp = threads / warp_lanes, clerk_warp = stager_warp + 1;
  auto& shared = arch::dynamic_shared<staged_storage<Leaves>>();
  const int warp = arch::flat_thread() / warp_lanes;
  if (arch::flat_thread() == 0) {
    for (int i = 0; i < shape.stages; ++i)
      shared.filled[i].init(arguments.plan.groups), shared.emptied[i].init(threads / warp_lanes);
    arch::fence_mbarrier_init();
  }
  split_joiner<1, true, Arguments, decltype(shared.join)> joiner(arguments, shared.join, threads,
                                                                 warp == clerk_warp && arch::lane_id() == 0);
  row_stager stager(arguments, shape, shared, warp == stager_warp);
  __syncthreads();
  if (warp == stager_warp) stager.run();
  else if (warp == clerk_warp) arrive_for_items(arguments, shared, joiner);
  else fold_items(arguments, shape, shared, joiner);
  __syncthreads();
  if (arguments.plan.splits > 1) joiner.finish();
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
