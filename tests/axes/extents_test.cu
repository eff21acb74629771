// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All small extents on either side, empty ones, and operators that use the numbers of items.
#include "axes/arrays.cuh"

#include "common/interval.hpp"

namespace axes_extents {

namespace wf = warpfold;
using wf_test::device_array;
using wf_test::arrays::layout;
using interval = wf_test::interval<>;

constexpr std::int64_t most = wf_test::emulated ? 12 : 40;

/// Item (i, j, k) of a x b x c must be number i c + k of output j, or number j of output (i, k): its value says which.
struct numbered {
  __host__ __device__ interval lift(int item, std::int64_t index) const {
    return item == index ? interval::of(index) : interval::poison();
  }
  __host__ __device__ interval operator()(const interval& a, const interval& b) const { return wf_test::join{}(a, b); }
  __host__ __device__ int lower(const interval& all) const { return all.is_poison() ? -1 : all.last - all.first + 1; }
};

/// Whether all outputs have all their items in order, in a matrix whose rows are `padding` items apart.
testing::AssertionResult in_order(std::int64_t rows, std::int64_t columns, std::int64_t padding, bool reduces_rows) {
  const std::int64_t pitch = columns + padding, outputs = reduces_rows ? columns : rows,
                     items = reduces_rows ? rows : columns;
  std::vector<int> values(static_cast<std::size_t>(rows * pitch), -7);
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c)
      values[static_cast<std::size_t>(r * pitch + c)] = static_cast<int>(reduces_rows ? r : c);
  const device_array<int> in(values), out(std::vector<int>(static_cast<std::size_t>(outputs), -3));
  wf::reduce_axes(wf::strided(in.data(), {rows, columns}, {pitch, 1}), wf::strided(out.data(), {outputs}),
                  wf::axes{reduces_rows ? 0 : 1}, numbered{});
  for (const int count : out.to_host())
    if (count != items)
      return testing::AssertionFailure() << rows << " x " << columns << ", pitch " << pitch
                                         << (reduces_rows ? ", columns: " : ", rows: ") << count;
  return testing::AssertionSuccess();
}

TEST(axes_extents, all_small_ones_and_some_large_ones) {
  for (std::int64_t a = 1; a <= most; ++a)
    for (std::int64_t b = 1; b <= most; ++b)
      for (const bool reduces_rows : {false, true})
        for (const std::int64_t padding : {0, 1, 4}) EXPECT_TRUE(in_order(a, b, padding, reduces_rows));
  for (std::int64_t small = 1; small <= most; ++small)
    for (const std::int64_t large : {33, 64, 127, 1000, 4099})
      for (const bool reduces_rows : {false, true})
        for (const std::int64_t padding : {0, 3}) {
          EXPECT_TRUE(in_order(small, large, padding, reduces_rows));
          EXPECT_TRUE(in_order(large, small, padding, reduces_rows));
        }
}

// Rows of any number of columns, which are no vectors: enough of them to be staged where the device copies in bulk.
TEST(axes_extents, tall_matrices) {
  for (const std::int64_t columns : {9, 31, 33, 127, 250})
    for (const std::int64_t padding : {0, 3}) {
      const std::int64_t rows = wf::axis_reduction::least_staged_bytes / (4 * columns) + 7;
      EXPECT_TRUE(in_order(rows, columns, padding, true));
    }
}

// Rows of which a lane takes one or several chunks, and some longer ones; with and without aligned vectors.
TEST(axes_extents, padded_rows_of_any_short_length) {
  std::vector<std::int64_t> lengths{191, 255, 256, 257, 300, 383, 384, 385, 508, 509, 510, 511, 512, 513, 515, 516};
  for (std::int64_t length = 1; length <= 140; length += wf_test::emulated && length > 40 ? 3 : 1)
    lengths.push_back(length);
  for (const std::int64_t length : lengths)
    for (const std::int64_t padding : {std::int64_t{1}, 8 - length % 4})
      EXPECT_TRUE(in_order(140, length, padding, false));
}

// Three axes, of which the middle one is kept, or reduced: numbers count in row-major order of the reduced axes.
TEST(axes_extents, numbers_of_items_along_outer_and_inner_axes) {
  for (const std::int64_t a : {1, 3, 32})
    for (const std::int64_t b : {1, 2, 7, 33})
      for (const std::int64_t c : {1, 3, 4, 40}) {
        std::vector<int> outer, middle;
        for (int i = 0; i < a; ++i)
          for (int j = 0; j < b; ++j)
            for (int k = 0; k < c; ++k) outer.push_back(i * static_cast<int>(c) + k), middle.push_back(j);
        const device_array<int> in_outer(outer), in_middle(middle), kept(b), others(a * c);
        wf::reduce_axes(wf::strided(in_outer.data(), {a, b, c}), wf::strided(kept.data(), {b}), wf::keep_axes{1},
                        numbered{});
        EXPECT_EQ(kept.to_host(), std::vector<int>(static_cast<std::size_t>(b), static_cast<int>(a * c)));
        wf::reduce_axes(wf::strided(in_middle.data(), {a, b, c}), wf::strided(others.data(), {a, 1, c}), wf::axes{1},
                        numbered{});
        EXPECT_EQ(others.to_host(), std::vector<int>(static_cast<std::size_t>(a * c), static_cast<int>(b)));
      }
}

TEST(axes_extents, empty_reductions_and_no_outputs) {
  const device_array<int> out(std::vector<int>(3, 5));
  const wf::strided<int, 2> nothing(out.data(), {3, 0});
  wf::reduce_rows(nothing, std::span<int>(out.data(), 3), {.init = 7, .empty = 9});
  EXPECT_EQ(out.to_host(), (std::vector<int>{9, 9, 9}));
  wf::reduce_rows(nothing, std::span<int>(out.data(), 3), {.init = 7});
  EXPECT_EQ(out.to_host(), (std::vector<int>{7, 7, 7}));
  wf::reduce_rows(nothing, std::span<int>(out.data(), 3), wf::maximum{});
  EXPECT_EQ(out.value(), std::numeric_limits<int>::lowest());
  wf::reduce_columns(nothing, std::span<int>(out.data(), 0));
  wf::reduce_axes(wf::strided<int, 3>(nullptr, {0, 4, 0}), wf::strided<int, 2>(nullptr, {0, 0}), wf::axes{1});
}

// Zero strides repeat items.
TEST(axes_extents, repeated_items) {
  const device_array<int> in(std::vector<int>{1, 2, 3}), out(3), one(1);
  wf::reduce_axes(wf::strided<int, 2>(in.data(), {1000, 3}, {0, 1}), wf::strided(out.data(), {3}), wf::axes{0});
  EXPECT_EQ(out.to_host(), (std::vector<int>{1000, 2000, 3000}));
  wf::reduce_axes(wf::strided<int, 2>(in.data(), {3, 5000}, {1, 0}), wf::strided(out.data(), {3}), wf::axes{1});
  EXPECT_EQ(out.to_host(), (std::vector<int>{5000, 10000, 15000}));
}

}  // namespace axes_extents
