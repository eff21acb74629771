// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of top_k_items and its segmented form: one launch, nobody waits for another block. Each item is read
// once; again are read those that enter a block's list, and the results.
//
// A block keeps the best keys that it has met (best_list.cuh). A bound that k items of its first tile reach keeps most
// other items out. Of random items some k ln(n / k) pass the bounds that follow, and of monotone ones few more, since
// tiles are visited in an order of its own (tile_order.hpp). There is no histogram of the input, so no second pass over
// it, and no sort before the end. The worst case is an input made against the order of tiles: then each item enters the
// list.
//
// A segment is read by one block; or, if there are fewer segments than blocks, by several. These tell each other how
// good their items are (part_words.cuh), those of their first tiles at once, so that few items pass in any of them.
// They store the keys that reach the common bound, side by side, and arrive at the segment's ticket. The last to arrive
// selects among these keys. The order of keys is total, so any grouping gives the same result.
#pragma once
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/arch/ticket.cuh>
#include <warpfold/segments/counted.cuh>
#include <warpfold/thread/narrowed_identity.cuh>
#include <warpfold/thread/put.cuh>
#include <warpfold/top_k/item_stream.cuh>
#include <warpfold/top_k/key_stream.cuh>
#include <warpfold/top_k/part_words.cuh>

