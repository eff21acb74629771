// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a tile of a scan along an axis comes from memory, and how its results go there: directly, a column for each lane,
// or through shared memory, where neighbours in memory are not neighbouring lanes.
#pragma once
#include <cstring>
#include <warpfold/axes/scan_arguments.cuh>
#include <warpfold/axes/scan_items.cuh>
#include <warpfold/thread/put.cuh>

namespace warpfold::axis_scan {

/// Shared memory for the items of a tile, then for their results. Groups, and columns, lie an odd number of slots
/// apart, so that neither threads that go along columns nor those across them meet at a bank.
template <class T, class A, int Threads, int Rows> struct tile_stage {
  static constexpr int slot_bytes = greatest_of(int{sizeof(T)}, int{sizeof(A)});
  struct alignas(greatest_of(int{alignof(T)}, int{alignof(A)})) slot {
    unsigned char bytes[slot_bytes];
    __device__ A& result() { return *reinterpret_cast<A*>(bytes); }
  };
  thread::array<slot, Threads*(Rows + 1) + Threads / 2> slots;
  std::int64_t in[Threads], out[Threads];  ///< the places of the columns' first items

  /// Of row k of a group. `along`: rows of a column are neighbours.
  __device__ slot& at(const tile_place& place, bool along, int group, int k, int lane) {
    const int pitch = (Rows + 1) << place.log_groups;
    return slots[along ? lane * (pitch | 1) + group * (Rows + 1) + k
                       : ((group * (Rows + 1) + k) << place.log_lanes) + lane];
  }
};
struct no_stage {};

/// A column's row within a tile.
struct tile_cell {
  int row, lane;
};
/// Cell number `number` of a tile, in which neighbours lie along columns or across them.
template <int Rows> __device__ tile_cell cell_of(const tile_place& place, bool along, int number) {
  constexpr int log_rows = log2_of(Rows);
  const int log_column = place.log_groups + log_rows;
  return along ? tile_cell{number & ((1 << log_column) - 1), number >> log_column}
               : tile_cell{number >> place.log_lanes, number & (place.lanes() - 1)};
}

/// The tiles of a strip as one thread sees them.
template <class Policy, class Arguments> class strip_tiles {
 public:
  using leaves_type = typename Arguments::leaves_type;
  using A = typename Arguments::A;
  using T = typename leaves_type::item;
  using chunk = typename leaves_type::chunk;
  using operation = typename Arguments::operation;
  static constexpr int rows = Policy::rows;
  using items_type = column_items<rows, A, operation>;
  using stage_type = std::conditional_t<Policy::is_staged, tile_stage<T, A, Policy::threads, rows>, no_stage>;

  /// All threads of the block call it, and a barrier follows if there is a stage.
  __device__ strip_tiles(const Arguments& arguments, stage_type& stage, const tile_place& place, std::int64_t strip)
      : arguments_(arguments), stage_(stage), place_(place) {
    const std::int64_t column = (strip << place.log_lanes) + place.lane;
    columns_ = static_cast<int>(least_of(arguments.columns - (strip << place.log_lanes), place.lanes()));
    exists_ = place.lane < columns_;
    if (exists_) own_ = arguments.kept.place_of(column);
    if constexpr (Policy::is_staged)
      if (place.group == 0) stage.in[place.lane] = own_.in, stage.out[place.lane] = own_.out;
  }

  /// Loads what this thread loads of a tile. It need not have items.
  __device__ void load(chunk (&to)[rows], std::int64_t tile) const {
    const std::int64_t first = first_row(tile), stride = arguments_.in_stride;
    const T* const data = arguments_.leaves.data;
    if constexpr (Policy::is_staged) {
      const std::int64_t left = arguments_.items - first;
      WARPFOLD_UNROLL
      for (int i = 0; i < rows; ++i) {
        const tile_cell cell = cell_of<rows>(place_, arguments_.plan.in_along, number(i));
        if (cell.row < left && cell.lane < columns_)
          to[i].template load<arch::read_once>(data + stage_.in[cell.lane] + (first + cell.row) * stride, 1);
      }
    } else {
      const std::int64_t own = first + place_.group * rows;
      const T* const from = data + own_.in + own * stride;
      const int count = count_from(own);
      if (count == rows) {
        WARPFOLD_UNROLL
        for (int k = 0; k < rows; ++k) to[k].template load<arch::read_once>(from + k * stride, 1);
      } else WARPFOLD_UNROLL
      for (int k = 0; k < rows; ++k)
        if (k < count) to[k].template load<arch::read_once>(from + k * stride, 1);
    }
  }

  /// Makes what the threads of the block have loaded of a tile the items of this thread.
  __device__ void take(items_type& items, const chunk (&loaded)[rows], std::int64_t tile) {
    const std::int64_t own = first_row(tile) + place_.group * rows;
    items.count = count_from(own);
    if constexpr (Policy::is_staged) {
      const bool along = arguments_.plan.in_along;
      WARPFOLD_UNROLL
      for (int i = 0; i < rows; ++i) {
        const tile_cell cell = cell_of<rows>(place_, along, number(i));
        std::memcpy(slot_of(cell).bytes, loaded[i].word, sizeof(T));
      }
      __syncthreads();
      WARPFOLD_UNROLL
      for (int k = 0; k < rows; ++k)
        if (k < items.count) {
          chunk own_item;
          std::memcpy(own_item.word, stage_.at(place_, along, place_.group, k, place_.lane).bytes, sizeof(T));
          items.values[k] = arguments_.leaves.leaf(own_item, 0, own + k);
        }
    } else WARPFOLD_UNROLL
    for (int k = 0; k < rows; ++k)
      if (k < items.count) items.values[k] = arguments_.leaves.leaf(loaded[k], 0, own + k);
  }

  /// Writes the results of a tile. A barrier must follow before another tile is taken.
  __device__ void write(const items_type& items, std::int64_t tile) {
    const std::int64_t first = first_row(tile), stride = arguments_.out_stride;
    if constexpr (Policy::is_staged) {
      WARPFOLD_UNROLL
      for (int k = 0; k < rows; ++k)
        if (k < items.count)
          stage_.at(place_, arguments_.plan.in_along, place_.group, k, place_.lane).result() = items.values[k];
      __syncthreads();
      const std::int64_t left = arguments_.items - first;
      WARPFOLD_UNROLL
      for (int i = 0; i < rows; ++i) {
        const tile_cell cell = cell_of<rows>(place_, arguments_.plan.out_along, number(i));
        if (cell.row < left && cell.lane < columns_)
          put(stage_.out[cell.lane] + (first + cell.row) * stride, slot_of(cell).result());
      }
    } else {
      const std::int64_t to = own_.out + (first + place_.group * rows) * stride;
      WARPFOLD_UNROLL
      for (int k = 0; k < rows; ++k)
        if (k < items.count) put(to + k * stride, items.values[k]);
    }
  }

  __device__ int columns() const { return columns_; }  ///< of the strip that exist

 private:
  __device__ std::int64_t first_row(std::int64_t tile) const { return tile * rows << place_.log_groups; }
  __device__ int count_from(std::int64_t row) const {
    return exists_ ? static_cast<int>(least_of(greatest_of(arguments_.items - row, 0), rows)) : 0;
  }
  __device__ int number(int i) const { return (i << (place_.log_lanes + place_.log_groups)) + arch::flat_thread(); }
  __device__ auto& slot_of(const tile_cell& cell) {
    return stage_.at(place_, arguments_.plan.in_along, cell.row / rows, cell.row % rows, cell.lane);
  }
  __device__ void put(std::int64_t at, const A& value) const { thread::put(arguments_.out[at], value); }

  const Arguments& arguments_;
  stage_type& stage_;
  const tile_place& place_;
  int columns_;
  bool exists_;  // whether the thread's own does
  place own_{0, 0};
};

}  // namespace warpfold::axis_scan
