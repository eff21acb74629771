// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host side of the sources' scans: checks, scratch, launches. Nothing is enqueued before everything has been
// checked.
#pragma once
#include <warpfold_strategies/dispatch.cuh>
#include <warpfold_strategies/overwritten_source.cuh>
#include <warpfold_strategies/persistent.cuh>
#include <warpfold_strategies/scan_kernel.cuh>
#include <warpfold_strategies/scan_pieces.cuh>
#include <warpfold_strategies/segmented_dispatch.cuh>

namespace warpfold {

/// A named strategy of scans: how a block scans a data-block, and how the totals of data-blocks are joined.
template <class Algorithm, class Schedule = grid::multi_pass> struct scan_strategy {
  static_assert(std::is_same_v<Schedule, grid::multi_pass>, "warpfold: scans run on grid::multi_pass");
  using algorithm = Algorithm;
};

namespace strategies {

template <class S> inline constexpr bool is_scan_strategy = false;
template <class Algorithm, class Schedule>
inline constexpr bool is_scan_strategy<scan_strategy<Algorithm, Schedule>> = true;
template <class S>
concept scanning_strategy = is_scan_strategy<S>;

/// Totals, which are scanned in place.
template <class A> using scanned_totals = thread::leaves<thread::overwritten_source<A>, thread::no_transform, A>;

inline namespace WARPFOLD_HIDDEN_V1 {

/// Totals that the passes over `items` items keep: one for each data-block of each pass but the last.
inline std::int64_t scan_totals(std::int64_t items, std::int64_t data_block_items) {
  std::int64_t totals = 0;
  for (std::int64_t blocks = host_side::divide_up(items, data_block_items); blocks > 1;
       blocks = host_side::divide_up(blocks, data_block_items))
    totals += blocks;
  return totals;
}

/// The needs of a scan whose items are scanned as `A`.
template <class S, class A> host_side::scratch_need scan_scratch(std::int64_t items) {
  return {0, static_cast<std::size_t>(scan_totals(items, S::algorithm::data_block_items)) * sizeof(A)};
}

/// One pass: scans the leaves, by recursion their totals in place, and joins these to the results.
template <class Algorithm, scan_kind Kind> struct scan_pass {
  template <class A> static constexpr std::size_t shared_bytes = sizeof(typename Algorithm::template storage<A>);

  template <class Leaves, class Op, class Out> static void prepare(const char* function, int device) {
    prepare_kernel<&grid::scan_kernel<Algorithm, Kind, Leaves, Op, Out>>(
        function, device, shared_bytes<typename Leaves::accumulator>, false);
  }

  /// Room for the totals of all passes is at `totals`.
  template <class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
  static void launch(grid::scan_arguments<Leaves, Op, Out> arguments, A* totals, cudaStream_t stream) {
    const std::int64_t blocks = host_side::divide_up(arguments.leaves.source.items, Algorithm::data_block_items);
    arguments.totals = blocks > 1 ? totals : nullptr;
    const auto shape = [&](std::int64_t grid_blocks, std::size_t bytes) {
      return host_side::launch_shape{static_cast<int>(grid_blocks), Algorithm::block_threads, bytes};
    };
    host_side::enqueue(&grid::scan_kernel<Algorithm, Kind, Leaves, Op, Out>, shape(blocks, shared_bytes<A>), stream,
                       arguments);
    if (blocks == 1) return;
    using next_out = grid::scan_values<A>;
    const grid::scan_arguments<scanned_totals<A>, Op, next_out> next{
        {{{totals, blocks}, true}, {}}, arguments.op, {totals}, {}, {}, nullptr};
    scan_pass<Algorithm, scan_kind::inclusive>::launch(next, totals + blocks, stream);
    host_side::enqueue(&grid::add_kernel<Algorithm, Kind, Leaves, Op, Out>, shape(blocks - 1, 0), stream, arguments);
  }
};

/// Checks what is left to check, and enqueues the scan of at least one item. `scan_op` joins what is scanned: leaves'
/// accumulators.
template <class S, scan_kind Kind, class Leaves, class ScanOp, class Out, class Options>
void enqueue_scan(const char* function, const Leaves& leaves, ScanOp scan_op, Out out,
                  const grid::initial_value<typename Leaves::accumulator>& init,
                  const grid::initial_value<typename Out::value>& nothing, const Options& options) {
  using A = typename Leaves::accumulator;
  using algorithm = typename S::algorithm;
  using pass = scan_pass<algorithm, Kind>;
  using next_pass = scan_pass<algorithm, scan_kind::inclusive>;
  static_assert(
      pass::template shared_bytes<A> <= most_shared_bytes,
      "warpfold: the data-blocks of this scan do not fit the shared memory of a multiprocessor: take a smaller "
      "block");
  const int device = host_side::current_device();
  const std::int64_t items = leaves.source.items;
  const std::int64_t blocks = host_side::divide_up(items, algorithm::data_block_items);
  if (!plan_pass(blocks).valid())
    reject(function, "count is " + std::to_string(items) + ", more than the strategy can count");
  pass::template prepare<Leaves, ScanOp, Out>(function, device);
  if (blocks > 1) next_pass::template prepare<scanned_totals<A>, ScanOp, grid::scan_values<A>>(function, device);
  const host_side::call_scratch scratch =
      host_side::borrow_if(blocks > 1, function, options, scan_scratch<S, A>(items));
  A* const totals = scratch.room<A>();
  pass::launch(grid::scan_arguments<Leaves, ScanOp, Out>{leaves, scan_op, out, init, nothing, nullptr}, totals,
               options.stream);
}

/// An exclusive scan writes this where nothing lies to the left: init, else the identity of `Op`.
template <scan_kind Kind, class Op, class A>
grid::initial_value<A> exclusive_start([[maybe_unused]] const char* function, const grid::initial_value<A>& init) {
  using kind = typename grid::initial_value<A>::kind;
  if (Kind == scan_kind::inclusive || init.what != kind::none) return init;
  if constexpr (has_identity_v<Op, A>) return {kind::value, identity<Op, A>::value(), nullptr};
  else reject(function, "the operator has no identity, and no .init was given: the first result would be undefined");
}

/// Throws unless `out` is the input itself, item by item, or apart from it.
template <class Source, class A> void check_scan_output(const char* function, const Source& source, A* out) {
  if constexpr (requires { source.first_index; }) check_scan_output(function, source.source, out);
  else if constexpr (requires { source.data; }) {
    const bool in_place = sizeof(*source.data) == sizeof(A) && static_cast<const void*>(source.data) == out;
    if (!in_place) host_side::check_apart(function, "the input", source.data, source.items, "out", out, source.items);
  }
}

/// Checks `out` and the options of a scan, and returns what joins it on the left.
template <class Op, class Source, class A>
grid::initial_value<A> checked_scan_init(const char* function, const Source& source, A* out,
                                         const reduce_options<A>& options) {
  check_max_blocks<grid::multi_pass>(function, options.max_blocks);
  host_side::check_initial_apart(function, "init", options.init, "out", out, source.items);
  check_scan_output(function, source, out);
  return host_side::initial_value_of<Op>(function, options.init);
}

template <scan_kind Kind, class S, class Leaves, class Op, class A = typename Leaves::accumulator>
void scan_leaves(const char* function, const Leaves& leaves, A* out, Op op, const reduce_options<A>& options) {
  const auto init = checked_scan_init<Op>(function, leaves.source, out, options);
  if (leaves.source.items == 0) return;
  const auto start = exclusive_start<Kind, Op>(function, init);
  enqueue_scan<S, Kind>(function, thread::overwritten(leaves, out), op, grid::scan_values<A>{out}, init, start,
                        options);
}

template <scan_kind Kind, class S, class Id, class Leaves, class Op, class A = typename Leaves::accumulator>
void scan_segments(const char* function, const Id* ids, const Leaves& leaves, A* out, Op op,
                   const reduce_options<A>& options) {
  const std::int64_t items = leaves.source.items;
  const auto init = checked_scan_init<Op>(function, leaves.source, out, options);
  host_side::check_apart(function, "owners", ids, items, "out", out, items);
  if (items == 0) return;
  const auto start = exclusive_start<Kind, Op>(function, init);
  const segmented::owned_segments<const Id*> segments{ids, items, std::numeric_limits<std::int64_t>::max()};
  const auto owned =
      make_owned_leaves<thread::scanned_pieces>(segments, thread::overwritten(leaves, out), op, out, init);
  using piece = typename decltype(owned)::accumulator;
  using key = decltype(piece::key);
  enqueue_scan<S, Kind>(function, owned, owned.pairs, grid::scan_segments<A, key, Id>{out, ids},
                        grid::initial_value<piece>{}, start, options);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace strategies
}  // namespace warpfold
