// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host side of the named strategies: checks, plans, scratch, launches. Nothing is enqueued before all of a
// strategy's launches have been checked and planned.
#pragma once
#include <warpfold/host/call_frame.cuh>
#include <warpfold/host/divide_up.hpp>
#include <warpfold/host/initial_value.cuh>
#include <warpfold/host/reduce_with.hpp>
#include <warpfold/reduce/scratch.hpp>
#include <warpfold/thread/missing_items.cuh>
#include <warpfold_strategies/plan.hpp>
#include <warpfold_strategies/segmented.cuh>
#include <warpfold_strategies/strategy.hpp>

namespace warpfold::strategies {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Allows a kernel its shared memory on `device`, the current one. Throws std::invalid_argument if the device has less
/// of it, or lacks bulk copies.
inline bool allow_shared_memory(const char* function, const void* kernel, int device, std::size_t shared_bytes,
                                bool needs_bulk_copy) {
  if (needs_bulk_copy && !host_side::is_sm_90(kernel, device))
    reject(function, "grid::bulk_producer_consumer needs a device of compute capability 9.0 or later, and code for it");
  if (!host_side::allow_shared_bytes(kernel, device, shared_bytes))
    reject(function, "the strategy needs " + std::to_string(shared_bytes) +
                         " bytes of shared memory a block; the device has " +
                         std::to_string(host_side::most_shared_bytes(device)));
  return true;
}
/// The same, once per kernel and device.
template <auto* Kernel>
void prepare_kernel(const char* function, int device, std::size_t shared_bytes, bool needs_bulk_copy) {
  static host_side::per_device<bool> cache;
  cache.get(device, &allow_shared_memory, function, reinterpret_cast<const void*>(Kernel), device, shared_bytes,
            needs_bulk_copy);
}

/// The kernel of a strategy for given leaves, seen from the host.
template <class Algorithm, class Schedule, class Finish, class Leaves, class Op, class Out> struct strategy_launcher {
  using A = typename Leaves::accumulator;
  static constexpr auto* kernel = &grid::strategy_kernel<Algorithm, Schedule, Finish, Leaves, Op, Out>;
  static constexpr int block_threads = grid::strategy_threads<Algorithm, Schedule>;
  static constexpr int data_block_items = Schedule::template data_block_items<Algorithm, Leaves>;
  static constexpr std::size_t shared_bytes = sizeof(grid::strategy_storage<Algorithm, Schedule, Leaves>);

  static std::int64_t data_blocks(std::int64_t items) { return host_side::divide_up(items, data_block_items); }
  static void prepare(const char* function, int device) {
    prepare_kernel<kernel>(function, device, shared_bytes, Schedule::needs_bulk_copy);
  }
  static int blocks_a_multiprocessor(const char* function, int device) {
    prepare(function, device);
    return host_side::blocks_per_multiprocessor<kernel>(device, block_threads, shared_bytes);
  }
  static strategy_plan plan(const char* function, int device, std::int64_t items, int max_blocks = 0) {
    strategy_plan result;
    const int resident = blocks_a_multiprocessor(function, device);
    if constexpr (Schedule::is_persistent)
      result = plan_shares(data_blocks(items), std::int64_t{host_side::limits_of(device).multiprocessors} * resident,
                           max_blocks);
    else result = plan_pass(data_blocks(items));
    if (!result.valid()) reject(function, "count is " + std::to_string(items) + ", more than the strategy can count");
    return result;
  }
  static void launch(const strategy_plan& plan, cudaStream_t stream,
                     const grid::strategy_arguments<Leaves, Op, Out>& arguments) {
    host_side::enqueue(kernel, {static_cast<int>(plan.blocks), block_threads, shared_bytes}, stream, arguments);
  }
};

template <class Schedule> void check_max_blocks(const char* function, int max_blocks) {
  host_side::check_max_blocks(function, max_blocks);
  if (max_blocks > 0 && !Schedule::is_persistent)
    reject(function, "max_blocks is given, but grid::multi_pass has a block for each data-block");
}

/// The resources of a strategy on the current device, for an input: the columns of Martín 2012's Table I.
struct strategy_facts {
  int registers;                  ///< per thread
  int local_bytes;                ///< of local memory per thread: 0 unless registers are spilled
  std::size_t shared_bytes;       ///< per block
  int block_threads;              ///< B
  std::int64_t data_block_items;  ///< D
  int blocks_per_multiprocessor;  ///< MBPM
  double occupancy;               ///< resident threads over the most that the multiprocessor holds
  std::int64_t grid_blocks;       ///< G, of the first launch over the input
  int launches;
};

template <class Strategy> struct strategy_reduction;

template <class Algorithm, class Schedule, class Finish>
struct strategy_reduction<strategy<Algorithm, Schedule, Finish>> {
  template <class Leaves, class Op, class Out>
  using launcher = strategy_launcher<Algorithm, Schedule, Finish, Leaves, Op, Out>;

