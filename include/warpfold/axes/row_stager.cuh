// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the copy engine of sm_90 brings the rows of a tile of columns to stages in shared memory, ahead of the threads
// that fold them.
#pragma once
#include <warpfold/arch/bulk_copy.cuh>
#include <warpfold/arch/named_barrier.cuh>
#include <warpfold/arch/shared_access.cuh>
#include <warpfold/axes/join_splits.cuh>
#include <warpfold/axes/leaves.cuh>
#include <warpfold/axes/staged_plan.hpp>
#include <warpfold/grid/drawn_work.cuh>
#include <warpfold/operators.hpp>
#include <warpfold/warp/reduce.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class Leaves>
inline constexpr staged_policy staged_policy_of = staged_policy_for(sizeof(typename Leaves::item),
                                                                    sizeof(typename Leaves::accumulator));

template <class Leaves> inline constexpr int stager_warps_of = staged_policy_of<Leaves>.stager_warps;

/// A work item, and how its rows come: row groups have adjacent ones, of which each stage takes as many of all groups.
struct staged_item {
  std::int64_t number;  ///< -1 after the last
  work_item rows;
  std::int64_t origin;  ///< the place of the first item of the tile
  int lanes;            ///< columns of the tile
  int groups;           ///< that have rows
  int stages;
  int before;  ///< bytes from a boundary of 16 bytes to the first item of a group
};
template <class Arguments>
__device__ staged_item staged_item_at(const Arguments& arguments, const stage_shape& shape, std::int64_t number) {
  const auto& plan = arguments.plan;
  staged_item item{};
  item.number = number;
  item.rows = arguments.item_at(number);
  item.origin = arguments.kept.place_of(plan.first_of(item.rows.tile)).in;
  item.lanes = plan.lanes_of(item.rows.tile);
  const std::int64_t rows = item.rows.end - item.rows.first, group_rows = std::int64_t{1} << plan.log_rows;
  item.groups = static_cast<int>((rows - 1) >> plan.log_rows) + 1;
  item.stages = static_cast<int>((least_of(rows, group_rows) - 1) >> shape.log_rows) + 1;
  // Groups and stages are multiples of 16 bytes apart.
  const auto begin =
      reinterpret_cast<std::uintptr_t>(arguments.leaves.data + item.origin + item.rows.first * shape.pitch);
  item.before = static_cast<int>(begin & 15);
  return item;
}

