// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host side of reduction by key.
#pragma once
#include <limits>
#include <warpfold/by_key/kernel.cuh>
#include <warpfold/by_key/plan.hpp>
#include <warpfold/by_key/scratch.hpp>
#include <warpfold/host/call_frame.cuh>
#include <warpfold/host/initial_value.cuh>

namespace warpfold::by_key {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Items that a thread takes of a tile, for keys `K`, values `V` and accumulators `A`.
template <class K, class V, class A>
inline constexpr int thread_items_of = kernel_policy_for(sizeof(K), sizeof(V), sizeof(A)).thread_items;

/// The same items in chunks of at most `ThreadItems`: a chunk is of one thread.
template <int ThreadItems, class Source> constexpr auto in_thread_chunks(const Source& source) {
  return thread::rechunk<least_of(Source::chunk_items, ThreadItems)>(source);
}

/// How the kernel uses a multiprocessor.
struct by_key_residency {
  bool stages;  ///< whether tiles come through shared memory
  int blocks;
};

/// Tiles come through shared memory if `device`, the current one, has room for two such blocks on a multiprocessor.
/// `staged_bytes` is 0 if tiles cannot.
inline by_key_residency ask_residency(const void* kernel, int device, int block_threads, std::size_t staged_bytes,
                                      std::size_t other_bytes) {
  const bool may_stage = staged_bytes > 0 && host_side::allow_shared_bytes(kernel, device, staged_bytes);
  if (may_stage) {
    const int blocks = host_side::resident_blocks(kernel, block_threads, staged_bytes);
    if (blocks >= 2) return {true, blocks};
  } else host_side::allow_shared_bytes(kernel, device, other_bytes);  // else no block is resident, which is refused
  return {false, host_side::resident_blocks(kernel, block_threads, other_bytes)};
}
template <auto* Kernel, class Storage> by_key_residency by_key_residency_of(int device) {
  static host_side::per_device<by_key_residency> cache;
  return cache.get(device, &ask_residency, reinterpret_cast<const void*>(Kernel), device, Storage::block_threads,
                   Storage::can_stage ? Storage::bytes(true) : std::size_t{0}, Storage::bytes(false));
}

/// Whether the items are aligned for asynchronous copies, if `source` makes any.
template <class Source> bool is_copyable(const Source& source) {
  if constexpr (copyable_source<Source>) return source.misaligned_bytes() == 0;
  else return true;
}

/// Throws if there can be more runs of so many items than a `Count` counts.
template <class Count> void check_countable(const char* function, std::int64_t items) {
  if (static_cast<std::uint64_t>(items) > static_cast<std::uint64_t>(std::numeric_limits<Count>::max()))
    reject(function,
           {"there are ", items, " items, and out_count counts to ", std::numeric_limits<Count>::max(), " only"});
}

/// Enqueues the reduction of the runs of equal `keys`. All types and arguments are checked, but for those of `options`.
/// If the `Schedule` is part_epochs, the input misses the first `missing` items of the tree's, and the keys and leaves
/// begin with its first tile that has items.
template <class Schedule = tile_epochs, class Keys, class Leaves, class Op, class Equal, class Outputs>
void enqueue(const char* function, const Keys& keys, const Leaves& leaves, Op op, Equal equal, const Outputs& out,
             const reduce_options<typename Leaves::accumulator>& options, std::int64_t missing = 0) {
  using A = typename Leaves::accumulator;
  using storage = by_key_storage<Keys, Leaves>;
  using count_type = std::iter_value_t<decltype(out.count)>;
  static_assert(sizeof(storage) <= 64 * 1024, "warpfold: keys and accumulators are too large for reduce_by_key");
  static_assert(sizeof(by_key_control) + epoch_carries(epoch_tiles(sizeof(A))) * sizeof(carry_messages<A>) <=
                    by_key_control_bytes &&
                sizeof(epoch_scratch<A>) <= epochs_bytes(sizeof(A)));
  constexpr auto* kernel = &by_key_kernel<Keys, Leaves, Op, Equal, Outputs, Schedule>;
  constexpr std::int64_t tile_items = storage::thread_tile::tile_items;
  const std::int64_t items = keys.items - missing % tile_items, end = missing + items;
  auto init = host_side::initial_value_of<Op>(function, options.init);
  const host_side::call_frame frame(function, options, by_key::scratch(sizeof(A)));
  if (items == 0) {
    using initial = grid::initial_value<count_type>;
    return frame.write(out.count, initial{initial::kind::value, count_type{}, nullptr});
  }
  check_countable<count_type>(function, items);
  // Tile numbers have 32 bits.
  host_side::check_items(function, end, (std::int64_t{1} << 30) * tile_items, "these keys and values");

  const by_key_residency residency = by_key_residency_of<kernel, storage>(frame.device());
  const by_key_plan plan = plan_by_key<Schedule>(frame.multiprocessors() * residency.blocks, missing, end,
                                                 storage::policy, sizeof(A), frame.max_blocks());
  const bool stages = residency.stages && is_copyable(keys) && is_copyable(leaves.source);
  const int whole_tiles = static_cast<int>(end / tile_items);
  const host_side::launch_shape shape{plan.blocks, storage::block_threads, storage::bytes(stages), 0,
                                      stages ? "tiles are copied to shared memory while others are folded"
                                             : "items are misaligned, or too large for copies to shared memory"};
  using arguments = by_key_arguments<Keys, Leaves, Op, Equal, Outputs, Schedule>;
  frame.launch(kernel, shape, true, [&](const host_side::call_scratch& scratch) {
    const by_key_scratch<A> parts{scratch.control_words<by_key_control>(),
                                  scratch.control_words_behind<by_key_control, carry_messages<A>>(),
                                  scratch.room<epoch_scratch<A>>()};
    return arguments{keys, leaves, op, equal, out, init, plan.schedule, parts, whole_tiles, stages};
  });
}

/// The same of a part of an input, which begins with item `first`: runs have the bits that they have in the whole one.
template <class Keys, class Leaves, class Op, class Equal, class Outputs, class A = typename Leaves::accumulator>
void enqueue_part(const char* function, const Keys& keys, const Leaves& leaves, std::int64_t first, Op op, Equal equal,
                  const Outputs& out, const reduce_options<A>& options) {
  constexpr std::int64_t tile_items = by_key_storage<Keys, Leaves>::thread_tile::tile_items;
  const std::int64_t missing = missing_before(first, keys.items), before = missing % tile_items;
  enqueue<part_epochs>(function, keys.template from<Keys::chunk_items>(-before), leaves.from(-before), op, equal, out,
                       options, missing);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::by_key
