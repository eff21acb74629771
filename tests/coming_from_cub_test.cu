// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of the README's table "Coming from CUB or Thrust", as a CUB user would write them at the first attempt.
#include <warpfold/block/reduce.cuh>
#include <warpfold/warpfold.cuh>

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/device.cuh"

namespace {

namespace wf = warpfold;
using wf_test::device_array;

struct larger {
  __host__ __device__ int operator()(int a, int b) const { return a < b ? b : a; }
};
struct by_remainders {
  __host__ __device__ bool operator()(int a, int b) const { return a % 5 < b % 5; }
};
struct square {
  __host__ __device__ int operator()(int x) const { return x * x; }
};

struct in_a_block {
  int* out;
};
__global__ void block_and_warp(in_a_block to) {
  __shared__ wf::block::reduce_storage<int, 256> storage;
  const int x = static_cast<int>(threadIdx.x);
  const int sum = wf::block::reduce(storage, x, wf::plus{});
  const int largest = wf::warp::reduce(x, larger{});
  if (threadIdx.x == 0) to.out[0] = sum, to.out[1] = largest;
}

class coming_from_cub : public testing::Test {
 protected:
  const device_array<int> items_{std::vector<int>{5, 1, 4, 1, 5, 9, 2, 6}}, begins_{std::vector<int>{0, 2, 5}},
      ends_{std::vector<int>{2, 5, 8}}, keys_{std::vector<int>{1, 1, 2, 2, 2, 3, 3, 3}};
  const device_array<int> out_{8}, out_keys_{8}, runs_{1};

  void expect(std::vector<int> values) const {
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(out_.value(static_cast<std::int64_t>(i)), values[i]);
  }
  const int* const in = items_.data();
  const int n = 8;
  int* const out = out_.data();
};

TEST_F(coming_from_cub, device_reduce_sum) {
  wf::reduce(items_, out);
  expect({33});
  wf::reduce(in, n, out);
  expect({33});
}
TEST_F(coming_from_cub, device_reduce_reduce) {
  cudaStream_t s{};
  wf::reduce(in, n, out, larger{}, {.stream = s, .init = 7});
  expect({9});
}
TEST_F(coming_from_cub, device_reduce_transform_reduce) {
  wf::transform_reduce(in, n, out, wf::plus{}, square{}, {.init = 1});
  expect({190});
}
TEST_F(coming_from_cub, device_segmented_reduce_by_begins_and_ends) {
  wf::segmented_reduce(items_,
                       wf::bounds{std::span<const int>(begins_.data(), 3), std::span<const int>(ends_.data(), 3)}, out);
  expect({6, 10, 17});
}
TEST_F(coming_from_cub, device_segmented_reduce_by_pointers) {
  wf::segmented_reduce(in, n, wf::bounds{begins_.data(), ends_.data()}, std::span<int>(out, 3));
  expect({6, 10, 17});
}
TEST_F(coming_from_cub, fixed_segment_size) {
  wf::segmented_reduce(in, n, wf::fixed_length{4}, out);
  expect({11, 22});
}
TEST_F(coming_from_cub, device_reduce_reduce_by_key) {
  wf::reduce_by_key(keys_, items_, out_keys_, out_, runs_.data(), wf::plus{});
  expect({6, 10, 17});
  EXPECT_EQ(runs_.value(), 3);
}
TEST_F(coming_from_cub, block_reduce_and_warp_reduce) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1);
  config.blockDim = dim3(256);
  wf::launch(&block_and_warp, config, in_a_block{out});
  expect({255 * 128, 31});
}
TEST_F(coming_from_cub, thrust_reduce) {
  EXPECT_EQ(wf::reduce_value(items_, larger{}, {.init = 12}), 12);
  EXPECT_EQ(wf::reduce_value(in, n), 33);
}
TEST_F(coming_from_cub, thrust_inner_product) {
  EXPECT_EQ(wf::transform_reduce_value(items_, items_, wf::plus{}, wf::multiplies{}, {.init = 100}), 289);
}