template <class Leaves> struct staged_storage {
  static constexpr staged_policy policy = staged_policy_of<Leaves>;
  using A = typename Leaves::accumulator;
  alignas(16) unsigned char bytes[policy.shared_bytes];  ///< of all stages
  staged_item items[policy.max_stages];                  ///< of each stage that is the first of a work item
  arch::mbarrier filled[policy.max_stages], emptied[policy.max_stages];
  thread::array<A, policy.many.threads> nodes[2];  ///< of alternate work items
  std::int64_t folded[2];                          ///< these; -1 after the last
  unsigned drawn[2];                               ///< alternate numbers of work items
  join_storage<A, policy.many.threads, 1> join;
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
class group_rows {
 public:
  __device__ group_rows(const plan& plan, const stage_shape& shape, const staged_item& item, int group)
      : stage_rows_(shape.rows()),
        first_(item.rows.first + (std::int64_t{group} << plan.log_rows)),
        remaining_(least_of(item.rows.end - first_, std::int64_t{1} << plan.log_rows)) {}

  __device__ std::int64_t first() const { return first_; }
  /// Rows of the current stage; none if not positive.
  __device__ int count() const { return static_cast<int>(least_of<std::int64_t>(remaining_, stage_rows_)); }
  __device__ void advance() { first_ += stage_rows_, remaining_ -= stage_rows_; }

 private:
  int stage_rows_;
  std::int64_t first_, remaining_;
};

/// Adjacent items, which go to shared memory by whole vectors of 16 bytes. At the ends of the array, items that share a
/// vector with what lies beside it go one by one.
template <class T> class adjacent_items {
 public:
  template <class Leaves> __device__ adjacent_items(const Leaves& leaves, std::int64_t place, int count) {
    const auto address = reinterpret_cast<std::uintptr_t>(leaves.data + place);
    begin_ = static_cast<int>(address & 15), end_ = begin_ + count * int{sizeof(T)};
    from_ = reinterpret_cast<const unsigned char*>(address) - begin_;
    const bool is_inside = leaves.is_inside(place, place + count);
    whole_begin_ = is_inside ? 0 : (begin_ + 15) & ~15;
    whole_end_ = is_inside ? (end_ + 15) & ~15 : greatest_of(end_ & ~15, whole_begin_);
  }
  /// Bytes that arrive at the barrier.
  __device__ unsigned bytes() const { return static_cast<unsigned>(whole_end_ - whole_begin_); }
  /// Copies to as far behind `to`, where a vector begins, as the items lie behind one in memory. Returns before whole
  /// vectors arrive.
  __device__ void start(unsigned char* to, arch::mbarrier& filled) const {
    if (bytes() > 0) arch::bulk_copy_to_shared(to + whole_begin_, from_ + whole_begin_, bytes(), filled);
    if (whole_begin_ <= begin_ && end_ <= whole_end_) return;
    copy_pieces(to, begin_, least_of(whole_begin_, end_));
    copy_pieces(to, whole_end_, end_);
    arch::fence_proxy_async();  // before a later bulk copy into the same place
  }

 private:
  static constexpr int piece = alignof(T) < 16 ? int{alignof(T)} : 16;

  __device__ void copy_pieces(unsigned char* to, int begin, int end) const {
    WARPFOLD_NO_UNROLL
    for (int byte = begin; byte < end; byte += piece) {
      unsigned char held[piece];
      arch::load<piece>(from_ + byte, held);
      arch::store_shared<piece>(to + byte, held);
    }
  }

  const unsigned char* from_;
  int begin_, end_, whole_begin_, whole_end_;
};
template <class Leaves> adjacent_items(const Leaves&, std::int64_t, int) -> adjacent_items<typename Leaves::item>;

/// Warps that fill stages, each as soon as all that fold have read what was in its place. A warp starts a copy in 50
/// cycles at best, whatever its lanes do, so they are several; the first one is their leader.
template <class Arguments, class Storage> class row_stager {
 public:
  static constexpr int stager_warps = stager_warps_of<typename Arguments::leaves_type>;

  /// Of stager number `warp`, if the calling warp is one of them.
  __device__ row_stager(const Arguments& arguments, const stage_shape& shape, Storage& shared, int warp)
      : arguments_(arguments), shape_(shape), shared_(shared), warp_(warp) {
    drawn_ = !arguments.plan.draws ? blockIdx.x : is_leader() ? draw() : 0;
    place_.parity = 1;  // the places are free at first
  }

  /// Brings all rows of the block's work items. All stagers call it, after the barriers have been set up.
  __device__ void run() {
    const auto& plan = arguments_.plan;
    std::int64_t number = drawn_;
    for (int buffer = 0;; buffer ^= 1) {
      if (plan.draws) number = leaders_number(buffer);
      if (number >= plan.work_items()) break;
      const staged_item item = staged_item_at(arguments_, shape_, number);
      for (int stage = 0; stage < item.stages; ++stage) {
        if (stage == item.stages - 1 && plan.draws && is_leader()) drawn_ = draw();  // while the place is waited for
        fill(item, stage);
      }
      number += gridDim.x;
    }
    take_place();
    if (arch::lane_id() > 0) return;
    if (is_leader()) shared_.items[place_.number].number = -1;
    shared_.filled[place_.number].arrive();
  }

 private:
  __device__ bool is_leader() const { return warp_ == 0; }
  /// Each block draws until an item does not exist. The counter is zero again when all have.
  __device__ unsigned draw() const {
    return arch::lane_id() == 0 ? grid::draw_item(arguments_.draw_counter(), arguments_.plan.work_items(), true) : 0;
  }
  /// What the leader has drawn. Buffers alternate, so that one barrier is enough.
  __device__ std::int64_t leaders_number(int buffer) {
    if (is_leader() && arch::lane_id() == 0) shared_.drawn[buffer] = drawn_;
    arch::sync_warps<2, stager_warps * warp_lanes>();
    return shared_.drawn[buffer];
  }
  __device__ void take_place() {
    shared_.emptied[place_.number].wait_parity(place_.parity);
    __syncwarp();
  }
  /// Starts the warp's copies: of rows, or of all rows of groups. All stagers arrive, so none is a round behind.
  __device__ void fill(const staged_item& item, int stage) {
    const auto& plan = arguments_.plan;
    arch::mbarrier& filled = shared_.filled[place_.number];
    take_place();
    if (stage == 0 && is_leader() && arch::lane_id() == 0) shared_.items[place_.number] = item;
    const int log_copies = shape_.by_rows ? shape_.log_rows : 0;  // of a group
    unsigned bytes = 0;
    WARPFOLD_NO_UNROLL
    for (int i = arch::lane_id() * stager_warps + warp_; i < plan.groups << log_copies;
         i += stager_warps * warp_lanes) {
      const int group = i >> log_copies, row = i - (group << log_copies);
      const std::int64_t number = item.rows.first + (std::int64_t{group} << plan.log_rows) +
                                  (std::int64_t{stage} << shape_.log_rows) + row,
                         rows = least_of(item.rows.end - number, std::int64_t{shape_.rows() >> log_copies});
      if (rows <= 0) continue;
      const adjacent_items items(arguments_.leaves, item.origin + number * shape_.pitch,
                                 static_cast<int>(rows - 1) * shape_.pitch + item.lanes);
      items.start(shared_.bytes + shape_.offset(place_.number, plan.groups, group) +
                      ((item.before + row * shape_.row_bytes) & ~15),
                  filled);
      bytes += items.bytes();
    }
    bytes = warp::all_reduce(bytes, plus{});
    // The first lane's arrival releases what all have stored, too. (racecheck, which does not follow this, reports
    // staged columns; if all lanes arrive here and in fold_group, it does not.)
    __syncwarp();
    if (arch::lane_id() == 0) filled.arrive_expect_tx(bytes);  // some may have arrived before
    place_.advance(shape_.stages);
  }

  const Arguments& arguments_;
  const stage_shape& shape_;
  Storage& shared_;
  int warp_;
  unsigned drawn_;
  stage_place place_;
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
