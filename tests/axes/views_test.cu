// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays as libcu++'s mdspan, which has the shape of std's; and everything else that calls may pass.
#include <gtest/gtest.h>
#include <warpfold/reduce_axes.cuh>

#include <cuda/std/mdspan>
#include <vector>

#include "common/device.cuh"
#include "reduce/stream.cuh"

namespace axes_views {

namespace wf = warpfold;
namespace md = cuda::std;
using wf_test::device_array;

struct twice {
  __host__ __device__ double operator()(int item) const { return 2.0 * item; }
};

TEST(axes_views, mdspans) {
  std::vector<int> items;
  for (int i = 0; i < 24; ++i) items.push_back(i);
  const device_array<int> in(items), out(6);
  const md::mdspan<const int, md::dextents<int, 3>> right(in.data(), 2, 3, 4);
  wf::reduce_axes(right, md::mdspan<int, md::dextents<int, 2>>(out.data(), 2, 3), wf::axes{-1});
  EXPECT_EQ(out.to_host(), (std::vector<int>{6, 22, 38, 54, 70, 86}));
  // The same memory, the first axis innermost.
  const md::mdspan<const int, md::extents<std::size_t, 4, 3, 2>, md::layout_left> left(in.data());
  wf::reduce_axes(left, md::mdspan<int, md::extents<int, 3, 2>, md::layout_left>(out.data()), wf::axes{0});
  EXPECT_EQ(out.to_host(), (std::vector<int>{6, 22, 38, 54, 70, 86}));
  const md::layout_stride::mapping<md::dextents<int, 2>> every_other(md::dextents<int, 2>(2, 3),
                                                                     md::array<int, 2>{12, 4});
  const md::mdspan<const int, md::dextents<int, 2>, md::layout_stride> slice(in.data() + 1, every_other);
  wf::reduce_columns(slice, std::span<int>(out.data(), 3));
  EXPECT_EQ(out.value(0), 1 + 13);
  EXPECT_EQ(out.value(2), 9 + 21);
  const md::mdspan<int, md::extents<int>> one(out.data());
  wf::reduce_axes(right, one, wf::axes{0, 1, 2}, wf::maximum{});
  EXPECT_EQ(out.value(), 23);
}

// A std::size_t in braces would be narrowed, were lengths an array of std::int64_t.
TEST(axes_views, lengths_and_strides_are_integers_of_any_types) {
  int items[12];
  const std::size_t rows = 4, pitch = 5;
  const unsigned columns = 3;
  const int lengths[] = {4, 3};
  const std::int64_t steps[] = {1, 4};
  const auto is = [](const wf::strided<int, 2>& view, std::int64_t stride_0, std::int64_t stride_1) {
    EXPECT_EQ(view.extent(0), 4);
    EXPECT_EQ(view.extent(1), 3);
    EXPECT_EQ(view.stride(0), stride_0);
    EXPECT_EQ(view.stride(1), stride_1);
  };
  is(wf::strided(items, {rows, rows - 1}), 3, 1);
  is(wf::strided(items, {rows, 3}), 3, 1);
  is(wf::strided(items, {rows, columns}, {pitch, 1}), 5, 1);
  is(wf::strided(items, {rows, columns}, {-1, -4}), -1, -4);
  is(wf::strided(items, lengths), 3, 1);
  is(wf::strided(items, lengths, {pitch, 1}), 5, 1);
  is(wf::strided(items, {rows, 3}, steps), 1, 4);
  is(wf::strided<int, 2>(items, {rows, columns}, steps), 1, 4);
}

TEST(axes_views, ranges_of_results) {
  std::vector<int> items;
  for (int i = 0; i < 24; ++i) items.push_back(i);
  const device_array<int> in(items), out(6);
  const wf::strided view(in.data(), {2, 3, 4});
  const std::span<int> six(out.data(), 6);
  wf::reduce_axes(view, six, wf::axes{2});
  EXPECT_EQ(out.to_host(), (std::vector<int>{6, 22, 38, 54, 70, 86}));
  wf::reduce_axes(view, out, wf::keep_axes{0, 1}, wf::maximum{});
  EXPECT_EQ(out.to_host(), (std::vector<int>{3, 7, 11, 15, 19, 23}));
  wf::reduce_axes(view, six.first(3), wf::axes{0, 2}, wf::maximum{});
  EXPECT_EQ(out.value(2), 23);
  wf::reduce_axes(view, six.first(1), wf::axes{0, 1, 2});
  EXPECT_EQ(out.value(), 276);
  EXPECT_THROW(wf::reduce_axes(view, six.first(5), wf::axes{2}), std::invalid_argument);
  // A pointer knows no size.
  wf::reduce_axes(view, out.data(), wf::axes{-1}, wf::maximum{});
  EXPECT_EQ(out.to_host(), (std::vector<int>{3, 7, 11, 15, 19, 23}));
  EXPECT_THROW(wf::reduce_axes(view, static_cast<int*>(nullptr), wf::axes{2}), std::invalid_argument);
}

/// Columns of many rows, whose outputs several blocks share: the sum of column c is c times the number of rows.
struct tall_matrix {
  static constexpr std::int64_t rows = 6'007, columns = 8;
  device_array<int> in = device_array<int>(of(0)), out = device_array<int>(columns);

