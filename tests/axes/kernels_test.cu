// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels under plans that the host would choose on other devices: many splits, of which blocks have one each, or
// draw many and wait for all; slices of all widths; and single rows per thread.
#include <algorithm>
#include "axes/arrays.cuh"

#include "common/interval.hpp"

namespace axes_kernels {

namespace wf = warpfold;
namespace ax = warpfold::axis_reduction;
using interval = wf_test::interval<>;
using wf_test::device_array;
template <class Leaves> using arguments_of = ax::axis_arguments<Leaves, wf_test::join, typename Leaves::accumulator*>;

/// Whether a kernel, under a plan, folds each output in order, and leaves its counters zero.
template <class Map = ax::index_map, class Kernel, class Leaves, class... More>
testing::AssertionResult folds_in_order(Kernel kernel, const ax::shape& shape, const Leaves& leaves, int vector,
                                        const ax::plan& plan, int block_threads, std::size_t shared_bytes,
                                        More... more) {
  using interval = typename Leaves::accumulator;
  const device_array<interval> out(std::vector<interval>(static_cast<std::size_t>(shape.outputs), interval::of(9)));
  const std::int64_t places = plan.work_items() * plan.lanes * vector;
  const device_array<interval> partials(std::vector<interval>(static_cast<std::size_t>(places), interval::poison()));
  const std::vector<unsigned> zeros(static_cast<std::size_t>(1 + plan.tiles));
  const device_array<unsigned> counters(zeros);
  auto arguments = ax::arguments_of<Map>(shape, leaves, wf_test::join{}, out.data(), {}, vector);
  arguments.plan = plan;
  arguments.partials = partials.data();
  arguments.counters = counters.data();
  wf::host_side::enqueue(kernel, {plan.blocks, block_threads, shared_bytes}, nullptr, arguments, more...);
  wf::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  if (counters.to_host() != zeros) return testing::AssertionFailure() << "counters are not zero";
  for (const interval& result : out.to_host())
    if (!(result == interval::of(0, shape.reduced_items - 1))) return testing::AssertionFailure() << result;
  return testing::AssertionSuccess();
}

/// A matrix whose item (r, c) is the interval of r, or of c.
std::vector<interval> numbered(std::int64_t rows, std::int64_t columns, bool by_rows) {
  std::vector<interval> items;
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c) items.push_back(interval::of(by_rows ? r : c));
  return items;
}

__global__ void places_kernel(ax::index_map map, const std::int64_t* numbers, ax::place* places, std::int64_t* ins,
                              ax::stretch_place* stretches) {
  const unsigned i = threadIdx.x;
  places[i] = map.place_of(numbers[i]);
  ins[i] = map.in(numbers[i]);
  stretches[i] = map.stretch_at(numbers[i]);
}

// Up to 2^31 numbers are divided by a multiplication of 32 bits, more by one of 64.
TEST(axes_index_map, billions_of_items) {
  constexpr std::int64_t far = std::int64_t{1} << 31;
  const ax::axis_list lists[] = {{2, {{1 << 11, 1 << 21, 5}, {1 << 20, 2, -3}}},
                                 {2, {{(1 << 11) + 1, 1 << 21, 5}, {1 << 20, 2, -3}}},
                                 {3, {{12, std::int64_t{1} << 40, 1}, {1 << 16, 7, 2}, {1 << 13, 1, 1 << 20}}},
                                 {2, {{3, 11, 13}, {far, 1, 2}}},
                                 {2, {{3 * far, 11, 13}, {7, 1, 2}}},
                                 {1, {{3 * far, 4, -1}}}};
  for (const ax::axis_list& list : lists) {
    std::vector<std::int64_t> numbers{0, 1, list.items() - 1, list.items() - 2};
    for (const std::int64_t at : {far / 2, far, 2 * far, 5 * far / 2, list.items() / 3 * 2})
      for (const std::int64_t number : {at - 1, at, at + 1})
        if (number < list.items()) numbers.push_back(number);
    const std::int64_t count = std::ssize(numbers);
    const device_array<std::int64_t> given(numbers), ins(count);
    const device_array<ax::place> places(count);
    const device_array<ax::stretch_place> stretches(count);
    wf_test::launch_and_wait(&places_kernel, 1, static_cast<int>(count), 0, ax::index_map(list), given.data(),
                             places.data(), ins.data(), stretches.data());
    for (std::int64_t i = 0; i < count; ++i) {
      std::int64_t in = 0, out = 0, left = numbers[static_cast<std::size_t>(i)];
      const std::int64_t inner = list.axes[list.rank - 1].extent, remaining = inner - left % inner;
      for (int axis = list.rank - 1; axis >= 0; left /= list.axes[axis--].extent) {
        in += left % list.axes[axis].extent * list.axes[axis].in_stride;
        out += left % list.axes[axis].extent * list.axes[axis].out_stride;
      }
      SCOPED_TRACE(testing::Message() << "number " << numbers[static_cast<std::size_t>(i)] << " of " << list.items());
      EXPECT_EQ(places.value(i).in, in);
      EXPECT_EQ(places.value(i).out, out);
      EXPECT_EQ(ins.value(i), in);
      EXPECT_EQ(stretches.value(i).in, in);
      EXPECT_EQ(stretches.value(i).remaining, remaining);
    }
  }
}

