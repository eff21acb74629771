// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items that lie apart, gathered in shared memory: a warp copies them in their order, whatever their places, while it
// folds the batches before. Then lanes read chunks of neighbouring items, as if these lay together.
#pragma once
#include <warpfold/arch/async_copy.cuh>
#include <warpfold/arch/lane.cuh>
#include <warpfold/axes/place_walk.cuh>
#include <warpfold/axes/warp_shares.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The batches of all shares of the calling warp, one after another, across its work items. A batch is `Rows` rows of
/// 32 chunks; two are under way, each in a stage of its own. All lanes of the warp call all functions.
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
  __device__ static constexpr bool is_copied_at_once(int bytes) { return bytes == 4 || bytes == 8 || bytes == 16; }
  /// Where item `item` of the batch in stage_ is.
  __device__ unsigned char* place_of(unsigned item) const {
    return room_ + stage_ * stage_bytes + item / chunk_items * pitch + item % chunk_items * sizeof(T);
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
  /// Copies the batch by units of `Bytes` bytes: each lane every 32nd one. Items that a chunk lacks are cleared.
  template <int Bytes> __device__ void copy() {
    constexpr int step = warp_lanes * Bytes / int{sizeof(T)};
    const int count = static_cast<int>(least_of<std::int64_t>(end_ - from_, batch_items)),
              whole = (count + chunk_items - 1) / chunk_items * chunk_items;
    const auto copy_or_clear = [&](int item, unsigned char* to, const void* from) {
      if (item < count) copy_unit<Bytes>(to, from);
      else if (item < whole) clear_unit<Bytes>(to);
    };
    const auto& reduced = arguments_.reduced;
    const int own = arch::lane_id() * unit_, axes = reduced.axis_count();
    if (axes == 1 || (axes == 2 && reduced.inner_extent() < endless)) {
      if (count == batch_items)
        walk<Bytes>(count, [](int, unsigned char* to, const void* from) { copy_unit<Bytes>(to, from); });
      else walk<Bytes>(count, copy_or_clear);
    } else if constexpr (Arguments::map::most_axes > 1) {
      if (axes == 3) {
        place_walk<3, step, typename Arguments::map> places(reduced, 0, from_ + own);
        WARPFOLD_NO_UNROLL
        for (int item = own; item < whole; item += step, places.step())
          copy_or_clear(item, place_of(item), origin_ + places.place().at);
      } else {
        WARPFOLD_NO_UNROLL
        for (int item = own; item < whole; item += step)
          copy_or_clear(item, place_of(item), origin_ + reduced.in(from_ + item));
      }
    }
  }
  /// Calls copy_next(item, to, from) for the calling lane's units of the first `count` items of the batch, and some
  /// more. The reduced axes are one or two, so equal steps lead from unit to unit.
  template <int Bytes, class Copy> __device__ void walk(int count, Copy copy_next) {
    constexpr int unit = Bytes / int{sizeof(T)}, step = warp_lanes * unit, at_once = least_of(batch_items / step, 8);
    const auto& reduced = arguments_.reduced;
    const stretch_place stepped = reduced.stretch_at(step);
    const int extent = near_items(reduced.inner_extent()),
              step_items = reduced.axis_count() == 1 ? 0 : extent - near_items(stepped.remaining);
    constexpr std::int64_t item_bytes = sizeof(T);
    const std::int64_t step_bytes = stepped.in * item_bytes, over_end_bytes = step_bytes + reduced.jump() * item_bytes;
    const auto* at = reinterpret_cast<const unsigned char*>(at_);
    WARPFOLD_NO_UNROLL
    for (int from = arch::lane_id() * unit; from - arch::lane_id() * unit < count; from += at_once * step) {
      unsigned char* const first = place_of(from);
      WARPFOLD_UNROLL
      for (int k = 0; k < at_once * step; k += step) {
        copy_next(from + k, step % chunk_items == 0 ? first + k / chunk_items * pitch : place_of(from + k), at);
        left_ -= step_items;
        at += left_ <= 0 ? over_end_bytes : step_bytes;
        if (left_ <= 0) left_ += extent;
      }
    }
    at_ = reinterpret_cast<const T*>(at);
  }

  template <int Bytes> static constexpr int width = Bytes > sizeof(T) ? Bytes : alignof(T);  ///< that is copied at once
  template <int Bytes> __device__ static void copy_unit(unsigned char* to, const void* unit) {
    const auto* const from = static_cast<const unsigned char*>(unit);
    WARPFOLD_UNROLL
    for (int byte = 0; byte < Bytes; byte += width<Bytes>) {
      if constexpr (width<Bytes> >= 4) arch::async_copy_to_shared<width<Bytes>>(to + byte, from + byte);
      else {
        unsigned char held[width<Bytes>];
        arch::read_only::load<width<Bytes>>(from + byte, held);
        arch::store_shared<width<Bytes>>(to + byte, held);
      }
    }
  }
  template <int Bytes> __device__ static void clear_unit(unsigned char* to) {
    const unsigned char zeros[width<Bytes>] = {};
    WARPFOLD_UNROLL
    for (int byte = 0; byte < Bytes; byte += width<Bytes>) arch::store_shared<width<Bytes>>(to + byte, zeros);
  }

  const Arguments& arguments_;
  unsigned char* room_;
  int unit_, under_way_ = 0, stage_ = 0;
  // The next batch to be copied: its work item and first item; the ends of its share and of the work item; its output.
  std::int64_t work_, from_ = 0, end_ = 0, last_ = 0;
  const T* origin_ = nullptr;
  // The calling lane's next unit, and the items from there to the end of the innermost axis.
  const T* at_ = nullptr;
  int left_ = 0;
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
