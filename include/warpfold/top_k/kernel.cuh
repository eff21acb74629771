// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of top_k_items and its segmented form: one launch, each item is read once, nobody waits for another block.
//
// A block keeps the best k keys that it has met (best_list.cuh), and compares each item with the worst of them. Of
// random items some k ln(n / k) pass, and of monotone ones few more, since tiles are visited in an order of its own
// (tile_order.hpp). If k is small, each lane first enters the best rank of its first items: the k-th of these ranks is
// a bound, which few items of the first tile reach. There is no histogram, so no second pass over the input: up to
// k = 64 the lists cost little beside reading. The worst case is an input made against the order of tiles: then each
// item passes through a sort.
//
// A segment is read by one block; or, if there are fewer segments than blocks, by several. These tell each other how
// good their items are (part_words.cuh), so that few items pass in any of them. They store their lists, and arrive at
// the segment's ticket. The last to arrive joins the lists. The order of keys is total, so any grouping gives the same
// result.
#pragma once
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/arch/ticket.cuh>
#include <warpfold/segments/counted.cuh>
#include <warpfold/thread/narrowed_identity.cuh>
#include <warpfold/thread/put.cuh>
#include <warpfold/top_k/item_stream.cuh>
#include <warpfold/top_k/list_stream.cuh>
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
  key_of<Order>* lists;  ///< scratch for k keys of each block, if there are several parts
  unsigned* words;       ///< one for each block of several parts, zero before and after; so `tickets`
  unsigned* tickets;     ///< one for each segment
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

/// The best k of the keys in `lists`, of k each, are in `list` afterwards. All threads of the block call it. Not
/// inlined: its registers would add to those of the way through the items, which then spills.
template <class Key>
__attribute__((noinline)) __device__ void join_lists(best_list<Key> list, const Key* lists, int count, int k) {
  list_stream<Key> all(lists, count, k);
  list.clear(list.bound());
  list.fill([&] { return all.step(list); }, [] {});
}

/// The best k items of a segment, of which the block reads part `part`, are in `list` afterwards, in one of the blocks
/// that share the segment. Returns whether it is this one.
template <class Order, class Source, class Arguments>
__device__ bool select(const Arguments& arguments, const Source& source, std::int64_t segment, int part,
                       best_list<key_of<Order>>& list, bool& is_last) {
  using key = key_of<Order>;
  const int thread = arch::flat_thread(), threads = static_cast<int>(blockDim.x), k = arguments.shares.shape.k,
            parts = arguments.shares.parts;
  const part_words words{arguments.words + segment * parts, part, parts, k};
  bool is_trial = 2 * k <= threads;  // else the lanes' best ranks tell little
  item_stream<Order, Source> items(source, part, parts, is_trial);
  list.clear(0);
  list.fill([&] { return items.step(list); },
            [&] {
              if (is_trial) list.keep_bound();
              else words.exchange(list);
              is_trial = false;
            });
  if (parts == 1) return true;

  key* const lists = arguments.lists + segment * parts * k;
  for (int i = thread; i < k; i += threads) lists[std::int64_t{part} * k + i] = list.key(i);
  __syncthreads();
  if (arch::flat_warp() == 0) {
    const bool last = arch::warp_completes(arguments.tickets + segment, parts);
    if (arch::lane_id() == 0) is_last = last;
  }
  __syncthreads();
  if (!is_last) return false;
  words.exchange(list);  // by now, all parts have told theirs
  join_lists(list, lists, parts, k);
  words.clear();
  return true;
}

template <class Order, class Source, class Spans, class Values, class Indices>
__global__ void __launch_bounds__(most_block_warps* warp_lanes, blocks_per_multiprocessor<key_of<Order>>)
top_k_kernel(const __grid_constant__ kernel_arguments<Order, Source, Spans, Values, Indices> arguments) {
  auto& shared = arch::dynamic_shared<list_storage<key_of<Order>>>();
  const auto& spans = segment::known(arguments.spans);
  segment::require_order("segmented_top_k", spans, arguments.source.items);
  best_list<key_of<Order>> list(shared, arguments.shares.shape);
  const int parts = arguments.shares.parts, part = static_cast<int>(blockIdx.x) % parts;
  for (std::int64_t segment = static_cast<int>(blockIdx.x) / parts; segment < spans.count;
       segment += arguments.shares.together) {
    const auto span = spans.span(segment);
    segment::require_within("segmented_top_k", segment, span, arguments.source.items);
    arch::require(span.end - span.begin <= most_items<key_of<Order>>,
                  "segmented_top_k: segment %lld has %lld items, too many for this type", segment,
                  std::int64_t{span.end - span.begin});
    auto source = arguments.source.from(span.begin);
    source.items = span.end - span.begin;
    if (!select<Order>(arguments, source, segment, part, list, shared.is_last)) continue;
    for (int i = arch::flat_thread(); i < arguments.shares.shape.k; i += static_cast<int>(blockDim.x))
      write_result<Order>(arguments, source, segment * arguments.shares.shape.k + i, list.key(i));
  }
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::selection