/// Thread i walks by rows from item first + 4 i on, `steps` times, and counts items that lie elsewhere than it says.
template <int Axes>
__global__ void walk_kernel(ax::index_map map, std::int64_t first, std::int64_t items, int steps, int* wrong) {
  constexpr std::int64_t origin = 1000;
  const std::int64_t begin = first + 4 * std::int64_t{threadIdx.x};
  if (begin >= items) return;
  ax::place_walk<Axes, 128, ax::index_map> walk(map, origin, begin);
  for (int s = 0; s < steps; ++s, walk.step()) {
    const ax::near_place place = walk.place();
    for (int k = 0; k < 4 && begin + 128 * s + k < items; ++k) {
      const std::int64_t at = (k < place.remaining ? place.at : place.next) + k * map.inner_stride();
      if (at != origin + map.in(begin + 128 * s + k)) atomicAdd(wrong, 1);
    }
  }
}

// Of one, two and three axes; with stretches of four items, of a step and a little more, and of billions.
TEST(axes_index_map, walks) {
  constexpr std::int64_t far = std::int64_t{1} << 32;
  const ax::axis_list lists[] = {{1, {{900, -3, 1}}},
                                 {1, {{3 * far, 2, 1}}},
                                 {2, {{300, 5000, 1}, {4, 7, 1}}},
                                 {2, {{9, 500, 1}, {128, 1, 1}}},
                                 {2, {{9, -500, 1}, {129, 3, 1}}},
                                 {2, {{4, far, 1}, {far + 1, 1, 1}}},
                                 {3, {{7, 4000, 1}, {5, 300, 1}, {33, 1, 1}}},
                                 {3, {{200, 90, 1}, {1, 13, 1}, {4, -1, 1}}},
                                 {3, {{40, -9000, 1}, {64, 50, 1}, {5, 2, 1}}},
                                 {3, {{3, 1, 1}, {far, 5, 1}, {7, 9, 1}}}};
  for (const ax::axis_list& list : lists)
    for (std::int64_t first : {std::int64_t{0}, list.items() / 2, list.items() - 1000}) {
      if (first < 0) continue;
      const device_array<int> wrong(std::vector<int>{0, 0});
      if (list.rank <= 2)
        wf_test::launch_and_wait(&walk_kernel<2>, 1, 32, 0, ax::index_map(list), first, list.items(), 20, wrong.data());
      wf_test::launch_and_wait(&walk_kernel<3>, 1, 32, 0, ax::index_map(list), first, list.items(), 20,
                               wrong.data() + 1);
      EXPECT_EQ(wrong.to_host(), (std::vector<int>{0, 0})) << list.items() << " items, from " << first;
    }
}

/// A plan of `blocks` blocks for tiles of `lanes` lanes of `vector` columns, and `groups` row groups each. If few
/// threads are `joining`, they have splits enough to join by single columns.
ax::plan plan_of(int lanes, int vector, int groups, int log_rows, std::int64_t tiles, std::int64_t splits, int blocks,
                 int joining, bool joins_singly, bool waits_soon = false) {
  ax::plan plan{};
  plan.lanes = lanes, plan.groups = groups, plan.log_rows = log_rows, plan.tiles = tiles, plan.splits = splits;
  ax::deal_drawn_work(plan, blocks, joining, vector, joins_singly, sizeof(interval), waits_soon);
  return plan;
}
ax::plan plan_of(int lanes, int groups, int log_rows, std::int64_t tiles, std::int64_t splits, int blocks,
                 bool waits_soon = false) {
  return plan_of(lanes, 1, groups, log_rows, tiles, splits, blocks, lanes * groups, true, waits_soon);
}

