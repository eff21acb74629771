// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators with results of their own along axes: fused ones with one output each, everyday reductions, arg-reductions,
// statistics, exact sums. Each result has the bits of reduce over the items of its output.
#include "axes/arrays.cuh"

#include <warpfold/arg_operators.hpp>
#include <warpfold/exact_plus.cuh>
#include <warpfold/explain.hpp>
#include <warpfold/fuse.hpp>
#include <warpfold/log_sum_exp_operator.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/vector_operators.hpp>

#include <cstring>

#include "common/exact_reference.hpp"
#include "common/interval.hpp"

namespace axes_operators {

namespace wf = warpfold;
using wf_test::device_array;
using wf_test::same_bits_or_nan;
using wf_test::arrays::layout;
using span = wf_test::interval<std::int64_t>;

/// An array of floats, and which of its axes are reduced.
struct array_case {
  const char* name;
  std::vector<std::int64_t> extents;
  unsigned reduced;
  std::int64_t padding;  ///< between rows
};

/// One shape for each kernel that takes arrays, and shapes with outputs that several blocks share.
const std::vector<array_case>& cases() {
  static const std::vector<array_case> all{{"contiguous rows", {23, 70}, 0b10, 0},
                                           {"padded rows", {5, 1030}, 0b10, 5},
                                           {"short padded rows", {60, 17}, 0b10, 3},
                                           {"short rows of whole chunks", {60, 20}, 0b10, 4},
                                           {"rows of many short chunks", {20, 301}, 0b10, 3},
                                           {"vector columns", {70, 24}, 0b01, 0},
                                           {"tall vector columns", {5000, 8}, 0b01, 0},
                                           {"columns of stages", {1500, 24}, 0b01, 0},
                                           {"single columns", {90, 27}, 0b01, 1},
                                           {"few rows", {2, 501}, 0b01, 0},
                                           {"outer and inner", {6, 5, 64}, 0b101, 0},
                                           {"runs of odd length", {50, 5, 49}, 0b101, 0},
                                           {"three axes", {4, 3, 7, 50}, 0b1101, 2},
                                           {"narrow matrix", {2000, 3}, 0b01, 0},
                                           {"all items", {3, 4, 50}, 0b111, 1}};
  return all;
}

layout layout_of(const array_case& each) {
  std::vector<int> order;
  std::vector<std::int64_t> padding(each.extents.size());
  for (std::size_t i = 0; i < each.extents.size(); ++i) order.push_back(static_cast<int>(i));
  padding.back() = each.padding;
  return wf_test::arrays::make_layout(each.extents, order, 1, padding, 0, 0);
}
std::vector<std::int64_t> kept_extents(const array_case& each) {
  std::vector<std::int64_t> kept;
  for (std::size_t i = 0; i < each.extents.size(); ++i)
    if (!(each.reduced >> i & 1)) kept.push_back(each.extents[i]);
  return kept;
}

/// The items of each output, in order.
template <class T>
std::vector<std::vector<T>> gathered(const layout& in, unsigned reduced, const std::vector<T>& memory) {
  std::vector<std::vector<T>> all;
  wf_test::arrays::for_items(in, ~reduced, in.origin, [&](std::int64_t output) {
    all.emplace_back();
    wf_test::arrays::for_items(in, reduced, output, [&](std::int64_t place) {
      all.back().push_back(memory[static_cast<std::size_t>(place)]);
    });
  });
  return all;
}

/// The lowered result of the canonical tree over the items.
template <class T, class Op> auto result_of(const std::vector<T>& items, const Op& op) {
  const auto root = wf::canonical_tree::replay(items.data(), static_cast<std::int64_t>(items.size()), op);
  if constexpr (wf::lowers<Op, std::remove_const_t<decltype(root)>>) return op.lower(root);
  else return root;
}

/// A case's array and outputs on the device.
template <class T = float> struct array_on_device {
  layout in, out;
  std::vector<std::vector<T>> items;
  device_array<T> from;
  warpfold::axes reduced;

  explicit array_on_device(const array_case& each) : array_on_device(each, layout_of(each)) {}
  array_on_device(const array_case& each, const layout& in)
      : array_on_device(each, in, wf_test::random_items<T>(in.length)) {}
  array_on_device(const array_case& each, const layout& in, const std::vector<T>& memory)
      : in(in),
        out(wf_test::arrays::with_reduced(in, each.reduced, wf_test::arrays::contiguous(kept_extents(each)))),
        items(gathered(in, each.reduced, memory)),
        from(memory),
        reduced(wf_test::arrays::named(each.reduced, in.rank)) {}

  std::int64_t outputs() const { return static_cast<std::int64_t>(items.size()); }
  auto source() const { return wf_test::arrays::view_of(from.data(), in); }
  template <class R> auto to(const device_array<R>& results) const {
    return wf_test::arrays::view_of(results.data(), out);
  }
};

// ---- several results in one read -----------------------------------------------------------------------------------

constexpr auto everyday = wf::fuse(wf::arithmetic_mean{}, wf::euclidean_norm{}, wf::log_sum_exp{}, wf::plus{},
                                   wf::with(wf::magnitude{}, wf::maximum{}), wf::statistics{});

struct everyday_results {
  device_array<float> means, norms, logs, sums, most;
  device_array<wf::statistics_of<float>> statistics;