  /// Enqueues the reduction of `leaves` into `out`. The caller has checked all arguments but `options`.
  template <class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
  static void enqueue(const char* function, const Leaves& leaves, Out out, Op op, const reduce_options<A>& options) {
    check_operator<Op, A>();
    if constexpr (is_operator_for<Op, A>) {  // else what follows would bury the reason in other errors
      const std::int64_t items = leaves.source.items;
      const auto init = host_side::initial_value_of<Op, Out>(function, options.init, items);
      check_max_blocks<Schedule>(function, options.max_blocks);
      if (items == 0) return host_side::enqueue(&grid::write_kernel<A, Out>, {1, 1}, options.stream, out, init);
      run(function, leaves, out, op, options, init, [] {});
    }
  }

  /// Enqueues the launches for at least one item. When nothing is left that could be refused, and before the first
  /// launch, it calls prepare(), which enqueues what has to come first.
  template <class Leaves, class Op, class Out, class Prepare, class A = typename Leaves::accumulator>
  static void run(const char* function, const Leaves& leaves, Out out, Op op, const reduce_options<A>& options,
                  const grid::initial_value<A>& init, Prepare prepare) {
    if constexpr (check_strategy<Algorithm, Schedule, Finish, Leaves, Op, Out>()) {
      const int device = host_side::current_device();
      grid::strategy_arguments<Leaves, Op, Out> arguments{leaves, op, out, init, {}, nullptr, nullptr};
      if constexpr (!Schedule::is_persistent) run_passes(function, device, arguments, options, prepare);
      else if constexpr (finish::is_atomic<Finish>) run_atomic(function, device, arguments, options);
      else run_shares(function, device, arguments, options, prepare);
    }
  }

  template <class Leaves, class Op, class Out> static strategy_facts facts(std::int64_t items) {
    using first = launcher<Leaves, Op, Out>;
    constexpr const char* function = "facts_of";
    const int device = host_side::current_device();
    const std::int64_t blocks = items > 0 ? first::plan(function, device, items).blocks : 1;
    int launches = finish::is_atomic<Finish> && items > 0 ? 2 : 1;
    if constexpr (launches_again<Schedule, Finish>)
      for (std::int64_t left = blocks; left > 1; left = next_blocks<Leaves, Op, Out>(left)) ++launches;
    cudaFuncAttributes attributes{};
    require_success(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(first::kernel)),
                    "cudaFuncGetAttributes");
    const int resident = first::blocks_a_multiprocessor(function, device);
    const double threads = host_side::device_attribute(cudaDevAttrMaxThreadsPerMultiProcessor, device);
    return {attributes.numRegs,
            static_cast<int>(attributes.localSizeBytes),
            first::shared_bytes,
            first::block_threads,
            first::data_block_items,
            resident,
            resident * first::block_threads / threads,
            blocks,
            launches};
  }

 private:
  template <class Leaves, class Op, class Out>
  using next_launcher = launcher<partial_leaves<typename Leaves::accumulator>, Op, Out>;

  template <class Leaves, class Op, class Out> static std::int64_t next_blocks(std::int64_t partials) {
    return Schedule::is_persistent ? 1 : next_launcher<Leaves, Op, Out>::data_blocks(partials);
  }

  /// The output of an atomic finish is written while the input is read.
  template <class Source, class A> static void check_output_apart(const char* function, const Source& source, A* out) {
    if constexpr (requires { source.left; }) {
      check_output_apart(function, source.left, out);
      check_output_apart(function, source.right, out);
    } else if constexpr (requires { source.data; })
      host_side::check_apart(function, "the input", source.data, source.items, "out", out, 1);
  }

