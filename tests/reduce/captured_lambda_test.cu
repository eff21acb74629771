// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// __host__ __device__ lambdas with captures, wherever a function takes a function object, also inside an iterator. nvcc
// hands the host's compiler a wrapper that is not trivially copyable; the values show that kernels read the captures.
// The lambdas are in functions of their own, since extended lambdas cannot be in the body of a TEST.
#include <gtest/gtest.h>

#include <warpfold/warpfold.cuh>

#include "common/device.cuh"

namespace wf = warpfold;

namespace wf_test::captured {

/// f(index + `first`), as thrust's and cuda's transform iterators of a counting iterator compute it.
template <class F> struct computed_items {
  using value_type = int;
  using difference_type = std::int64_t;
  std::int64_t first;
  F f;
  __host__ __device__ int operator[](std::int64_t i) const { return f(static_cast<int>(first + i)); }
  __host__ __device__ int operator*() const { return (*this)[0]; }
  __host__ __device__ computed_items operator+(std::int64_t i) const { return {first + i, f}; }
};
template <class F> computed_items(std::int64_t, F) -> computed_items<F>;

/// Writes f(result).
template <class F> struct computed_output {
  struct place {
    int* to;
    F f;
    __host__ __device__ const place& operator=(int value) const { return *to = f(value), *this; }
  };
  int* to;
  F f;
  __host__ __device__ place operator[](std::int64_t i) const { return {to + i, f}; }
  __host__ __device__ place operator*() const { return {to, f}; }
};
template <class F> computed_output(int*, F) -> computed_output<F>;

using ints = std::vector<int>;
const ints& items() {
  static const ints few{3, 1, 4, 1, 5, 9, 2, 6};
  return few;
}

/// The results in `out`, the captures being `bound` and `factor`.
struct call {
  device_array<int> in{items()};
  device_array<int> keys{ints{0, 0, 0, 1, 1, 1, 2, 2}}, offsets{ints{0, 3, 6, 8}};
  device_array<int> out{ints(8, -77)}, out_keys{ints(8, -77)}, count{1};
  ints results(std::ptrdiff_t number = 1) const {
    const ints all = out.to_host();
    return {all.begin(), all.begin() + number};
  }
};

// Of two items the right one, unless it is below the bound: associative, not commutative.
ints as_operator(int bound) {
  const call c;
  wf::reduce(c.in, c.out.data(), [bound] __host__ __device__(int a, int b) { return b < bound ? a : b; });
  return c.results();
}
ints as_operator_of_segments(int bound) {
  const call c;
  const auto last = [bound] __host__ __device__(int a, int b) { return b < bound ? a : b; };
  wf::segmented_reduce(c.in, c.offsets.items(), c.out.data(), last, {.init = 7});
  return c.results(3);
}
ints as_operator_of_scans(int bound) {
  const call c;
  wf::inclusive_scan(c.in, c.out.data(), [bound] __host__ __device__(int a, int b) { return b < bound ? a : b; });
  return c.results(8);
}
ints as_operator_of_segmented_scans(int bound) {
  const call c;
  const auto last = [bound] __host__ __device__(int a, int b) { return b < bound ? a : b; };
  wf::segmented_inclusive_scan(c.in, c.offsets.items(), c.out.data(), last);
  return c.results(8);
}
ints as_operator_of_columns(int bound) {
  const call c;
  const auto last = [bound] __host__ __device__(int a, int b) { return b < bound ? a : b; };
  wf::reduce_columns(wf::strided(c.in.data(), {2, 4}), std::span(c.out.data(), 4), last);
  return c.results(4);
}
ints as_operator_of_rows(int bound) {
  const call c;
  const auto last = [bound] __host__ __device__(int a, int b) { return b < bound ? a : b; };
  wf::reduce_rows(wf::strided(c.in.data(), {2, 4}), std::span(c.out.data(), 2), last);
  return c.results(2);
}
ints as_operator_in_another_type(int bound) {
  const call c;
  const auto last = [bound] __host__ __device__(long long a, long long b) { return b < bound ? a : b; };
  wf::reduce(c.in, c.out.data(), wf::accumulate_in<long long>(last));
  return c.results();
}
ints as_operator_and_equality_of_runs(int bound, int factor) {
  const call c;
  const auto last = [bound] __host__ __device__(int a, int b) { return b < bound ? a : b; };
  const auto equal = [factor] __host__ __device__(int a, int b) { return a / factor == b / factor; };
  wf::reduce_by_key(c.keys, c.in, c.out_keys.data(), c.out.data(), c.count.data(), last, equal);
  return c.results(2);
}
ints as_equality_of_scans(int factor) {
  const call c;
  const auto equal = [factor] __host__ __device__(int a, int b) { return a / factor == b / factor; };
  wf::inclusive_scan_by_key(c.keys, c.in, c.out.data(), wf::plus{}, equal);
  return c.results(8);
}
ints as_transform(int factor) {
  const call c;
  wf::transform_reduce(c.in, c.out.data(), wf::plus{}, [factor] __host__ __device__(int x) { return factor * x; });
  return c.results();
}
ints as_transform_of_pairs(int factor) {
  const call c;
  wf::transform_reduce(c.in, c.keys, c.out.data(), wf::plus{},
                       [factor] __host__ __device__(int x, int key) { return factor * x * key; });
  return c.results();
}
ints in_a_fused_operator(int factor, int bound) {
  const call c;
  const auto scaled = [factor] __host__ __device__(int x) { return factor * x; };
  const auto last = [bound] __host__ __device__(int a, int b) { return b < bound ? a : b; };
  wf::reduce(c.in, wf::outputs(c.out.data(), c.out.data() + 1), wf::fuse(wf::with(scaled, wf::plus{}), last));
  return c.results(2);
}
ints as_predicate(int bound) {
  const call c;
  const auto is_less = [bound] __host__ __device__(int x) { return x < bound; };
  return {static_cast<int>(wf::count_if_value(c.in, is_less)), wf::any_of_value(c.in, is_less),
          wf::all_of_value(c.in, is_less)};
}
ints in_an_iterator(int factor) {
  const call c;
  const computed_items from{0, [factor] __host__ __device__(int x) { return factor * x; }};
  static_assert(wf::item_iterator<decltype(from)>);
  wf::reduce(from, 10, c.out.data());
  wf::reduce(from + 1, 10, c.out.data() + 1);
  wf::segmented_reduce(from, 10, wf::fixed_length{5}, std::span(c.out.data() + 2, 2));
  wf::inclusive_scan(from, 4, c.out.data() + 4);
  return c.results(8);
}
ints in_an_output(int factor) {
  const call c;
  const computed_output to{c.out.data(), [factor] __host__ __device__(int x) { return factor * x; }};
  wf::reduce(c.in, to);
  wf::segmented_reduce(c.in, c.offsets.items(), computed_output{c.out.data() + 1, to.f});
  wf::inclusive_scan(c.in.data(), 4, computed_output{c.out.data() + 4, to.f});
  return c.results(8);
}

}  // namespace wf_test::captured

