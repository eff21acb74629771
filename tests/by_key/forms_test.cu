// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every form that the head of reduce_by_key.cuh lists, on one small input; and the outputs that must be apart.
#include <warpfold/reduce_by_key.cuh>

#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "common/device.cuh"

namespace {

namespace wf = warpfold;
using wf_test::device_array;

/// 7 7 7 | 3 | 7 7
struct key_at {
  using value_type = int;
  using difference_type = std::int64_t;
  __host__ __device__ int operator[](std::int64_t i) const { return i == 3 ? 3 : 7; }
};
struct value_at {
  using value_type = int;
  using difference_type = std::int64_t;
  __host__ __device__ int operator[](std::int64_t i) const { return static_cast<int>(i) + 1; }
};
/// Writes through a pointer, which it is not.
template <class T> struct writer {
  T* to;
  struct reference {
    T* place;
    __host__ __device__ void operator=(const T& value) const { *place = value; }
  };
  using difference_type = std::ptrdiff_t;
  __host__ __device__ reference operator[](std::ptrdiff_t i) const { return {to + i}; }
};
struct same_key {
  __host__ __device__ bool operator()(int a, int b) const { return a == b; }
};
struct twice {
  __host__ __device__ int operator()(int value) const { return 2 * value; }
};

class ReduceByKeyForms : public testing::Test {
 protected:
  const device_array<int> keys_{std::vector<int>{7, 7, 7, 3, 7, 7}}, values_{std::vector<int>{1, 2, 3, 4, 5, 6}};
  const device_array<int> out_keys_{6}, out_values_{6}, runs_{1};
  const std::span<const int> key_range_{keys_.data(), 6}, value_range_{values_.data(), 6};

  void expect(std::vector<int> sums) {
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(runs_.value(), 3);
    const std::vector<int> keys{7, 3, 7};
    for (int run = 0; run < 3; ++run) {
      EXPECT_EQ(out_keys_.value(run), keys[static_cast<std::size_t>(run)]);
      EXPECT_EQ(out_values_.value(run), sums[static_cast<std::size_t>(run)]);
    }
    for (const auto* array : {&out_keys_, &out_values_, &runs_})
      ASSERT_EQ(cudaMemset(array->data(), 0, array->size() * sizeof(int)), cudaSuccess);
  }

  /// All operators, equalities and transforms, for one form of items and outputs.
  template <class Outputs, class... Items> void expect_calls(Outputs outputs, const Items&... items) {
    outputs([&](auto&&... out) {
      wf::reduce_by_key(items..., out...);
      expect({6, 4, 11});
      wf::reduce_by_key(items..., out..., wf::reduce_options<int>{.max_blocks = 1});
      expect({6, 4, 11});
      wf::reduce_by_key(items..., out..., wf::maximum{});
      expect({3, 4, 6});
      wf::reduce_by_key(items..., out..., wf::maximum{}, {.init = 5});
      expect({5, 5, 6});
      wf::reduce_by_key(items..., out..., wf::maximum{}, same_key{});
      expect({3, 4, 6});
      wf::reduce_by_key(items..., out..., wf::maximum{}, same_key{}, {.init = 5});
      expect({5, 5, 6});
      wf::transform_reduce_by_key(items..., out..., wf::plus{}, twice{});
      expect({12, 8, 22});
      wf::transform_reduce_by_key(items..., out..., wf::plus{}, twice{}, {.init = 1});
      expect({13, 9, 23});
      wf::transform_reduce_by_key(items..., out..., wf::plus{}, twice{}, same_key{});
      expect({12, 8, 22});
      wf::transform_reduce_by_key(items..., out..., wf::plus{}, twice{}, same_key{}, {.init = 1});
      expect({13, 9, 23});
    });
  }
  template <class Outputs> void expect_items(Outputs outputs) {
    expect_calls(outputs, key_range_, value_range_);
    expect_calls(outputs, keys_, value_at{});
    expect_calls(outputs, key_at{}, values_);
    expect_calls(outputs, keys_.data(), value_range_);
    expect_calls(outputs, key_at{}, value_at{}, 6);
    expect_calls(outputs, keys_.data(), values_.data(), std::int64_t{6});
  }
};

TEST_F(ReduceByKeyForms, OutputsAsRanges) {
  expect_items([&](auto call) {
    call(std::span(out_keys_.data(), 6), std::span(out_values_.data(), 6), std::span(runs_.data(), 1));
  });
}
TEST_F(ReduceByKeyForms, OutputsAsPointers) {
  expect_items([&](auto call) { call(out_keys_.data(), out_values_.data(), runs_.data()); });
}
TEST_F(ReduceByKeyForms, OutputsAsIterators) {
  expect_items([&](auto call) { call(writer<int>{out_keys_.data()}, writer<int>{out_values_.data()}, runs_.data()); });
}
TEST_F(ReduceByKeyForms, RoomOfTheRangeBesideAnIterator) {
  wf::reduce_by_key(keys_, values_, out_keys_.data(), std::span(out_values_.data(), 2), runs_.data());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(runs_.value(), 3);  // the third run is dropped
}

TEST_F(ReduceByKeyForms, InitialValueApartFromOutputs) {
  const auto refuse = [&](const int* init, const char* words) {
    try {
      wf::reduce_by_key(keys_, values_, out_keys_, out_values_, runs_.data(), wf::plus{}, {.init = init});
      ADD_FAILURE() << "accepted: " << words;
    } catch (const std::invalid_argument& error) {
      EXPECT_STREQ(error.what(), (std::string("warpfold::reduce_by_key: ") + words).c_str());
    }
  };
  refuse(out_keys_.data() + 5, "init lies within out_keys");
  refuse(out_values_.data(), "init lies within out_values");
  refuse(runs_.data(), "init lies within out_count");
}

}  // namespace
