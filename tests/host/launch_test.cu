// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches; how those that CUDA refuses are reported.
#include <warpfold/host/launch.cuh>

#include <gtest/gtest.h>

#include <string>

#include "common/device.cuh"

namespace {

namespace wf = warpfold;

__global__ void write_kernel(long long* out, long long value) { *out = value + blockDim.x * gridDim.x; }

cudaLaunchConfig_t config_of(unsigned blocks, unsigned threads, std::size_t shared_bytes = 0) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared_bytes;
  return config;
}

/// The code of the cuda_error that a launch throws; cudaSuccess if none.
cudaError_t code_of_launch(const cudaLaunchConfig_t& config, long long* out) {
  try {
    wf::launch(&write_kernel, config, out, 1);
    return cudaSuccess;
  } catch (const wf::cuda_error& e) {
    return e.code();
  }
}

TEST(host_launch, converts_arguments_to_the_kernels_parameters) {
  const wf_test::device_array<long long> out(1);
  const int narrow = 40;
  wf_test::launch_and_wait(&write_kernel, 1, 2, 0, out.data(), narrow);
  EXPECT_EQ(out.value(), 42);
}

TEST(host_launch, uses_the_stream) {
  cudaStream_t stream{};
  wf::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  const wf_test::device_array<long long> out(1);
  auto config = config_of(3, 1);
  config.stream = stream;
  wf::launch(&write_kernel, config, out.data(), 1);
  wf::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  EXPECT_EQ(out.value(), 4);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST(host_launch, throws_what_cuda_refuses_and_runs_nothing) {
  const wf_test::device_array<long long> out(std::vector<long long>{-1});
  EXPECT_EQ(code_of_launch(config_of(1, 2048), out.data()), cudaErrorInvalidValue);
  EXPECT_EQ(code_of_launch(config_of(0, 32), out.data()), cudaErrorInvalidValue);
  EXPECT_EQ(code_of_launch(config_of(1, 32, std::size_t{1} << 20), out.data()), cudaErrorInvalidValue);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess) << "the exception carries the error";
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(out.value(), -1);
  EXPECT_EQ(code_of_launch(config_of(1, 32), out.data()), cudaSuccess) << "nothing is left behind";
}

TEST(host_launch, is_not_blamed_for_the_callers_earlier_error_and_keeps_it) {
  const wf_test::device_array<long long> out(1);
  void* nothing = nullptr;
  ASSERT_NE(cudaMalloc(&nothing, std::size_t{1} << 60), cudaSuccess);
  EXPECT_EQ(code_of_launch(config_of(1, 1), out.data()), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
}

TEST(cuda_error, says_what_happened_and_where) {
  const wf_test::device_array<long long> out(1);
  try {
    wf::launch(&write_kernel, config_of(1, 2048), out.data(), 1);
    FAIL() << "2048 threads per block";
  } catch (const std::runtime_error& e) {
    const auto* error = dynamic_cast<const wf::cuda_error*>(&e);
    ASSERT_NE(error, nullptr);
    EXPECT_STREQ(error->call(), "cudaLaunchKernelEx");
    const std::string text = error->what();
    EXPECT_NE(text.find("cudaLaunchKernelEx: cudaErrorInvalidValue (invalid argument) at "), std::string::npos) << text;
    EXPECT_NE(text.find("launch.cuh:" + std::to_string(error->where().line())), std::string::npos) << text;
  }
}

TEST(cuda_error, names_the_callers_line) {
  const auto line = std::source_location::current().line() + 2;
  try {
    wf::check(cudaErrorMemoryAllocation, "cudaMalloc");
    FAIL() << "check let an error pass";
  } catch (const wf::cuda_error& e) {
    EXPECT_EQ(e.where().line(), line);
    EXPECT_NE(std::string(e.where().file_name()).find("launch_test.cu"), std::string::npos);
    EXPECT_EQ(e.code(), cudaErrorMemoryAllocation);
  }
  EXPECT_NO_THROW(wf::check(cudaSuccess, "cudaMalloc"));
}

TEST(reject, names_function_and_problem) {
  try {
    wf::reject("reduce", "count is -1; it must not be negative");
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "warpfold::reduce: count is -1; it must not be negative");
  }
  EXPECT_THROW(wf::reject("reduce", ""), std::invalid_argument);
}

}  // namespace