TEST_F(coming_from_cub, iterator_pairs) {
  EXPECT_EQ(wf::reduce_value(in, in + n), 33);
  EXPECT_EQ(wf::reduce_value(items_.data(), in + n, larger{}, {.init = 12}), 12);  // int* and const int*
  EXPECT_EQ(wf::transform_reduce_value(in, in + n, wf::plus{}, square{}), 189);
  EXPECT_EQ(wf::minmax_value(in, in + n), (wf::extrema<int>{1, 9}));
  EXPECT_EQ(wf::argmax_value(in, in + n).index, 5);
  wf::inclusive_scan(in, in + n, out);
  expect({5, 6, 10, 11, 16, 25, 27, 33});
  wf::segmented_reduce(in, in + n, wf::fixed_length{4}, out);
  expect({11, 22});
  EXPECT_THROW((void)wf::reduce_value(in + n, in), std::invalid_argument);
}
struct sum_of_ints {
  __host__ __device__ int operator()(int a, int b) const { return a + b; }
};
TEST_F(coming_from_cub, accumulators_follow_what_operators_return) {
  const device_array<std::int8_t> bytes(std::vector<std::int8_t>{100, 28, 100});
  EXPECT_EQ(wf::reduce_value(bytes, sum_of_ints{}), 228);
  wf::inclusive_scan(bytes, out, sum_of_ints{});
  expect({100, 128, 228});
  wf::reduce_by_key(keys_.data(), bytes.data(), 3, out_keys_.data(), out, runs_.data(), sum_of_ints{});
  expect({128, 100});
}
TEST_F(coming_from_cub, thrust_count) {
  EXPECT_EQ(wf::count_value(items_, 5), 2);
  EXPECT_EQ(wf::count_value(in, in + n, 1u), 2);
  EXPECT_EQ(wf::count_value(in, n, std::int64_t{1} << 32 | 5), 0);
  EXPECT_EQ(wf::count_value(in, n, 5.5), 0);
  const device_array<std::int64_t> counts(2);
  wf::count(items_, counts.data(), 9);
  wf::count(in, n, counts.data() + 1, 7u);
  EXPECT_EQ(counts.to_host(), (std::vector<std::int64_t>{1, 0}));
  const device_array<int> negative(std::vector<int>{-1, -1, 3});
  EXPECT_EQ(wf::count_value(negative, 0xffffffffu), 0);
  EXPECT_EQ(wf::count_value(negative, std::int64_t{-1}), 2);
}
TEST_F(coming_from_cub, thrust_min_element_in_an_order) {
  const by_remainders by_remainder;  // 0 1 4 1 0 4 2 1
  const auto is = [](const auto& found, int value, std::int64_t index) {
    EXPECT_EQ(found.value, value);
    EXPECT_EQ(found.index, index);
  };
  is(wf::argmin_value(items_, by_remainder), 5, 0);
  is(wf::argmax_value(in, n, by_remainder), 4, 2);
  is(wf::argmin_value<wf::ties::last>(in, in + n, by_remainder), 5, 4);
  is(wf::argmax_value<wf::ties::last>(items_, by_remainder, {.max_blocks = 1}), 9, 5);
  const auto both = wf::arg_minmax_value(items_, by_remainder);
  is(both.minimum, 5, 0);
  is(both.maximum, 4, 2);
  EXPECT_EQ(wf::argmin_value(in, 0, by_remainder).index, -1);
  const device_array<wf::indexed_value<int>> found(3);
  wf::argmin(items_, found.data(), by_remainder);
  is(found.value(0), 5, 0);
  wf::segmented_reduce(items_, wf::fixed_length{4}, std::span(found.data(), 2),
                       wf::within_segment{wf::arg_maximum_by(by_remainder)});
  is(found.value(0), 4, 2);
  is(found.value(1), 9, 1);
}
TEST_F(coming_from_cub, thrust_reduce_by_key) {
  EXPECT_EQ(wf::reduce_by_key_value(keys_, items_, out_keys_, out_), 3);
  expect({6, 10, 17});
  EXPECT_EQ(wf::reduce_by_key_value(keys_.data(), in, n, out_keys_.data(), out, larger{}), 3);
  expect({5, 5, 9});
  EXPECT_EQ(wf::reduce_by_key_value(keys_, items_, std::span(out_keys_.data(), 2), std::span(out, 2), wf::plus{},
                                    wf::equal_to{}, {.init = 100}),
            3);
  expect({106, 110, 9});  // there is room for two
  EXPECT_EQ(wf::reduce_by_key_value(keys_.data(), in, 0, out_keys_.data(), out), 0);
}
TEST_F(coming_from_cub, thrust_scan_by_key) {
  wf::exclusive_scan_by_key(keys_.data(), in, n, out, {.init = 100});
  expect({100, 105, 100, 104, 105, 100, 109, 111});
}
TEST_F(coming_from_cub, containers_as_owners) {
  const device_array<int> ids(std::vector<int>{0, 0, 1, 1, 1, 2, 2, 2});
  wf::segmented_reduce(items_, wf::owners{ids}, std::span<int>(out, 3));
  expect({6, 10, 17});
}
TEST_F(coming_from_cub, streams_of_other_libraries) {
  struct stream_ref {  // cuda::stream_ref
    cudaStream_t stream;
    cudaStream_t get() const { return stream; }
  };
  struct stream_view {  // rmm::cuda_stream_view
    cudaStream_t stream;
    operator cudaStream_t() const { return stream; }
  };
  wf::reduce(items_, out, {.stream = stream_ref{}});
  EXPECT_TRUE(wf::any_of_value(items_, square{}, {.stream = stream_view{}}));
  wf::inclusive_scan(items_, out, {.stream = stream_view{}});
  expect({5, 6});
}
TEST_F(coming_from_cub, arg_reductions_by_key_of_pointers) {
  const device_array<wf::indexed_value<int>> places(3);
  wf::argmax_by_key(keys_.data(), in, n, out_keys_.data(), places.data(), runs_.data());
  EXPECT_EQ(runs_.value(), 3);
  EXPECT_EQ(places.value(1).index, 4);
  wf::argmin_by_key<wf::relative_to::segment>(keys_.data(), in, n, out_keys_.data(), places.data(), runs_.data());
  EXPECT_EQ(places.value(2).index, 1);
  const device_array<wf::indexed_extrema<int>> both(3);
  wf::arg_minmax_by_key(keys_.data(), in, n, out_keys_.data(), both.data(), runs_.data());
  EXPECT_EQ(both.value(2).maximum.index, 5);
}
template <class Call> std::string refusal_of(Call call) {
  try {
    call();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "nothing was refused";
}
TEST_F(coming_from_cub, messages_name_the_function_that_was_called) {
  const std::string why = ": count is -1; it must not be negative";
  const by_remainders less;
  EXPECT_EQ(refusal_of([&] { (void)wf::count_value(in, -1, 5); }), "warpfold::count_value" + why);
  EXPECT_EQ(refusal_of([&] { (void)wf::dot_value(in, in, -1); }), "warpfold::dot_value" + why);
  EXPECT_EQ(refusal_of([&] { (void)wf::argmin_value(in, -1); }), "warpfold::argmin_value" + why);
  EXPECT_EQ(refusal_of([&] { (void)wf::argmax_value(in, -1, less); }), "warpfold::argmax_value" + why);
  EXPECT_EQ(refusal_of([&] {
              wf::argmin_by_key(keys_.data(), in, -1, out_keys_.data(), static_cast<wf::indexed_value<int>*>(nullptr),
                                runs_.data());
            }),
            "warpfold::argmin_by_key" + why);
}

}  // namespace
