// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a thread holds of a tile of keys and values: consecutive items of both.
#pragma once
#include <warpfold/thread/source.cuh>
#include <warpfold/tuning/by_key_policy.hpp>
#include <warpfold/warp/shuffle.cuh>

namespace warpfold::grid {
inline namespace v1 WARPFOLD_HIDDEN {

template <class Keys, class Leaves> inline constexpr tuning::by_key_policy by_key_policy =
    tuning::by_key_policy_for(sizeof(typename Keys::item), sizeof(typename Leaves::source_type::item),
                              sizeof(typename Leaves::accumulator));

/// The `Items` items of a thread from item `first` on, of the `tile_items` that the block loads from `tile_first` on.
template <int Items, class Source> struct thread_run {
  static constexpr int chunk_items = Source::chunk_items;
  typename Source::chunk chunks[Items / chunk_items] = {};

  __device__ void load(const Source& source, std::int64_t first, std::int64_t tile_first, int tile_items) {
    const bool whole = tile_first + tile_items <= source.items;
    if (whole && source.misaligned_bytes() == 0) return each([&](auto& to, int k) { source.load(to, first + k); });
    if constexpr (requires { source.can_shift(first, first); })
      if (whole && source.can_shift(tile_first, tile_first + tile_items))
        return each([&](auto& to, int k) { source.load_shifted(to, first + k); });
    each([&](auto& to, int k) { source.load_edge(to, first + k); });
  }
  __device__ const typename Source::chunk& chunk_of(int k) const { return chunks[k / chunk_items]; }

 private:
  template <class Load> __device__ void each(Load load) {
    WARPFOLD_UNROLL
    for (int i = 0; i < Items / chunk_items; ++i) load(chunks[i], i * chunk_items);
  }
};

/// A thread's items of a tile, on their way while what came before is written.
template <class Keys, class Leaves> struct thread_tile {
  static constexpr int items = by_key_policy<Keys, Leaves>.thread_items;
  static constexpr int tile_items = by_key_policy<Keys, Leaves>.tile_threads * items;

  int count;  ///< how many of the thread's items exist
  thread_run<items, Keys> keys;
  thread_run<items, typename Leaves::source_type> values;
  typename Keys::item before{};  ///< the key before the warp's first, in lane 0

  __device__ void load(const Keys& from_keys, const typename Leaves::source_type& from_values, std::int64_t tile) {
    const std::int64_t tile_first = tile * tile_items;
    const std::int64_t first = tile_first + arch::flat_thread() * items;
    count = static_cast<int>(greatest_of(0, least_of(from_keys.items - first, items)));
    if (arch::lane_id() == 0 && first > 0 && count > 0) before = from_keys.at(first - 1);
    keys.load(from_keys, first, tile_first, tile_items);
    values.load(from_values, first, tile_first, tile_items);
  }
  __device__ typename Keys::item key(int k) const { return Keys::value(keys.chunk_of(k), k % Keys::chunk_items); }

  /// Which of the thread's items begin a run: bit k for item k. All lanes of a warp call it.
  template <class Equal> __device__ unsigned find_heads(std::int64_t tile, Equal equal) const {
    const bool begins_input = tile == 0 && arch::flat_thread() == 0;
    auto previous = warp::shuffle_up(key(items - 1), 1);
    if (arch::lane_id() == 0) previous = before;
    unsigned heads = 0;
    WARPFOLD_UNROLL
    for (int k = 0; k < items; ++k) {
      const auto current = key(k);
      if (k < count && ((k == 0 && begins_input) || !equal(previous, current))) heads |= 1u << k;
      previous = current;
    }
    return heads;
  }
};

}  // namespace v1
}  // namespace warpfold::grid
