// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a warp offers the items of a segment to the list of its block. In most batches of a long segment nothing
// qualifies; a comparison of each item, or of each pair, or of the lane's best item, shows it. In the others, items
// that qualify are read again; if the list has no room, they wait. While a block looks for a bound, its next batches
// are loaded.
#pragma once
#include <warpfold/top_k/best_list.cuh>
#include <warpfold/top_k/threshold.cuh>
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
  /// Whether items are compared in pairs, which are words of a chunk.
  static constexpr bool by_pairs = threshold<Order>::by_pairs && Source::chunk_items % 4 == 0 && requires {
    Source::chunk::words;
  };
  static constexpr int rows = batch_rows<Source>(by_pairs ? 2 * most_lane_pairs : most_lane_items),
                       batch_items = rows * warp_lanes * Source::chunk_items;

  /// Part `part` of the `parts` of a segment, whose items are those of `source`.
  __device__ item_stream(const Source& source, int part, int parts)
      : source_(source),
        tiles_((source.items + tile_items() - 1) / tile_items(), part, parts),
        next_pause_(parts > 1 ? 4 : ~0u) {}

  /// Begins to load the first batch. Once.
  __device__ void start() { load_next(); }
  /// Whether there are tiles behind the batch that is loaded; the same in the whole block.
  __device__ bool has_more_tiles() const { return tiles_.exists(); }
  /// Leading bits that `wanted` items of the first tile reach, and few more; 0 if it has not so many. All threads of
  /// the block call it, before the first step.
  __device__ unsigned reached_by(unsigned wanted, search_words& shared) const {
    if (!is_loaded_) return 0;
    const unsigned best = loaded_ != 0 ? leading(best_loaded()) : 0;
    reached_bound found{0, 0};
    if (2 * wanted <= blockDim.x) {  // the lanes' best items tell enough
      found = search_bound(shared, 0, loaded_ != 0 ? best : ~0u, best, wanted, wanted + wanted / 4, [&](auto add) {
        if (loaded_ != 0) add(best);
      });
    } else if (source_.items - loaded_tile_ * tile_items() >= wanted) {
      found = bisect(shared.tally, 0, worst_loaded(), best, wanted, wanted + wanted / 4,
                     [&](unsigned bound) { return count_reaching(bound); });
    }
    return found.count >= wanted ? found.bound : 0;
  }
  /// Offers a batch, or what is left of it.
  __device__ bool step(list& to) {
    if (are_waiting_) {
      offer(to);
      return are_waiting_ || is_loaded_;
    }
    if (!is_loaded_) return false;
    if (turns_ == next_pause_) {
      next_pause_ *= 4;
      if (arch::flat_thread() == 0) to.ask_for_pause();
      return true;
    }
    ++turns_;
    tile_ = loaded_tile_;
    if (!knows_bound_) {
      const key last = to.last();
      worst_ = threshold<Order>(greatest_of(to.bound(), last.leading()), last, first_of_batch(tile_));
      knows_bound_ = !last.holds();  // else it depends on the place
    }
    waiting_ = candidates(worst_);
    are_waiting_ = __any_sync(full_warp, waiting_ != 0);
    load_next();
    if (are_waiting_) add_waiting(to);
    return are_waiting_ || is_loaded_;
  }
  /// The list's bound may have changed.
  __device__ void forget_bound() { knows_bound_ = false; }

 private:
  using pair_bound = typename threshold<Order>::pair_bound;
  static constexpr int chunk_items = Source::chunk_items, lane_items = rows * chunk_items;
  static_assert(lane_items <= 32);
  /// The bit of the lane's item `i`. Items of two words have a bit in each byte.
  __device__ static constexpr unsigned bit(int i) { return 1u << (by_pairs ? i % 4 * 8 + i / 4 : i); }
  /// The item of a bit, which is given by its number.
  __device__ static constexpr unsigned item_of(unsigned bit) { return by_pairs ? bit % 8 * 4 + bit / 8 : bit; }
  /// The first bit's number; there is one.
  __device__ static unsigned first_bit(unsigned bits) {
    return static_cast<unsigned>(__ffs(static_cast<int>(bits))) - 1;
  }
  /// The bits of the items of words 2 i and 2 i + 1.
  __device__ static constexpr unsigned bits_of_pairs(int i) { return 0x01010101u << i; }
  static constexpr unsigned all_items = by_pairs ? (0xFFu >> (8 - lane_items / 4)) * 0x01010101u
                                                 : ~0u >> (32 - lane_items);

  __device__ static std::int64_t tile_items() { return std::int64_t{blockDim.x / warp_lanes} * batch_items; }
  /// The number of the lane's item `i` in the batch, less that of its first one.
  __device__ static constexpr unsigned distance(unsigned i) {
    return i / chunk_items * (warp_lanes * chunk_items) + i % chunk_items;
  }
  __device__ auto number(int i) const {
    return Order::number_of(Source::value(rows_[i / chunk_items], i % chunk_items));
  }
  /// Word `i` of the lane, which holds two items.
  __device__ unsigned word(int i) const requires(by_pairs) {
    return rows_[2 * i / chunk_items].word[i % (chunk_items / 2)];
  }
  /// The worst number instead of item `i`, which does not exist.
  __device__ void replace(int i) requires(by_pairs) {
    const unsigned own = 0xFFFFu << i % 2 * 16;
    std::uint32_t& word = rows_[i / chunk_items].word[i % chunk_items / 2];
    word = (word & ~own) | (pair_bound::worst_pair & own);
  }
  __device__ static std::int64_t first_of_batch(unsigned tile) {
    return tile * tile_items() + arch::flat_warp() * batch_items;
  }
  __device__ static std::int64_t first_of_lane(std::int64_t first) { return first + arch::lane_id() * chunk_items; }

  /// Begins to load the batch of the next tile, if there is one.
  __device__ void load_next() {
    loaded_ = 0;
    is_loaded_ = tiles_.exists();
    if (!is_loaded_) return;
    loaded_tile_ = static_cast<unsigned>(tiles_.tile());
    tiles_.advance();
    const std::int64_t first = first_of_batch(loaded_tile_);
    if (first >= source_.items) return;
    if (warp::load_rows(source_, first, rows_)) {
      loaded_ = all_items;
      return;
    }
    const int remaining = static_cast<int>(least_of(source_.items - first_of_lane(first), batch_items));
    WARPFOLD_UNROLL
    for (int i = 0; i < lane_items; ++i)
      if (static_cast<int>(distance(static_cast<unsigned>(i))) < remaining) loaded_ |= bit(i);
      else if constexpr (by_pairs) replace(i);
  }
  __device__ key key_at(std::int64_t place) const { return key::of(Order::rank(source_.at(place)), place); }
  __device__ static unsigned leading(auto number) { return key::least_of(Order::rank_of(number)).leading(); }
  /// The lane's best loaded item. It must have one.
  __device__ auto best_loaded() const {
    auto best = number(0);
    if constexpr (by_pairs) {
      unsigned pair = word(0);
      WARPFOLD_UNROLL
      for (int i = 1; i < lane_items / 2; ++i) pair = pair_bound::better(pair, word(i));
      best = Order::better(pair_bound::item(pair, 0), pair_bound::item(pair, 1));
    } else if (loaded_ == all_items) {
      WARPFOLD_UNROLL
      for (int i = 1; i < lane_items; ++i) best = Order::better(best, number(i));
    } else {
      WARPFOLD_UNROLL
      for (int i = 1; i < lane_items; ++i)
        if ((loaded_ & bit(i)) != 0) best = Order::better(best, number(i));
    }
    return best;
  }
  /// The leading bits of the lane's worst loaded item, or less; or ~0.
  __device__ unsigned worst_loaded() const {
    if constexpr (by_pairs) return loaded_ != 0 ? 0 : ~0u;
    unsigned worst = ~0u;
    WARPFOLD_UNROLL
    for (int i = 0; i < lane_items; ++i)
      if ((loaded_ & bit(i)) != 0) worst = least_of(worst, leading(number(i)));
    return worst;
  }
  /// How many of the lane's loaded items reach `bound`, wherever they are.
  __device__ unsigned count_reaching(unsigned bound) const {
    if constexpr (threshold<Order>::by_signs) {
      constexpr unsigned place_bits = key::leading_place_bits;  // rounded up
      if (bound > ~place_bits) return 0;
      const threshold<Order> worst((bound + place_bits) & ~place_bits, key::none(), 0);
      if (worst.admits_nans_only()) return static_cast<unsigned>(__popc(nans()));
      if (!by_pairs || worst.admits_all()) return static_cast<unsigned>(__popc(admitted(worst)));
      // Items are counted one by one here. Comparisons of pairs admit a few items that do not reach the bound, and a
      // bound that fewer items reach than were counted would lose some. (The worst number stands for missing items.)
      unsigned excluded = 0;
      WARPFOLD_UNROLL
      for (int i = 0; i < lane_items; ++i) excluded = worst.shift_in(excluded, number(i));
      return loaded_ != 0 ? static_cast<unsigned>(lane_items - __popc(excluded)) : 0;
    } else {
      unsigned count = 0;
      WARPFOLD_UNROLL
      for (int i = 0; i < lane_items; ++i)
        count += static_cast<unsigned>((loaded_ & bit(i)) != 0 && leading(number(i)) >= bound);
      return count;
    }
  }
  /// A bit for each of the lane's loaded items that is NaN.
  __device__ unsigned nans() const {
    unsigned which = 0;
    WARPFOLD_UNROLL
    for (int i = 0; i < lane_items; ++i) {
      if constexpr (by_pairs) {
        if (i % 4 == 0) which |= pair_bound::are_nans(word(i / 2), word(i / 2 + 1)) & bits_of_pairs(i / 4);
      } else if (number(i) != number(i)) which |= bit(i);
    }
    return which & loaded_;
  }
  /// A bit for each of the lane's loaded items that the threshold admits, if it does not exclude all.
  __device__ unsigned admitted(const threshold<Order>& worst) const {
    unsigned excluded = 0;
    if constexpr (by_pairs) {
      WARPFOLD_UNROLL
      for (int i = 0; i < lane_items / 4; ++i)
        excluded |= worst.excluded(word(2 * i), word(2 * i + 1)) & bits_of_pairs(i);
    } else {
      WARPFOLD_UNROLL
      for (int i = lane_items - 1; i >= 0; --i) excluded = worst.shift_in(excluded, number(i));
    }
    return worst.admits_all() ? loaded_ : ~excluded & loaded_;
  }
  /// The same of those that may be among the best. Where it takes long to find them, the best item of each lane shows
  /// whether the warp has any.
  __device__ unsigned candidates(const threshold<Order>& worst) const {
    if constexpr (threshold<Order>::by_signs) return worst.excludes_all() ? 0 : admitted(worst);
    else return __any_sync(full_warp, loaded_ != 0 && worst.admits_any(best_loaded())) ? admitted(worst) : 0;
  }
  /// Adds the waiting items. Those that find no room wait on. They are read again, from a near cache: to take one of
  /// many registers takes more instructions, and the next batch is on its way to these already.
  __device__ void add_waiting(list& to) {
    const std::int64_t first = first_of_lane(first_of_batch(tile_));
    const int asked = __popc(waiting_);
    unsigned place = to.places_for(asked);
    WARPFOLD_NO_UNROLL
    for (int put = to.room_from(place, asked); put > 0; --put, waiting_ &= waiting_ - 1) {
      const std::int64_t own = first + distance(item_of(first_bit(waiting_)));
      to.put(place++, key_at(own));
    }
    are_waiting_ = __any_sync(full_warp, waiting_ != 0);
  }
  /// Offers the waiting items again, one of each lane at a time. (The next batch is on its way meanwhile.)
  __device__ void offer(list& to) {
    const key last = to.last();
    const unsigned bound = greatest_of(to.bound(), last.leading());
    const std::int64_t first = first_of_lane(first_of_batch(tile_));
    unsigned refused = 0;
    WARPFOLD_NO_UNROLL
    do {
      const unsigned lowest = waiting_ & (0 - waiting_);
      waiting_ ^= lowest;
      const std::int64_t place = first + distance(lowest != 0 ? item_of(first_bit(lowest)) : 0);
      const key own = lowest != 0 ? key_at(place) : key::none();
      if (to.refuses(lowest != 0 && own.leading() >= bound && own.comes_before(last), own)) refused |= lowest;
    } while (__any_sync(full_warp, waiting_ != 0));
    waiting_ = refused;
    are_waiting_ = __any_sync(full_warp, waiting_ != 0);
  }

  const Source& source_;
  tile_order tiles_;
  unsigned turns_ = 0;                   // batches begun
  unsigned next_pause_;                  // parts of several pause after 4, 16, ... batches, to hear of each other
  typename Source::chunk rows_[rows];    // a batch on its way
  bool is_loaded_ = false;               // whether there is one
  unsigned loaded_ = 0;                  // a bit for each of the lane's items in it
  unsigned loaded_tile_ = 0, tile_ = 0;  // the tiles of that and of the batch before
  bool knows_bound_ = false;             // whether `worst_` is that of the list
  threshold<Order> worst_;
  bool are_waiting_ = false;  // whether a lane of the warp has one of these:
  unsigned waiting_ = 0;      // a bit for each of the lane's items in the batch before that found no room
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::selection
