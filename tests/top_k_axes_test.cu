// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// top_k_axes and bottom_k_axes against a stable sort along the axis.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>
#include <warpfold/top_k_axes.cuh>

#include "axes/arrays.cuh"
#include "common/random_cases.hpp"
#include "common/refusal.hpp"

namespace top_k_axes_tests {

namespace wf = warpfold;
using wf_test::device_array, wf_test::refusal;
using wf_test::arrays::layout;

/// One way to ask for the largest items.
struct asked {
  layout in, values, indices;
  int axis = 0, k = 1, max_blocks = 0;

  std::string text() const {
    return "in " + in.text() + ", values " + values.text() + ", indices " + indices.text() + ", axis " +
           std::to_string(axis) + ", k " + std::to_string(k) + ", max_blocks " + std::to_string(max_blocks);
  }
  /// The places of the first items of all columns, in row-major order of the other axes.
  std::vector<std::int64_t> columns(const layout& of) const {
    std::vector<std::int64_t> places;
    wf_test::arrays::for_items(of, ~(1u << axis), of.origin, [&](std::int64_t place) { places.push_back(place); });
    return places;
  }

  /// Selects, and compares all memory of the outputs.
  testing::AssertionResult check(const std::vector<float>& memory) const {
    std::vector<float> expected_values(static_cast<std::size_t>(values.length), 0.5f);
    std::vector<std::int64_t> expected_indices(static_cast<std::size_t>(indices.length), -7);
    const device_array<float> from(memory), to_values(expected_values);
    const device_array<std::int64_t> to_indices(expected_indices);
    wf::top_k_axes(wf_test::arrays::view_of(static_cast<const float*>(from.data()), in), wf::axes{axis - in.rank}, k,
                   wf_test::arrays::view_of(to_values.data(), values),
                   wf_test::arrays::view_of(to_indices.data(), indices), {.max_blocks = max_blocks});
    const auto starts = columns(in), value_starts = columns(values), index_starts = columns(indices);
    for (std::size_t column = 0; column < value_starts.size(); ++column) {
      const auto item = [&](std::int64_t i) {
        return memory[static_cast<std::size_t>(starts[column] + i * in.stride[axis])];
      };
      std::vector<std::int64_t> order(static_cast<std::size_t>(in.extent[axis]));
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](std::int64_t i, std::int64_t j) {
        const float a = item(i), b = item(j);
        return a != a || b != b ? a != a && b == b : a > b;
      });
      order.resize(static_cast<std::size_t>(k), -1);
      for (int n = 0; n < k; ++n) {
        const std::int64_t index = order[static_cast<std::size_t>(n)];
        const auto value_place = static_cast<std::size_t>(value_starts[column] + n * values.stride[axis]);
        const auto index_place = static_cast<std::size_t>(index_starts[column] + n * indices.stride[axis]);
        expected_indices[index_place] = index;
        expected_values[value_place] = index < 0 ? -std::numeric_limits<float>::infinity() : item(index);
      }
    }
    if (to_indices.to_host() != expected_indices) return testing::AssertionFailure() << "indices: " << text();
    const auto found = to_values.to_host();
    for (std::size_t i = 0; i < found.size(); ++i)
      if (const auto same = wf_test::same_bits(found[i], expected_values[i]); !same)
        return testing::AssertionFailure() << "values, place " << i << ": " << text() << ' ' << same.message();
    return testing::AssertionSuccess();
  }
};

/// `count` items of few values: among them -0 and, one in 50, NaN.
std::vector<float> tied_items(std::int64_t count, wf_test::random_source& source) {
  std::vector<float> items;
  for (std::int64_t i = 0; i < count; ++i)
    items.push_back(source.below(50) == 0 ? NAN : source.below(2) ? static_cast<float>(source.below(40)) - 9 : -0.0f);
  return items;
}

/// A random permutation of the axes; half of the time they stay in order.
std::vector<int> random_order(int rank, wf_test::random_source& source) {
  std::vector<int> order(static_cast<std::size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  if (source.below(2) == 0)
    for (int i = rank - 1; i > 0; --i)
      std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(source.below(i + 1))]);
  return order;
}

