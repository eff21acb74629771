// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks over NCCL: a thread for each GPU of the machine. Needs two.
#include <gtest/gtest.h>

#include <warpfold/exact_plus.cuh>
#include <warpfold/ranks.cuh>
#include <warpfold/ranks/nccl.cuh>
#include <warpfold/reduce.cuh>
#include <warpfold/statistics.hpp>

#include "common/interval.hpp"
#include "common/same_bits.hpp"
#include "ranks/ranks.hpp"
#include "reduce/stream.cuh"

namespace ranks_tests {

namespace wf = warpfold;
using wf_test::device_array, wf_test::interval, wf_test::join, wf_test::same_bits;

class nccl_ranks : public testing::Test {
 protected:
  void SetUp() override {
    int count = 0;
    wf::check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
    if (count < 2) GTEST_SKIP() << "NCCL is tested on two GPUs or more; there is " << count;
    for (int r = 0; r < count; ++r) devices.push_back(r);
    comms.resize(devices.size());
    ASSERT_EQ(ncclCommInitAll(comms.data(), count, devices.data()), ncclSuccess);
  }
  void TearDown() override {
    for (const ncclComm_t each : comms) (void)ncclCommDestroy(each);
    (void)cudaSetDevice(0);
  }

  template <class T, class Op> void expect_bits(const std::vector<T>& items, Op op) {
    wf::check(cudaSetDevice(0), "cudaSetDevice");
    const device_array<T> whole(items);
    const auto expected = wf::reduce_value(whole.items(), op);
    wf_test::random_source source(items.size());
    for (int round = 0; round < 3; ++round) {
      const auto parts = random_parts(std::ssize(items), static_cast<int>(devices.size()), source);
      on_ranks(devices, [&](int r) {
        wf::nccl_ranks ranks(comms[static_cast<std::size_t>(r)]);
        const auto [first, end] = parts[static_cast<std::size_t>(r)];
        const device_array<T> in(std::vector<T>(items.begin() + first, items.begin() + end), first % 3);
        const wf_test::stream stream;
        EXPECT_TRUE(
            same_bits(wf::all_reduce_value(ranks, in.items(), {.first = first}, op, {.stream = stream}), expected));
      });
    }
  }

  std::vector<int> devices;
  std::vector<ncclComm_t> comms;
};

TEST_F(nccl_ranks, order_and_bits_are_those_of_one_call) {
  for (const std::int64_t count : {1, 5003, 3'000'017}) {
    std::vector<interval<std::int64_t>> items;
    for (std::int64_t i = 0; i < count; ++i) items.push_back(interval<std::int64_t>::of(i));
    expect_bits(items, join{});
    expect_bits(wf_test::random_items<float>(count), wf::plus{});
  }
  expect_bits(wf_test::random_items<float>(70'001), wf::exact_plus{});
  expect_bits(wf_test::random_items<float>(70'001), wf::moments<4>{});
}

TEST_F(nccl_ranks, found_parts_errors_and_graphs) {
  std::vector<std::string> said(devices.size());
  on_ranks(devices, [&](int r) {
    wf::nccl_ranks ranks(comms[static_cast<std::size_t>(r)]);
    const wf_test::stream stream;
    const device_array<float> in(std::vector<float>(1000, 1)), out(1);
    EXPECT_EQ(wf::gathered(ranks, 1000, {.stream = stream}).first, 1000 * r);
    try {
      (void)wf::all_reduce_value(ranks, in.items(), {.first = 1001 * r}, wf::plus{}, {.stream = stream});
    } catch (const std::invalid_argument& e) {
      said[static_cast<std::size_t>(r)] = e.what();
    }
    wf::all_reduce(ranks, in.items(), {.first = 1000 * r}, out, wf::plus{}, {.stream = stream});
    ranks.wait(stream);
    const float expected = 1000 * static_cast<float>(devices.size());
    EXPECT_EQ(out.value(), expected);

    wf::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
    wf::all_reduce(ranks, in.items(), {.first = 1000 * r}, out, wf::plus{}, {.stream = stream});
    cudaGraph_t graph{};
    wf::check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
    cudaGraphExec_t executable{};
    wf::check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
    wf::check(cudaMemsetAsync(out.data(), 0, sizeof(float), stream), "cudaMemsetAsync");
    for (int i = 0; i < 3; ++i) wf::check(cudaGraphLaunch(executable, stream), "cudaGraphLaunch");
    ranks.wait(stream);
    EXPECT_EQ(out.value(), expected);
    (void)cudaGraphExecDestroy(executable);
    (void)cudaGraphDestroy(graph);
  });
  for (const std::string& each : said)
    EXPECT_NE(each.find("no rank has item 1000, which follow those of rank 0"), std::string::npos) << each;
}

}  // namespace ranks_tests
