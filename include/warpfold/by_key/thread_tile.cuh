// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread's part of a tile: consecutive keys and values. If possible, they are copied to shared memory while the tile
// before is folded.
#pragma once
#include <warpfold/by_key/policy.hpp>
#include <warpfold/by_key/staged_items.cuh>
#include <warpfold/thread/lift.cuh>
#include <warpfold/thread/load_by_alignment.cuh>
#include <warpfold/thread/source.cuh>

namespace warpfold::by_key {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The bytes of a value, without its number.
template <class Source> inline constexpr std::size_t value_bytes = sizeof(typename Source::item);
template <class Source>
inline constexpr std::size_t value_bytes<thread::indexed_source<Source>> = sizeof(typename Source::item);

template <class Keys, class Leaves>
inline constexpr kernel_policy policy_of = kernel_policy_for(sizeof(typename Keys::item),
                                                             value_bytes<typename Leaves::source_type>,
                                                             sizeof(typename Leaves::accumulator));

/// Whether items of the source can be copied asynchronously where they are aligned.
template <class Source>
concept copyable_source = requires(const Source& source) {
  source.data;
  requires Source::chunk::vector_bytes == 16;
};

/// `Items` consecutive items of a thread.
template <int Items, class Source> struct thread_run {
  static constexpr int chunk_items = Source::chunk_items;
  static_assert(Items % chunk_items == 0);
  typename Source::chunk chunks[Items / chunk_items] = {};

  /// Loads the items from `first` on. The block loads `tile_items` items from `tile_first` on.
  __device__ void load(const Source& source, std::int64_t first, std::int64_t tile_first, int tile_items) {
    thread::load_by_alignment(source, tile_first, tile_first + tile_items, [&](auto load) {
      WARPFOLD_UNROLL
      for (int i = 0; i < Items / chunk_items; ++i) load(chunks[i], first + i * chunk_items);
    });
  }
  /// Loads the items [skipped, count) of them one by one.
  __device__ void load_items(const Source& source, std::int64_t first, int count, int skipped) {
    WARPFOLD_UNROLL
    for (int i = 0; i < Items / chunk_items; ++i)
      source.load_items(chunks[i], first + i * chunk_items, count - i * chunk_items, skipped - i * chunk_items);
  }
  __device__ const typename Source::chunk& chunk_of(int k) const { return chunks[k / chunk_items]; }
};

/// A thread's keys and values of a tile. Sources of a part begin with the part's first tile, and so miss its first
/// schedule.missing items.
template <class Keys, class Leaves> struct thread_tile {
  using Values = typename Leaves::source_type;
  using key_type = typename Keys::item;
  static constexpr int items = policy_of<Keys, Leaves>.thread_items;
  static constexpr int warp_items = warp_lanes * items, tile_items = policy_of<Keys, Leaves>.tile_threads * items;
  static constexpr bool stages_keys = copyable_source<Keys> && sizeof(key_type) <= 16;
  static constexpr bool stages_values = copyable_source<Values>;

  /// Room in shared memory for a warp's items of the next tile.
  struct alignas(128) stage {
    struct nothing {};
    std::conditional_t<stages_keys, staged_items<key_type, items>, nothing> keys;
    std::conditional_t<stages_values, staged_items<typename Values::item, items>, nothing> values;
  };

  int count = 0;  ///< how many of the thread's items exist; of a part's tiles, items_before and items_through, in bytes
  thread_run<items, Keys> keys;
  thread_run<items, Values> values;
  /// In lane 0: the key before the warp's first one, if it exists. Bytes, if keys have no default constructor.
  std::conditional_t<std::is_default_constructible_v<key_type>, key_type[1], thread::array<key_type, 1>> before{};

  /// Starts to copy the items of warp number `warp` of a tile, which is whole and aligned. All lanes of the warp call
  /// it.
  template <class Schedule>
  __device__ static void start(stage& to, const Keys& from_keys, const Values& from_values, const Schedule& schedule,
                               int tile, int warp) {
    const std::int64_t first = begin_of(schedule, tile) + warp * warp_items;
    if constexpr (stages_keys) to.keys.start(from_keys.data, first, first > schedule.missing);
    if constexpr (stages_values) to.values.start(from_values.data, first, false);
  }
  /// Reads the items whose copies start() began, and loads the others. All lanes of a warp call it.
  template <class Schedule>
  __device__ void take(stage& staged, const Keys& from_keys, const Values& from_values, const Schedule& schedule,
                       int tile) {
    count = items;
    arch::wait_async_copies();
    __syncwarp();
    if constexpr (stages_keys) {
      staged.keys.read(keys.chunks);
      if (arch::lane_id() == 0) before[0] = staged.keys.item_before();
    } else load_keys(from_keys, schedule, tile);
    if constexpr (stages_values) staged.values.read(values.chunks);
    else load_run(values, from_values, schedule, tile);
  }
  /// Loads all items from memory.
  template <class Schedule>
  __device__ void load(const Keys& from_keys, const Values& from_values, const Schedule& schedule, int tile) {
    const std::int64_t first = first_of(schedule, tile);
    count = static_cast<int>(greatest_of(0, least_of(from_keys.items - first, items)));
    if constexpr (Schedule::is_part)
      count |= static_cast<int>(greatest_of(0, least_of(schedule.missing - first, items))) << 8;
    load_keys(from_keys, schedule, tile);
    load_run(values, from_values, schedule, tile);
  }
  /// The thread's items before the part's first one, and those before the end of the input.
  template <class Schedule> __device__ int items_before() const { return Schedule::is_part ? count >> 8 : 0; }
  template <class Schedule> __device__ int items_through() const { return Schedule::is_part ? count & 0xFF : count; }
  __device__ key_type key(int k) const { return Keys::value(keys.chunk_of(k), k % Keys::chunk_items); }

  /// The heads among the thread's items: bit k for item k. If `Whole`, all items exist. All lanes of a warp call it.
  /// `equal` sees keys that exist: an item that exists has a predecessor that exists, but for the first of the input.
  template <bool Whole, class Schedule, class Equal>
  __device__ unsigned find_heads(const Schedule& schedule, int tile, Equal equal) const {
    const auto begins_input = [&](int k) {
      if constexpr (Schedule::is_part)
        return tile == schedule.first_tile && arch::flat_thread() * items + k == schedule.missing;
      else return k == 0 && tile == 0 && arch::flat_thread() == 0;
    };
    auto previous = warp::shuffle_up(key(items - 1), 1);
    if (arch::lane_id() == 0) previous = before[0];
    unsigned heads = 0;
    WARPFOLD_UNROLL
    for (int k = 0; k < items; ++k) {
      const auto current = key(k);
      if ((Whole || (k < items_through<Schedule>() && k >= items_before<Schedule>())) &&
          (begins_input(k) || !equal(previous, current)))
        heads |= 1u << k;
      previous = current;
    }
    return heads;
  }

 private:
  template <class Schedule> __device__ static std::int64_t begin_of(const Schedule& schedule, int tile) {
    return std::int64_t{tile - schedule.first_tile} * tile_items;
  }
  template <class Schedule> __device__ static std::int64_t first_of(const Schedule& schedule, int tile) {
    return begin_of(schedule, tile) + arch::flat_thread() * items;
  }
  template <class Schedule> __device__ void load_keys(const Keys& from, const Schedule& schedule, int tile) {
    const std::int64_t first = first_of(schedule, tile);
    if (arch::lane_id() == 0 && first > schedule.missing && items_through<Schedule>() > 0)
      before[0] = from.at(first - 1);
    load_run(keys, from, schedule, tile);
  }
  template <class Run, class Source, class Schedule>
  __device__ void load_run(Run& to, const Source& from, const Schedule& schedule, int tile) const {
    const std::int64_t begin = begin_of(schedule, tile);
    if constexpr (Schedule::is_part)  // shifted vectors around the tile may reach items that do not exist
      if (schedule.missing > 0 && begin - schedule.missing < 16)
        return to.load_items(from, first_of(schedule, tile), items_through<Schedule>(), items_before<Schedule>());
    to.load(from, first_of(schedule, tile), begin, tile_items);
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::by_key
