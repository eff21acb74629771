// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a warp offers the items of a segment to the list of its block. In most batches of a long segment nothing
// qualifies; a comparison of each item, or of the lane's best one, shows it. In the others, items that qualify are read
// again; if the list has no room, they wait. While a block looks for a bound, its next batches are loaded.
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
  __device__ unsigned reached_by(unsigned wanted, tally_words& shared) const {
    if (!is_loaded_) return 0;
    const unsigned best = loaded_ != 0 ? leading(best_loaded()) : 0;
    reached_bound found{0, 0};
    if (2 * wanted <= blockDim.x) {  // the lanes' best items tell enough
      found = bisect(shared, 0, loaded_ != 0 ? best : ~0u, best, wanted, wanted + wanted / 4,
                     [&](unsigned bound) { return static_cast<unsigned>(loaded_ != 0 && best >= bound); });
    } else if (source_.items - loaded_tile_ * tile_items() >= wanted) {
      found = bisect(shared, 0, worst_loaded(), best, wanted, wanted + wanted / 4,
                     [&](unsigned bound) { return count_reaching(bound); });
    }
    return found.count >= wanted ? found.bound : 0;
  }
  /// Offers a batch, or what is left of it.
  __device__ bool step(list& to) {
    const key last = to.last();
    const unsigned bound = greatest_of(to.bound(), last.leading());
    if (!__any_sync(full_warp, waiting_ != 0)) {
      if (!is_loaded_) return false;
      if (turns_ == next_pause_) {
        next_pause_ *= 4;
        if (arch::flat_thread() == 0) to.ask_for_pause();
        return true;
      }
      ++turns_;
      tile_ = loaded_tile_;
      const threshold<Order> worst(bound, last, first_of_batch(tile_));
      waiting_ = candidates(worst);
      if (__any_sync(full_warp, waiting_ != 0)) add_waiting(to);
      load_next();
    } else offer(to, bound, last);
    return __any_sync(full_warp, waiting_ != 0) || is_loaded_;
  }

 private:
  static constexpr int rows = batch_rows<Source>, chunk_items = Source::chunk_items, lane_items = rows * chunk_items,
                       items = batch_items<Source>;
  static_assert(lane_items <= 32);
  static constexpr unsigned all_items = ~0u >> (32 - lane_items);

  __device__ static std::int64_t tile_items() { return std::int64_t{blockDim.x / warp_lanes} * items; }
  /// The number of the lane's item `i` in the batch, less that of its first one.
  __device__ static constexpr int distance(int i) {
    return i / chunk_items * (warp_lanes * chunk_items) + i % chunk_items;
  }
  __device__ auto number(int i) const {
    return Order::number_of(Source::value(rows_[i / chunk_items], i % chunk_items));
  }
  __device__ static std::int64_t first_of_batch(unsigned tile) {
    return tile * tile_items() + arch::flat_warp() * items;
  }
  __device__ static std::int64_t first_of_lane(std::int64_t first) { return first + arch::lane_id() * chunk_items; }

  /// Begins to load the batch of the next tile, if there is one.
  __device__ void load_next() {
    loaded_ = 0;
    is_loaded_ = tiles_.exists();
    if (!is_loaded_) return;
    loaded_tile_ = static_cast<unsigned>(tiles_.tile());
    tiles_.advance();
    const std::int64_t first = first_of_batch(loaded_tile_), remaining = source_.items - first_of_lane(first);
    if (first >= source_.items) return;
    if (warp::load_rows(source_, first, rows_)) {
      loaded_ = all_items;
      return;
    }
    WARPFOLD_UNROLL
    for (int i = 0; i < lane_items; ++i)
      if (distance(i) < remaining) loaded_ |= 1u << i;
  }
  __device__ key key_at(std::int64_t place) const { return key::of(Order::rank(source_.at(place)), place); }
  __device__ static unsigned leading(auto number) { return key::least_of(Order::rank_of(number)).leading(); }
  /// The lane's best loaded item. It must have one.
  __device__ auto best_loaded() const {
    auto best = number(0);
    if (loaded_ == all_items) {
      WARPFOLD_UNROLL
      for (int i = 1; i < lane_items; ++i) best = Order::better(best, number(i));
    } else {
      WARPFOLD_UNROLL
      for (int i = 1; i < lane_items; ++i)
        if ((loaded_ >> i & 1) != 0) best = Order::better(best, number(i));
    }
    return best;
  }
  /// The leading bits of the lane's worst loaded item, or ~0.
  __device__ unsigned worst_loaded() const {
    unsigned worst = ~0u;
    WARPFOLD_UNROLL
    for (int i = 0; i < lane_items; ++i)
      if ((loaded_ >> i & 1) != 0) worst = least_of(worst, leading(number(i)));
    return worst;
  }
  /// How many of the lane's loaded items reach `bound`, wherever they are.
  __device__ unsigned count_reaching(unsigned bound) const {
    if constexpr (threshold<Order>::by_signs) {
      constexpr unsigned place_bits = key::leading_place_bits;  // rounded up
      if (bound > ~place_bits) return 0;
      const threshold<Order> worst((bound + place_bits) & ~place_bits, key::none(), 0);
      return static_cast<unsigned>(__popc(worst.admits_nans_only() ? nans() : admitted(worst)));
    } else {
      unsigned count = 0;
      WARPFOLD_UNROLL
      for (int i = 0; i < lane_items; ++i)
        count += static_cast<unsigned>((loaded_ >> i & 1) != 0 && leading(number(i)) >= bound);
      return count;
    }
  }
  /// A bit for each of the lane's loaded items that is NaN.
  __device__ unsigned nans() const {
    unsigned which = 0;
    WARPFOLD_UNROLL
    for (int i = 0; i < lane_items; ++i) which |= static_cast<unsigned>(number(i) != number(i)) << i;
    return which & loaded_;
  }
  /// A bit for each of the lane's loaded items that the threshold admits, if it does not exclude all.
  __device__ unsigned admitted(const threshold<Order>& worst) const {
    unsigned excluded = 0;
    WARPFOLD_UNROLL
    for (int i = lane_items - 1; i >= 0; --i) excluded = worst.shift_in(excluded, number(i));
    return worst.admits_all() ? loaded_ : ~excluded & loaded_;
  }
  /// The same of those that may be among the best. Where it takes long to find them, the best item of each lane shows
  /// whether the warp has any.
  __device__ unsigned candidates(const threshold<Order>& worst) const {
    if constexpr (threshold<Order>::by_signs) return worst.excludes_all() ? 0 : admitted(worst);
    else return __any_sync(full_warp, loaded_ != 0 && worst.admits_any(best_loaded())) ? admitted(worst) : 0;
  }
  /// Adds the waiting items. Those that find no room wait on. They are read again, from a near cache: to take one of
  /// many registers takes more instructions.
  __device__ void add_waiting(list& to) {
    const std::int64_t first = first_of_lane(first_of_batch(tile_));
    const int asked = __popc(waiting_);
    unsigned place = to.places_for(asked);
    WARPFOLD_NO_UNROLL
    for (int put = to.room_from(place, asked); put > 0; --put, waiting_ &= waiting_ - 1)
      to.put(place++, key_at(first + distance(__ffs(static_cast<int>(waiting_)) - 1)));
  }
  /// Offers the waiting items again, one of each lane at a time. (The next batch is on its way meanwhile.)
  __device__ void offer(list& to, std::uint32_t bound, const key& last) {
    const std::int64_t first = first_of_lane(first_of_batch(tile_));
    unsigned refused = 0;
    WARPFOLD_NO_UNROLL
    do {
      const unsigned bit = waiting_ & (0 - waiting_);
      waiting_ ^= bit;
      const std::int64_t place = first + distance(bit != 0 ? __ffs(static_cast<int>(bit)) - 1 : 0);
      const key own = bit != 0 ? key_at(place) : key::none();
      if (to.refuses(bit != 0 && own.leading() >= bound && own.comes_before(last), own)) refused |= bit;
    } while (__any_sync(full_warp, waiting_ != 0));
    waiting_ = refused;
  }

  const Source& source_;
  tile_order tiles_;
  unsigned turns_ = 0;                   // batches begun
  unsigned next_pause_;                  // parts of several pause after 4, 16, ... batches, to hear of each other
  typename Source::chunk rows_[rows];    // a batch on its way
  bool is_loaded_ = false;               // whether there is one
  unsigned loaded_ = 0;                  // a bit for each of the lane's items in it
  unsigned loaded_tile_ = 0, tile_ = 0;  // the tiles of that and of the batch before
  unsigned waiting_ = 0;                 // a bit for each of the lane's items in the batch before that found no room
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::selection