  explicit everyday_results(std::int64_t count)
      : means(count), norms(count), logs(count), sums(count), most(count), statistics(count) {}
};

TEST(axes_operators, fused_results_have_an_output_each) {
  for (const array_case& each : cases()) {
    const array_on_device<> array(each);
    const everyday_results to(array.outputs());
    for (const int max_blocks : {0, 3}) {
      wf::reduce_axes(array.source(),
                      wf::outputs(array.to(to.means), array.to(to.norms), array.to(to.logs), array.to(to.sums),
                                  array.to(to.most), array.to(to.statistics)),
                      array.reduced, everyday, {.max_blocks = max_blocks});
      for (std::int64_t i = 0; i < array.outputs(); ++i) {
        SCOPED_TRACE(std::string(each.name) + ", output " + std::to_string(i));
        const auto expected = result_of(array.items[static_cast<std::size_t>(i)], everyday);
        EXPECT_TRUE(same_bits_or_nan(to.means.value(i), get<0>(expected)));
        EXPECT_TRUE(same_bits_or_nan(to.norms.value(i), get<1>(expected)));
        EXPECT_TRUE(same_bits_or_nan(to.logs.value(i), get<2>(expected)));
        EXPECT_TRUE(same_bits_or_nan(to.sums.value(i), get<3>(expected)));
        EXPECT_TRUE(same_bits_or_nan(to.most.value(i), get<4>(expected)));
        const auto found = to.statistics.value(i), all = get<5>(expected);
        EXPECT_EQ(found.count, all.count);
        EXPECT_TRUE(same_bits_or_nan(found.mean(), all.mean()));
        EXPECT_TRUE(same_bits_or_nan(found.variance(), all.variance()));
        EXPECT_TRUE(same_bits_or_nan(found.minimum, all.minimum));
        EXPECT_TRUE(same_bits_or_nan(found.maximum, all.maximum));
        EXPECT_EQ(found.nan_count, 0);
      }
    }
  }
}

/// Lifts item number i of an output, which must be i, to the interval [i, i].
struct numbered {
  __host__ __device__ span lift(int item, std::int64_t index) const {
    return item == index ? span::of(index) : span::poison();
  }
  __host__ __device__ span operator()(const span& a, const span& b) const { return wf_test::join{}(a, b); }
};
constexpr auto ordered = wf::fuse(numbered{}, wf::last{});
using ordered_result = wf::fused<span, int>;

// Ranges for rows and columns; outputs with strides; .init and .empty.
TEST(axes_operators, fused_results_in_all_forms) {
  constexpr int rows = 6, columns = 40;
  std::vector<int> along_rows, along_columns;
  for (int i = 0; i < rows * columns; ++i) along_rows.push_back(i % columns), along_columns.push_back(i / columns);
  const device_array<int> of_rows(along_rows), of_columns(along_columns);
  const device_array<span> spans(columns);
  const device_array<int> lasts(std::vector<int>(columns, -5));
  const wf::strided<const int, 2> by_rows(of_rows.data(), {rows, columns}),
      by_columns(of_columns.data(), {rows, columns});

  wf::reduce_rows(by_rows, wf::outputs(std::span(spans.data(), rows), lasts.data()), ordered);
  EXPECT_EQ(spans.value(rows - 1), span::of(0, columns - 1));
  EXPECT_EQ(lasts.value(rows - 1), columns - 1);
  EXPECT_EQ(lasts.value(rows), -5);
  wf::reduce_columns(by_columns, wf::outputs(std::span(spans.data(), columns), std::span(lasts.data(), columns)),
                     ordered, {.init = ordered_result{span::of(-1), -1}});
  EXPECT_EQ(spans.to_host(), std::vector<span>(columns, span::of(-1, rows - 1)));
  EXPECT_EQ(lasts.to_host(), std::vector<int>(columns, rows - 1));

  // Every other place, from the last one backwards.
  wf::reduce_axes(by_rows,
                  wf::outputs(wf::strided<span, 1>(spans.data() + 10, {rows}, {-2}),
                              wf::strided<int, 1>(lasts.data() + 10, {rows}, {-2})),
                  wf::axes{1}, ordered);
  for (int place = 0; place < 12; ++place) {
    const bool is_written = place <= 10 && place % 2 == 0;
    EXPECT_EQ(spans.value(place), is_written ? span::of(0, columns - 1) : span::of(-1, rows - 1)) << place;
    EXPECT_EQ(lasts.value(place), is_written ? columns - 1 : rows - 1) << place;
  }

  const wf::strided<const int, 2> nothing(of_rows.data(), {rows, 0});
  wf::reduce_rows(nothing, wf::outputs(std::span(spans.data(), rows), lasts.data()), ordered,
                  {.empty = ordered_result{span::of(7), 8}});
  EXPECT_EQ(spans.value(rows - 1), span::of(7));
  EXPECT_EQ(lasts.value(rows - 1), 8);
}

TEST(axes_operators, outputs_that_do_not_fit_are_refused) {
  const device_array<int> in(24), lasts(24);
  const device_array<span> spans(24);
  const wf::strided<const int, 2> matrix(in.data(), {4, 6});
  const auto refusal = [&](const wf::strided<span, 1>& a, const wf::strided<int, 1>& b) -> std::string {
    try {
      wf::reduce_axes(matrix, wf::outputs(a, b), wf::axes{1}, ordered);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "accepted";
  };
  const wf::strided<span, 1> first(spans.data(), {4});
  EXPECT_EQ(refusal(first, wf::strided(lasts.data(), {5})),
            "warpfold::reduce_axes: out 2 of 2 has the extents (5); the kept axes have (4)");
  EXPECT_EQ(refusal(first, wf::strided<int, 1>(lasts.data(), {4}, {3})),
            "warpfold::reduce_axes: out 2 of 2 has the strides (3), out 1 of 2 has (1); they must be the same");
  EXPECT_EQ(refusal(first, wf::strided<int, 1>(nullptr, {4})), "warpfold::reduce_axes: out 2 of 2 is a null pointer");
  EXPECT_EQ(refusal(first, wf::strided<int, 1>(const_cast<int*>(in.data()) + 20, {4})),
            "warpfold::reduce_axes: out 2 of 2 lies within in");
  EXPECT_EQ(refusal(first, wf::strided<int, 1>(reinterpret_cast<int*>(spans.data() + 3), {4})),
            "warpfold::reduce_axes: out 2 lies within out 1");
  EXPECT_EQ(refusal(first, wf::strided(lasts.data(), {4})), "accepted");
}

// ---- operators alone -----------------------------------------------------------------------------------------------

/// Every case with `op`: each result is the canonical tree's, by ==.
template <class Op> void expect_results_of(const Op& op) {
  using result = wf::lowered_t<Op, wf::accumulator_t<Op, float>>;
  for (const array_case& each : cases()) {
    const array_on_device<> array(each);
    const device_array<result> to(array.outputs());
    wf::reduce_axes(array.source(), array.to(to), array.reduced, op);
    for (std::int64_t i = 0; i < array.outputs(); ++i)
      EXPECT_EQ(to.value(i), result_of(array.items[static_cast<std::size_t>(i)], op)) << each.name << ", output " << i;
  }
}

// Items so wide that chunks are single ones, and narrower ones, along one to three axes.
template <class Interval> void expect_order_along_axes() {
  using list = std::vector<std::int64_t>;
  for (const list& extents : {list{3, 700}, list{40, 3, 50}, list{5, 3, 11, 13}, list{3, 3, 4, 5, 12}}) {
    const unsigned reduced = ((1u << extents.size()) - 1) & ~(extents.size() > 2 ? 0b10u : 0b01u);
    const layout in = layout_of({"", extents, reduced, 3});
    std::vector<Interval> memory(static_cast<std::size_t>(in.length), Interval::poison());
    wf_test::arrays::for_items(in, ~reduced, in.origin, [&](std::int64_t output) {
      std::int64_t number = 0;
      wf_test::arrays::for_items(in, reduced, output,
                                 [&](std::int64_t place) { memory[place] = Interval::of(number++); });
    });
    const array_on_device<Interval> array({"", extents, reduced, 3}, in, memory);
    const device_array<Interval> to(array.outputs());
    wf::reduce_axes(array.source(), array.to(to), array.reduced, wf_test::join{});
    for (std::int64_t i = 0; i < array.outputs(); ++i)
      EXPECT_EQ(to.value(i), Interval::of(0, std::ssize(array.items[0]) - 1))
          << extents.size() << " axes, output " << i;
  }
}
TEST(axes_operators, items_of_all_widths_keep_their_order_along_several_axes) {
  expect_order_along_axes<wf_test::interval<std::int16_t>>();
  expect_order_along_axes<wf_test::interval<std::int16_t, 6>>();
  expect_order_along_axes<wf_test::interval<std::int32_t>>();
  expect_order_along_axes<wf_test::interval<std::int32_t, 12>>();
  expect_order_along_axes<wf_test::interval<std::int64_t>>();
  expect_order_along_axes<wf_test::interval<std::int64_t, 40>>();
}

// Indices count along the reduced axis; of several, in their row-major order.
TEST(axes_operators, arg_reductions_count_along_the_axes) {
  expect_results_of(wf::arg_maximum{});
  using found = std::vector<wf::indexed_value<float>>;
  const device_array<float> in(std::vector<float>{1, 9, 3, 4, 5, 9, 7, 0});  // 2 x 2 x 2
  const device_array<wf::indexed_value<float>> one(1), two(2), four(4);
  const wf::strided<const float, 3> cube(in.data(), {2, 2, 2});
  wf::reduce_axes(cube, wf::strided(four.data(), {2, 2}), wf::axes{1}, wf::arg_maximum{});
  EXPECT_EQ(four.to_host(), (found{{3, 1}, {9, 0}, {7, 1}, {9, 0}}));
  wf::reduce_axes(cube, wf::strided(two.data(), {2}), wf::axes{0, 2}, wf::arg_maximum{});
  EXPECT_EQ(two.to_host(), (found{{9, 1}, {7, 2}}));
  wf::reduce_axes(cube, wf::strided(one.data()), wf::axes{0, 1, 2}, wf::arg_maximum{});
  EXPECT_EQ(one.value(), (wf::indexed_value<float>{9, 1}));
  // The index of init is the caller's.
  for (const int axis : {0, 1, 2}) {
    const wf::indexed_value<float> before_all{8, 77};
    wf::reduce_axes(cube, wf::strided(four.data(), {2, 2}), wf::axes{axis}, wf::arg_maximum{}, {.init = before_all});
    EXPECT_EQ(four.value(axis == 2 ? 3 : 0), (wf::indexed_value<float>{8, 77})) << axis;
  }
}

/// Items that tie: few numbers, both zeros and, if `Nans`, some NaN.
template <class T, bool Nans> std::vector<T> tying_items(std::int64_t count) {
  const double numbers[] = {0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.0, std::numeric_limits<double>::quiet_NaN()};
  std::vector<T> items;
  wf_test::random_source random(static_cast<std::uint64_t>(count));
  for (std::int64_t i = 0; i < count; ++i) items.push_back(static_cast<T>(numbers[random.below(Nans ? 8 : 7)]));
  return items;
}

template <class V> bool is_same(const wf::indexed_value<V>& a, const wf::indexed_value<V>& b) {
  return same_bits_or_nan(a.value, b.value) && a.index == b.index;
}
template <class V> bool is_same(const wf::indexed_extrema<V>& a, const wf::indexed_extrema<V>& b) {
  return is_same(a.minimum, b.minimum) && is_same(a.maximum, b.maximum);
}

template <class Item, class Operator> struct arg_reduction {
  using item = Item;
  using op = Operator;
};
using arg_reductions =
    testing::Types<arg_reduction<float, wf::arg_maximum<>>, arg_reduction<std::int8_t, wf::arg_minimum<>>,
                   arg_reduction<double, wf::arg_extrema<wf::ties::last, wf::nans::ignore, std::int32_t>>>;
template <class> class axes_arg_reductions : public testing::Test {};
TYPED_TEST_SUITE(axes_arg_reductions, arg_reductions);

// Kernels compare numbers first and look for their places afterwards. Of items that tie they take the same one as the
// fold does, in whole batches of each kernel, too; and the zero or NaN in the result is that item's.
TYPED_TEST(axes_arg_reductions, take_the_item_of_the_fold) {
  using T = typename TypeParam::item;
  using op = typename TypeParam::op;
  std::vector<array_case> shapes = cases();
  for (const std::int64_t columns : {2, 4, 5, 7, 12, 33, 64})
    shapes.push_back({"matrix", {12000 / columns, columns}, 0b01, 0});
  shapes.push_back({"several matrices", {3, 600, 16}, 0b010, 0});
  shapes.push_back({"few items of a vector", {13, 320}, 0b01, 0});
  shapes.push_back({"columns that threads share", {3, 500, 112}, 0b010, 0});
  shapes.push_back({"long padded rows", {2, 9000}, 0b10, 5});
  const auto check = [](const array_case& each, const std::vector<T>& memory) {
    const array_on_device<T> array(each, layout_of(each), memory);
    const device_array<wf::lowered_t<op, wf::accumulator_t<op, T>>> to(array.outputs());
    for (const int max_blocks : {0, 2}) {
      wf::reduce_axes(array.source(), array.to(to), array.reduced, op{}, {.max_blocks = max_blocks});
      for (std::int64_t i = 0; i < array.outputs(); ++i)
        EXPECT_TRUE(is_same(to.value(i), result_of(array.items[static_cast<std::size_t>(i)], op{})))
            << each.name << " of " << each.extents[0] << " rows, output " << i << ", max_blocks " << max_blocks;
    }
  };
  for (const array_case& each : shapes) {
    const std::int64_t length = layout_of(each).length;
    check(each, tying_items<T, false>(length));
    if constexpr (std::is_floating_point_v<T>) check(each, tying_items<T, true>(length));
    check(each, std::vector<T>(static_cast<std::size_t>(length), static_cast<T>(-0.0)));
  }
}

// Indices that are narrower than the array's number of items, but not than a row's.
TEST(axes_operators, narrow_indices_of_rows) {
  using narrow = wf::arg_maximum<wf::ties::last, wf::nans::propagate, std::int16_t>;
  for (const std::int64_t rows : {3, 700}) {
    const std::int64_t length = 100;
    const auto memory = wf_test::random_items<float>(rows * length);
    const device_array<float> in(memory);
    const device_array<wf::indexed_value<float>> out(rows);
    wf::reduce_rows(wf::strided(in.data(), {rows, length}), std::span(out.data(), out.size()), narrow{});
    for (std::int64_t r = 0; r < rows; ++r) {
      const std::vector<float> row(memory.begin() + r * length, memory.begin() + (r + 1) * length);
      EXPECT_EQ(out.value(r), result_of(row, narrow{})) << "row " << r << " of " << rows;
    }
  }
}

TEST(axes_operators, exact_sums) { expect_results_of(wf::exact_plus{}); }
TEST(axes_operators, means) { expect_results_of(wf::arithmetic_mean{}); }

/// Column `c` of matrix `m`, of matrices that lie one behind another.
template <class T>
std::vector<T> column_of(const std::vector<T>& items, std::int64_t rows, std::int64_t columns, std::int64_t m,
                         std::int64_t c) {
  std::vector<T> column;
  for (std::int64_t r = 0; r < rows; ++r)
    column.push_back(items[static_cast<std::size_t>((m * rows + r) * columns + c)]);
  return column;
}

// Many matrices of few columns: bytes without vectors come in tiles, all others by columns, those of few items at once.
template <class T> void expect_small_matrices(bool in_tiles) {
  constexpr std::int64_t matrices = 50;
  for (const std::int64_t rows : {2, 6, 15, 30, 33, 40, 129})
    for (const std::int64_t columns : {2, 3, 4, 7, 8}) {
      SCOPED_TRACE(testing::Message() << rows << " rows of " << columns << " columns of " << sizeof(T) << " bytes");
      const auto items = wf_test::random_items<T>(matrices * rows * columns);
      const device_array<T> in(items);
      const device_array<wf::accumulator_t<wf::plus, T>> out(matrices * columns);
      const std::int64_t extents[] = {matrices, rows, columns}, kept[] = {matrices, 1, columns};
      const auto launches = wf::explain([&] {
        wf::reduce_axes(wf::strided<const T, 3>(in.data(), extents), wf::strided(out.data(), kept), wf::axes{1},
                        wf::plus{});
      });
      const bool is_tiled = launches.front().line().find("tile_kernel") != std::string::npos;
      EXPECT_EQ(is_tiled, in_tiles && rows > 16 && columns % 4 != 0);  // few outputs have two rounds at most
      const auto results = out.to_host();
      for (std::int64_t m = 0; m < matrices; ++m)
        for (std::int64_t c = 0; c < columns; ++c)
          ASSERT_EQ(results[static_cast<std::size_t>(m * columns + c)],
                    result_of(column_of(items, rows, columns, m, c), wf::plus{}));
    }
}
TEST(axes_operators, small_matrices_of_few_columns) {
  expect_small_matrices<signed char>(true);
  expect_small_matrices<short>(false);
  expect_small_matrices<float>(false);
  expect_small_matrices<double>(false);
}

// Results are written by vectors where they lie together: means, which follow from sums, and pairs of numbers, too.
// Wherever they begin, and with gaps between them, they are the same, and what lies around them stays.
template <class Op, class R> void expect_results_anywhere(Op op) {
  constexpr std::int64_t matrices = 7, columns = 36;
  for (const std::int64_t rows : {2, 3, 5, 8, 12}) {
    SCOPED_TRACE(testing::Message() << rows << " rows");
    const auto items = wf_test::random_items<float>(matrices * rows * columns);
    const device_array<float> in(items);
    const std::int64_t extents[] = {matrices, rows, columns}, kept[] = {matrices, 1, columns};
    for (const std::int64_t gap : {0, 1, 4})
      for (const std::int64_t first : {0, 1, 2}) {
        const std::int64_t pitch = columns + gap, strides[] = {pitch, pitch, 1};
        std::vector<unsigned char> before(static_cast<std::size_t>(first + matrices * pitch) * sizeof(R), 0xAB);
        const device_array<unsigned char> out(before);
        R* const results = reinterpret_cast<R*>(out.data()) + first;
        wf::reduce_axes(wf::strided<const float, 3>(in.data(), extents), wf::strided<R, 3>(results, kept, strides),
                        wf::axes{1}, op);
        const auto after = out.to_host();
        for (std::int64_t m = 0; m < matrices; ++m)
          for (std::int64_t c = 0; c < columns; ++c) {
            const R expected = result_of(column_of(items, rows, columns, m, c), op);
            std::memcpy(before.data() + static_cast<std::size_t>(first + m * pitch + c) * sizeof(R), &expected,
                        sizeof(R));
          }
        EXPECT_TRUE(after == before) << "gaps of " << gap << ", from result " << first;
      }
  }
}
TEST(axes_operators, results_are_written_wherever_they_lie) {
  expect_results_anywhere<wf::plus, float>({});
  expect_results_anywhere<wf::arithmetic_mean, float>({});
  expect_results_anywhere<wf::euclidean_norm, float>({});
  expect_results_anywhere<wf::minimum_maximum, wf::extrema<float>>({});
}

// Single threads fold such columns at once; of any exponents, and with an initial value, as they fold many items.
TEST(axes_operators, exact_sums_of_few_items) {
  const auto init = wf::exact_plus{}.lift(0x1p-30f);
  wf_test::random_source source(5);
  for (std::int64_t rows = 1; rows <= 33; rows += rows < 18 ? 1 : 5)
    for (const auto what : wf_test::all_hard_items) {
      const array_case each{"few items", {rows, 150}, 0b01, 0};
      const layout in = layout_of(each);
      const array_on_device<> array(each, in, wf_test::make_hard_items<float>(what, in.length, source));
      const device_array<float> to(array.outputs()), from_init(array.outputs());
      const auto call = [&] { wf::reduce_axes(array.source(), array.to(to), array.reduced, wf::exact_plus{}); };
      EXPECT_EQ(
          wf::explain(call).front().why == std::string("outputs of a few items each, whose neighbours are adjacent"),
          rows < 32);
      wf::reduce_axes(array.source(), array.to(from_init), array.reduced, wf::exact_plus{}, {.init = init});
      for (std::int64_t i = 0; i < array.outputs(); ++i) {
        const auto& items = array.items[static_cast<std::size_t>(i)];
        const auto root = wf::canonical_tree::replay(items.data(), rows, wf::exact_plus{});
        const float sum = wf::exact_plus{}.lower(root),
                    with_init = wf::exact_plus{}.lower(wf::exact_plus{}(init, root));
        ASSERT_TRUE(same_bits_or_nan(to.value(i), sum)) << rows << " items, output " << i;
        ASSERT_TRUE(same_bits_or_nan(from_init.value(i), with_init)) << rows << " items and init, output " << i;
      }
    }
}
// So they do where items become plain terms, and where these can't be, because of their magnitudes.
TEST(axes_operators, log_sum_exp_of_few_items) {
  for (std::int64_t rows = 1; rows <= 33; rows += rows < 18 ? 1 : 5)
    for (const float scale : {1.0f, 300.0f}) {
      const array_case each{"few items", {rows, 150}, 0b01, 0};
      const layout in = layout_of(each);
      auto memory = wf_test::random_items<float>(in.length);
      for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = i % 29 == 3 ? -INFINITY : memory[i] * scale;
      const array_on_device<> array(each, in, memory);
      const device_array<float> to(array.outputs());
      wf::reduce_axes(array.source(), array.to(to), array.reduced, wf::log_sum_exp{});
      for (std::int64_t i = 0; i < array.outputs(); ++i)
        ASSERT_TRUE(
            same_bits_or_nan(to.value(i), result_of(array.items[static_cast<std::size_t>(i)], wf::log_sum_exp{})))
            << rows << " items, scale " << scale << ", output " << i;
    }
}

// Threads share columns and join single ones; with items that cannot be plain terms of sums, and without.
TEST(axes_operators, log_sum_exp_of_shared_columns) {
  for (const float scale : {1.0f, 3e37f}) {
    const array_case each{"columns that threads share", {2, 700, 100}, 0b010, 0};
    const layout in = layout_of(each);
    auto memory = wf_test::random_items<float>(in.length);
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = i % 97 == 3 ? -INFINITY : memory[i] * scale;
    const array_on_device<> array(each, in, memory);
    const device_array<float> to(array.outputs());
    for (const int max_blocks : {0, 2}) {
      wf::reduce_axes(array.source(), array.to(to), array.reduced, wf::log_sum_exp{}, {.max_blocks = max_blocks});
      for (std::int64_t i = 0; i < array.outputs(); ++i)
        ASSERT_TRUE(
            same_bits_or_nan(to.value(i), result_of(array.items[static_cast<std::size_t>(i)], wf::log_sum_exp{})))
            << "scale " << scale << ", output " << i << ", max_blocks " << max_blocks;
    }
  }
}

template <class Op, class Same> void expect_whole_columns(const array_on_device<>& array, const Op& op, Same are_same) {
  const device_array<wf::accumulator_t<Op, float>> to(array.outputs());
  for (const int max_blocks : {0, 3}) {
    const auto launches = wf::explain(
        [&] { wf::reduce_axes(array.source(), array.to(to), array.reduced, op, {.max_blocks = max_blocks}); });
    EXPECT_EQ(launches.front().why, std::string("enough columns for a thread each"));
    const auto found = to.to_host();
    for (std::size_t i = 0; i < found.size(); i += 1 + i % 7)
      ASSERT_TRUE(are_same(found[i], result_of(array.items[i], op))) << "output " << i << ", max_blocks " << max_blocks;
  }
}
// Single threads fold columns of several matrices if there are enough, tile after tile where there are fewer blocks than
// tiles. Rows have vectors, and have not.
TEST(axes_operators, whole_columns_one_after_another) {
  int multiprocessors = 0;
  wf::check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), "cudaDeviceGetAttribute");
  for (const std::int64_t fewer : {3, 4}) {
    const array_on_device<> array({"whole columns", {2, 37, multiprocessors * std::int64_t{256} - fewer}, 0b010, 0});
    expect_whole_columns(array, wf::moments<>{}, [](const auto& a, const auto& b) {
      return std::memcmp(&a, &b, sizeof a) == 0;  // they have no padding
    });
    expect_whole_columns(array, wf::arg_maximum{}, [](const auto& a, const auto& b) { return is_same(a, b); });
  }
}

