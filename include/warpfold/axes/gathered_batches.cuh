// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items that lie apart, gathered in shared memory: a warp copies them in their order, whatever their places, while it
// folds the batches before. Then lanes read chunks of neighbouring items, as if these lay together.
#pragma once
#include <warpfold/arch/async_copy.cuh>
#include <warpfold/arch/lane.cuh>
#include <warpfold/arch/opaque.cuh>
#include <warpfold/axes/place_walk.cuh>
#include <warpfold/axes/warp_shares.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The batches of all shares of the calling warp, one after another, across its work items. A batch is `Rows` rows of
/// 32 chunks; two are under way, each in a stage of its own. All lanes of the warp call all functions. (On an H200,
/// moments of 256x1024x196 floats over axes 0 and 2 take 66 us, and 87 if copies of 16 bytes go past the cache.)
template <class Arguments, int Rows> class gathered_batches {
 public:
  using leaves = typename Arguments::leaves_type;
  using T = typename leaves::item;
  using chunk = typename leaves::chunk;
  static constexpr bool are_gathered = true;
  static constexpr int chunk_items = leaves::chunk_items, row_items = warp_lanes * chunk_items,
                       batch_items = Rows * row_items, stages = 2;
  /// Chunks are so far apart that lanes meet in no bank.
  static constexpr int pitch = chunk::bytes + (chunk::bytes % 32 == 0 ? 16 : 0),
                       stage_bytes = Rows * warp_lanes * pitch, warp_bytes = stages * stage_bytes;

  /// The warps of the block have `room`, aligned to 16 bytes. `unit` items, a power of two, are a vector wherever the
  /// first one's number is a multiple of `unit`.
  __device__ gathered_batches(const Arguments& arguments, unsigned char* room, int unit)
      : arguments_(arguments),
        room_(room + arch::flat_thread() / warp_lanes * warp_bytes),
        unit_(is_copied_at_once(unit * int{sizeof(T)}) ? unit : 1),
        work_(blockIdx.x) {
    const auto& reduced = arguments.reduced;
    const int axes = reduced.axis_count();
    if constexpr (Arguments::map::most_axes > 2) {
      const bool are_near = axes == 1 || (reduced.inner_extent() < endless && reduced.axes[1].extent < endless);
      walk_ = axes <= 2 && are_near   ? walk_kind::two_axes
              : axes == 3 && are_near ? walk_kind::three_axes
                                      : walk_kind::none;
    }
    find_shares();
  }

  /// Gives the calling lane its chunks of the next batch, of which `count` items exist from the lane's first one on.
  /// Chunks without items stay as they are.
  __device__ void take(chunk (&to)[Rows], int count) {
    // One loop starts the first batches, too, so that the code is there once.
    WARPFOLD_NO_UNROLL
    for (bool is_taken = false; !is_taken || under_way_ < stages;) {
      if (under_way_ < stages) {
        start();
        ++under_way_;
        continue;
      }
      arch::wait_async_groups<stages - 1>();
      __syncwarp();
      WARPFOLD_UNROLL
      for (int r = 0; r < Rows; ++r) {
        if (r * row_items >= count) continue;
        const unsigned char* const from = place_of((r * warp_lanes + arch::lane_id()) * chunk_items);
        WARPFOLD_UNROLL
        for (int byte = 0; byte < chunk::bytes; byte += chunk::vector_bytes)
          arch::load_shared<chunk::vector_bytes>(from + byte, reinterpret_cast<unsigned char*>(to[r].word) + byte);
      }
      __syncwarp();  // before others overwrite the stage
      --under_way_;
      is_taken = true;
    }
  }

 private:
  /// Over how many axes equal steps lead from unit to unit.
  enum class walk_kind { none, two_axes, three_axes };

  __device__ static constexpr bool is_copied_at_once(int bytes) { return bytes == 4 || bytes == 8 || bytes == 16; }
  /// Where item `item` of the batch in stage_ is.
  __device__ unsigned char* place_of(unsigned item) const { return room_ + stage_ * stage_bytes + offset_of(item); }
  __device__ static unsigned offset_of(unsigned item) {
    return item / chunk_items * pitch + item % chunk_items * static_cast<unsigned>(sizeof(T));
  }

  /// Finds the warp's shares of work item work_, or of the next one of which it has any.
  __device__ void find_shares() {
    const auto& plan = arguments_.plan;
    WARPFOLD_NO_UNROLL
    for (; work_ < plan.work_items(); work_ += gridDim.x) {
      const warp_shares shares(arguments_, work_, arch::uniform_warp());
      if (shares.group >= shares.count() || shares.output >= arguments_.vectors) continue;
      last_ = shares.item.end;
      origin_ = arguments_.leaves.data + arguments_.kept.place_of(shares.output).in;
      return begin_share(shares.first(shares.group));
    }
  }
  __device__ void begin_share(std::int64_t first) {
    from_ = first, end_ = least_of(first + share_items(), last_);
    const stretch_place begin = arguments_.reduced.stretch_at(first + arch::lane_id() * unit_);
    at_ = origin_ + begin.in;
    left_ = near_items(begin.remaining);
    if constexpr (Arguments::map::most_axes > 2)
      if (walk_ == walk_kind::three_axes)
        stretches_ = near_items(arguments_.reduced.stretches_at(first + arch::lane_id() * unit_));
  }
  __device__ std::int64_t share_items() const {
    return std::int64_t{1} << (arguments_.plan.log_rows - arguments_.plan.log_turns);
  }

  /// Starts to copy the next batch, if there is one, to stage_. Then the other stage has the batch before.
  __device__ void start() {
    if (work_ < arguments_.plan.work_items()) {
      if (!copies_vectors<16>() && !copies_vectors<8>() && !copies_vectors<4>()) copy<sizeof(T)>();
      from_ += batch_items;
      if (from_ >= end_) {
        const std::int64_t next = end_ + (arguments_.plan.groups - 1) * share_items();
        if (next < last_) begin_share(next);
        else work_ += gridDim.x, find_shares();
      }
    }
    arch::close_async_copies();
    stage_ ^= 1;
  }
  /// Copies the batch by vectors of `Bytes` bytes, if several items are such a vector; returns whether they are.
  template <int Bytes> __device__ bool copies_vectors() {
    if constexpr (Bytes % sizeof(T) == 0 && Bytes > sizeof(T)) {
      if (unit_ * int{sizeof(T)} == Bytes) copy<Bytes>();
      return unit_ * int{sizeof(T)} == Bytes;
    } else return false;
  }
  /// Copies the batch by units of `Bytes` bytes, of which each lane has every 32nd one.
  template <int Bytes> __device__ void copy() {
    if (end_ - from_ >= batch_items && walk_ == walk_kind::two_axes) walk<Bytes, 2, true>(batch_items);
    else copy_edge<Bytes>(static_cast<int>(least_of<std::int64_t>(end_ - from_, batch_items)));
  }
  /// The same of any batch, of which `count` items exist. What its last chunk lacks is cleared.
  template <int Bytes> __device__ void copy_edge(int count) {
    if (walk_ == walk_kind::two_axes) walk<Bytes, 2, false>(count);
    else if constexpr (Arguments::map::most_axes > 2) {
      if (walk_ == walk_kind::three_axes) walk<Bytes, 3, false>(count);
      else copy_one_by_one<Bytes>(arguments_.reduced, origin_, from_, place_of(0), count);
    }
    const int whole = (count + chunk_items - 1) / chunk_items * chunk_items;
    WARPFOLD_NO_UNROLL
    for (int item = count + arch::lane_id(); item < whole; item += warp_lanes) clear_item(place_of(item));
  }
  /// The first `count` items of the batch, or all if `IsWhole`. The reduced axes are at most `Axes`, so that equal
  /// steps lead from unit to unit.
  template <int Bytes, int Axes, bool IsWhole> __device__ void walk(int count) {
    constexpr int unit = Bytes / int{sizeof(T)}, step = warp_lanes * unit, at_once = least_of(batch_items / step, 8);
    constexpr std::int64_t item_bytes = sizeof(T);
    const auto& reduced = arguments_.reduced;
    const stretch_place stepped = reduced.stretch_at(step);
    const int extent = near_items(reduced.inner_extent()),
              step_items = reduced.axis_count() == 1 ? 0 : extent - near_items(stepped.remaining);
    // Opaque, and addresses are numbers: else the compiler adds the jump apart, and follows two pointers.
    const std::int64_t step_bytes = stepped.in * item_bytes,
                       over_end_bytes = arch::opaque(step_bytes + reduced.jump() * item_bytes);
    [[maybe_unused]] std::int64_t plane_bytes = 0;
    [[maybe_unused]] int plane = 0, step_stretches = 0;
    if constexpr (Axes == 3) {
      plane_bytes = reduced.jump(1) * item_bytes, plane = static_cast<int>(reduced.axes[1].extent);
      step_stretches = plane - static_cast<int>(reduced.stretches_at(step));
    }
    auto at = reinterpret_cast<std::uintptr_t>(at_);
    WARPFOLD_NO_UNROLL
    for (int from = 0; from < count; from += at_once * step) {
      const int own = from + arch::lane_id() * unit;
      unsigned char* const first = place_of(own);
      WARPFOLD_UNROLL
      for (int k = 0; k < at_once * step; k += step) {
        if (IsWhole || own + k < count)
          copy_unit<Bytes>(step % chunk_items == 0 ? first + k / chunk_items * pitch : place_of(own + k),
                           reinterpret_cast<const void*>(at));
        left_ -= step_items;
        at += static_cast<std::uintptr_t>(left_ <= 0 ? over_end_bytes : step_bytes);
        if constexpr (Axes == 3) {
          stretches_ -= step_stretches + (left_ <= 0);
          at += static_cast<std::uintptr_t>(stretches_ <= 0 ? plane_bytes : 0);
          if (stretches_ <= 0) stretches_ += plane;
        }
        if (left_ <= 0) left_ += extent;
      }
    }
    at_ = reinterpret_cast<const T*>(at);
  }
  /// The same along any axes: divisions find each unit. Not inlined: it is rare.
  template <int Bytes>
  WARPFOLD_NO_INLINE __device__ static void copy_one_by_one(const typename Arguments::map& reduced, const T* origin,
                                                            std::int64_t first, unsigned char* stage, int count) {
    constexpr int unit = Bytes / int{sizeof(T)}, step = warp_lanes * unit;
    WARPFOLD_NO_UNROLL
    for (int item = arch::lane_id() * unit; item < count; item += step)
      copy_unit<Bytes>(stage + offset_of(item), origin + reduced.in(first + item));
  }

  template <int Bytes> static constexpr int width = Bytes > sizeof(T) ? Bytes : alignof(T);  ///< that is copied at once
  template <int Bytes> __device__ static void copy_unit(unsigned char* to, const void* unit) {
    const auto* const from = static_cast<const unsigned char*>(unit);
    WARPFOLD_UNROLL
    for (int byte = 0; byte < Bytes; byte += width<Bytes>) {
      if constexpr (width<Bytes> >= 4) arch::async_copy_to_shared<width<Bytes>, true>(to + byte, from + byte);
      else {
        unsigned char held[width<Bytes>];
        arch::read_only::load<width<Bytes>>(from + byte, held);
        arch::store_shared<width<Bytes>>(to + byte, held);
      }
    }
  }
  __device__ static void clear_item(unsigned char* to) {
    constexpr int bytes = alignof(T);
    const unsigned char zeros[bytes] = {};
    WARPFOLD_UNROLL
    for (int byte = 0; byte < int{sizeof(T)}; byte += bytes) arch::store_shared<bytes>(to + byte, zeros);
  }

  const Arguments& arguments_;
  unsigned char* room_;
  int unit_, under_way_ = 0, stage_ = 0;
  walk_kind walk_ = walk_kind::two_axes;
  // The next batch to be copied: its work item and first item; the ends of its share and of the work item; its output.
  std::int64_t work_, from_ = 0, end_ = 0, last_ = 0;
  const T* origin_ = nullptr;
  // The calling lane's next unit; items from there to the end of the innermost axis, stretches to that of the next one.
  const T* at_ = nullptr;
  int left_ = 0, stretches_ = 0;
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
