// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays that are split along the reduced axis have the results of the unsplit one.
#include <gtest/gtest.h>

#include <warpfold/ranks_axes.cuh>
#include <warpfold/reduce_axes.cuh>

#include "common/interval.hpp"
#include "common/same_bits.hpp"
#include "ranks/local.cuh"

namespace ranks_axes_tests {

namespace wf = warpfold;
using namespace ranks_tests;
using wf_test::interval, wf_test::join, wf_test::same_bits;

/// `items` are those of an array of `rows` x `columns`. Axis 0 is split by rows; axis 1 by columns, with padding.
template <class T, class Op>
void expect_unsplit(const std::vector<T>& items, std::int64_t rows, int axis, Op op,
                    const std::vector<std::pair<std::int64_t, std::int64_t>>& parts) {
  const std::int64_t columns = std::ssize(items) / rows, results = axis == 0 ? columns : rows;
  wf::check(cudaSetDevice(0), "cudaSetDevice");
  const device_array<T> whole(items), expected(results);
  wf::reduce_axes(wf::strided<const T, 2>(whole.data(), {rows, columns}), wf::strided<T, 1>(expected.data(), {results}),
                  wf::axes{axis}, op);
  const std::vector<T> bits = expected.to_host();

  const int ranks = static_cast<int>(parts.size());
  const std::vector<int> devices = devices_of(ranks);
  wf::local_ranks all(devices);
  std::vector<std::unique_ptr<device_array<T>>> in, out;
  std::vector<std::unique_ptr<wf_test::stream>> streams;
  for (std::size_t r = 0; r < devices.size(); ++r) {
    wf::check(cudaSetDevice(devices[r]), "cudaSetDevice");
    const auto [first, end] = parts[r];
    std::vector<T> own;
    for (std::int64_t row = axis == 0 ? first : 0; row < (axis == 0 ? end : rows); ++row)
      for (std::int64_t column = axis == 0 ? 0 : first; column < (axis == 0 ? columns : end); ++column)
        own.push_back(items[static_cast<std::size_t>(row * columns + column)]);
    in.emplace_back(new device_array<T>(own));
    out.emplace_back(new device_array<T>(results));
    streams.emplace_back(new wf_test::stream);
  }
  over_both(all, devices, [&](int r, auto& one) {
    const auto [first, end] = parts[static_cast<std::size_t>(r)];
    const cudaStream_t stream = *streams[static_cast<std::size_t>(r)];
    const std::int64_t own_rows = axis == 0 ? end - first : rows, own_columns = axis == 0 ? columns : end - first;
    wf::all_reduce_axes(one, wf::strided<const T, 2>(in[static_cast<std::size_t>(r)]->data(), {own_rows, own_columns}),
                        wf::part{first}, std::span(out[static_cast<std::size_t>(r)]->data(), bits.size()),
                        wf::axes{axis}, op, {.stream = stream});
    one.wait(stream);
    const std::vector<T> got = out[static_cast<std::size_t>(r)]->to_host();
    for (std::size_t i = 0; i < bits.size(); ++i)
      ASSERT_TRUE(same_bits(got[i], bits[i])) << "result " << i << " on rank " << r << ", axis " << axis;
  });
}

TEST(ranks_axes, has_the_order_and_bits_of_the_unsplit_array) {
  if (wf_test::device_count() < 3) GTEST_SKIP() << "ranks that share a device would wait for each other's memory";
  std::vector<interval<std::int64_t>> items;
  for (std::int64_t row = 0; row < 101; ++row)
    for (int column = 0; column < 7; ++column) items.push_back(interval<std::int64_t>::of(row));
  expect_unsplit(items, 101, 0, join{}, {{50, 101}, {0, 0}, {0, 50}});
  const auto floats = wf_test::random_items<float>(64 * 130, 2);
  expect_unsplit(floats, 64, 0, wf::plus{}, {{0, 32}, {32, 64}});  // a node for each rank
  expect_unsplit(floats, 64, 1, wf::plus{}, {{0, 33}, {33, 130}, {130, 130}});
}

TEST(ranks_axes, equal_parts_are_captured_and_errors_are_thrown_on_all_ranks) {
  const std::vector<int> devices = devices_of(2);
  const auto items = wf_test::random_items<float>(64 * 9, 5);
  const auto data = distribute(devices, items, {{0, 32 * 9}, {32 * 9, 64 * 9}});
  wf::local_ranks all(devices);
  std::vector<std::unique_ptr<device_array<float>>> outs;
  std::vector<std::unique_ptr<wf_test::graph>> graphs;
  const auto call = [&](int r, std::int64_t first, std::int64_t columns, cudaStream_t stream) {
    wf::all_reduce_axes(all[r],
                        wf::strided<const float, 2>(data[static_cast<std::size_t>(r)]->in.data(), {32, columns}),
                        wf::part{first}, std::span(outs[static_cast<std::size_t>(r)]->data(), 9), wf::axes{0},
                        wf::plus{}, {.stream = stream});
  };
  for (int r = 0; r < 2; ++r) {
    wf::check(cudaSetDevice(devices[static_cast<std::size_t>(r)]), "cudaSetDevice");
    outs.emplace_back(new device_array<float>(9));
    graphs.push_back(std::make_unique<wf_test::graph>([&](cudaStream_t s) { call(r, 32 * r, 9, s); }));
  }
  wf::check(cudaSetDevice(0), "cudaSetDevice");
  const device_array<float> whole(items), expected(9);
  wf::reduce_axes(wf::strided<const float, 2>(whole.data(), {64, 9}), wf::strided<float, 1>(expected.data(), {9}),
                  wf::axes{0}, wf::plus{});
  for (int round = 0; round < 2; ++round) {
    on_ranks(devices, [&](int r) {
      graphs[static_cast<std::size_t>(r)]->launch(data[static_cast<std::size_t>(r)]->stream);
      all[r].wait(data[static_cast<std::size_t>(r)]->stream);
    });
    for (const auto& out : outs) EXPECT_EQ(out->to_host(), expected.to_host());
  }
  const auto expect = [&](const char* text, std::int64_t gap, std::int64_t columns) {
    for (const auto& failure : failures_on(devices, [&](int r) {
           call(r, (32 + gap) * r, r == 0 ? 9 : columns, data[static_cast<std::size_t>(r)]->stream);
         }))
      EXPECT_NE(text_of(failure).find(text), std::string::npos) << text_of(failure);
  };
  expect("all_reduce_axes: no rank has items 32 to 33", 2, 9);
  expect("all_reduce_axes: rank 1 has 8 results, rank 0 9", 0, 8);
}

}  // namespace ranks_axes_tests
