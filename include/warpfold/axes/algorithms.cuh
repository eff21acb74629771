// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The algorithms for reductions over axes. Each says
// - which calls it `takes`, and by which plan (plan_for: none if its kernel cannot fold the shape after all);
// - which `kernel` it launches, with how many `shared_bytes`, and how many outputs are a `vector`.
#pragma once
#include <optional>
#include <tuple>
#include <warpfold/axes/choice.hpp>
#include <warpfold/axes/column_kernel.cuh>
#include <warpfold/axes/column_share_kernel.cuh>
#include <warpfold/axes/few_items_kernel.cuh>
#include <warpfold/axes/narrow_kernel.cuh>
#include <warpfold/axes/plan.hpp>
#include <warpfold/axes/row_kernel.cuh>
#include <warpfold/axes/row_plan.hpp>
#include <warpfold/axes/staged_column_kernel.cuh>
#include <warpfold/axes/tile_kernel.cuh>
#include <warpfold/host/call_frame.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

/// A call, as algorithms plan it.
struct planned_call {
  const host_side::call_frame& frame;
  const shape& given;
  kernel_choice choice;
};

/// An algorithm's plan for a call: `more` is what the kernel takes beside its arguments.
template <class... More> struct launch_plan {
  plan grid;
  int block_threads;
  std::tuple<More...> more{};
};

/// Columns of very few items, of which a thread takes several.
template <class Arguments> struct very_few_item_columns {
  using arguments = Arguments;
  using leaves = typename Arguments::leaves_type;
  static constexpr const char* why = "outputs of a few items each, whose neighbours are adjacent";
  static constexpr auto* kernel = &very_few_items_kernel<Arguments>;
  static constexpr int vector = leaves::chunk_items;
  static constexpr std::size_t shared_bytes = 0;

  static bool takes(const planned_call& call) {
    return call.choice.kind == kernel_kind::few_items && call.given.reduced_items <= very_few_items;
  }
  static std::optional<launch_plan<>> plan_for(const planned_call& call) {
    return {{plan_few_items(call.given.outputs / vector, very_few_items_vectors, call.frame.max_blocks()),
             few_items_threads}};
  }
};

/// Columns of few items, by at most `Rounds` rounds of `Round`.
template <int Round, int Rounds, class Arguments> struct few_item_columns {
  using arguments = Arguments;
  using leaves = typename Arguments::leaves_type;
  static constexpr const char* why = "outputs of a few items each, whose neighbours are adjacent";
  static constexpr auto* kernel = &few_items_kernel<Round, Rounds, Arguments>;
  static constexpr int vector = leaves::chunk_items;
  static constexpr std::size_t shared_bytes = 0;

  static bool takes(const planned_call& call) {
    return call.choice.kind == kernel_kind::few_items && call.given.reduced_items <= Round * Rounds;
  }
  static std::optional<launch_plan<>> plan_for(const planned_call& call) {
    return {{plan_few_items(call.given.outputs / vector, 1, call.frame.max_blocks()), few_items_threads}};
  }
};