  /// Enqueues the reduction of the previous launch's `count` partial results. Several blocks write theirs to `target`.
  template <class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
  static void launch_next(const strategy_plan& plan, const grid::strategy_arguments<Leaves, Op, Out>& previous,
                          std::int64_t count, A* target, cudaStream_t stream) {
    next_launcher<Leaves, Op, Out>::launch(
        plan, stream,
        {{{previous.partials, count}, {}}, previous.op, previous.out, previous.init, plan.schedule, target, nullptr});
  }

  template <class Leaves, class Op, class Out, class Prepare, class A = typename Leaves::accumulator>
  static void run_shares(const char* function, int device, grid::strategy_arguments<Leaves, Op, Out>& arguments,
                         const reduce_options<A>& options, Prepare prepare) {
    using first = launcher<Leaves, Op, Out>;
    const strategy_plan plan = first::plan(function, device, arguments.leaves.source.items, options.max_blocks);
    strategy_plan next_plan;
    if constexpr (launches_again<Schedule, Finish>)
      if (plan.blocks > 1) next_plan = next_launcher<Leaves, Op, Out>::plan(function, device, plan.blocks, 1);
    const host_side::call_frame frame(function, options, reduction::scratch(device, sizeof(A)));
    const host_side::call_scratch scratch = frame.borrow();
    arguments.schedule = plan.schedule;
    arguments.partials = scratch.room<A>();
    arguments.ticket = scratch.ticket();
    prepare();
    first::launch(plan, options.stream, arguments);
    if constexpr (launches_again<Schedule, Finish>)
      if (plan.blocks > 1) launch_next(next_plan, arguments, plan.blocks, static_cast<A*>(nullptr), options.stream);
  }

  template <class Leaves, class Op, class Out, class A = typename Leaves::accumulator>
  static void run_atomic(const char* function, int device, grid::strategy_arguments<Leaves, Op, Out>& arguments,
                         const reduce_options<A>& options) {
    using first = launcher<Leaves, Op, Out>;
    check_output_apart(function, arguments.leaves.source, arguments.out);
    const strategy_plan plan = first::plan(function, device, arguments.leaves.source.items, options.max_blocks);
    arguments.schedule = plan.schedule;
    host_side::enqueue(&grid::initialize_kernel<Op, A>, {1, 1}, options.stream, arguments.out,
                       thread::exact_identity<Op, A>, arguments.init);
    first::launch(plan, options.stream, arguments);
  }

  template <class Leaves, class Op, class Out, class Prepare, class A = typename Leaves::accumulator>
  static void run_passes(const char* function, int device, grid::strategy_arguments<Leaves, Op, Out>& arguments,
                         const reduce_options<A>& options, Prepare prepare) {
    using first = launcher<Leaves, Op, Out>;
    using next = next_launcher<Leaves, Op, Out>;
    const std::int64_t items = arguments.leaves.source.items;
    strategy_plan plan = first::plan(function, device, items);
    if (plan.blocks > 1) next::prepare(function, device);  // later passes have fewer items: nothing else can fail
    const auto partials =
        static_cast<std::size_t>(multi_pass_partials(items, first::data_block_items, next::data_block_items));
    const host_side::call_scratch scratch =
        host_side::borrow_if(plan.blocks > 1, function, options, {0, partials * sizeof(A)});
    A* const target[2] = {scratch.room<A>(), scratch.room<A>() + (plan.blocks > 1 ? plan.blocks : 0)};
    arguments.schedule = plan.schedule;
    arguments.partials = target[0];
    prepare();
    first::launch(plan, options.stream, arguments);
    for (int pass = 1; plan.blocks > 1; ++pass) {
      const std::int64_t count = plan.blocks;
      plan = next::plan(function, device, count);
      launch_next(plan, arguments, count, target[pass % 2], options.stream);
      arguments.partials = target[pass % 2];
    }
  }
};

template <class Algorithm, class Schedule, class Finish>
  requires block::is_segmented<Algorithm>
struct strategy_reduction<strategy<Algorithm, Schedule, Finish>> {
  static void enqueue(const auto&...) {
    static_assert(
        !block::is_segmented<Algorithm>,
        "warpfold: the algorithms of block::segmented are for segmented_reduce with owners; reduce takes block::tree, "
        "block::warp_tree, block::matrix or block::shuffle");
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::strategies

namespace warpfold::host_side {
inline namespace WARPFOLD_HIDDEN_V1 {

template <class Algorithm, class Schedule, class Finish>
struct reduce_with<strategy<Algorithm, Schedule, Finish>>
    : strategies::strategy_reduction<strategy<Algorithm, Schedule, Finish>> {};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host_side