namespace warpfold::selection {
inline namespace WARPFOLD_HIDDEN_V1 {

/// What each block does.
struct block_shares {
  list_shape shape;
  int parts;     ///< blocks for each segment
  int together;  ///< segments that the grid reads at a time
};

template <class Order, class Source, class Spans, class Values, class Indices> struct kernel_arguments {
  Source source;
  Spans spans;
  Values values;    ///< k for each segment
  Indices indices;  ///< the same
  block_shares shares;
  key_of<Order>* keys;  ///< scratch for the spared keys of each block, if there are several parts
  unsigned* words;      ///< one for each block of several parts, zero before and after; so the next ones
  unsigned* stored;     ///< keys of each segment that the blocks have stored
  unsigned* tickets;    ///< one for each segment
};

/// Writes `value` to `to`, which takes values of type T, or numbers.
template <class To, class T> __device__ void write_number(To&& to, const T& value) {
  using written = std::remove_cvref_t<To>;
  if constexpr (std::is_same_v<To, written&> && std::is_arithmetic_v<written>)
    to = warpfold::detail::convert<written>(value);
  else thread::assign(static_cast<To&&>(to), value);
}

/// Writes result `place` of a segment: the item of `source` that `key` tells, or that there is none.
template <class Order, class Source, class Key, class Arguments>
__device__ void write_result(const Arguments& arguments, const Source& source, std::int64_t place, const Key& key) {
  using T = typename Source::item;
  using V = typename Order::value;
  auto&& value = arguments.values[static_cast<std::ptrdiff_t>(place)];
  using written = std::remove_cvref_t<decltype(value)>;
  const std::int64_t index = key.holds() ? key.place() : -1;
  write_number(arguments.indices[static_cast<std::ptrdiff_t>(place)], index);
  if (index < 0) {
    if constexpr (std::is_arithmetic_v<written>)
      write_number(static_cast<decltype(value)>(value), warpfold::detail::saturated<written>(Order::missing()));
    else write_number(static_cast<decltype(value)>(value), Order::missing());
  } else {
    const T item = source.at(index);
    if constexpr (std::is_same_v<written, T>) static_cast<decltype(value)>(value) = item;
    else write_number(static_cast<decltype(value)>(value), warpfold::detail::convert<V>(item));
  }
}

/// Stores the held keys that reach the bound behind those that other blocks have stored. All threads of the block call
/// it.
template <class Key> __device__ void store_keys(const best_list<Key>& list, Key* keys, unsigned* stored) {
  const unsigned bound = list.bound();
  WARPFOLD_NO_UNROLL
  for (int first = 0; first < list.held(); first += static_cast<int>(blockDim.x)) {
    const int i = first + arch::flat_thread();
    const Key own = i < list.held() ? list.key(i) : Key::none();
    const bool is_stored = own.holds() && own.leading() >= bound;
    const unsigned all = __ballot_sync(full_warp, is_stored);
    if (all == 0) continue;
    unsigned place = 0;
    if (arch::lane_id() == 0) place = atomicAdd(stored, static_cast<unsigned>(__popc(all)));
    place = __shfl_sync(full_warp, place, 0) + static_cast<unsigned>(__popc(all & ((1u << arch::lane_id()) - 1)));
    if (is_stored) keys[place] = own;
  }
}

/// The best of `count` stored keys are in `list` afterwards. All threads of the block call it. Not inlined: its
/// registers would add to those of the way through the items, which then spills.
template <class Key>
__attribute__((noinline)) __device__ void select_stored(best_list<Key> list, const Key* keys, int count) {
  key_stream<Key> all(keys, count);
  list.clear(list.bound());
  list.fill([&] { return all.step(list); }, [] {});
}

/// Reads part `part` of a segment's items. The list holds the best k of them afterwards, and others, but for those that
/// the bound rules out. All threads of the block call it.
template <bool Shares, class Order, class Source>
__device__ void select_items(best_list<key_of<Order>>& list, const Source& source, int k, const part_words& words,
                             list_storage<key_of<Order>>& shared) {
  item_stream<Order, Source> items(source, words.part, words.parts);
  items.start();
  // A short list of one tile is selected as fast without the others' words.
  const bool tells = Shares && words.parts > 1 && (items.has_more_tiles() || k >= least_told_k);
  if constexpr (Shares)
    if (tells) words.tell(items.reached_by(words.share(), shared.words), shared.told);
  list.raise_bound(items.reached_by(static_cast<unsigned>(k), shared.words));  // while other parts tell theirs
  __syncthreads();
  if constexpr (Shares)
    if (tells) {
      words.hear(list, shared.words.tally);
      __syncthreads();
    }
  list.fill([&] { return items.step(list); },
            [&] {
              items.forget_bound();
              if constexpr (Shares) {
                if (words.parts == 1) return;
                words.tell(list.reached_by(words.share()), shared.told);
                words.hear(list, shared.words.tally);
              }
            });
}

/// The best k items of a segment, of which the block reads part `part`, are in `list` afterwards, sorted, in one of the
/// blocks that share the segment. Returns whether it is this one.
template <bool Shares, class Order, class Source, class Arguments>
__device__ bool select(const Arguments& arguments, const Source& source, std::int64_t segment, int part,
                       list_storage<key_of<Order>>& shared) {
  using key = key_of<Order>;
  const list_shape& shape = arguments.shares.shape;
  const int parts = Shares ? arguments.shares.parts : 1;
  const part_words words{arguments.words + segment * parts, part, parts, shape.k};
  best_list<key> list(shared, shape);
  if (Shares && arch::flat_thread() == 0) shared.told = 0;
  list.clear(0);
  select_items<Shares, Order>(list, source, shape.k, words, shared);
  if constexpr (Shares)
    if (parts > 1) {
      list.shrink(shape.spared);
      words.hear(list, shared.words.tally);  // others of about the same pace have told theirs, so less is stored
      __syncthreads();
      key* const keys = arguments.keys + segment * parts * shape.spared;
      unsigned* const stored = arguments.stored + segment;
      store_keys(list, keys, stored);
      __syncthreads();
      if (arch::flat_warp() == 0) {
        const bool last = arch::warp_completes(arguments.tickets + segment, parts);
        if (arch::lane_id() == 0) shared.is_last = last;
      }
      __syncthreads();
      if (!shared.is_last) return false;
      words.hear(list, shared.words.tally);  // by now, all parts have told theirs
      __syncthreads();
      select_stored(list, keys, static_cast<int>(arch::observe(stored)));
      if (arch::flat_thread() == 0) arch::publish(stored, 0);
      words.clear();
    }
  list.sort();
  return true;
}

/// `Shares`: whether several blocks may share a segment.
template <bool Shares, class Order, class Source, class Spans, class Values, class Indices>
__global__ void __launch_bounds__(most_block_warps* warp_lanes, blocks_per_multiprocessor<key_of<Order>>)
top_k_kernel(const __grid_constant__ kernel_arguments<Order, Source, Spans, Values, Indices> arguments) {
  auto& shared = arch::dynamic_shared<list_storage<key_of<Order>>>();
  const auto& spans = segment::known(arguments.spans);
  segment::require_order("segmented_top_k", spans, arguments.source.items);
  const best_list<key_of<Order>> list(shared, arguments.shares.shape);
  const int parts = Shares ? arguments.shares.parts : 1, part = static_cast<int>(blockIdx.x) % parts;
  for (std::int64_t segment = static_cast<int>(blockIdx.x) / parts; segment < spans.count;
       segment += arguments.shares.together) {
    const auto span = spans.span(segment);
    segment::require_within("segmented_top_k", segment, span, arguments.source.items);
    arch::require(span.end - span.begin <= most_items<key_of<Order>>,
                  "segmented_top_k: segment %lld has %lld items, too many for this type", segment,
                  std::int64_t{span.end - span.begin});
    auto source = arguments.source.from(span.begin);
    source.items = span.end - span.begin;
    if (!select<Shares, Order>(arguments, source, segment, part, shared)) continue;
    for (int i = arch::flat_thread(); i < arguments.shares.shape.k; i += static_cast<int>(blockDim.x))
      write_result<Order>(arguments, source, segment * arguments.shares.shape.k + i, list.key(i));
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::selection