/// Columns that single threads fold.
template <class Arguments> struct whole_columns {
  using arguments = Arguments;
  using leaves = typename Arguments::leaves_type;
  static constexpr const char* why = "enough columns for a thread each";
  /// Whether threads wait for memory rather than compute.
  static constexpr bool is_light = column_policy_of<leaves>.loads_ahead || thread::locates<leaves>;
  /// Whether they have the kernel of shared_columns. (Its barriers save exact sums 3 %.)
  static constexpr bool shares = !is_light && !folds_runs<leaves>;
  static constexpr auto* kernel = [] {
    if constexpr (shares) return &column_share_kernel<Arguments>;
    else return &whole_column_kernel<Arguments>;
  }();
  static constexpr int vector = leaves::chunk_items,
                       block_threads = shares ? column_share_threads<leaves>
                                              : least_of(whole_column_threads, column_share_threads<leaves>);
  static constexpr std::size_t shared_bytes =
      shares ? column_share_bytes<leaves>(block_threads) : rows_ahead_bytes<leaves>(block_threads);

  static bool takes(const planned_call& call) {
    constexpr kernel_policy policy = column_policy_of<leaves>;
    const std::int64_t inner_bytes = call.given.kept.inner().extent * std::int64_t{sizeof(typename leaves::item)};
    if (call.choice.kind != kernel_kind::columns) return false;
    if (inner_bytes < 2 * sector_bytes && !has_narrow_matrices(call.given)) return false;
    const std::int64_t batch_bytes =
                           least_of<std::int64_t>(call.given.reduced_items, policy.alone_rows) * policy.load_bytes,
                       in_flight = loads_batch_ahead<leaves> ? 2 * batch_bytes : batch_bytes,
                       multiprocessors = call.frame.multiprocessors(),
                       resident = multiprocessors * column_share_blocks * column_share_threads<leaves>;
    return keeps_busy(call.given.outputs / vector, resident,
                      is_light ? multiprocessors * busy_bytes / in_flight : resident * busy_quarters / 4);
  }
  static std::optional<launch_plan<>> plan_for(const planned_call& call) {
    const shape& given = call.given;
    const std::int64_t vectors = given.outputs / vector;
    const bool are_few =
        is_light && vectors < std::int64_t{few_column_warps} * warp_lanes * call.frame.multiprocessors();
    const int threads = are_few ? warp_lanes : block_threads;
    plan grid = plan_whole_columns(vectors, given.reduced_items, threads, call.frame.max_blocks());
    grid.copies_vectors = copying_team<leaves> > 1 && call.choice.has_vectors;
    // A block has the first rows of its next tile under way.
    if (folds_runs<leaves>)
      grid.blocks = least_of(grid.blocks, call.frame.resident_blocks<kernel>(block_threads, shared_bytes));
    return {{grid, threads}};
  }
};

/// Columns that threads and blocks share: any shape but rows.
template <class Arguments> struct shared_columns {
  using arguments = Arguments;
  using leaves = typename Arguments::leaves_type;
  static constexpr const char* why = "columns, or any other shape but rows";
  static constexpr kernel_policy policy = column_policy_of<leaves>;
  static constexpr auto* kernel = [] {
    if constexpr (policy.loads_ahead) return &column_kernel<Arguments>;
    else return &column_share_kernel<Arguments>;
  }();
  static constexpr int vector = leaves::chunk_items;
  static constexpr std::size_t shared_bytes =
      policy.loads_ahead ? sizeof(column_storage<leaves>) : column_share_bytes<leaves>(column_share_threads<leaves>);

  static bool takes(const planned_call&) { return true; }
  static std::optional<launch_plan<>> plan_for(const planned_call& call) {
    const bool copies_vectors = copying_team<leaves> > 1 && call.choice.has_vectors;
    plan grid = plan_columns(call.frame.multiprocessors(), call.given.outputs / vector, vector,
                             call.given.reduced_items, sizeof(typename leaves::accumulator), policy,
                             call.frame.max_blocks(), copies_vectors ? copying_team<leaves> : 1);
    grid.copies_vectors = copies_vectors;
    return {{grid, column_threads(grid, policy)}};
  }
};

/// Rows that lanes of one warp fold in one turn.
template <class Arguments> struct short_rows {
  using arguments = Arguments;
  using leaves = typename Arguments::leaves_type;
  static constexpr const char* why = "rows of a few chunks for each lane of a warp";
  static constexpr auto* kernel = &short_row_kernel<Arguments>;
  static constexpr int vector = 1;
  static constexpr std::size_t shared_bytes = 0;

  static bool takes(const planned_call& call) {
    return call.choice.kind == kernel_kind::rows &&
           call.given.reduced_items <= most_short_items(call.given, call.choice.is_scattered, row_policy_of<leaves>);
  }
  static std::optional<launch_plan<bool>> plan_for(const planned_call& call) {
    constexpr row_policy policy = row_policy_of<leaves>;
    return {{plan_short_rows(call.given.outputs, call.given.reduced_items, policy, call.choice.is_scattered,
                             call.frame.max_blocks()),
             policy.block_threads, call.choice.is_aligned}};
  }
};

