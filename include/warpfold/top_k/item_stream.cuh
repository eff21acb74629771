// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a warp offers the items of a segment to the list of its block. In most batches nothing qualifies; a comparison of
// the lane's best rank shows it.
#pragma once
#include <warpfold/top_k/best_list.cuh>
#include <warpfold/top_k/order.cuh>
#include <warpfold/top_k/tile_order.hpp>
#include <warpfold/warp/load_rows.cuh>

namespace warpfold::selection {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Items that a segment may have: their places fit keys, and their tiles, which have 2^7 items at least, are counted.
template <class Key> inline constexpr std::int64_t most_items = least_of(Key::most_items, most_tiles* warp_lanes * 4);

/// The batches of a warp. A tile has a batch for each warp of the block.
template <class Order, class Source> class item_stream {
 public:
  using key = key_of<Order>;
  using list = best_list<key>;

  /// Part `part` of the `parts` of a segment, whose items are those of `source`. In a trial, the first step enters the
  /// best rank of each lane, not items.
  __device__ item_stream(const Source& source, int part, int parts, bool is_trial)
      : source_(source),
        is_trial_(is_trial),
        tiles_((source.items + tile_items() - 1) / tile_items(), part, parts),
        next_merge_(parts > 1 && arch::flat_warp() == 0 ? 1 : ~0u),
        first_(0) {}

  /// Offers a batch, or what is left of it.
  __device__ bool step(list& to) {
    const unsigned known = to.bound(), own = to.last().leading(), bound = own > known ? own : known;
    if (!__any_sync(full_warp, waiting_ != 0)) {
      if (!tiles_.exists()) return false;
      first_ = tiles_.tile() * tile_items() + arch::flat_warp() * items;
      tiles_.advance();
      const auto best = first_ < source_.items ? load(bound) : 0;
      if (is_trial_) {
        is_trial_ = false;
        to.refuses(waiting_ != 0, key::least_of(best));  // it never does: the buffer has room for a key of each thread
        if (arch::lane_id() == 0) to.ask_for_merge();
        return true;
      }
    }
    if (__any_sync(full_warp, waiting_ != 0)) offer(to, bound);
    if (__any_sync(full_warp, waiting_ != 0)) return true;
    if (tiles_.exists() && tiles_.turn() >= next_merge_) {
      next_merge_ = 2 * tiles_.turn();
      if (arch::lane_id() == 0) to.ask_for_merge();
    }
    return tiles_.exists();
  }

 private:
  static constexpr int rows = batch_rows<Source>, chunk_items = Source::chunk_items, lane_items = rows * chunk_items,
                       items = batch_items<Source>;
  static_assert(lane_items <= 32);

  __device__ static std::int64_t tile_items() { return std::int64_t{blockDim.x / warp_lanes} * items; }
  /// The number of the lane's item `i` in the batch, less that of its first one.
  __device__ static constexpr int distance(int i) {
    return i / chunk_items * (warp_lanes * chunk_items) + i % chunk_items;
  }
  __device__ auto rank(int i) const { return Order::rank(Source::value(rows_[i / chunk_items], i % chunk_items)); }
  __device__ std::int64_t first_of_lane() const { return first_ + arch::lane_id() * chunk_items; }

  /// Loads the batch, and returns the lane's best rank. Its items wait if one of them may be among the best.
  __device__ typename Order::rank_type load(std::uint32_t bound) {
    const bool all_exist = warp::load_rows(source_, first_, rows_);
    const std::int64_t remaining = source_.items - first_of_lane();
    typename Order::rank_type best = 0;
    unsigned existing = 0;
    WARPFOLD_UNROLL
    for (int i = 0; i < lane_items; ++i)
      if (all_exist || distance(i) < remaining) {
        const auto own = rank(i);
        best = own > best ? own : best;
        existing |= 1u << i;
      }
    waiting_ = key::of(best, 0).leading() >= bound ? existing : 0;
    return best;
  }
  /// Offers the waiting items, row by row. The rows move through the first place, since registers cannot be indexed;
  /// unrolled, all keys at once would not fit them.
  __device__ void offer(list& to, std::uint32_t bound) {
    const key last = to.last();
    std::int64_t first = first_of_lane();
    unsigned refused = 0;
    WARPFOLD_NO_UNROLL
    for (int row = 0; row < rows; ++row, first += warp_lanes * chunk_items) {
      WARPFOLD_UNROLL
      for (int i = 0; i < chunk_items; ++i) {
        const unsigned bit = 1u << (row * chunk_items + i);
        const key own = key::of(rank(i), first + i);
        const bool candidate = (waiting_ & bit) != 0 && own.leading() >= bound && own.comes_before(last);
        if (to.refuses(candidate, own)) refused |= bit;
      }
      const auto done = rows_[0];
      WARPFOLD_UNROLL
      for (int i = 1; i < rows; ++i) rows_[i - 1] = rows_[i];
      rows_[rows - 1] = done;
    }
    waiting_ = refused;
  }

  const Source& source_;
  bool is_trial_;
  tile_order tiles_;
  unsigned next_merge_;                // the first warp of several parts asks for a merge after 1, 2, 4, ... tiles
  std::int64_t first_;                 // number of the batch's first item
  typename Source::chunk rows_[rows];  // the batch
  unsigned waiting_ = 0;               // a bit for each of the lane's items that has not been offered
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::selection
