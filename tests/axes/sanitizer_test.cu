// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every kernel over axes in small, with and without blocks that share outputs; also for compute-sanitizer.
#include <warpfold/scan_axes.cuh>

#include "axes/arrays.cuh"
#include "common/interval.hpp"

namespace axes_sanitizer {

namespace wf = warpfold;
using wf_test::arrays::layout;

struct small_case {
  const char* name;
  std::vector<std::int64_t> extents;
  unsigned reduced;
  std::int64_t padding;  ///< between rows
};

void expect_sums(const small_case& each) {
  std::vector<int> order;
  std::vector<std::int64_t> padding(each.extents.size()), kept;
  for (std::size_t i = 0; i < each.extents.size(); ++i) {
    order.push_back(static_cast<int>(i));
    if (!(each.reduced >> i & 1)) kept.push_back(each.extents[i]);
  }
  padding.back() = each.padding;
  const layout in = wf_test::arrays::make_layout(each.extents, order, 1, padding, 0, 0);
  const layout out = wf_test::arrays::contiguous(kept);
  const auto memory = wf_test::random_items<float>(in.length);
  for (const int misaligned : {0, 1}) {
    const wf_test::device_array<float> from(memory, misaligned), to(out.items());
    for (const int max_blocks : {0, 7, 1})  // later calls find their counters zero; one block takes all items in turn
      wf::reduce_axes(wf_test::arrays::view_of(from.data(), in),
                      wf_test::arrays::view_of(to.data(), wf_test::arrays::with_reduced(in, each.reduced, out)),
                      wf_test::arrays::named(each.reduced, in.rank), wf::plus{}, {.max_blocks = max_blocks});
    const auto expected = wf_test::arrays::expected<float>(in, each.reduced, memory, wf::plus{});
    for (std::int64_t i = 0; i < out.items(); ++i)
      EXPECT_TRUE(wf_test::same_bits(to.value(i), expected[static_cast<std::size_t>(i)]))
          << each.name << ", output " << i << ", misaligned by " << misaligned;
  }
}

TEST(axes_sanitizer, every_kernel) {
  const small_case cases[] = {{"contiguous rows", {50, 70}, 0b10, 0},
                              {"vector columns", {70, 48}, 0b01, 0},
                              {"single columns", {90, 127}, 0b01, 1},
                              {"columns of few items", {13, 300}, 0b01, 0},
                              {"padded rows", {7, 3000}, 0b10, 5},
                              {"short padded rows", {60, 70}, 0b10, 3},
                              {"few rows, misaligned", {2, 20001}, 0b10, 1},
                              {"outer and inner", {6, 5, 64}, 0b101, 0},
                              {"narrow matrix", {5000, 3}, 0b01, 0},
                              {"narrow matrix of whole batches", {4096, 3}, 0b01, 0},
                              {"narrow matrices", {40, 9, 5}, 0b010, 0},
                              {"all items", {3, 4, 5}, 0b111, 1},
                              {"copy", {5, 33}, 0, 2}};
  for (const small_case& each : cases) expect_sums(each);
}

// A test of its own, by the name that racecheck cannot judge (sanitizer/run.py).
TEST(axes_sanitizer, staged_columns_join_splits) { expect_sums({"tall vector columns", {9000, 16}, 0b01, 0}); }

using interval = wf_test::interval<>;

/// Random numbers; of intervals the numbers of rows.
template <class T> std::vector<T> items_of_rows(std::int64_t rows, std::int64_t columns) {
  if constexpr (std::is_arithmetic_v<T>) return wf_test::random_items<T>(rows * columns);
  else {
    std::vector<T> items;
    for (std::int64_t i = 0; i < rows * columns; ++i) items.push_back(T::of(i / columns));
    return items;
  }
}

/// The sums of the columns, from an array that begins `offset` items behind an allocation's begin, and ends with it.
template <class T, class R, class Op> void expect_columns(std::int64_t rows, std::int64_t columns, int offset, Op op) {
  const layout in = wf_test::arrays::contiguous({rows, columns});
  const auto memory = items_of_rows<T>(rows, columns);
  const wf_test::device_array<T> from(memory, offset);
  const wf_test::device_array<R> to(columns);
  wf::reduce_columns(wf::strided<const T, 2>(from.data(), {rows, columns}), std::span(to.data(), to.size()), op);
  const auto expected = wf_test::arrays::expected<R>(in, 0b01, memory, op);
  for (std::int64_t c = 0; c < columns; ++c)
    EXPECT_TRUE(wf_test::same_bits(to.value(c), expected[static_cast<std::size_t>(c)]))
        << rows << " x " << columns << " of " << sizeof(T) << " bytes, offset " << offset << ", column " << c;
}

// Rows that are copied at once, and one by one.
TEST(axes_sanitizer, staged_columns_join_splits_at_the_ends_of_memory) {
  for (const std::int64_t columns : {33, 77, 517, 1031})
    for (const int offset : {0, 1, 3, 15}) {
      const std::int64_t rows = 140'007 / columns;
      expect_columns<std::int8_t, std::int32_t>(rows, columns, offset, wf::plus{});
      if (offset < 8) expect_columns<std::int16_t, std::int32_t>(rows, columns, offset, wf::plus{});
      if (offset < 4) expect_columns<float, float>(rows, columns, offset, wf::plus{});
      if (offset < 4) expect_columns<interval, interval>(rows, columns, offset, wf_test::join{});
    }
}

TEST(axes_sanitizer, narrow_matrices_of_every_alignment) {
  for (const std::int64_t rows : {4098, 5000})
    for (const std::int64_t columns : {2, 3, 5, 7, 8})
      for (const int offset : {0, 1, 2, 5, 7, 15}) {
        expect_columns<std::int8_t, std::int32_t>(rows, columns, offset, wf::plus{});
        if (offset < 8) expect_columns<std::int16_t, std::int32_t>(rows, columns, offset, wf::plus{});
        if (offset < 4) expect_columns<float, float>(rows, columns, offset, wf::plus{});
        if (offset < 4) expect_columns<interval, interval>(rows, columns, offset, wf_test::join{});
        if (offset < 2) expect_columns<double, double>(rows, columns, offset, wf::plus{});
      }
}
TEST(axes_sanitizer, one_column) {
  for (const int offset : {0, 1, 3}) {
    expect_columns<std::int8_t, std::int32_t>(40'007, 1, offset, wf::plus{});
    expect_columns<float, float>(20'001, 1, offset, wf::plus{});
    expect_columns<double, double>(20'001, 1, offset, wf::plus{});
  }
}

/// Scans of a matrix along its rows or columns; whole strips of columns, or bands of them, in lanes or turned in shared
/// memory.
struct small_scan {
  const char* name;
  std::int64_t rows, columns, padding;
  int axis;
};

TEST(axes_sanitizer, every_kernel_of_scans) {
  for (const small_scan& each : {small_scan{"strips", 40, 300, 0, 0},
                                 {"strips of several tiles", 600, 290, 0, 0},
                                 {"strips of padded rows", 290, 70, 1, 1},
                                 {"bands", 1500, 40, 0, 0},
                                 {"bands of few columns, in windows", 9000, 3, 0, 0},
                                 {"bands of padded rows", 3, 3000, 2, 1}}) {
    const std::int64_t pitch = each.columns + each.padding;
    const auto items = wf_test::random_items<float>(each.rows * pitch);
    const std::int64_t length = each.axis == 0 ? each.rows : each.columns, stride = each.axis == 0 ? pitch : 1;
    for (const bool is_backwards : {false, true}) {
      auto expected = items;  // what lies between the rows stays
      for (std::int64_t k = 0; k < each.rows * each.columns / length; ++k) {
        wf::canonical_tree::counter<float, wf::plus> tree(wf::plus{});
        for (std::int64_t i = 0; i < length; ++i) {
          const std::int64_t item = is_backwards ? length - 1 - i : i;
          const auto place = static_cast<std::size_t>(k * (each.axis == 0 ? 1 : pitch) + item * stride);
          tree.push(items[place]);
          expected[place] = tree.root();
        }
      }
      const wf_test::device_array<float> in(items);
      const wf::strided<float, 2> matrix(in.data(), {each.rows, each.columns}, {pitch, 1});
      if (is_backwards)
        wf::inclusive_scan_axes(matrix, matrix, wf::backwards{each.axis}, wf::plus{}, {.max_blocks = 2});
      else wf::inclusive_scan_axes(matrix, matrix, wf::axes{each.axis});
      const auto found = in.to_host();
      for (std::size_t i = 0; i < found.size(); ++i)
        ASSERT_TRUE(wf_test::same_bits(found[i], expected[i])) << each.name << ", item " << i << ' ' << is_backwards;
    }
  }
}

// One warp per block looks back on several levels, in the same room.
TEST(axes_sanitizer, scans_of_wide_items) {
  using wide = wf_test::interval<std::int32_t, 80>;
  constexpr std::int64_t rows = 600, columns = 2;
  std::vector<wide> items, expected;
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    items.push_back(wide::of(i / columns));
    expected.push_back(wide::of(0, i / columns));
  }
  const wf_test::device_array<wide> in(items);
  const wf::strided<wide, 2> matrix(in.data(), {rows, columns}, {columns, 1});
  wf::inclusive_scan_axes(matrix, matrix, wf::axes{0}, wf_test::join{});
  EXPECT_EQ(in.to_host(), expected);
}

}  // namespace axes_sanitizer