/// Rows that warps fold.
template <class Arguments> struct long_rows {
  using arguments = Arguments;
  using leaves = typename Arguments::leaves_type;
  static constexpr const char* why = Arguments::map::is_gathered
                                         ? "rows of items that lie apart: warps gather them in shared memory"
                                         : "rows of many chunks for each lane of a warp";
  static constexpr auto* kernel = &row_kernel<Arguments>;
  static constexpr int vector = 1;
  static constexpr std::size_t shared_bytes = row_shared_bytes<Arguments>();

  static bool takes(const planned_call& call) { return call.choice.kind == kernel_kind::rows; }
  static std::optional<launch_plan<int>> plan_for(const planned_call& call) {
    constexpr row_policy policy = policy_of_rows<Arguments>;
    const auto make = policy.gathers ? &plan_gathered_rows : &plan_rows;
    return {{make(call.frame.resident_blocks<kernel>(policy.block_threads, shared_bytes), call.given.outputs,
                  call.given.reduced_items, sizeof(typename leaves::accumulator), policy, call.frame.max_blocks()),
             policy.block_threads, call.choice.unit}};
  }
};

/// Matrices of `Columns` columns. `leaves` are in chunks of whole rows.
template <int Columns, class Arguments> struct narrow_matrices {
  using arguments = Arguments;
  using leaves = typename Arguments::leaves_type;
  static constexpr const char* why = "long matrices of few columns";
  static constexpr auto* kernel = &narrow_kernel<Columns, Arguments>;
  static constexpr int vector = 1;
  static constexpr std::size_t shared_bytes = sizeof(narrow_storage<leaves, Columns>);

  static bool takes(const planned_call& call) {
    return call.choice.kind == kernel_kind::narrow && call.given.kept.inner().extent == Columns;
  }
  static std::optional<launch_plan<bool>> plan_for(const planned_call& call) {
    constexpr narrow_policy policy = narrow_policy_of<leaves, Columns>;
    return {{plan_narrow(call.frame.resident_blocks<kernel>(policy.block_threads, shared_bytes),
                         call.given.outputs / Columns, Columns, call.given.reduced_items, sizeof(typename leaves::item),
                         sizeof(typename leaves::accumulator), policy, call.frame.max_blocks()),
             policy.block_threads, call.choice.is_aligned}};
  }
};

/// Small matrices of some columns, whose items are bytes.
template <class Arguments> struct matrix_tiles {
  using arguments = Arguments;
  using leaves = typename Arguments::leaves_type;
  static constexpr const char* why = "small matrices of some columns";
  static constexpr auto* kernel = &tile_kernel<Arguments>;
  static constexpr int vector = 1;
  static constexpr std::size_t shared_bytes = sizeof(tile_storage<leaves>);

  static bool takes(const planned_call& call) { return call.choice.kind == kernel_kind::tiles; }
  static std::optional<launch_plan<tile_shape>> plan_for(const planned_call& call) {
    constexpr tile_policy policy = tile_policy_of<leaves>;
    const auto plan = plan_tiles(call.frame.resident_blocks<kernel>(policy.block_threads, shared_bytes), call.given,
                                 policy, call.frame.max_blocks());
    if (!plan) return std::nullopt;
    return {{plan->grid, policy.block_threads, plan->tile}};
  }
};

