// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors that CUDA reports: the text of warpfold::cuda_error. Errors of others' calls are left to them.
#include <gtest/gtest.h>

#include <string>

#include "reduce/stream.cuh"
#include "reduce/ways.cuh"

namespace wf = warpfold;

namespace {

class cuda_errors : public testing::Test {
 protected:
  ~cuda_errors() override { (void)cudaGetLastError(); }

  static wf::cuda_error thrown_by(const std::function<void()>& call) {
    try {
      call();
    } catch (const wf::cuda_error& e) {
      return e;
    }
    throw std::logic_error("no cuda_error was thrown");
  }
};

// First of all tests: the first call asks CUDA about device and kernels, too.
TEST_F(cuda_errors, a_callers_earlier_error_is_neither_consumed_nor_blamed) {
  const wf_test::device_array<float> in(std::vector<float>(100'000, 1.0f)), out(1);
  ASSERT_EQ(cudaSetDevice(-1), cudaErrorInvalidDevice);
  for (const std::int64_t size : {0, 1000, 20'000, 100'000})
    for (const int max_blocks : {0, 1, 7}) {
      wf::reduce(in.data(), size, out.data(), {.max_blocks = max_blocks});
      EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice) << size << " items, max_blocks " << max_blocks;
    }
  EXPECT_EQ(wf::reduce_value(in.items()), 100'000.0f);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
  EXPECT_THROW(wf::reduce(in.data(), -1, out.data()), std::invalid_argument);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
}

TEST_F(cuda_errors, say_what_was_called_where) {
  const wf::cuda_error e = thrown_by([] { wf::check(cudaErrorInvalidValue, "cudaSomeCall"); });
  EXPECT_EQ(e.code(), cudaErrorInvalidValue);
  EXPECT_STREQ(e.call(), "cudaSomeCall");
  EXPECT_EQ(std::string(e.where().file_name()), __FILE__);
  const std::string message = e.what();
  for (const std::string& word : {std::string("cudaSomeCall"), std::string("cudaErrorInvalidValue"),
                                  std::string("invalid argument"), __FILE__ ":" + std::to_string(e.where().line())})
    EXPECT_NE(message.find(word), std::string::npos) << word << " is not in: " << message;
  EXPECT_NO_THROW(wf::check(cudaSuccess, "cudaSomeCall"));
}

// The exception carries the error: nobody need find it in cudaGetLastError as well.
TEST_F(cuda_errors, refused_launch) {
  const wf_test::device_array<float> in(std::vector<float>(1000, 1.0f)), out(std::vector<float>{-77.0f});
  const wf::workspace workspace;
  const wf_test::stream stream;
  wf::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
  EXPECT_NE(cudaStreamSynchronize(stream), cudaSuccess);  // spoils the capture
  (void)cudaGetLastError();
  const wf::cuda_error e =
      thrown_by([&] { wf::reduce(in.items(), out.data(), {.stream = stream, .workspace = workspace}); });
  EXPECT_EQ(e.code(), cudaErrorStreamCaptureInvalidated);
  EXPECT_STREQ(e.call(), "cudaLaunchKernelEx");
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  cudaGraph_t graph{};
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(out.value(), -77.0f);
}

TEST_F(cuda_errors, are_runtime_errors) {
  EXPECT_THROW(wf::check(cudaErrorMemoryAllocation, "cudaMalloc"), std::runtime_error);
  EXPECT_THROW((void)wf::workspace(std::size_t{1} << 50), wf::cuda_error);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

}  // namespace
