// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thrust's and cuda::std's ranges and iterators as keys, values and outputs of reduce_by_key, where CUB takes them.
// For nvcc only: Thrust's device code is not for the emulator.
#include <gtest/gtest.h>
#include <thrust/device_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include <cuda/std/span>

#include <warpfold/reduce_by_key.cuh>

namespace wf = warpfold;

namespace {

struct halved {
  __host__ __device__ int operator()(int x) const { return x / 2; }
};
using vector = thrust::device_vector<int>;

/// Keys 7 7 7 | 4 | 7 7, values 2 4 6 | 8 | 10 12.
class reduce_by_key_thrust_forms : public testing::Test {
 protected:
  static constexpr int items = 6;

  void expect(std::vector<int> values, std::vector<int> keys = {7, 4, 7}) {
    EXPECT_EQ(out_count_[0], 3);
    for (std::size_t r = 0; r < 3; ++r) {
      EXPECT_EQ(out_keys_[r], keys[r]);
      EXPECT_EQ(out_values_[r], values[r]);
    }
    thrust::fill(out_keys_.begin(), out_keys_.end(), -77);
    thrust::fill(out_values_.begin(), out_values_.end(), -77);
  }
  static cuda::std::span<int> span_of(vector& v) { return {thrust::raw_pointer_cast(v.data()), v.size()}; }

  const vector keys_ = std::vector<int>{7, 7, 7, 4, 7, 7}, values_ = std::vector<int>{2, 4, 6, 8, 10, 12};
  vector out_keys_ = vector(items, -77), out_values_ = vector(items, -77), out_count_ = vector(1, -77);
};

TEST_F(reduce_by_key_thrust_forms, inputs) {
  const auto expect_sums = [&](std::vector<int> sums, const auto&... in) {
    int* const count = thrust::raw_pointer_cast(out_count_.data());
    wf::reduce_by_key(in..., out_keys_, out_values_, count);
    expect(sums);
    wf::reduce_by_key(in..., out_keys_, out_values_, count, wf::plus{}, wf::equal_to{}, {.max_blocks = 1});
    expect(sums);
    for (int& sum : sums) sum /= 2;
    wf::transform_reduce_by_key(in..., out_keys_, out_values_, count, wf::plus{}, halved{});
    expect(sums);
  };
  const cuda::std::span<const int> keys(thrust::raw_pointer_cast(keys_.data()), items),
      values(thrust::raw_pointer_cast(values_.data()), items);
  const std::vector<int> sums{12, 8, 22};
  expect_sums(sums, keys_, values_);
  expect_sums(sums, keys, values_);
  expect_sums(sums, keys_, values);
  expect_sums(sums, keys_, values_.begin());
  expect_sums(sums, keys_.begin(), values_);
  expect_sums(sums, keys_, values_.data());
  expect_sums(sums, keys_.begin(), values_.begin(), items);
  expect_sums(sums, keys.begin(), values.begin(), items);
  expect_sums({6, 2, 4}, keys_, thrust::make_constant_iterator(2));
  expect_sums(sums, keys_, thrust::make_transform_iterator(values_.begin(), wf::thread::no_transform{}));
  const auto same_keys = thrust::make_transform_iterator(keys_.begin(), wf::thread::no_transform{});
  expect_sums(sums, same_keys, values_);
  expect_sums(sums, same_keys, values_.begin(), items);
}

TEST_F(reduce_by_key_thrust_forms, outputs) {
  const auto with = [&](auto&& out_keys, auto&& out_values, auto&& out_count) {
    wf::reduce_by_key(keys_, values_, out_keys, out_values, out_count);
  };
  with(out_keys_, out_values_, out_count_);
  expect({12, 8, 22});
  with(span_of(out_keys_), span_of(out_values_), span_of(out_count_));
  expect({12, 8, 22});
  with(out_keys_.begin(), out_values_.begin(), out_count_.begin());
  expect({12, 8, 22});
  with(out_keys_.data(), out_values_, out_count_.data());
  expect({12, 8, 22});
  with(thrust::make_discard_iterator(), out_values_.begin(), out_count_);
  expect({12, 8, 22}, {-77, -77, -77});
  with(thrust::make_discard_iterator(), out_values_, out_count_);
  expect({12, 8, 22}, {-77, -77, -77});
  with(out_keys_, thrust::make_transform_output_iterator(out_values_.begin(), halved{}), out_count_);
  expect({6, 4, 11});
}

TEST_F(reduce_by_key_thrust_forms, computed_keys) {
  wf::reduce_by_key(thrust::make_transform_iterator(thrust::make_counting_iterator(8), halved{}),
                    thrust::make_counting_iterator(0), items, out_keys_, out_values_, out_count_);
  expect({1, 5, 9}, {4, 5, 6});
}

}  // namespace