/// Columns that a thread would load one by one, or that it folds faster than vectors of them, if the device has bulk
/// copies.
template <class Arguments> struct staged_columns {
  using arguments = Arguments;
  using leaves = typename Arguments::leaves_type;
  static constexpr const char* why = "columns that threads fold one by one";
  static constexpr auto* kernel = &staged_column_kernel<Arguments>;
  static constexpr int vector = 1;
  static constexpr std::size_t shared_bytes = sizeof(staged_storage<leaves>);

  /// Whether threads fold single columns of any matrix faster than vectors of them. (On an H200, places of maxima take
  /// 202 us by vectors for 2^26 doubles in 1000 columns, and 154 staged in 1001 columns.)
  static constexpr bool prefers_single_columns = folds_runs<leaves> || detail::has_terms<leaves> ||
                                                 (thread::locates<leaves> && sizeof(typename leaves::item) == 8);
  /// The most columns of a matrix that are staged though they could be read by vectors.
  static constexpr int most_preferred = [] {
    using A = typename leaves::accumulator;
    constexpr std::size_t item_bytes = sizeof(typename leaves::item);
    const bool is_twice_as_wide = std::is_arithmetic_v<A> && sizeof(A) > item_bytes && sizeof(A) <= 2 * item_bytes;
    return prefers_single_columns || is_twice_as_wide ? staged_policy_of<leaves>.max_columns() : max_few_staged_columns;
  }();

  /// Whether columns are staged though they could be read by vectors. (Of many matrices, single threads fold whole
  /// columns.)
  static bool prefers_stages(const planned_call& call) {
    if (call.given.kept.rank > 1) return false;
    if (call.given.outputs <= most_preferred) return true;
    const std::int64_t bytes =
        call.given.outputs * call.given.reduced_items * std::int64_t{sizeof(typename leaves::item)};
    return prefers_single_columns && bytes >= least_preferred_tile_bytes && !whole_columns<Arguments>::takes(call);
  }
  static bool takes(const planned_call& call) {
    const std::int64_t columns = call.given.kept.inner().extent;
    const bool prefers = prefers_stages(call);
    if constexpr (folds_runs<leaves>) {  // these read single columns, but by vectors
      if (call.choice.has_vectors && (!prefers || columns < min_preferred_run_columns)) return false;
      if (columns < min_staged_run_columns) return false;
    }
    return may_be_staged(call.choice, prefers);
  }
  /// How many of policy.few.threads threads fold, at least.
  static int least_threads_of_few(const stage_shape& stage) {
    using A = typename leaves::accumulator;
    if (std::is_same_v<A, double>) return least_staging_doubles;
    if (sizeof(typename leaves::item) < 4) return least_staging_narrow;
    if (detail::has_terms<leaves>) return least_staging_terms;
    return stage.by_rows && sizeof(A) > 32 ? least_staging_wide : least_staging_threads;
  }
  /// Whether rows may be copied one by one. (Of many matrices, single threads fold whole columns.)
  static bool may_copy_rows(const planned_call& call) {
    const bool is_single = call.given.kept.rank == 1;
    if (sizeof(typename leaves::item) < 4) return is_single || call.given.reduced_items >= min_staged_tile_rows;
    return is_single && (folds_runs<leaves> || !whole_columns<Arguments>::takes(call));
  }
  static std::optional<launch_plan<stage_shape>> plan_for(const planned_call& call) {
    constexpr staged_policy policy = staged_policy_of<leaves>;
    const auto plan = plan_staged_columns(call.frame.multiprocessors(), call.given, sizeof(typename leaves::item),
                                          sizeof(typename leaves::accumulator), policy, call.frame.max_blocks());
    if (!plan || (plan->stage.by_rows && !may_copy_rows(call))) return std::nullopt;
    if (!host_side::has_stages<kernel>(call.frame.device(), shared_bytes)) return std::nullopt;
    // Where another kernel reads vectors, a block must be full enough.
    const bool must_fill = call.choice.vector > 1 || (call.choice.has_vectors && plan->stage.by_rows);
    const int least_threads = least_threads_of_few(plan->stage) * (plan->stage.threads / staged_threads);
    const int threads = plan->grid.lanes * plan->grid.groups;
    if (must_fill && threads < least_threads) return std::nullopt;
    if (call.choice.kind == kernel_kind::tiles && !thread::locates<leaves> && threads < least_few_threads)
      return std::nullopt;
    return {{plan->grid, policy.block_threads(plan->stage.threads), plan->stage}};
  }
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