// Columns of one matrix, where there are bulk copies; of many matrices, vectors are faster.
TEST(axes_operators, few_columns_of_a_matrix_are_staged) {
  constexpr std::int64_t items = 48'000;
  const device_array<float> in(items), out(300);
  const device_array<wf::indexed_value<float>> places(300);
  const auto is_staged = [&](std::int64_t matrices, std::int64_t columns, const auto& results, const auto& op) {
    const wf::strided<const float, 3> from(in.data(), {matrices, items / matrices / columns, columns});
    const auto call = [&] { wf::reduce_axes(from, wf::strided(results.data(), {matrices, columns}), wf::axes{1}, op); };
    return std::string(wf::explain(call).front().why) == "columns that threads fold one by one";
  };
  const bool may_be = wf_test::copies_in_bulk();
  for (const int columns : {12, 24, 64}) {
    EXPECT_EQ(is_staged(1, columns, out, wf::arithmetic_mean{}), may_be) << columns;
    EXPECT_EQ(is_staged(1, columns, places, wf::arg_maximum{}), may_be && columns == 12) << columns;
    EXPECT_FALSE(is_staged(2, columns, out, wf::arithmetic_mean{})) << columns;
    EXPECT_EQ(is_staged(1, columns, out, wf::plus{}), may_be && columns == 12) << columns;
  }
  EXPECT_EQ(is_staged(1, 40, out, wf::arithmetic_mean{}), may_be);  // of which a block folds 320
  EXPECT_FALSE(is_staged(1, 260, out, wf::arithmetic_mean{}));
  EXPECT_EQ(is_staged(1, 112, out, wf::log_sum_exp{}), may_be);
  EXPECT_FALSE(is_staged(1, 48, out, wf::log_sum_exp{}));  // 192
}

