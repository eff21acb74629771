// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes and plans as pure functions: whatever the array and the device, the work items cover each item of each output
// once, and shared partial results fit the scratch.
#include <warpfold/axes/choice.hpp>
#include <warpfold/axes/row_plan.hpp>
#include <warpfold/axes/scratch.hpp>
#include <warpfold/axes/staged_plan.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/random_items.hpp"

namespace axes_plan {
namespace {

namespace ax = warpfold::axis_reduction;
using ax::axis_list;

std::vector<axis_list::axis> listed(const axis_list& list) { return {list.axes, list.axes + list.rank}; }

TEST(axis_shapes, adjacent_axes_become_one) {
  // 4 x 1 x 5 x 6 x 7, contiguous; axes 2 and 3 are reduced.
  const ax::array_axes in{5, {4, 1, 5, 6, 7}, {210, 210, 42, 7, 1}}, kept{3, {4, 1, 7}, {7, 7, 1}};
  const ax::shape shape = ax::shape_of(in, 0b01100, kept);
  EXPECT_EQ(listed(shape.kept), (std::vector<axis_list::axis>{{4, 210, 7}, {7, 1, 1}}));
  EXPECT_EQ(listed(shape.reduced), (std::vector<axis_list::axis>{{30, 7, 0}}));
  EXPECT_EQ(shape.outputs, 28);
  EXPECT_EQ(shape.reduced_items, 30);
}

TEST(axis_shapes, of_the_most_items) {
  constexpr std::int64_t half = std::int64_t{1} << 31;
  EXPECT_EQ(ax::checked_items("f", "in", {2, {half, half}, {0, 0}}), std::int64_t{1} << 62);
  EXPECT_EQ(ax::checked_items("f", "in", {3, {half - 1, half, 1}, {0, 0, 1}}), (half - 1) * half);
  EXPECT_THROW(ax::checked_items("f", "in", {2, {half, half + 1}, {0, 0}}), std::invalid_argument);
  EXPECT_THROW(ax::checked_items("f", "in", {1, {half * half + 1}, {0}}), std::invalid_argument);
}

// The order of reduced axes is that of the items; outputs may come in any order.
TEST(axis_shapes, reduced_axes_keep_their_order_and_kept_ones_do_not) {
  const ax::array_axes in{4, {2, 3, 4, 5}, {1, 2, 6, 24}};
  const ax::shape reduced = ax::shape_of(in, 0b1111, {});
  EXPECT_EQ(listed(reduced.reduced), (std::vector<axis_list::axis>{{2, 1, 0}, {3, 2, 0}, {4, 6, 0}, {5, 24, 0}}));
  EXPECT_EQ(listed(reduced.kept), (std::vector<axis_list::axis>{{1, 1, 1}}));
  const ax::shape kept = ax::shape_of(in, 0, {4, {2, 3, 4, 5}, {1, 2, 6, 24}});
  EXPECT_EQ(listed(kept.kept), (std::vector<axis_list::axis>{{120, 1, 1}}));
  EXPECT_EQ(kept.reduced_items, 1);
}

// A kept axis that runs backwards is turned, with its outputs; a reduced one is not.
TEST(axis_shapes, backward_axes) {
  const ax::array_axes in{2, {3, 4}, {-4, -1}};
  const ax::shape rows = ax::shape_of(in, 0b10, {1, {3}, {1}});
  EXPECT_EQ(listed(rows.kept), (std::vector<axis_list::axis>{{3, 4, -1}}));
  EXPECT_EQ(listed(rows.reduced), (std::vector<axis_list::axis>{{4, -1, 0}}));
  EXPECT_EQ(rows.in_first, -8);
  EXPECT_EQ(rows.out_first, 2);
}

/// Says what is wrong with a plan whose tiles have `lanes` outputs (or vectors) and whose splits have `split_items`.
std::string problem(const ax::plan& plan, std::int64_t outputs, std::int64_t lanes, std::int64_t items,
                    std::int64_t split_items, std::int64_t partials, std::size_t accumulator_bytes, int max_blocks) {
  if (plan.matrix_tiles > 0) {
    const std::int64_t matrices = plan.tiles / plan.matrix_tiles;
    if (plan.first_of(plan.tiles) != outputs || matrices * plan.matrix_outputs != outputs)
      return "tiles are not those of whole matrices";
    for (std::int64_t tile = (matrices - 1) * plan.matrix_tiles; tile < plan.tiles; ++tile)
      if (plan.lanes_of(tile) < 1 || plan.first_of(tile) + plan.lanes_of(tile) != plan.first_of(tile + 1))
        return "tiles do not cover a matrix once";
  } else if (plan.tiles * lanes < outputs || (plan.tiles - 1) * lanes >= outputs)
    return "tiles do not cover the outputs once";
  if (plan.splits * split_items < items || (plan.splits - 1) * split_items >= items)
    return "splits do not cover the items once";
  if (plan.blocks < 1 || plan.blocks > plan.work_items() || (max_blocks > 0 && plan.blocks > max_blocks))
    return "a grid of " + std::to_string(plan.blocks) + " blocks";
  if (plan.draws && plan.work_items() > std::int64_t{1} << 31) return "more draws than the counter counts";
  if (plan.splits == 1) return {};
  if (!plan.draws && plan.blocks < plan.work_items()) return "a block has several splits, and nobody joins them";
  const std::int64_t join_lanes = plan.by_output ? partials : plan.lanes;
  if (plan.slices < 1 || (!plan.draws && plan.slices > 1)) return std::to_string(plan.slices) + " slices";
  if (plan.slices * plan.slice_lanes < join_lanes || (plan.slices - 1) * plan.slice_lanes >= join_lanes)
    return "slices do not cover the lanes once";
  if (plan.slice_lanes > plan.lanes * plan.groups) return "a slice has more lanes than the block has threads";
  if (plan.work_items() > ax::max_work_items) return "too many work items";
  if (static_cast<std::size_t>(plan.work_items() * partials) * accumulator_bytes > ax::partial_bytes(accumulator_bytes))
    return "partial results exceed the scratch";
  if (static_cast<std::size_t>(1 + plan.tiles) * sizeof(unsigned) > warpfold::host_side::feature_control_bytes)
    return "counters exceed the control words";
  return {};
}

struct item_kind {
  std::size_t item_bytes, accumulator_bytes;
  int vector, chunk;
  ax::kernel_policy columns, single_columns;
  ax::row_policy rows;
  ax::tile_policy tiles;
  ax::narrow_policy narrow[ax::max_narrow_columns + 1];  ///< by the number of columns
  ax::staged_policy staged;
  bool takes_tiles, takes_narrow, takes_staged;
};
template <int Item, int... Columns> void set_narrow_policies(item_kind& kind, std::integer_sequence<int, Columns...>) {
  ((kind.narrow[Columns + 2] = ax::narrow_policy_for(Item, Columns + 2)), ...);
}
template <int Item, int Accumulator, int Chunk> item_kind kind_of() {
  constexpr int vector = ax::vector_items(Item, Accumulator);
  item_kind kind{Item,
                 Accumulator,
                 vector,
                 Chunk,
                 ax::kernel_policy_for(Item, Accumulator, Accumulator, vector, Accumulator > Item),
                 ax::kernel_policy_for(Item, Accumulator, Accumulator, 1, Accumulator > Item),
                 ax::row_policy_for(Chunk * Item, Chunk, Accumulator, Accumulator),
                 ax::tile_policy_for(Item, Accumulator),
                 {},
                 ax::staged_policy_for(Item, Accumulator),
                 ax::takes_tiles(Item) && Accumulator <= 32,
                 ax::takes_narrow(Item, Accumulator),
                 ax::takes_staged_columns(Item, Accumulator, false)};
  if constexpr (ax::takes_narrow(Item, Accumulator))
    set_narrow_policies<Item>(kind, std::make_integer_sequence<int, ax::max_narrow_columns - 1>());
  return kind;
}

/// Says what is wrong with a plan of stages of rows.
std::string problem_of_stages(const ax::staged_plan& plan, const ax::shape& shape, const item_kind& kind,
                              int max_blocks) {
  const auto& [grid, stage] = plan;
  const ax::staged_policy& policy = kind.staged;
  const auto bytes = static_cast<int>(kind.item_bytes);
  if (stage.pitch != shape.reduced.inner().in_stride) return "pitch";
  if ((grid.matrix_tiles == 0 ? grid.lanes : grid.matrix_outputs) != shape.kept.inner().extent) return "columns";
  if (!std::has_single_bit(static_cast<unsigned>(grid.groups)) || grid.groups > policy.max_groups)
    return "splits are no nodes";
  if (grid.lanes * grid.groups > stage.threads || stage.threads > policy.many.threads) return "too many threads";
  if (grid.log_rows < stage.log_rows) return "a share of rows is no stages";
  if (stage.rows() % policy.batch_rows != 0 || std::int64_t{stage.rows()} * stage.pitch * bytes % 16 != 0)
    return "stages lie differently";
  const int lane_bytes = grid.lanes * bytes, apart = stage.row_bytes - stage.pitch * bytes;
  if (stage.by_rows ? apart % 16 != 0 || stage.row_bytes < lane_bytes + 30 : apart != 0) return "rows lie differently";
  if (stage.group_bytes % 16 != 0 || stage.group_bytes < (stage.rows() - 1) * stage.row_bytes + lane_bytes + 16)
    return "no room for the vectors around the rows";
  if (stage.stages < 3 || stage.stages > policy.max_stages ||
      stage.offset(stage.stages, grid.groups, 0) > policy.shared_bytes)
    return std::to_string(stage.stages) + " stages";
  return problem(grid, shape.outputs, grid.lanes, shape.reduced_items, grid.split_items(), grid.lanes,
                 kind.accumulator_bytes, max_blocks);
}

/// Checks the plan of whichever kernel takes `shape`.
std::string problem_of(const ax::shape& shape, std::uintptr_t address, const item_kind& kind, int resident,
                       int max_blocks) {
  auto choice = ax::choose_kernel(shape, address, kind.item_bytes, kind.accumulator_bytes, kind.vector, kind.chunk);
  const std::int64_t items = shape.reduced_items;
  if (kind.takes_staged && ax::may_be_staged(choice, true)) {
    const auto plan =
        ax::plan_staged_columns(resident, shape, kind.item_bytes, kind.accumulator_bytes, kind.staged, max_blocks);
    if (plan) {
      const std::string found = problem_of_stages(*plan, shape, kind, max_blocks);
      if (!found.empty()) return "stages: " + found;  // otherwise what devices without bulk copies do
    }
  }
  if (choice.kind == ax::kernel_kind::tiles) {
    auto plan = std::optional<ax::tile_plan>();
    if (kind.takes_tiles) plan = ax::plan_tiles(resident, shape, kind.tiles, max_blocks);
    if (plan) {
      const auto& [grid, tile] = *plan;
      const std::int64_t matrices = shape.outputs / tile.columns;
      if (std::int64_t{tile.columns} * matrices != shape.outputs) return "tiles: columns";
      if (tile.rows != items) return "tiles: rows";
      if (((std::int64_t{tile.matrices} * tile.rows - 1) * tile.pitch + tile.columns) > kind.tiles.tile_items)
        return "a tile exceeds its storage";
      if (std::int64_t{tile.matrices} * ((tile.rows + 7) / 8) * tile.columns > kind.tiles.tile_items / 4 &&
          tile.rows > 8)
        return "a tile's nodes exceed their storage";
      return problem(grid, matrices, tile.matrices, items, items, 1, kind.accumulator_bytes, max_blocks);
    }
    choice.kind = ax::kernel_kind::columns;
  }
  if (choice.kind == ax::kernel_kind::narrow) {
    if (kind.takes_narrow) {
      const auto columns = static_cast<int>(shape.kept.inner().extent);
      const ax::narrow_policy& policy = kind.narrow[columns];
      const std::int64_t matrices = shape.outputs / columns;
      if (matrices * columns != shape.outputs || shape.reduced.inner().in_stride != columns) return "narrow: columns";
      if (policy.chunk_rows * columns * static_cast<int>(kind.item_bytes) % 16 != 0) return "chunks are no vectors";
      const auto plan = ax::plan_narrow(resident, matrices, columns, items, kind.item_bytes, kind.accumulator_bytes,
                                        policy, max_blocks);
      if ((std::int64_t{1} << plan.log_rows) % policy.batch_rows() != 0) return "a share of rows is no batches";
      return problem(plan, matrices, 1, items,
                     std::int64_t{policy.block_threads / warpfold::warp_lanes} << plan.log_rows, plan.lanes,
                     kind.accumulator_bytes, max_blocks);
    }
    choice.kind = ax::kernel_kind::columns;
  }
  const bool is_vector = choice.vector > 1;
  if (choice.kind == ax::kernel_kind::few_items) {
    if (items > ax::most_few_items(std::max(kind.item_bytes, kind.accumulator_bytes), shape.outputs, false) ||
        shape.kept.inner().extent % choice.vector != 0)
      return "not few items";
    const std::int64_t vectors = shape.outputs / choice.vector;
    const int each = items > ax::very_few_items ? 1 : ax::very_few_items_vectors;
    return problem(ax::plan_few_items(vectors, each, max_blocks), vectors, std::int64_t{ax::few_items_threads} * each,
                   items, items, 1, kind.accumulator_bytes, max_blocks);
  }
  if (choice.kind == ax::kernel_kind::columns) {
    const auto& policy = is_vector ? kind.columns : kind.single_columns;
    if (shape.kept.inner().extent % choice.vector != 0) return "vectors do not fill the columns";
    const std::int64_t vectors = shape.outputs / choice.vector;
    const std::string of_whole = problem(ax::plan_whole_columns(vectors, items, 256, max_blocks), vectors, 256, items,
                                         items, 1, kind.accumulator_bytes, max_blocks);
    if (!of_whole.empty()) return of_whole;
    const auto plan =
        ax::plan_columns(resident, vectors, choice.vector, items, kind.accumulator_bytes, policy, max_blocks);
    if (!std::has_single_bit(static_cast<unsigned>(plan.groups))) return "splits are no nodes";
    if (!policy.loads_ahead && plan.groups > 1 && plan.groups < choice.vector)
      return "an output has no thread to join it";
    if (plan.lanes * plan.groups > policy.block_threads || ax::column_threads(plan, policy) > policy.resident_threads)
      return "too many threads";
    const auto of_teams =
        ax::plan_columns(resident, vectors, choice.vector, items, kind.accumulator_bytes, policy, max_blocks, 4);
    if (of_teams.lanes % 4 != 0 || of_teams.lanes * of_teams.groups > policy.block_threads) return "a team is cut";
    return problem(plan, vectors, plan.lanes, items, plan.split_items(), std::int64_t{plan.lanes} * choice.vector,
                   kind.accumulator_bytes, max_blocks);
  }
  const auto& policy = kind.rows;
  const bool are_vectors = is_vector && !choice.is_scattered;
  if (choice.is_scattered && choice.is_aligned) return "vectors of items that are read one by one";
  if (are_vectors && shape.reduced.inner().in_stride != 1) return "chunks of items that are not adjacent";
  if (are_vectors && shape.reduced.rank > 1 && shape.reduced.inner().extent % choice.vector != 0)
    return "chunks that cross runs";
  if (items <= ax::most_short_items(shape, choice.is_scattered, policy)) {
    const auto plan = ax::plan_short_rows(shape.outputs, items, policy, choice.is_scattered, max_blocks);
    if (items > (std::int64_t{choice.vector} << plan.log_rows) * plan.lanes || plan.lanes > warpfold::warp_lanes ||
        policy.short_chunks >> plan.log_rows < 1)
      return "a short row exceeds its lanes";
    const int lane_outputs = policy.short_chunks >> plan.log_rows;
    return problem(plan, shape.outputs, std::int64_t{policy.block_threads / plan.lanes} * lane_outputs, items, items, 1,
                   kind.accumulator_bytes, max_blocks);
  }
  ax::row_policy gathering = policy;
  ax::gather(gathering);
  for (const ax::row_policy& each : {policy, gathering}) {
    const auto make = each.gathers ? &ax::plan_gathered_rows : &ax::plan_rows;
    const auto plan = make(resident, shape.outputs, items, kind.accumulator_bytes, each, max_blocks);
    if (plan.lanes * plan.groups != each.block_threads / warpfold::warp_lanes) return "warps without work";
    if (const int log_share = plan.log_rows - plan.log_turns;
        plan.log_turns < 0 || (plan.splits > 1 && plan.log_turns > 0) ||
        (std::int64_t{1} << log_share) % each.batch_items() != 0 ||
        (plan.splits == 1 && ((items - 1) >> log_share) + 1 > each.block_threads / plan.lanes))
      return "shares are no batches, or have no places";
    if (plan.splits > 1 && plan.blocks != plan.work_items()) return "a block has several splits";
    const std::string wrong = problem(plan, shape.outputs, plan.lanes, items, plan.split_items(), plan.lanes,
                                      kind.accumulator_bytes, max_blocks);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

// Threads of columns have 256 bytes in flight, or 128 where there is much to compute.
TEST(axis_plans, column_threads_have_as_many_bytes_in_flight) {
  EXPECT_EQ(ax::kernel_policy_for(4, 4, 4, 4, false).batch_rows, 16);  // floats
  EXPECT_EQ(ax::kernel_policy_for(2, 4, 4, 8, false).batch_rows, 16);  // halves into floats
  EXPECT_EQ(ax::kernel_policy_for(1, 4, 4, 8, true).batch_rows, 16);   // bytes into integers
  EXPECT_EQ(ax::kernel_policy_for(4, 8, 8, 4, true).batch_rows, 8);    // floats into pairs
  EXPECT_EQ(ax::kernel_policy_for(4, 8, 4, 4, false).batch_rows, 16);  // floats whose extremum gets an index of 4 bytes
  EXPECT_EQ(ax::kernel_policy_for(4, 16, 4, 2, false).batch_rows, 32);  // and of 8
  EXPECT_EQ(ax::kernel_policy_for(4, 64, 64, 1, true).batch_rows, 2);   // but the leaves of a column fit registers
}

// Single threads fold whole columns if enough of them are there at any time: a last wave of few takes as long as
// another full one.
TEST(axis_plans, whole_columns_keep_the_device_busy) {
  constexpr std::int64_t resident = 132 * 512, busy = 42'000;
  for (const std::int64_t columns :
       {std::int64_t{42'000}, resident, resident + 30'000, 2 * resident + 40'000, 9 * resident + 1})
    EXPECT_TRUE(ax::keeps_busy(columns, resident, busy)) << columns;
  for (const std::int64_t columns : {std::int64_t{1}, std::int64_t{30'000}, resident + 1, 2 * resident + 100})
    EXPECT_FALSE(ax::keeps_busy(columns, resident, busy)) << columns;
  EXPECT_TRUE(ax::keeps_busy((std::int64_t{1} << 62) + 1, resident, busy)) << "no product overflows";
  EXPECT_TRUE(ax::keeps_busy(120, 64, 1000)) << "all threads that a small device holds are enough";
}

// Arrays of any number of columns leave few threads of a column block idle, and have work items of some size.
TEST(axis_plans, columns_fill_their_blocks) {
  constexpr auto policy = ax::kernel_policy_for(4, 4, 4, 1, false);
  for (int columns = 1; columns <= 5000; ++columns) {
    const std::int64_t rows = (std::int64_t{1} << 26) / columns;
    const auto plan = ax::plan_columns(132, columns, 1, rows, 4, policy, 0);
    const int resident = policy.resident_threads / ax::column_threads(plan, policy);
    EXPECT_GE(plan.lanes * plan.groups * resident, 256) << columns;
    EXPECT_LE(plan.blocks, 132 * resident);
    EXPECT_TRUE(plan.waits());
    const std::int64_t bytes = plan.split_items() * plan.lanes * 4 * resident;
    EXPECT_TRUE(64 * 1024 <= bytes && bytes <= 256 * 1024) << columns << " columns: " << bytes;
  }
}

/// Expects that matrices of any number of columns are staged, by as many threads as they should have at least.
template <int Item, int Accumulator> void expect_stages_of_any_columns(int least_threads) {
  constexpr auto policy = ax::staged_policy_for(Item, Accumulator);
  for (int columns = ax::min_staged_columns; columns <= 3000; ++columns) {
    SCOPED_TRACE(testing::Message() << columns << " columns of " << Item << " bytes");
    const bool is_wide = columns > policy.max_columns();
    const auto tiles = is_wide ? warpfold::host_side::divide_up(columns, policy.max_columns()) : 1;
    if (is_wide && columns * Item < tiles * ax::least_row_bytes) continue;  // rows of tiles are too short to be copied
    const std::int64_t rows = (std::int64_t{1} << 27) / columns;
    const ax::shape shape = ax::shape_of({2, {rows, columns}, {columns, 1}}, 0b01, {1, {columns}, {1}});
    const auto plan = ax::plan_staged_columns(132, shape, Item, Accumulator, policy, 0);
    ASSERT_TRUE(plan);
    const int threads = plan->grid.lanes * plan->grid.groups;
    EXPECT_TRUE(least_threads <= threads && threads <= plan->stage.threads) << threads << " threads";
    EXPECT_EQ(plan->stage.by_rows, is_wide);
    EXPECT_EQ(plan->grid.tiles, tiles);
  }
}
// More threads fold narrow items where groups of long stages would leave most idle. Wide matrices have tiles.
TEST(axis_plans, columns_are_staged_whatever_their_number) {
  expect_stages_of_any_columns<1, 4>(ax::least_few_threads);
  expect_stages_of_any_columns<2, 4>(ax::least_few_threads);
  expect_stages_of_any_columns<2, 8>(ax::least_few_threads);
  expect_stages_of_any_columns<4, 4>(144);
  expect_stages_of_any_columns<4, 24>(177);
  expect_stages_of_any_columns<8, 8>(144);
}

// Means of 300 columns, 75 vectors, are folded by tiles of 16 lanes, which leave fewer threads idle than 25 or 19 would;
// those of 768 columns by 16, too, those of 5000 by 32. Lanes that copy for one another are whole warps.
TEST(axis_plans, tiles_are_as_wide_as_keeps_threads_busy) {
  constexpr auto means = ax::kernel_policy_for(4, 8, 8, 4, false), moments = ax::kernel_policy_for(4, 24, 8, 1, true);
  static_assert(means.has_narrow_tiles && !moments.loads_ahead);
  const auto lanes = [](const ax::kernel_policy& policy, int columns, int vector, int accumulator_bytes, int team) {
    return ax::plan_columns(132, columns / vector, vector, (1 << 26) / columns, accumulator_bytes, policy, 0, team)
        .lanes;
  };
  EXPECT_EQ(lanes(means, 300, 4, 8, 1), 16);
  EXPECT_EQ(lanes(means, 768, 4, 8, 1), 16);
  EXPECT_EQ(lanes(means, 600, 4, 8, 1), 30);
  EXPECT_EQ(lanes(means, 5000, 4, 8, 1), 32);
  EXPECT_EQ(lanes(moments, 400, 1, 24, 4), 64);
  EXPECT_EQ(lanes(moments, 400, 1, 24, 1), 58);
  EXPECT_EQ(lanes(moments, 40, 1, 24, 4), 40);
}

// Stages of padded rows have half as many row groups where there would not be room for three.
TEST(axis_plans, stages_fit_shared_memory) {
  constexpr auto policy = ax::staged_policy_for(4, 24);
  for (int columns = ax::min_staged_columns; columns <= policy.max_columns(); ++columns)
    for (const int pitch : {columns, columns + columns / 4, columns + columns / 2}) {
      const ax::shape shape = ax::shape_of({2, {1 << 18, columns}, {pitch, 1}}, 0b01, {1, {columns}, {1}});
      const auto plan = ax::plan_staged_columns(132, shape, 4, 24, policy, 0);
      ASSERT_TRUE(plan) << columns << " of " << pitch;
      const int under_way = plan->stage.offset(plan->stage.stages, plan->grid.groups, 0);
      EXPECT_LE(under_way, policy.shared_bytes) << columns << " of " << pitch;
      EXPECT_GE(plan->stage.stages, ax::least_stages);
      EXPECT_GE(2 * plan->grid.lanes * plan->grid.groups, 177) << columns << " of " << pitch;
    }
}

// Warps that gather fold outputs alone if there is one for most of them; else they share them, and blocks do, by splits
// that leave multiprocessors about as much to do.
TEST(axis_plans, gathered_rows_keep_all_multiprocessors_busy) {
  constexpr int multiprocessors = 132;
  ax::row_policy policy = ax::row_policy_for(64, 16, 24, 24);
  ax::gather(policy);
  const std::int64_t warps = policy.block_threads / 32, resident = std::int64_t{4} * multiprocessors;
  const auto plan_for = [&](std::int64_t outputs, std::int64_t items) {
    return ax::plan_gathered_rows(static_cast<int>(resident), outputs, items, 24, policy, 0);
  };
  EXPECT_EQ(plan_for(2048, 512 * 49).groups, 1);
  EXPECT_EQ(plan_for(1024, 1024 * 49).groups, 2);
  for (const auto& [outputs, items] : {std::pair<std::int64_t, std::int64_t>{2048, 512 * 49},
                                       {1024, 256 * 225},
                                       {700, 2000 * 49},
                                       {256, 64 * 3025},
                                       {64, 64 * 12321},
                                       {3, 200000 * 110}}) {
    const ax::plan plan = plan_for(outputs, items);
    const std::int64_t rounds = (plan.work_items() + multiprocessors - 1) / multiprocessors,
                       of_warp =
                           plan.splits > 1 ? std::int64_t{1} << plan.log_rows : (items + plan.groups - 1) / plan.groups,
                       even = outputs * items / (multiprocessors * warps);
    EXPECT_LE(rounds * of_warp, even * 3 / 2) << outputs << " outputs of " << items << " items";
  }
}

// Matrices whose rows are no vectors come by bulk copies, three or four stages of them at a time.
TEST(axis_plans, columns_that_are_no_vectors_are_staged) {
  constexpr auto policy = ax::staged_policy_for(4, 4);
  for (int columns = ax::min_staged_columns; columns <= policy.max_columns(); ++columns) {
    const std::int64_t rows = (std::int64_t{1} << 26) / columns;
    const ax::shape shape = ax::shape_of({2, {rows, columns}, {columns, 1}}, 0b01, {1, {columns}, {1}});
    EXPECT_EQ(ax::may_be_staged(ax::choose_kernel(shape, 4096, 4, 4, 4, 4)), columns % 4 != 0) << columns;
    EXPECT_TRUE(ax::may_be_staged(ax::choose_kernel(shape, 4100, 4, 4, 4, 4))) << columns;
    const auto plan = ax::plan_staged_columns(132, shape, 4, 4, policy, 0);
    ASSERT_TRUE(plan) << columns;
    EXPECT_TRUE(plan->grid.waits());
    const int under_way = plan->stage.offset(plan->stage.stages, plan->grid.groups, 0);
    EXPECT_TRUE(64 * 1024 <= under_way && under_way <= policy.shared_bytes) << columns << ": " << under_way;
    EXPECT_GE(plan->grid.lanes * plan->grid.groups, 129) << columns;
    const std::int64_t bytes = plan->grid.split_items() * columns * 4;
    EXPECT_TRUE(96 * 1024 <= bytes && bytes <= 256 * 1024) << columns << " columns: " << bytes;
  }
  // Fewer splits than blocks: these wait for each other, too, so that all of them join.
  const ax::shape of_a_wave = ax::shape_of({2, {32'513, 129}, {129, 1}}, 0b01, {1, {129}, {1}});
  const auto plan = ax::plan_staged_columns(132, of_a_wave, 4, 4, policy, 0);
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->grid.work_items() <= 132 && plan->grid.waits() && plan->grid.slices > 1);
  const ax::shape few_rows = ax::shape_of({2, {30, 33}, {33, 1}}, 0b01, {1, {33}, {1}});
  EXPECT_FALSE(ax::plan_staged_columns(132, few_rows, 4, 4, policy, 0));
  const ax::shape small = ax::shape_of({2, {900, 33}, {33, 1}}, 0b01, {1, {33}, {1}});
  EXPECT_FALSE(ax::plan_staged_columns(132, small, 4, 4, policy, 0));
  const ax::shape apart = ax::shape_of({2, {4000, 33}, {66, 1}}, 0b01, {1, {33}, {1}});
  EXPECT_FALSE(ax::plan_staged_columns(132, apart, 4, 4, policy, 0));
}

// Rows that lie equally far apart are segments, unless places within a warp exceed 32 bits, or few of them are items.
TEST(axis_shapes, spaced_rows) {
  const auto is_spaced = [](std::int64_t length, std::int64_t pitch, std::int64_t step = 1, std::int64_t out_step = 1) {
    return ax::has_spaced_rows(ax::shape_of({2, {50, length}, {pitch, step}}, 0b10, {1, {50}, {out_step}}));
  };
  EXPECT_TRUE(is_spaced(64, 64));
  EXPECT_TRUE(is_spaced(64, 320));
  EXPECT_TRUE(is_spaced(2, ax::most_row_pitch));
  EXPECT_FALSE(is_spaced(2, ax::most_row_pitch + 1));
  EXPECT_TRUE(is_spaced(ax::most_sparse_row, 100'000));
  EXPECT_TRUE(is_spaced(5000, 10'000));
  EXPECT_FALSE(is_spaced(5000, 10'001));
  EXPECT_FALSE(is_spaced(64, 63)) << "rows overlap";
  EXPECT_FALSE(is_spaced(64, 0)) << "one row is repeated";
  EXPECT_FALSE(is_spaced(64, 128, 2)) << "items lie apart";
  EXPECT_FALSE(is_spaced(64, 320, 1, 2)) << "results lie apart";
}

// Long rows of vectors are arrays where an operator has kernels of its own for segments.
TEST(axis_shapes, rows_as_segments) {
  const auto gains = [](std::int64_t length, std::int64_t pitch, std::uintptr_t address, bool has_own,
                        std::int64_t rows = 50) {
    return ax::gains_by_segments(ax::shape_of({2, {rows, length}, {pitch, 1}}, 0b10, {1, {rows}, {1}}), address, 4,
                                 has_own);
  };
  EXPECT_TRUE(gains(4096, 4096, 4096, false));
  EXPECT_FALSE(gains(4096, 4096, 4096, true));
  EXPECT_FALSE(gains(4096, 4100, 4096, true));
  EXPECT_TRUE(gains(4096, 4096, 4100, true));
  EXPECT_TRUE(gains(4096, 4097, 4096, true));
  EXPECT_TRUE(gains(4097, 4100, 4096, true));
  EXPECT_TRUE(gains(4092, 4092, 4096, true));
  EXPECT_TRUE(gains(20'000, 20'000, 4096, true, 3355)) << "many, in a large array";
  EXPECT_FALSE(gains(20'000, 20'000, 4096, true, 1024)) << "the array is not so large";
  EXPECT_FALSE(gains(80'000, 80'000, 4096, true, 1023)) << "they are not so many";
  EXPECT_FALSE(gains(16'384, 16'384, 4096, true, 4096)) << "a power of two";
  EXPECT_FALSE(gains(64, 63, 4096, false));
}

// Four narrow columns of whole words are a vector; narrow rows that have none are read in tiles, if they are bytes.
TEST(axis_plans, narrow_columns_by_fours) {
  EXPECT_EQ(ax::vector_items(1, 4), 4);
  EXPECT_EQ(ax::vector_items(1, 1), 4);
  EXPECT_EQ(ax::vector_items(2, 4), 4);
  EXPECT_EQ(ax::vector_items(4, 4), 4);
  EXPECT_EQ(ax::vector_items(2, 16), 2);
  const auto kind_of = [](std::size_t item_bytes, std::int64_t rows, std::int64_t columns) {
    const std::int64_t matrix = rows * columns;
    const ax::shape shape =
        ax::shape_of({3, {9000, rows, columns}, {matrix, columns, 1}}, 0b010, {2, {9000, columns}, {columns, 1}});
    return ax::choose_kernel(shape, 4096, item_bytes, 4, 4, 16).kind;
  };
  for (const std::int64_t columns : {5, 7, 28, 31, 32}) {
    EXPECT_EQ(kind_of(1, 40, columns), columns % 4 == 0 ? ax::kernel_kind::columns : ax::kernel_kind::tiles);
    EXPECT_EQ(kind_of(4, 40, columns), ax::kernel_kind::columns);
    EXPECT_EQ(kind_of(1, 20, columns), ax::kernel_kind::few_items);
    EXPECT_EQ(kind_of(4, 20, columns), ax::kernel_kind::few_items);
  }
}

// More than two rounds of items are worthwhile for many outputs, and longer rounds for any number.
TEST(axis_plans, few_items_of_many_outputs) {
  const auto kind_of = [](std::int64_t rows, std::int64_t columns, bool long_rounds) {
    const ax::shape shape = ax::shape_of({2, {rows, columns}, {columns, 1}}, 0b01, {1, {columns}, {1}});
    return ax::choose_kernel(shape, 4096, 4, 4, 4, 4, ax::item_order::by_strides, long_rounds).kind;
  };
  constexpr std::int64_t many = ax::min_outputs_of_four_rounds, few = many - 4;
  EXPECT_EQ(kind_of(16, few, false), ax::kernel_kind::few_items);
  EXPECT_EQ(kind_of(17, few, false), ax::kernel_kind::columns);
  EXPECT_EQ(kind_of(17, few, true), ax::kernel_kind::few_items);
  EXPECT_EQ(kind_of(31, many, false), ax::kernel_kind::few_items);
  EXPECT_EQ(kind_of(32, many, false), ax::kernel_kind::columns);
  EXPECT_EQ(kind_of(32, many, true), ax::kernel_kind::columns);
}

// The stride of an axis of one item says nothing: a copy, and the fold of all items, go by vectors.
TEST(axis_plans, axes_of_one_item_leave_vectors_aligned) {
  const ax::shape copy = ax::shape_of({2, {1 << 20, 1}, {1, 1}}, 0b10, {1, {1 << 20}, {1}});
  const auto by_columns = ax::choose_kernel(copy, 4096, 4, 4, 4, 4);
  EXPECT_EQ(by_columns.kind, ax::kernel_kind::few_items);
  EXPECT_EQ(by_columns.vector, 4);
  const ax::shape all = ax::shape_of({2, {1000, 1000}, {1004, 1}}, 0b11, {});
  const auto by_rows = ax::choose_kernel(all, 4096, 4, 4, 4, 4);
  EXPECT_EQ(by_rows.kind, ax::kernel_kind::rows);
  EXPECT_EQ(by_rows.vector, 4);
  EXPECT_TRUE(by_rows.is_aligned);
}

TEST(axis_plans, cover_each_item_once) {
  const item_kind kinds[] = {kind_of<4, 4, 4>(),   kind_of<1, 4, 16>(),    kind_of<2, 4, 8>(),
                             kind_of<8, 8, 2>(),   kind_of<12, 12, 4>(),   kind_of<16, 16, 1>(),
                             kind_of<1, 32, 16>(), kind_of<100, 100, 1>(), kind_of<1024, 1024, 1>()};
  constexpr int devices[] = {1, 8, 132 * 4, 132 * 8};  // blocks at once
  int seen[5] = {}, short_rows = 0;
  for (std::uint64_t seed = 1; seed <= 50'000; ++seed) {
    wf_test::random_source source(seed);
    const int rank = 1 + static_cast<int>(source.below(5));
    ax::array_axes in, kept;
    in.rank = rank;
    std::int64_t step = source.below(4) == 0 ? 2 : 1, out_step = 1, left = std::int64_t{1} << (4 + source.below(36));
    const auto reduced = static_cast<unsigned>(source.below(1 << rank));
    const bool is_transposed = source.below(4) == 0;
    for (int k = 0; k < rank; ++k) {
      const int axis = is_transposed ? k : rank - 1 - k;
      in.extent[axis] = 1 + source.below(std::min(left, std::int64_t{1} << (1 + source.below(34))));
      left /= in.extent[axis];
      in.stride[axis] = step;
      step *= in.extent[axis];
      if (source.below(4) == 0) step += source.below(8);
    }
    for (int axis = 0; axis < rank; ++axis)
      if (!(reduced >> axis & 1)) kept.extent[kept.rank++] = in.extent[axis];
    for (int axis = kept.rank - 1; axis >= 0; --axis) kept.stride[axis] = out_step, out_step *= kept.extent[axis];
    const ax::shape shape = ax::shape_of(in, reduced, kept);
    ASSERT_EQ(shape.kept.items(), shape.outputs) << seed;
    ASSERT_EQ(shape.reduced.items(), shape.reduced_items) << seed;
    for (const item_kind& kind : kinds) {
      const std::uintptr_t address = 4096 + (seed % 3 == 0 ? kind.item_bytes : 0);
      const int max_blocks = seed % 5 == 0 ? 7 : 0;
      const std::string found = problem_of(shape, address, kind, devices[source.below(4)], max_blocks);
      ASSERT_EQ(found, "") << "seed " << seed << ", in " << ax::listed(in.extent, rank) << ' '
                           << ax::listed(in.stride, rank) << ", reduced " << reduced << ", " << kind.item_bytes
                           << " bytes";
      const auto choice =
          ax::choose_kernel(shape, address, kind.item_bytes, kind.accumulator_bytes, kind.vector, kind.chunk);
      ++seen[static_cast<int>(choice.kind)];
      short_rows += choice.kind == ax::kernel_kind::rows &&
                    shape.reduced_items <= ax::most_short_items(shape, choice.is_scattered, kind.rows);
    }
  }
  for (const int count : seen) EXPECT_GT(count, 500);
  EXPECT_GT(short_rows, 1000);
}

}  // namespace
}  // namespace axes_plan
