// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The result of no items in an output that is narrower than the accumulator: the identity of the output's type, not the
// low bytes of the accumulator's. In every function that can write it.
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>
#include <warpfold/strategies.cuh>
#include <warpfold/warpfold.cuh>

#include "common/device.cuh"

namespace narrowed_identity_tests {

namespace wf = warpfold;
using wf_test::device_array;

struct itself {
  template <class T> __host__ __device__ T operator()(T item) const { return item; }
};

/// The result of `op` over no items of `T`, in an `R`.
template <class T, class R, class Op> void expect_of_nothing(R expected, Op op) {
  const device_array<R> out(1);
  wf::reduce(std::span<const T>{}, out.data(), op);
  EXPECT_EQ(out.value(), expected);
}

/// The same by the other functions that reduce.
template <class T, class R, class Op> void expect_of_nothing_everywhere(R expected, Op op) {
  device_array<R> out(2);
  const auto expect_written = [&](const char* function) {
    EXPECT_EQ(out.value(), expected) << function;
    out.set(0, R(1));
  };
  out.set(0, R(1));
  const std::span<R> result(out.data(), 1);
  const std::span<const T> none;
  const device_array<int> offsets(std::vector<int>{0, 0});
  device_array<T> item(1);
  item.set(0, T(1));

  wf::transform_reduce(none, out.data(), op, itself{});
  expect_written("transform_reduce");
  wf::reduce(none, wf::outputs(out.data(), out.data() + 1), wf::fuse(op, op));
  expect_written("fuse");
  EXPECT_EQ(out.value(1), expected);
  wf::segmented_reduce(none, offsets.items(), result, op);
  expect_written("segmented_reduce of nothing");
  wf::segmented_reduce(item.items(), wf::bounds{offsets.data(), offsets.data() + 1}, result, op);
  expect_written("segmented_reduce of an empty segment");
  wf::reduce_axes(wf::strided(item.data(), {0, 1}), wf::strided(out.data(), {1}), wf::axes{0}, op);
  expect_written("reduce_axes");
  wf::reduce<wf::strategy<wf::block::shuffle<128>, wf::grid::persistent, wf::finish::last_block>>(none, out.data(), op);
  expect_written("a strategy");
}

template <class T> using limits = std::numeric_limits<T>;

template <class T, class R = T> void expect_extrema_of_nothing() {
  expect_of_nothing<T, R>(limits<R>::lowest(), wf::maximum{});
  expect_of_nothing<T, R>(limits<R>::max(), wf::minimum{});
  expect_of_nothing<T, R>(limits<R>::lowest(), wf::maximum_number{});
  expect_of_nothing<T, R>(limits<R>::max(), wf::minimum_number{});
}

TEST(narrowed_identity, of_small_items) {
  expect_extrema_of_nothing<std::int8_t>();
  expect_extrema_of_nothing<std::uint8_t>();
  expect_extrema_of_nothing<std::int16_t>();
  expect_extrema_of_nothing<std::uint16_t>();
}

TEST(narrowed_identity, of_other_outputs) {
  expect_extrema_of_nothing<int, std::int8_t>();
  expect_of_nothing<int, unsigned>(0u, wf::maximum{});
  expect_of_nothing<int, unsigned>(0x7FFFFFFFu, wf::minimum{});  // it fits
  expect_of_nothing<std::uint8_t, int>(0, wf::maximum{});
  expect_of_nothing<std::uint8_t, int>(limits<int>::max(), wf::minimum{});
  expect_extrema_of_nothing<std::int64_t, std::uint16_t>();
  expect_of_nothing<float, std::int8_t>(std::int8_t{-128}, wf::maximum{});
  expect_of_nothing<float, std::int8_t>(std::int8_t{127}, wf::minimum_number{});
  expect_of_nothing<float, int>(0x7FFFFF80, wf::minimum{});  // the largest float that is an int
}

TEST(narrowed_identity, by_every_function) {
  expect_of_nothing_everywhere<std::int8_t, std::int8_t>(-128, wf::maximum{});
  expect_of_nothing_everywhere<int, std::uint8_t>(255, wf::minimum_number{});
  expect_of_nothing_everywhere<double, float>(-limits<float>::infinity(), wf::maximum{});
}

TEST(narrowed_identity, of_bools) {
  expect_of_nothing<bool, bool>(false, wf::maximum{});
  expect_of_nothing<bool, bool>(true, wf::minimum{});
}

TEST(narrowed_identity, of_others_is_as_before) {
  expect_of_nothing<std::int8_t, std::int8_t>(0, wf::plus{});
  expect_of_nothing<std::int8_t, std::int8_t>(1, wf::multiplies{});
  expect_of_nothing<std::uint8_t, std::uint8_t>(255, wf::bit_and{});
  expect_of_nothing<int, std::int64_t>(limits<int>::min(), wf::maximum{});  // it fits
  expect_of_nothing<double, float>(-limits<float>::infinity(), wf::maximum{});
  const device_array<__half> half(1);
  wf::reduce(std::span<const __half>{}, half.data(), wf::minimum{});
  EXPECT_EQ(__half2float(half.value()), limits<float>::infinity());
}

TEST(narrowed_identity, of_minmax) {
  const device_array<wf::extrema<std::int8_t>> out(1);
  wf::minmax(std::span<const std::int8_t>{}, out.data());
  EXPECT_EQ(out.value(), (wf::extrema<std::int8_t>{127, -128}));
  const device_array<std::int8_t> items(std::vector<std::int8_t>{3, -4, 5});
  wf::minmax(items.items(), out.data());
  EXPECT_EQ(out.value(), (wf::extrema<std::int8_t>{-4, 5}));
}

TEST(narrowed_identity, of_arg_reductions) {
  using narrow = wf::indexed_value<std::int8_t, int>;
  const device_array<narrow> out(1);
  wf::argmax(std::span<const std::int8_t>{}, out.data());
  EXPECT_EQ(out.value(), (narrow{-128, -1}));
  wf::argmin(std::span<const float>{}, out.data());
  EXPECT_EQ(out.value(), (narrow{127, -1}));
  const device_array<std::int8_t> items(std::vector<std::int8_t>{3, -4, 5});
  wf::argmin(items.items(), out.data());
  EXPECT_EQ(out.value(), (narrow{-4, 1}));
}

/// The exclusive running `op` of items that all lie on the far side of 0.
template <class T, class Op> void expect_exclusive_scans(T item, T start, Op op) {
  constexpr std::int64_t count = 3000;
  const device_array<T> in(std::vector<T>(count, item)), out(count);
  const device_array<int> offsets(std::vector<int>{0, 0, 1, 2000, int{count}}), keys(std::vector<int>(count, 7));
  const std::span<T> results(out.data(), count);
  const auto expect_starts = [&](std::initializer_list<std::int64_t> starts, const char* function) {
    std::vector<T> expected(count, item);
    for (const std::int64_t i : starts) expected[static_cast<std::size_t>(i)] = start;
    EXPECT_EQ(out.to_host(), expected) << function;
  };
  wf::exclusive_scan(in.items(), results, op);
  expect_starts({0}, "exclusive_scan");
  wf::transform_exclusive_scan(in.items(), results, op, itself{});
  expect_starts({0}, "transform_exclusive_scan");
  wf::exclusive_scan_by_key(keys.items(), in.items(), results, op);
  expect_starts({0}, "exclusive_scan_by_key");
  wf::segmented_exclusive_scan(in.items(), offsets.items(), results, op);
  expect_starts({0, 1, 2000}, "segmented_exclusive_scan");
}

TEST(narrowed_identity, of_exclusive_scans) {
  expect_exclusive_scans<std::int8_t>(-50, -128, wf::maximum{});
  expect_exclusive_scans<std::int8_t>(50, 127, wf::minimum{});
  expect_exclusive_scans<std::int16_t>(-50, -32768, wf::maximum_number{});
  expect_exclusive_scans<std::uint8_t>(50, 255, wf::minimum{});
  expect_exclusive_scans<int>(-50, limits<int>::min(), wf::maximum{});
}

}  // namespace narrowed_identity_tests