// Long stretches, whose lanes fold runs of 16 items; aligned and not; and short ones, whose items lanes read one by one;
// with NaN among them and without.
TEST(axes_operators, statistics_of_stretches) {
  for (const auto& [outer, inner] :
       {std::pair<std::int64_t, std::int64_t>{3, 1040}, {3, 1036}, {3, 1035}, {90, 35}, {400, 9}})
    for (const int offset : {0, 1})
      for (const bool has_nan : {false, true}) {
        const std::int64_t outputs = 2;
        auto memory = wf_test::random_items<float>(outer * outputs * inner);
        if (has_nan)
          for (std::size_t i = 5; i < memory.size(); i += 700) memory[i] = NAN;
        const device_array<float> in(memory, offset);
        const device_array<wf::statistics_of<float>> out(outputs);
        wf::reduce_axes(wf::strided<const float, 3>(in.data(), {outer, outputs, inner}),
                        wf::strided<wf::statistics_of<float>, 1>(out.data(), {outputs}), wf::axes{0, 2},
                        wf::statistics<>{});
        for (std::int64_t i = 0; i < outputs; ++i) {
          std::vector<float> items;
          for (std::int64_t a = 0; a < outer; ++a)
            items.insert(items.end(), memory.begin() + (a * outputs + i) * inner,
                         memory.begin() + (a * outputs + i + 1) * inner);
          const wf::statistics_of<float> found = out.value(i), expected = result_of(items, wf::statistics<>{});
          EXPECT_EQ(std::memcmp(&found, &expected, sizeof found), 0)  // without padding
              << inner << " items, offset " << offset << ", NaN " << has_nan << ", output " << i;
        }
      }
}