/// Any order of axes in memory, padding, axes that run backwards and, in the input, some that repeat one item.
asked random_case(wf_test::random_source& source) {
  const int rank = 1 + static_cast<int>(source.below(4));
  asked drawn;
  drawn.axis = static_cast<int>(source.below(rank));
  drawn.k = static_cast<int>(source.below(4) == 0 ? source.below(80) : source.below(7));
  drawn.max_blocks = static_cast<int>(source.below(4));
  std::vector<std::int64_t> extents(static_cast<std::size_t>(rank)), lists;
  std::int64_t left = 2'000;
  for (auto& extent : extents) {
    extent = source.below(30) == 0 ? 0 : 1 + source.below(std::min<std::int64_t>(left, source.below(4) ? 9 : 2'000));
    left = std::max<std::int64_t>(left / std::max<std::int64_t>(extent, 1), 1);
  }
  lists = extents;
  lists[static_cast<std::size_t>(drawn.axis)] = drawn.k;
  const auto random_layout = [&](const std::vector<std::int64_t>& of, bool may_repeat) {
    std::vector<std::int64_t> padding(of.size());
    const bool is_padded = source.below(2) == 0;
    for (auto& p : padding) p = is_padded ? source.below(3) : 0;
    const auto axes = [&](bool any) { return any ? static_cast<unsigned>(source.below(1 << rank)) : 0; };
    const unsigned turned = axes(source.below(2) == 0), repeated = axes(may_repeat && source.below(6) == 0);
    return wf_test::arrays::make_layout(of, random_order(rank, source), 1 + source.below(5) / 4, padding, turned,
                                        repeated);
  };
  drawn.in = random_layout(extents, true);
  drawn.values = random_layout(lists, false);
  drawn.indices = random_layout(lists, false);
  return drawn;
}

TEST(top_k_axes, of_every_axis_and_layout) {
  wf_test::for_all_seeds([](std::uint64_t, wf_test::random_source& source) {
    const asked drawn = random_case(source);
    return drawn.check(tied_items(drawn.in.length, source));
  });
}

/// Columns of several tiles: that one block reads, or that blocks share; contiguous ones, misaligned, and others.
TEST(top_k_axes, of_long_columns) {
  wf_test::random_source source(5);
  for (const bool along_memory : {false, true})
    for (const auto& [others, k, max_blocks] : {std::array{3, 20, 0}, {2, 300, 0}, {5, 3, 2}}) {
      const std::vector<int> order = along_memory ? std::vector<int>{0, 1} : std::vector<int>{1, 0};
      const auto layout_of = [&](std::int64_t length) {
        return wf_test::arrays::make_layout({others, length}, order, 1, {0, 1}, 0, 0);
      };
      asked drawn{layout_of(7'001), layout_of(k), layout_of(k), 1, k, max_blocks};
      EXPECT_TRUE(drawn.check(tied_items(drawn.in.length, source)));
    }
}

TEST(top_k_axes, the_examples) {
  const device_array<float> in(std::vector<float>{5, 1, 7, 3, 9, 7}), values(std::vector<float>(6));
  const device_array<std::int64_t> indices(std::vector<std::int64_t>(6));
  const wf::strided<const float, 2> matrix(in.data(), {2, 3});
  wf::top_k_axes(matrix, wf::axes{1}, 2, wf::strided(values.data(), {2, 2}), indices.data());
  EXPECT_EQ(values.to_host(), (std::vector<float>{7, 5, 9, 7, 0, 0}));
  EXPECT_EQ(indices.to_host(), (std::vector<std::int64_t>{2, 0, 1, 2, 0, 0}));
  wf::top_k_axes(matrix, wf::axes{-2}, 2, std::span(values.data(), 6),
                 std::span(indices.data(), 6));  // contiguous ranges
  EXPECT_EQ(values.to_host(), (std::vector<float>{5, 9, 7, 3, 1, 7}));
  EXPECT_EQ(indices.to_host(), (std::vector<std::int64_t>{0, 1, 0, 1, 0, 1}));
}

// In outputs of other types, and where NaN comes last.
TEST(top_k_axes, the_smallest_without_nan) {
  const device_array<double> in(std::vector<double>{NAN, 1, 7, NAN, 9, 8});
  const device_array<float> values(6);
  const device_array<short> indices(6);
  wf::bottom_k_axes<wf::nans::ignore>(wf::strided(in.data(), {2, 3}), wf::axes{1}, 3, values.data(),
                                      std::span(indices.data(), 6));
  EXPECT_EQ(indices.to_host(), (std::vector<short>{1, 2, 0, 2, 1, 0}));
  EXPECT_EQ(values.value(0), 1.0f);
  EXPECT_EQ(values.value(3), 8.0f);
}

/// The call of a matrix of 4 x 6 floats along axis 1, which is refused.
template <class Values, class Indices>
std::string refused(std::int64_t k, const Values& values, const Indices& indices) {
  static const device_array<float> in(24);
  const wf::strided<const float, 2> matrix(in.data(), {4, 6});
  return refusal([&] { wf::top_k_axes(matrix, wf::axes{1}, k, values, indices); });
}
TEST(top_k_axes_errors, axes_and_extents) {
  const device_array<float> in(24), values(24);
  const device_array<std::int64_t> indices(24);
  const wf::strided<const float, 2> matrix(in.data(), {4, 6});
  const std::string begin = "warpfold::top_k_axes: ";
  const auto along = [&](const wf::axes& named) {
    return refusal([&] { wf::top_k_axes(matrix, named, 2, values.data(), indices.data()); });
  };
  EXPECT_EQ(along({2}), begin + "axis 2 of an array of 2 dimensions");
  EXPECT_EQ(along({0, 1}), begin + "2 axes are named; items are compared along one");
  EXPECT_EQ(refused(-1, values.data(), indices.data()), begin + "k is -1; it must be 0 to 1024");
  EXPECT_EQ(refused(1025, values.data(), indices.data()), begin + "k is 1025; it must be 0 to 1024");
  EXPECT_EQ(refused(2, wf::strided(values.data(), {4, 6}), indices.data()),
            begin + "values has the extents (4, 6), not (4, 2)");
  EXPECT_EQ(refused(2, values.data(), std::span(indices.data(), 24)),
            begin + "indices has the extents (24), not (4, 2)");
  EXPECT_EQ(
      refusal([&] { wf::bottom_k_axes(matrix, wf::axes{1}, 2, values.data(), indices.data(), {.max_blocks = -1}); }),
      "warpfold::bottom_k_axes: max_blocks is -1");
}
TEST(top_k_axes_errors, memory) {
  const device_array<float> values(24);
  const device_array<std::int64_t> indices(24);
  const std::string begin = "warpfold::top_k_axes: ";
  float* const null = nullptr;
  EXPECT_EQ(refused(2, null, indices.data()), begin + "values is a null pointer");
  EXPECT_EQ(refused(2, wf::strided<float, 2>(values.data(), {4, 2}, {1, 1}), indices.data()),
            begin + "values overlaps itself: extents (4, 2), strides (1, 1)");
  EXPECT_EQ(refused(2, values.data(), reinterpret_cast<std::int64_t*>(values.data() + 6)),
            begin + "indices lies within values");
  const wf::strided<const float, 2> backwards(values.data() + 23, {4, 6}, {-6, -1}), none(null, {4, 6});
  const wf::strided<const float, 2> repeated(values.data() + 8, {1, std::int64_t{1} << 32}, {0, 0});
  const auto of = [&](const auto& in) {
    return refusal([&] { wf::top_k_axes(in, wf::axes{1}, 1, values.data(), indices.data()); });
  };
  EXPECT_EQ(of(backwards), begin + "values lies within in");
  EXPECT_EQ(of(none), begin + "in is a null pointer");
  EXPECT_EQ(of(repeated), begin + "there are 4294967296 items; of this type it takes 4294967295");
  EXPECT_EQ(refused(0, null, static_cast<std::int64_t*>(nullptr)), "accepted");
}

}  // namespace top_k_axes_tests
