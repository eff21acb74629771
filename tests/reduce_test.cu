// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table at the head of reduce.cuh, cell by cell: every input with every output, of every function.
#include <gtest/gtest.h>

#include <warpfold/reduce.cuh>
#include <warpfold/wf.hpp>
#include "common/device.cuh"
#include "common/outputs.cuh"
#include "reduce/iterators.cuh"

namespace wf_reduce_test {

/// A class that stands for a pointer, as the iterators of checked standard libraries do.
struct contiguous {
  using value_type = double;
  using element_type = const double;
  using difference_type = std::ptrdiff_t;
  using iterator_concept = std::contiguous_iterator_tag;
  const double* p = nullptr;
  const double& operator*() const { return *p; }
  const double& operator[](std::ptrdiff_t n) const { return p[n]; }
  const double* operator->() const { return p; }
  contiguous& operator++() { return ++p, *this; }
  contiguous& operator--() { return --p, *this; }
  contiguous operator++(int) { return {p++}; }
  contiguous operator--(int) { return {p--}; }
  contiguous& operator+=(std::ptrdiff_t n) { return p += n, *this; }
  contiguous& operator-=(std::ptrdiff_t n) { return p -= n, *this; }
  friend contiguous operator+(contiguous a, std::ptrdiff_t n) { return {a.p + n}; }
  friend contiguous operator+(std::ptrdiff_t n, contiguous a) { return {a.p + n}; }
  friend contiguous operator-(contiguous a, std::ptrdiff_t n) { return {a.p - n}; }
  friend std::ptrdiff_t operator-(contiguous a, contiguous b) { return a.p - b.p; }
  friend auto operator<=>(const contiguous&, const contiguous&) = default;
};

}  // namespace wf_reduce_test

namespace {

using wf_reduce_test::contiguous;
using device_vector = wf_test::outputs::device_vector<double>;

struct times {
  __host__ __device__ double operator()(double a, std::int64_t b) const { return a * static_cast<double>(b); }
};
struct halved {
  __host__ __device__ double operator()(double x) const { return x / 2; }
};

template <class It> using source_of = decltype(wf::detail::make_source(std::declval<It>(), 0));
using vectors = wf::thread::pointer_source<double>;
static_assert(std::is_same_v<source_of<const double*>, vectors> && std::is_same_v<source_of<double*>, vectors>);
static_assert(std::is_same_v<source_of<std::span<const double>::iterator>, vectors>);
static_assert(std::is_same_v<source_of<std::vector<double>::const_iterator>, vectors>);
static_assert(std::is_same_v<source_of<contiguous>, vectors>);
static_assert(
    std::is_same_v<source_of<wf_test::strided<double>>, wf::thread::iterator_source<wf_test::strided<double>>>);
static_assert(!wf::pointer_like<std::reverse_iterator<double*>> && !wf::pointer_like<wf_test::strided<double>>);
static_assert(!wf::item_iterator<std::span<const double>>, "a range is no iterator, although it can be indexed");

static_assert(wf::device_output<double*, double> && wf::device_output<float*, double>);
static_assert(wf::device_output<std::span<double>, double> && wf::device_output<device_vector&, double>);
static_assert(!wf::device_output<const double*, double> && !wf::device_output<std::span<const double>, double>);
static_assert(!wf::device_output<const device_vector&, double> && !wf::device_output<int, double>);
static_assert(wf::to_output(std::span<double>()).size == 0 && wf::to_output(static_cast<double*>(nullptr)).size == -1);

class reduce_forms : public testing::Test {
 protected:
  /// reduces(out) for each kind of output.
  template <class Reduces> void expect_in_each_output(double expected, Reduces reduces) {
    double* const out = one_.data();
    const auto written = [&](double untouched) {
      EXPECT_EQ(one_.value(), expected);
      one_.set(0, untouched);
    };
    reduces(out), written(-1);
    reduces(std::span(out, 1)), written(-2);
    reduces(std::span<double, 1>(out, 1).begin()), written(-3);
    std::span<double> named(out, 1);
    reduces(named), written(-4);
    const wf_test::negating_output negated{out};
    reduces(negated);
    EXPECT_EQ(one_.value(), -expected);
    device_vector vector({7, 8});
    reduces(vector);
    EXPECT_EQ(wf::reduce_value(vector), expected + 8) << "the first item, and no more";
  }
  /// The same for each way to give the items 4 1 7 5.
  template <class Reduces> void expect_of_each_input(double expected, Reduces reduces) {
    reduces(expected, in_.items());
    reduces(expected, std::span<const double, 4>(in_.items()));
    reduces(expected, device_vector({4, 1, 7, 5}));
    reduces(expected, in_.data(), 4);
    reduces(expected, static_cast<const double*>(in_.data()), std::size_t{4});
    reduces(expected, in_.items().begin(), 4u);
    reduces(expected, contiguous{in_.data()}, std::int64_t{4});
    reduces(expected, wf_test::strided<double>{twice_.data(), 2}, 4);
  }