  static std::vector<int> of(int first) {
    std::vector<int> items;
    for (std::int64_t i = 0; i < rows * columns; ++i) items.push_back(first + static_cast<int>(i % columns));
    return items;
  }
  void reduce(cudaStream_t stream) const {
    wf::reduce_columns(wf::strided(in.data(), {rows, columns}), std::span<int>(out.data(), out.size()),
                       {.stream = stream});
  }
  void expect(int first) const {
    for (int c = 0; c < columns; ++c) EXPECT_EQ(out.value(c), (first + c) * rows) << c;
  }
};

TEST(axes_views, one_node_a_graph_and_replays) {
  const tall_matrix matrix;
  const wf_test::graph graph([&](cudaStream_t s) { matrix.reduce(s); });
  EXPECT_EQ(graph.nodes(), 1u);
  const wf_test::stream stream;
  for (const int first : {0, 5, 100}) {
    const device_array<int> other(tall_matrix::of(first));
    wf::check(
        cudaMemcpyAsync(matrix.in.data(), other.data(), other.size() * sizeof(int), cudaMemcpyDeviceToDevice, stream),
        "cudaMemcpyAsync");
    graph.launch(stream);
    stream.wait();
    matrix.expect(first);
  }
}

// Each stream and graph has scratch of its own.
TEST(axes_views, streams_and_graphs_at_once) {
  const tall_matrix matrices[4];
  const wf_test::stream streams[4];
  const wf_test::graph graph([&](cudaStream_t s) { matrices[3].reduce(s); });
  for (int turn = 0; turn < (wf_test::emulated ? 2 : 100); ++turn) {
    for (int i = 0; i < 3; ++i) matrices[i].reduce(streams[i]);
    graph.launch(streams[3]);
  }
  for (int i = 0; i < 4; ++i) {
    streams[i].wait();
    matrices[i].expect(0);
  }
}

TEST(axes_views, transforms_streams_and_workspaces) {
  const device_array<int> in(std::vector<int>(5000, 3));
  const device_array<double> out(2);
  wf::workspace workspace;
  for (int repeat = 0; repeat < 2; ++repeat)
    wf::transform_reduce_axes(wf::strided(in.data(), {2500, 2}), wf::strided(out.data(), {2}), wf::axes{0}, wf::plus{},
                              twice{}, {.init = 0.5, .workspace = workspace});
  EXPECT_EQ(out.to_host(), (std::vector<double>{15000.5, 15000.5}));
}

}  // namespace axes_views
