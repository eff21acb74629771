// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thrust's and cuda::std's ranges and iterators as inputs and outputs. Iterators that stand for pointers take the
// vector path. For nvcc only: Thrust's device code is not for the emulator.
#include <gtest/gtest.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/universal_vector.h>

#include <cuda/std/array>
#include <cuda/std/iterator>
#include <cuda/std/span>
#include <iterator>

#include <warpfold/reduce.cuh>

namespace wf = warpfold;

namespace {

struct halved {
  __host__ __device__ float operator()(float x) const { return x / 2; }
};
struct product {
  template <class Pair> __host__ __device__ float operator()(const Pair& pair) const {
    return static_cast<float>(thrust::get<0>(pair)) * static_cast<float>(thrust::get<1>(pair));
  }
};

using vector = thrust::device_vector<float>;
using halves = thrust::transform_iterator<halved, vector::iterator>;
using backwards = thrust::reverse_iterator<vector::iterator>;
using picked = thrust::permutation_iterator<vector::iterator, thrust::counting_iterator<int>>;
using pairs = thrust::zip_iterator<thrust::tuple<vector::iterator, thrust::counting_iterator<int>>>;

template <class It> using source_of = decltype(wf::detail::make_source(std::declval<It>(), 0));
template <class It> constexpr bool takes_vector_path = std::is_same_v<source_of<It>, wf::thread::pointer_source<float>>;
static_assert(takes_vector_path<float*> && takes_vector_path<const float*>);
static_assert(takes_vector_path<vector::iterator> && takes_vector_path<vector::const_iterator>);
static_assert(takes_vector_path<thrust::device_ptr<float>> && takes_vector_path<thrust::device_ptr<const float>>);
static_assert(takes_vector_path<thrust::universal_vector<float>::iterator>);
static_assert(takes_vector_path<thrust::universal_ptr<float>>);
static_assert(takes_vector_path<cuda::std::span<const float>::iterator>);
static_assert(takes_vector_path<cuda::std::array<float, 4>::iterator>);

template <class It> constexpr bool is_read_by_items = std::is_same_v<source_of<It>, wf::thread::iterator_source<It>>;
static_assert(is_read_by_items<halves> && is_read_by_items<backwards> && is_read_by_items<picked>);
static_assert(is_read_by_items<thrust::reverse_iterator<float*>> && is_read_by_items<std::reverse_iterator<float*>>);
static_assert(is_read_by_items<thrust::reverse_iterator<thrust::device_ptr<float>>>);
static_assert(is_read_by_items<cuda::std::reverse_iterator<float*>>);
static_assert(is_read_by_items<thrust::transform_iterator<halved, float*>>);
static_assert(is_read_by_items<thrust::counting_iterator<int>> && is_read_by_items<pairs>);

static_assert(wf::device_range<vector> && wf::device_range<const vector> && wf::device_range<cuda::std::span<float>>);
static_assert(std::is_same_v<wf::item_t<const vector>, float>);
static_assert(wf::device_output<vector&, float> && !wf::device_output<const vector&, float>);
static_assert(std::is_same_v<wf::output_iterator_t<vector::iterator>, float*>, "kernels write through a pointer");

/// Items 4 1 7 5, and every output with what it holds.
class reduce_thrust_forms : public testing::Test {
 protected:
  template <class Reduces> void expect_in_each_output(float expected, Reduces reduces) {
    const auto written = [&] {
      EXPECT_EQ(out_[0], expected);
      out_[0] = -1;
    };
    reduces(out_), written();
    reduces(out_.begin()), written();
    reduces(out_.data()), written();
    reduces(thrust::raw_pointer_cast(out_.data())), written();
    const cuda::std::span<float> span(thrust::raw_pointer_cast(out_.data()), 1);
    reduces(span), written();
    reduces(span.begin()), written();
    reduces(thrust::make_transform_output_iterator(out_.begin(), halved{}));
    EXPECT_EQ(out_[0], expected / 2);
    reduces(thrust::make_discard_iterator());
  }

  const vector in_ = std::vector<float>{4, 1, 7, 5};
  vector out_ = std::vector<float>{-1};
};

TEST_F(reduce_thrust_forms, ranges) {
  const auto expect = [this](const auto& in) {
    expect_in_each_output(17, [&](auto&& out) { wf::reduce(in, out); });
    expect_in_each_output(8.5f, [&](auto&& out) { wf::transform_reduce(in, out, wf::plus{}, halved{}); });
    expect_in_each_output(91, [&](auto&& out) { wf::transform_reduce(in, in_, out, wf::plus{}, wf::multiplies{}); });
    EXPECT_EQ(wf::reduce_value(in), 17);
    EXPECT_EQ(wf::transform_reduce_value(in, wf::plus{}, halved{}), 8.5f);
    EXPECT_EQ(wf::transform_reduce_value(in_, in, wf::plus{}, wf::multiplies{}), 91);
  };
  expect(in_);
  expect(cuda::std::span<const float>(thrust::raw_pointer_cast(in_.data()), 4));
  expect(cuda::std::span<const float, 4>(thrust::raw_pointer_cast(in_.data()), 4));
}

TEST_F(reduce_thrust_forms, iterators) {
  const auto expect = [this](float expected, const auto& in) {
    expect_in_each_output(expected, [&](auto&& out) { wf::reduce(in, 4, out); });
    expect_in_each_output(expected / 2, [&](auto&& out) { wf::transform_reduce(in, 4, out, wf::plus{}, halved{}); });
    EXPECT_EQ(wf::reduce_value(in, 4), expected);
    EXPECT_EQ(wf::transform_reduce_value(in, 4, wf::plus{}, halved{}), expected / 2);
  };
  expect(17, in_.begin());
  expect(17, in_.data());
  expect(17, cuda::std::span<const float>(thrust::raw_pointer_cast(in_.data()), 4).begin());
  expect(8.5f, thrust::make_transform_iterator(in_.begin(), halved{}));
  expect(17, thrust::make_reverse_iterator(in_.end()));
  expect(17, thrust::make_permutation_iterator(in_.begin(), thrust::make_counting_iterator(0)));
  expect(12, thrust::make_constant_iterator(3.0f));
  // 4 * 0 + 1 * 1 + 7 * 2 + 5 * 3
  const auto zipped = thrust::make_zip_iterator(in_.begin(), thrust::make_counting_iterator(0));
  expect(30, thrust::make_transform_iterator(zipped, product{}));
}

TEST_F(reduce_thrust_forms, order_of_other_iterators) {
  EXPECT_EQ(wf::reduce_value(thrust::make_reverse_iterator(in_.end()), 4, wf::first{}), 5);
  EXPECT_EQ(wf::reduce_value(thrust::make_counting_iterator(10), 100'000, wf::last{}), 100'009);
}

TEST_F(reduce_thrust_forms, pairs) {
  EXPECT_EQ(wf::transform_reduce_value(in_.begin(), in_.data(), 4, wf::plus{}, wf::multiplies{}), 91);
  EXPECT_EQ(
      wf::transform_reduce_value(in_.begin(), thrust::make_constant_iterator(2.0f), 4, wf::plus{}, wf::multiplies{}),
      34);
  const auto zipped = thrust::make_zip_iterator(in_.begin(), thrust::make_counting_iterator(0));
  EXPECT_EQ(wf::transform_reduce_value(zipped, 4, wf::plus{}, product{}), 30);
}

}  // namespace