namespace {

using namespace wf_test::captured;

TEST(captured_lambda, operators) {
  EXPECT_EQ(as_operator(6), ints{6});
  EXPECT_EQ(as_operator(7), ints{9});
  EXPECT_EQ(as_operator_in_another_type(7), ints{9});
  EXPECT_EQ(as_operator_of_segments(5), (ints{7, 9, 6}));
  EXPECT_EQ(as_operator_of_scans(4), (ints{3, 3, 4, 4, 5, 9, 9, 6}));
  EXPECT_EQ(as_operator_of_segmented_scans(4), (ints{3, 3, 4, 1, 5, 9, 2, 6}));
  EXPECT_EQ(as_operator_of_columns(6), (ints{3, 9, 4, 6}));
  EXPECT_EQ(as_operator_of_rows(4), (ints{4, 6}));
}
TEST(captured_lambda, runs) {
  EXPECT_EQ(as_operator_and_equality_of_runs(5, 2), (ints{9, 6}));
  EXPECT_EQ(as_equality_of_scans(2), (ints{3, 4, 8, 9, 14, 23, 2, 8}));
}
TEST(captured_lambda, transforms) {
  EXPECT_EQ(as_transform(-3), ints{-93});
  EXPECT_EQ(as_transform_of_pairs(2), ints{2 * (15 + 2 * 8)});
  EXPECT_EQ(in_a_fused_operator(2, 7), (ints{62, 9}));
}
TEST(captured_lambda, predicates) { EXPECT_EQ(as_predicate(4), (ints{4, 1, 0})); }
TEST(captured_lambda, iterators) {
  EXPECT_EQ(in_an_iterator(3), (ints{135, 165, 30, 105, 0, 3, 9, 18}));
  EXPECT_EQ(in_an_output(2), (ints{62, 16, 30, 16, 6, 8, 16, 18}));
}

}  // namespace
