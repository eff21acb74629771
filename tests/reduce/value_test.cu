// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The forms that wait and return the value.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "common/interval.hpp"
#include "common/random_items.hpp"
#include "common/same_bits.hpp"
#include "reduce/expected.hpp"
#include "reduce/stream.cuh"
#include "reduce/ways.cuh"

namespace wf = warpfold;
using wf_test::interval, wf_test::join, wf_test::same_bits, wf_test::way;

namespace {

struct negate {
  __host__ __device__ float operator()(float x) const { return -x; }
};

TEST(reduce_value, every_way) {
  wf_test::asked<interval<>> asked(interval<>::of(-1));
  for (const std::int64_t size : {1, 100, 5000, 40'000}) {
    const wf_test::device_array<interval<>> in(wf_test::interval_items(size));
    for (const way& w : wf_test::ways(0))
      EXPECT_EQ(wf::reduce_value(in.items(), join{}, asked.options(w)), interval<>::of(w.has_init() ? -1 : 0, size - 1))
          << size << " items, " << w;
  }
}

TEST(reduce_value, sum_on_a_stream) {
  const auto items = wf_test::random_items<float>(30'011);
  const float expected = wf::canonical_tree::replay(items.begin(), std::ssize(items), wf::plus{});
  const wf_test::device_array<float> in(items);
  const wf_test::stream stream;
  EXPECT_TRUE(same_bits(wf::reduce_value(in.items()), expected));
  EXPECT_TRUE(same_bits(wf::reduce_value(in.items(), {.stream = stream, .init = 1.0f}), 1.0f + expected));
}

// It waits for what stands before it in the stream, and nothing else need be called.
TEST(reduce_value, waits_for_the_stream) {
  const std::int64_t count = 1'000'003;
  const wf_test::device_array<float> in(count);
  const wf_test::stream stream;
  for (const float item : {1.0f, 2.0f, 3.0f}) {
    const std::vector<float> items(static_cast<std::size_t>(count), item);
    wf::check(cudaMemcpyAsync(in.data(), items.data(), items.size() * sizeof(float), cudaMemcpyHostToDevice, stream),
              "cudaMemcpyAsync");
    EXPECT_EQ(wf::reduce_value(in.items(), {.stream = stream}), item * static_cast<float>(count));
  }
}

TEST(reduce_value, large_accumulators_after_small_ones) {
  using item = interval<std::int32_t, 128>;
  const auto sum = [] { return wf::reduce_value(wf_test::device_array<float>(std::vector<float>(10, 1.5f)).items()); };
  EXPECT_EQ(sum(), 15.0f);
  const wf_test::device_array<item> in(wf_test::interval_items<item>(3000));
  EXPECT_EQ(wf::reduce_value(in.items(), join{}), item::of(0, 2999));
  EXPECT_EQ(sum(), 15.0f);
}

TEST(reduce_value, empty) {
  EXPECT_EQ(wf::reduce_value(std::span<const float>{}), 0.0f);
  EXPECT_EQ(wf::reduce_value(std::span<const float>{}, {.init = 7.0f}), 7.0f);
  EXPECT_EQ(wf::reduce_value(std::span<const interval<>>{}, join{}, {.init = interval<>::of(-1)}), interval<>::of(-1));
}

TEST(reduce_value, one_result_a_host_thread) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (std::size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([t, &wrong] {
      const std::vector<float> items(5000, static_cast<float>(t + 1));
      const wf_test::device_array<float> in(items);
      for (int call = 0; call < 20; ++call)
        wrong[t] += wf::reduce_value(in.items()) != 5000.0f * static_cast<float>(t + 1);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

TEST(transform_reduce_value, one_and_two_inputs) {
  const auto left = wf_test::random_items<float>(30'011, 1), right = wf_test::random_items<float>(30'011, 2);
  std::vector<float> negated, products;
  for (std::size_t i = 0; i < left.size(); ++i) {
    negated.push_back(-left[i]);
    products.push_back(left[i] * right[i]);
  }
  const float least = *std::min_element(negated.begin(), negated.end());
  const float dot = wf::canonical_tree::replay(products.begin(), std::ssize(products), wf::plus{});
  const wf_test::device_array<float> l(left, 1), r(right, 2);
  EXPECT_EQ(wf::transform_reduce_value(l.items(), wf::minimum{}, negate{}), least);
  EXPECT_TRUE(same_bits(wf::transform_reduce_value(l.items(), r.items(), wf::plus{}, wf::multiplies{}), dot));
  EXPECT_TRUE(same_bits(
      wf::transform_reduce_value(l.items(), r.items(), wf::plus{}, wf::multiplies{}, {.init = 2.0f, .max_blocks = 2}),
      2.0f + dot));
}

}  // namespace