// Of a batch that is not whole, full nodes of chunks and of the last items are joined along the edge. Runs of narrow
// items are longer than what 32 lanes copy at once.
template <class T> void expect_gathered_moments(std::int64_t first, std::int64_t step, std::int64_t next_step) {
  constexpr std::int64_t outer = 3, outputs = 5;
  for (std::int64_t inner = first; inner < 1400; inner += inner < 2 * first ? step : next_step) {
    const auto memory = wf_test::random_items<T>(outer * outputs * inner);
    const device_array<T> in(memory);
    const device_array<wf::moments_of<2>> out(outputs);
    wf::reduce_axes(wf::strided<const T, 3>(in.data(), {outer, outputs, inner}), wf::strided(out.data(), {outputs}),
                    wf::axes{0, 2}, wf::moments<>{});
    for (std::int64_t i = 0; i < outputs; ++i) {
      std::vector<T> items;
      for (std::int64_t a = 0; a < outer; ++a)
        items.insert(items.end(), memory.begin() + (a * outputs + i) * inner,
                     memory.begin() + (a * outputs + i + 1) * inner);
      const wf::moments_of<2> found = out.value(i), expected = result_of(items, wf::moments<>{});
      EXPECT_EQ(std::memcmp(&found, &expected, sizeof found), 0) << inner << " items, output " << i;
    }
  }
}
TEST(axes_operators, moments_of_any_number_of_gathered_items) {
  expect_gathered_moments<float>(45, 1, 61);
  expect_gathered_moments<double>(45, 11, 101);
  expect_gathered_moments<std::int16_t>(90, 11, 101);
  expect_gathered_moments<std::int8_t>(171, 19, 101);
}

