// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a warp offers the items of a segment to the list of its block. In most batches nothing qualifies; a comparison of
// the lane's best item shows it.
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

  /// Part `part` of the `parts` of a segment, whose items are those of `source`.
  __device__ item_stream(const Source& source, int part, int parts)
      : source_(source),
        tiles_((source.items + tile_items() - 1) / tile_items(), part, parts),
        next_pause_(parts > 1 ? 1 : ~0u) {}

  /// Loads the first tile, and sets a bound for the list that k of its items reach, if it has so many. All threads of
  /// the block call it, once, before the first step; a barrier must follow.
  __device__ void start(list& to, tally_words& shared, int k) {
    if (!tiles_.exists()) return;
    const auto wanted = static_cast<unsigned>(k);
    const std::int64_t first_of_tile = tiles_.tile() * tile_items();
    const unsigned best = take_batch(), own = waiting_ != 0 ? best : ~0u;
    if (2 * k <= static_cast<int>(blockDim.x)) {  // the lanes' best items tell enough
      raise_bound(to,
                  bisect(shared, 0, own, best, wanted, wanted + wanted / 4,
                         [&](unsigned bound) { return static_cast<unsigned>(waiting_ != 0 && best >= bound); }),
                  wanted);
    } else if (source_.items - first_of_tile >= k) {
      raise_bound(
          to,
          bisect(shared, 0, worst(), best, wanted, wanted + wanted / 4, [&](unsigned bound) { return reached(bound); }),
          wanted);
    }
  }
  /// Offers a batch, or what is left of it.
  __device__ bool step(list& to) {
    const unsigned known = to.bound(), own = to.last().leading(), bound = own > known ? own : known;
    if (!__any_sync(full_warp, waiting_ != 0)) {
      if (!tiles_.exists()) return false;
      if (turns_ == next_pause_) {
        next_pause_ *= 4;
        if (arch::flat_thread() == 0) to.ask_for_pause();
        return true;
      }
      if (take_batch() < bound) waiting_ = 0;
    }
    if (__any_sync(full_warp, waiting_ != 0)) offer(to, bound);
    return __any_sync(full_warp, waiting_ != 0) || tiles_.exists();
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
  __device__ auto number(int i) const {
    return Order::number_of(Source::value(rows_[i / chunk_items], i % chunk_items));
  }
  __device__ auto rank(int i) const { return Order::rank_of(number(i)); }
  __device__ std::int64_t first_of_lane() const { return first_ + arch::lane_id() * chunk_items; }

  /// Loads the batch of the next tile, and returns the leading bits of the lane's best item. All its items wait.
  __device__ unsigned take_batch() {
    first_ = tiles_.tile() * tile_items() + arch::flat_warp() * items;
    tiles_.advance();
    ++turns_;
    waiting_ = 0;
    if (first_ >= source_.items) return 0;
    const bool all_exist = warp::load_rows(source_, first_, rows_);
    const std::int64_t remaining = source_.items - first_of_lane();
    if (remaining <= 0) return 0;
    auto best = number(0);
    waiting_ = 1;
    WARPFOLD_UNROLL
    for (int i = 1; i < lane_items; ++i)
      if (all_exist || distance(i) < remaining) best = Order::better(best, number(i)), waiting_ |= 1u << i;
    return key::least_of(Order::rank_of(best)).leading();
  }
  __device__ unsigned leading(int i) const { return key::least_of(rank(i)).leading(); }
  /// The leading bits of the worst waiting item, or ~0.
  __device__ unsigned worst() const {
    unsigned worst = ~0u;
    WARPFOLD_UNROLL
    for (int i = 0; i < lane_items; ++i)
      if ((waiting_ >> i & 1) != 0) worst = least_of(worst, leading(i));
    return worst;
  }
  /// How many of the waiting items reach `bound`.
  __device__ unsigned reached(unsigned bound) const {
    unsigned count = 0;
    WARPFOLD_UNROLL
    for (int i = 0; i < lane_items; ++i) count += (waiting_ >> i & 1) != 0 && key::least_of(rank(i)).leading() >= bound;
    return count;
  }
  __device__ static void raise_bound(list& to, const reached_bound& found, unsigned wanted) {
    if (found.count >= wanted) to.raise_bound(found.bound);
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
  tile_order tiles_;
  unsigned turns_ = 0;
  unsigned next_pause_;                // parts of several pause after 1, 4, 16, ... tiles, to hear of each other
  std::int64_t first_ = 0;             // number of the batch's first item
  typename Source::chunk rows_[rows];  // the batch
  unsigned waiting_ = 0;               // a bit for each of the lane's items that has not been offered
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::selection
