// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call is refused well if nothing else happens.
#pragma once
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "stream.cuh"
#include "ways.cuh"

namespace wf_test {

/// Whether kernels may read memory from new and std::vector, as on some systems. There calls rightly take host memory,
/// and the tests that they refuse it have nothing to test. In the emulator kernels may not, so these tests run there.
inline bool device_reaches_host_memory() {
  int reaches = 0;
  warpfold::check(cudaDeviceGetAttribute(&reaches, cudaDevAttrPageableMemoryAccess, 0), "cudaDeviceGetAttribute");
  return reaches != 0;
}

class rejected_calls : public testing::Test {
 protected:
  /// call(stream) throws std::invalid_argument whose text has all of `words`, and does nothing else: nothing is
  /// enqueued on the stream (it is being captured), no output is written, no CUDA error remains.
  template <class Call> void expect_rejected(Call call, const std::vector<std::string>& words) {
    std::string message;
    const graph recorded([&](cudaStream_t stream) {
      try {
        call(stream);
      } catch (const std::invalid_argument& e) {
        message = e.what();
      }
    });
    EXPECT_NE(message, "") << "std::invalid_argument was not thrown";
    for (const std::string& word : words)
      EXPECT_NE(message.find(word), std::string::npos) << word << " is not in: " << message;
    EXPECT_EQ(recorded.nodes(), 0u) << message;
    EXPECT_EQ(out_value(), untouched) << message;
    EXPECT_EQ(int64_out_.value(), -77) << message;
    EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess) << message;
  }

  float* out() const { return out_.data(); }
  float out_value() const { return out_.value(); }
  std::int64_t* int64_out() const { return int64_out_.data(); }

 private:
  static constexpr float untouched = -77;
  device_array<float> out_{std::vector<float>{untouched}};
  device_array<std::int64_t> int64_out_{std::vector<std::int64_t>{-77}};
};

}  // namespace wf_test