using column_leaves = ax::array_leaves<interval, wf::thread::no_transform, interval, false, 2>;

struct column_counts {
  std::vector<int> columns{2, 6, 16, 66, 100};
  std::vector<std::int64_t> splits{1, 2, 9, 128, 259};
  std::vector<int> logs_of_rows{0, 1, 4};
};

/// Columns under plans for blocks of `most_threads` threads, which fold; launch(...) is whether the kernel folds them.
template <class Launch>
void columns_join_splits(int most_threads, bool joins_singly, Launch launch, const column_counts& counts = {}) {
  for (const int columns : counts.columns)
    for (const std::int64_t splits : counts.splits)
      for (const int log_rows : counts.logs_of_rows) {
        const int vectors = columns / 2, tiles = vectors > 40 ? 2 : 1, lanes = (vectors + tiles - 1) / tiles,
                  groups = static_cast<int>(std::bit_floor(static_cast<unsigned>(most_threads / lanes)));
        const std::int64_t split_rows = std::int64_t{groups} << log_rows;
        const std::int64_t rows = (splits - 1) * split_rows + 1 + split_rows / 3;
        if (wf_test::emulated && rows * columns > wf_test::share_of(200'000)) continue;
        const device_array<interval> in(numbered(rows, columns, true));
        const ax::shape shape = ax::shape_of({2, {rows, columns}, {columns, 1}}, 0b01, {1, {columns}, {1}});
        const column_leaves leaves{in.data(), {}, {0, rows * columns - 1}};
        for (const int blocks : {1, 3, 40, static_cast<int>(tiles * splits)}) {
          const auto plan = plan_of(lanes, 2, groups, log_rows, tiles, splits, blocks,
                                    blocks == 40 ? lanes * groups : lanes, joins_singly);
          EXPECT_TRUE(launch(shape, leaves, plan))
              << columns << " columns, " << rows << " rows, " << splits << " splits, " << blocks << " blocks";
        }
      }
}

void columns_join_splits_while_others_load(const column_counts& counts = {}) {
  constexpr auto policy = ax::column_policy_of<column_leaves>;
  static_assert(policy.has_narrow_tiles);
  columns_join_splits(
      policy.block_threads, true,
      [&](const ax::shape& shape, const column_leaves& leaves, const auto& plan) {
        return folds_in_order(&ax::column_kernel<arguments_of<column_leaves>>, shape, leaves, 2, plan,
                              ax::column_threads(plan, policy), sizeof(ax::column_storage<column_leaves>));
      },
      counts);
}
TEST(axis_kernels, columns_join_splits) { columns_join_splits_while_others_load(); }

// A block joins what its threads hold, and goes on.
TEST(axis_kernels, columns_of_several_phases) {
  constexpr auto policy = ax::column_policy_of<column_leaves>;
  constexpr int log_rows = ax::ceil_log2(policy.phase_steps * policy.batch_rows) + 1;
  columns_join_splits_while_others_load({{36, 66}, {1, 2}, {log_rows}});
}

TEST(axis_kernels, column_shares_join_splits) {
  constexpr int threads = ax::column_share_threads<column_leaves>;
  columns_join_splits(threads, false, [&](const ax::shape& shape, const column_leaves& leaves, const auto& plan) {
    return folds_in_order(&ax::column_share_kernel<arguments_of<column_leaves>>, shape, leaves, 2, plan, threads,
                          ax::column_share_bytes<column_leaves>(threads));
  });
}

// Of as many items as rounds have room for: the middle axis of matrices of 70 columns, by blocks that take turns.
TEST(axis_kernels, few_items_by_rounds) {
  using arguments = arguments_of<column_leaves>;
  const auto expect = [](auto kernel, int first, int last, int vectors_of_thread) {
    constexpr std::int64_t matrices = 9, columns = 70;
    for (std::int64_t rows = first; rows <= last; ++rows) {
      std::vector<interval> items;
      for (int m = 0; m < matrices; ++m) {
        const auto matrix = numbered(rows, columns, true);
        items.insert(items.end(), matrix.begin(), matrix.end());
      }
      const device_array<interval> in(items);
      const ax::shape shape = ax::shape_of({3, {matrices, rows, columns}, {rows * columns, columns, 1}}, 0b010,
                                           {2, {matrices, columns}, {columns, 1}});
      const column_leaves leaves{in.data(), {}, {0, matrices * rows * columns - 1}};
      for (const int most_blocks : {1, 0}) {
        const auto plan = ax::plan_few_items(shape.outputs / 2, vectors_of_thread, most_blocks);
        EXPECT_TRUE(folds_in_order(kernel, shape, leaves, 2, plan, ax::few_items_threads, 0)) << rows << " rows";
      }
    }
  };
  expect(&ax::very_few_items_kernel<arguments>, 1, ax::very_few_items, ax::very_few_items_vectors);
  expect(&ax::few_items_kernel<ax::few_items_round, 1, arguments>, 5, ax::few_items_round, 1);
  expect(&ax::few_items_kernel<ax::few_items_round, 2, arguments>, 5, 2 * ax::few_items_round, 1);
  expect(&ax::few_items_kernel<ax::few_items_round, 4, arguments>, 17, ax::few_items_count, 1);
  expect(&ax::few_items_kernel<ax::long_round, 2, arguments>, 9, ax::few_items_count, 1);
}

TEST(axis_kernels, rows_join_splits) {
  using leaves = ax::array_leaves<interval, wf::thread::no_transform, interval, false, 2>;
  constexpr auto policy = ax::row_policy_of<leaves>;
  const int log_warps = ax::ceil_log2(policy.block_threads / 32), log_batch = ax::ceil_log2(policy.batch_items());
  for (const int log_lanes : {0, log_warps})
    for (const std::int64_t splits : {3, 129, 700}) {
      const std::int64_t outputs = (std::int64_t{1} << log_lanes) - (log_lanes > 0);
      const std::int64_t split_items = std::int64_t{1} << (log_batch + log_warps - log_lanes);
      const std::int64_t items = (splits - 1) * split_items + split_items / 2 + 1;
      if (wf_test::emulated && splits > 200) continue;
      const device_array<interval> in(numbered(outputs, items, false));
      const ax::shape shape = ax::shape_of({2, {outputs, items}, {items, 1}}, 0b10, {1, {outputs}, {1}});
      EXPECT_TRUE(folds_in_order(
          &ax::row_kernel<arguments_of<leaves>>, shape, leaves{in.data(), {}, {0, outputs * items - 1}}, 1,
          plan_of(1 << log_lanes, 1 << (log_warps - log_lanes), log_batch, 1, splits, static_cast<int>(splits)),
          policy.block_threads, ax::row_shared_bytes<arguments_of<leaves>>(), 1))
          << outputs << " outputs, " << splits << " splits";
    }
}

// One block has several outputs one after another, whose items fill one group: nothing is joined between them.
TEST(axis_kernels, rows_that_fill_one_group) {
  using leaves = ax::array_leaves<interval, wf::thread::no_transform, interval, false, 2>;
  constexpr auto policy = ax::row_policy_of<leaves>;
  constexpr std::int64_t outputs = 5, items = policy.batch_items() - 3;
  const device_array<interval> in(numbered(outputs, items, false));
  const ax::shape shape = ax::shape_of({2, {outputs, items}, {items, 1}}, 0b10, {1, {outputs}, {1}});
  EXPECT_TRUE(folds_in_order(&ax::row_kernel<arguments_of<leaves>>, shape,
                             leaves{in.data(), {}, {0, outputs * items - 1}}, 1,
                             plan_of(1, policy.block_threads / 32, ax::ceil_log2(policy.batch_items()), outputs, 1, 1),
                             policy.block_threads, ax::row_shared_bytes<arguments_of<leaves>>(), 1));
}

// A batch that crosses the end of a run takes its items from two places.
TEST(axis_kernels, batches_of_rows_cross_the_ends_of_runs) {
  using leaves = ax::array_leaves<interval, wf::thread::no_transform, interval, false, 2>;
  constexpr auto policy = ax::row_policy_of<leaves>;
  constexpr int batch = static_cast<int>(policy.batch_items()), warps = policy.block_threads / 32, outputs = 2,
                runs = 9;
  for (const int run : {batch - 2, batch, batch + 2, batch + 34, 2 * batch - 2}) {
    const std::int64_t items = std::int64_t{runs} * run;
    std::vector<interval> all;
    for (int r = 0; r < runs; ++r)
      for (int o = 0; o < outputs; ++o)
        for (int k = 0; k < run; ++k) all.push_back(interval::of(r * run + k));
    const device_array<interval> in(all);
    const ax::shape shape =
        ax::shape_of({3, {runs, outputs, run}, {outputs * run, run, 1}}, 0b101, {1, {outputs}, {1}});
    const int log_batch = ax::ceil_log2(batch),
              log_rows = std::max(ax::ceil_log2((items + warps - 1) / warps), log_batch);
    for (const int most_turns : {0, 9}) {  // warps have adjacent batches then
      auto plan = plan_of(1, warps, log_rows, outputs, 1, most_turns > 0 ? 1 : 2);
      plan.log_turns = std::min(most_turns, log_rows - log_batch);
      EXPECT_TRUE(folds_in_order(&ax::row_kernel<arguments_of<leaves>>, shape,
                                 leaves{in.data(), {}, {0, outputs * items - 1}}, 1, plan, policy.block_threads,
                                 ax::row_shared_bytes<arguments_of<leaves>>(), 1))
          << "runs of " << run << " items, at most 2^" << most_turns << " turns";
    }
  }
}

/// An array of which all axes but axis `kept` are reduced.
template <class Interval> struct array_apart {
  wf_test::arrays::layout in;
  unsigned reduced;
  std::vector<Interval> memory;

  array_apart(const std::vector<std::int64_t>& extents, int kept, std::int64_t step, std::int64_t padding) {
    std::vector<int> order;
    for (int i = 0; i < static_cast<int>(extents.size()); ++i) order.push_back(i);
    in = wf_test::arrays::make_layout(extents, order, step, std::vector<std::int64_t>(extents.size(), padding), 0, 0);
    memory.assign(static_cast<std::size_t>(in.length), Interval::poison());
    reduced = ((1u << extents.size()) - 1) & ~(1u << kept);
    wf_test::arrays::for_items(in, ~reduced, in.origin, [&](std::int64_t output) {
      std::int64_t number = 0;
      wf_test::arrays::for_items(in, reduced, output, [&](std::int64_t place) {
        memory[static_cast<std::size_t>(place)] = Interval::of(number++);
      });
    });
  }

  ax::shape shape() const {
    ax::array_axes axes{in.rank, {}, {}};
    std::int64_t outputs = 1;
    for (int i = 0; i < in.rank; ++i) {
      axes.extent[i] = in.extent[i], axes.stride[i] = in.stride[i];
      if (!(reduced >> i & 1)) outputs = in.extent[i];
    }
    return ax::shape_of(axes, reduced, {1, {outputs}, {1}});
  }
};

/// The items of all outputs, gathered in chunks of `Chunk`, under plans for lone warps, for warps that take turns, and
/// with splits.
template <class Interval, int Chunk> void gathers_in_order(std::initializer_list<int> units) {
  using leaves = ax::array_leaves<Interval, wf::thread::no_transform, Interval, false, Chunk>;
  using map = ax::gathered<ax::index_map>;
  using arguments = ax::axis_arguments<leaves, wf_test::join, Interval*, map>;
  constexpr auto policy = ax::policy_of_rows<arguments>;
  constexpr int warps = policy.block_threads / 32, batch = static_cast<int>(policy.batch_items()),
                log_batch = ax::ceil_log2(batch);
  struct array_case {
    std::vector<std::int64_t> extents;
    int kept;
    std::int64_t step, padding;
  };
  const array_case cases[] = {
      {{5, 2 * batch + 77}, 0, 3, 0},  // every third item
      {{batch, 3, 1}, 1, 2, 0},       {{700, 3, 2}, 1, 1, 0},           {{batch / 2 + 1, 5, 4}, 1, 1, 0},
      {{150, 3, 16}, 1, 1, 0},        {{80, 6, 31}, 1, 1, 0},           {{60, 3, 32}, 1, 1, 0},
      {{71, 7, 33}, 1, 1, 0},         {{30, 3, 49}, 1, 1, 0},           {{3, 2, batch - 1}, 1, 1, 0},
      {{3, 2, batch}, 1, 1, 0},       {{2, 3, 3 * batch + 7}, 1, 1, 0}, {{9, 2, 5, 40}, 1, 1, 4},  // three axes
      {{2, 3, 11, 90}, 1, 1, 8},      {{6, 2, 3, 5, 12}, 1, 1, 4}};                                // four
  for (const array_case& each : cases) {
    const array_apart<Interval> array(each.extents, each.kept, each.step, each.padding);
    const ax::shape shape = array.shape();
    const std::int64_t items = shape.reduced_items, outputs = shape.outputs;
    const device_array<Interval> in(array.memory);
    const leaves of{in.data() + array.in.origin, {}, {0, static_cast<std::int64_t>(array.memory.size()) - 1}};
    for (const int unit : units) {
      bool are_vectors = unit == 1 || (shape.reduced.inner().in_stride == 1 &&
                                       (shape.reduced.rank == 1 || shape.reduced.inner().extent % unit == 0));
      for (const ax::axis_list* const list : {&shape.kept, &shape.reduced})
        for (int i = 0; i < list->rank; ++i)
          are_vectors = are_vectors && (list->axes[i].in_stride % unit == 0 || list->axes[i].in_stride == 1);
      if (!are_vectors) continue;
      for (int lanes = 1; lanes <= warps; lanes *= 2)
        for (const std::int64_t splits : {1, 3}) {
          const int groups = warps / lanes,
                    log_whole = std::max(ax::ceil_log2((items + groups - 1) / groups), log_batch);
          if (splits > 1 && log_whole - 1 < log_batch) continue;
          ax::plan plan{};
          plan.lanes = lanes, plan.groups = groups, plan.by_output = true, plan.slices = 1, plan.slice_lanes = lanes;
          plan.tiles = (outputs + lanes - 1) / lanes;
          plan.log_rows = log_whole - (splits > 1);
          plan.splits = (items + (std::int64_t{groups} << plan.log_rows) - 1) / (std::int64_t{groups} << plan.log_rows);
          if (plan.splits == 1 && groups > 1) plan.log_turns = plan.log_rows - log_batch;
          // Some blocks have several work items; where there are splits, each has one.
          plan.blocks = static_cast<int>(plan.splits > 1 ? plan.work_items() : (plan.work_items() + 1) / 2);
          EXPECT_TRUE(folds_in_order<map>(&ax::row_kernel<arguments>, shape, of, 1, plan, policy.block_threads,
                                          ax::row_shared_bytes<arguments>(), unit))
              << outputs << " outputs of " << items << " items, runs of " << shape.reduced.inner().extent
              << ", units of " << unit << ", " << lanes << " lanes, " << plan.splits << " splits";
        }
    }
  }
}

// Units of 1, 2, 4, 8 and 16 bytes; items of 12 bytes, which are copied in thirds; chunks of one vector and of several.
TEST(axis_kernels, rows_gather_items_that_lie_apart) {
  gathers_in_order<interval, 2>({1, 2});
  gathers_in_order<interval, 8>({1, 2});
  gathers_in_order<wf_test::interval<std::int16_t>, 4>({1, 2, 4});
  gathers_in_order<wf_test::interval<std::int32_t, 12>, 4>({1});
  gathers_in_order<wf_test::interval<std::int16_t, 6>, 8>({1});
}

template <int Columns> void narrow_matrices_join_splits() {
  constexpr int chunk_rows = ax::narrow_chunk_rows(sizeof(interval), Columns);
  using leaves = ax::array_leaves<interval, wf::thread::no_transform, interval, false, Columns * chunk_rows>;
  constexpr auto policy = ax::narrow_policy_of<leaves, Columns>;
  const int log_batch = ax::ceil_log2(policy.batch_rows()), warps = policy.block_threads / 32;
  for (const std::int64_t splits : {1, 3, 129})
    for (const int offset : {0, 1}) {
      if (wf_test::emulated && splits > 3 && (Columns != 3 || !wf_test::in_sample(offset))) continue;
      const std::int64_t split_rows = 2 * policy.batch_rows() * warps;
      const std::int64_t rows = (splits - 1) * split_rows + split_rows / 2 + 3;
      const device_array<interval> in(numbered(rows, Columns, true), offset);
      const ax::shape shape = ax::shape_of({2, {rows, Columns}, {Columns, 1}}, 0b01, {1, {Columns}, {1}});
      for (const int blocks : {1, 5, static_cast<int>(splits)})
        EXPECT_TRUE(folds_in_order(&ax::narrow_kernel<Columns, arguments_of<leaves>>, shape,
                                   leaves{in.data(), {}, {0, rows * Columns - 1}}, 1,
                                   plan_of(Columns, warps, log_batch + 1, 1, splits, blocks), policy.block_threads,
                                   sizeof(ax::narrow_storage<leaves, Columns>), offset == 0))
            << Columns << " columns, " << splits << " splits, " << blocks << " blocks";
    }
}
TEST(axis_kernels, narrow_matrices_join_splits) {
  narrow_matrices_join_splits<2>();
  narrow_matrices_join_splits<3>();
  narrow_matrices_join_splits<7>();
}

/// The row of an item, by its number.
template <class I> struct row_of {
  __host__ __device__ I operator()(const wf::thread::indexed_item<signed char>& of) const { return I::of(of.index); }
};

/// Matrices of `columns` columns, whose rows are `pitch` items apart, through stages of rows, of which few have room
/// for a whole vector before or behind them. `leaves_at` makes leaves of the items from a pointer on.
template <class Leaves, class T, class LeavesAt>
void staged_columns_join_splits(int columns, int pitch, std::int64_t splits, int log_stages, int offset,
                                LeavesAt leaves_at) {
  constexpr auto policy = ax::staged_policy_of<Leaves>;
  constexpr auto bytes = static_cast<int>(sizeof(T));
  const ax::stage_threads block = ax::stage_threads_for(policy, columns);
  const int groups = ax::staged_groups(policy, block.threads, columns), stage_log_rows = ax::ceil_log2(block.rows),
            log_rows = stage_log_rows + log_stages;
  const std::int64_t split_rows = std::int64_t{groups} << log_rows,
                     rows = (splits - 1) * split_rows + split_rows / 2 + block.rows / 2 + 3,
                     items = (rows - 1) * pitch + columns;
  std::vector<T> all(static_cast<std::size_t>(items));
  if constexpr (std::is_same_v<T, interval>)
    for (std::int64_t i = 0; i < items; ++i)
      all[static_cast<std::size_t>(i)] = i % pitch < columns ? interval::of(i / pitch) : interval::poison();
  const device_array<T> in(all, offset);
  const ax::shape shape = ax::shape_of({2, {rows, columns}, {pitch, 1}}, 0b01, {1, {columns}, {1}});
  constexpr auto* kernel = &ax::staged_column_kernel<arguments_of<Leaves>>;
  constexpr std::size_t shared_bytes = sizeof(ax::staged_storage<Leaves>);
  ASSERT_TRUE(wf::host_side::allow_stages(reinterpret_cast<const void*>(kernel), wf::host_side::current_device(),
                                          shared_bytes));
  const int group_bytes = block.rows * pitch * bytes + (columns * bytes + 15) / 16 * 16;
  for (const int stages : {3, 4, 5, 7})
    for (const int blocks : {1, 3, static_cast<int>(splits)}) {
      if (stages * groups * group_bytes > policy.shared_bytes) continue;
      EXPECT_TRUE(folds_in_order(
          kernel, shape, leaves_at(in.data(), items), 1, plan_of(columns, groups, log_rows, 1, splits, blocks, true),
          policy.block_threads(block.threads), shared_bytes,
          ax::stage_shape{pitch, pitch * bytes, false, stage_log_rows, group_bytes, stages, block.threads}))
          << columns << " columns, " << pitch << " apart, " << splits << " splits, " << blocks << " blocks, " << stages
          << " stages, offset " << offset;
    }
}
/// The copy engine of sm_90 fills the stages, so no device before it runs these kernels.
class staged_axis_kernels : public testing::Test {
 protected:
  void SetUp() override {
    if (!wf_test::copies_in_bulk()) GTEST_SKIP() << wf_test::needs_bulk_copies;
  }
};

TEST_F(staged_axis_kernels, join_splits) {
  using leaves = ax::array_leaves<interval, wf::thread::no_transform, interval, false>;
  for (const int columns : {9, 31, 33, 100, 144, 250})
    for (const std::int64_t splits : {1, 2, 5})
      for (const int offset : {0, 1})
        staged_columns_join_splits<leaves, interval>(columns, columns + (columns == 33 ? 5 : 0), splits, 1, offset,
                                                     [](const interval* in, std::int64_t items) {
                                                       return leaves{in, {}, {0, items - 1}};
                                                     });
}
// The warps that fill stages go round the ring several times between two work items.
TEST_F(staged_axis_kernels, splits_are_many_stages) {
  using leaves = ax::array_leaves<interval, wf::thread::no_transform, interval, false>;
  for (const int columns : {31, 250})
    staged_columns_join_splits<leaves, interval>(columns, columns, 2, 5, 1, [](const interval* in, std::int64_t items) {
      return leaves{in, {}, {0, items - 1}};
    });
}
template <class I> void staged_columns_of_bytes(std::initializer_list<int> all_columns) {
  using leaves = ax::array_leaves<signed char, row_of<I>, I, true>;
  for (const int columns : all_columns)
    for (const int offset : {0, 3})
      staged_columns_join_splits<leaves, signed char>(columns, columns, 3, 1, offset,
                                                      [](const signed char* in, std::int64_t items) {
                                                        return leaves{in, {}, {0, items - 1}};
                                                      });
}
TEST_F(staged_axis_kernels, stages_of_bytes_are_several_batches) {
  using wide = wf_test::interval<std::int64_t>;
  constexpr auto policy = ax::staged_policy_for(1, sizeof(wide));
  static_assert(policy.few.rows > policy.batch_rows);
  staged_columns_of_bytes<wide>({9, 65, 150});
}
// Rows that are long, or far apart, are copied one by one. Tiles end with their matrices.
TEST_F(staged_axis_kernels, wide_matrices_have_tiles) {
  using leaves = ax::array_leaves<signed char, row_of<interval>, interval, true>;
  constexpr auto policy = ax::staged_policy_of<leaves>;
  constexpr auto* kernel = &ax::staged_column_kernel<arguments_of<leaves>>;
  constexpr std::size_t shared_bytes = sizeof(ax::staged_storage<leaves>);
  ASSERT_TRUE(wf::host_side::allow_stages(reinterpret_cast<const void*>(kernel), wf::host_side::current_device(),
                                          shared_bytes));
  for (const int columns : {300, 513, 1100})
    for (const int pitch : {columns, columns + 7, 2 * columns})
      for (const std::int64_t matrices : {1, 3})
        for (const int offset : {0, 3}) {
          const std::int64_t rows = 451, apart = rows * pitch + 5,
                             items = (matrices - 1) * apart + (rows - 1) * pitch + columns;
          const device_array<signed char> in(std::vector<signed char>(static_cast<std::size_t>(items)), offset);
          const ax::shape shape = ax::shape_of({3, {matrices, rows, columns}, {apart, pitch, 1}}, 0b010,
                                               {2, {matrices, columns}, {columns, 1}});
          const auto plan = ax::plan_staged_columns(4, shape, 1, sizeof(interval), policy, 0);
          ASSERT_TRUE(plan);
          EXPECT_EQ(plan->stage.by_rows, columns > policy.max_columns() || pitch == 2 * columns);
          EXPECT_TRUE(folds_in_order(kernel, shape, leaves{in.data(), {}, {0, items - 1}}, 1, plan->grid,
                                     policy.block_threads(plan->stage.threads), shared_bytes, plan->stage))
              << columns << " columns, " << pitch << " apart, " << matrices << " matrices, offset " << offset;
        }
}
TEST_F(staged_axis_kernels, narrow_items_that_become_wide_have_more_threads) {
  static_assert(ax::staged_policy_for(1, sizeof(interval)).many.threads > 500);
  staged_columns_of_bytes<interval>({9, 65, 150, 300, 511});
}

}  // namespace axes_kernels