  wf_test::device_array<double> in_{std::vector<double>{4, 1, 7, 5}},
      twice_{std::vector<double>{4, 0, 1, 0, 7, 0, 5, 0}}, one_{1};
};

TEST_F(reduce_forms, reduce) {
  expect_of_each_input(17, [this](double sum, const auto&... in) {
    expect_in_each_output(sum, [&](auto&& out) { wf::reduce(in..., out); });
    expect_in_each_output(sum + 1, [&](auto&& out) { wf::reduce(in..., out, {.init = 1}); });
    expect_in_each_output(1, [&](auto&& out) { wf::reduce(in..., out, wf::minimum{}); });
    expect_in_each_output(0, [&](auto&& out) { wf::reduce(in..., out, wf::minimum{}, {.init = 0}); });
    expect_in_each_output(sum, [&](auto&& out) { wf::reduce<wf::automatic>(in..., out); });
  });
}

TEST_F(reduce_forms, reduce_value) {
  expect_of_each_input(17, [](double sum, const auto&... in) {
    EXPECT_EQ(wf::reduce_value(in...), sum);
    EXPECT_EQ(wf::reduce_value(in..., {.init = 1}), sum + 1);
    EXPECT_EQ(wf::reduce_value(in..., wf::minimum{}), 1);
    EXPECT_EQ(wf::reduce_value(in..., wf::minimum{}, {.init = 0}), 0);
    EXPECT_EQ(wf::reduce_value<wf::automatic>(in...), sum);
  });
}

TEST_F(reduce_forms, transform_reduce) {
  expect_of_each_input(8.5, [this](double sum, const auto&... in) {
    expect_in_each_output(sum, [&](auto&& out) { wf::transform_reduce(in..., out, wf::plus{}, halved{}); });
    expect_in_each_output(sum + 1,
                          [&](auto&& out) { wf::transform_reduce(in..., out, wf::plus{}, halved{}, {.init = 1}); });
    EXPECT_EQ(wf::transform_reduce_value(in..., wf::plus{}, halved{}), sum);
    EXPECT_EQ(wf::transform_reduce_value(in..., wf::plus{}, halved{}, {.init = 1}), sum + 1);
  });
}

TEST_F(reduce_forms, transform_reduce_of_two_inputs) {
  const auto expect = [this](const auto&... in) {
    expect_in_each_output(91, [&](auto&& out) { wf::transform_reduce(in..., out, wf::plus{}, wf::multiplies{}); });
    expect_in_each_output(
        92, [&](auto&& out) { wf::transform_reduce(in..., out, wf::plus{}, wf::multiplies{}, {.init = 1}); });
    EXPECT_EQ(wf::transform_reduce_value(in..., wf::plus{}, wf::multiplies{}), 91);
    EXPECT_EQ(wf::transform_reduce_value(in..., wf::plus{}, wf::multiplies{}, {.init = 1}), 92);
  };
  const wf_test::strided<double> strided{twice_.data(), 2};
  expect(in_.items(), in_.items());
  expect(device_vector({4, 1, 7, 5}), in_.items());
  expect(in_.data(), in_.data(), 4);
  expect(contiguous{in_.data()}, in_.items().begin(), std::size_t{4});
  expect(in_.data(), strided, 4);
  expect(strided, in_.data(), 4);
  expect(strided, strided, 4);
}

TEST_F(reduce_forms, an_output_without_items_is_refused) {
  EXPECT_THROW(wf::reduce(in_.items(), std::span<double>()), std::invalid_argument);
  EXPECT_THROW(wf::transform_reduce(in_.data(), 4, std::span<double>(), wf::plus{}, halved{}), std::invalid_argument);
}

TEST_F(reduce_forms, pairs_of_a_pointer_and_an_iterator_over_many_blocks) {
  constexpr int count = 20'011;
  std::vector<double> items(count);
  for (int i = 0; i < count; ++i) items[static_cast<std::size_t>(i)] = i % 7;
  const wf_test::device_array<double> on_device(items, 1);
  double expected = 0;
  for (int i = 0; i < count; ++i) expected += i % 7 * static_cast<double>(i);
  const auto product = wf_test::stl_counting{};
  EXPECT_EQ(wf::transform_reduce_value(on_device.data(), product, count, wf::plus{}, times{}), expected);
}

/// Accepted: sums into outputs that lose nothing, and operators that cannot lose anything.
TEST_F(reduce_forms, outputs_and_inits_that_are_not_wider) {
  const wf_test::device_array<int> ints(std::vector<int>{3, -1, 4});
  const wf_test::device_array<signed char> bytes(std::vector<signed char>{100, 100});
  const wf_test::device_array<long long> wide(1);
  const wf_test::device_array<int> narrow(1);
  const wf_test::device_array<float> single(1);
  wf::reduce(ints.items(), wide.data(), wf::minimum{});
  EXPECT_EQ(wide.value(), -1);
  wf::reduce(ints.items(), one_.data(), wf::maximum{});
  EXPECT_EQ(one_.value(), 4);
  wf::reduce(bytes.items(), narrow.data(), {.init = 1});
  EXPECT_EQ(narrow.value(), 201);
  wf::reduce(in_.items(), single.data());
  EXPECT_EQ(single.value(), 17);
  wf::reduce(in_.items(), single.data(), {.init = 1LL});
  EXPECT_EQ(single.value(), 18);
  wf::reduce(ints.items(), wide.data(), wf::accumulate_in<long long>(wf::plus{}), {.init = 1LL << 40});
  EXPECT_EQ(wide.value(), (1LL << 40) + 6);
  wf::reduce(ints.items(), wide.data(), wf::accumulate_in<int>(wf::plus{}));
  EXPECT_EQ(wide.value(), 6) << "the narrow type is named";
}

template <class T, class A> constexpr bool is_wider = wf::detail::is_wider<T, A>;
static_assert(is_wider<long long, int> && is_wider<double, float> && is_wider<float, int> &&
              is_wider<double, long long>);
static_assert(!is_wider<unsigned, int> && !is_wider<int, unsigned> && !is_wider<float, double> && !is_wider<int, int>);
static_assert(!is_wider<long long, float> && !is_wider<int, wf_test::negating_output>);

}  // namespace