// Lanes fold columns by batches of items, full nodes of which stay in registers until an item does not count. Some copy
// vectors of rows for one another; others read stages, to which rows are copied at once, or one by one.
TEST(axes_operators, statistics_of_columns) {
  for (const std::int64_t rows : {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 24, 31, 33, 79, 112, 128, 129, 300, 1000})
    for (const std::int64_t columns : {36, 37, 301})
      for (const std::int64_t nan_row : {-1, 0, 3, 70, 290}) {
        if (nan_row >= rows) continue;
        const std::int64_t matrices = columns > 256 ? 1 : 3;
        auto memory = wf_test::random_items<float>(matrices * rows * columns);
        if (nan_row >= 0)
          for (std::int64_t i = nan_row * columns; i < matrices * rows * columns; i += 5 * columns + 3) memory[i] = NAN;
        const device_array<float> in(memory);
        const device_array<wf::statistics_of<float>> out(matrices * columns);
        wf::reduce_axes(wf::strided<const float, 3>(in.data(), {matrices, rows, columns}),
                        wf::strided<wf::statistics_of<float>, 2>(out.data(), {matrices, columns}), wf::axes{1},
                        wf::statistics<>{});
        const auto found = out.to_host();
        for (std::int64_t i = 0; i < matrices * columns; ++i) {
          std::vector<float> items;
          for (std::int64_t row = 0; row < rows; ++row)
            items.push_back(memory[(i / columns * rows + row) * columns + i % columns]);
          const wf::statistics_of<float> expected = result_of(items, wf::statistics<>{});
          ASSERT_EQ(std::memcmp(&found[i], &expected, sizeof expected), 0)
              << rows << " rows, " << columns << " columns, NaN from row " << nan_row << ", output " << i;
        }
      }
}

}  // namespace axes_operators
