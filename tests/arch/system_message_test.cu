// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <warpfold/arch/system_message.cuh>

#include "common/device.cuh"

namespace system_message_tests {

namespace arch = warpfold::arch;

__global__ void send(arch::message* box, std::uint64_t* times) {
  if (blockIdx.x == 0) {
    arch::publish_to_system(box + threadIdx.x, arch::message{{7, threadIdx.x, 2 * threadIdx.x, 3 * threadIdx.x}});
    return;
  }
  const std::uint64_t start = arch::nanoseconds();
  arch::message received = arch::observe_from_system(box + threadIdx.x);
  for (; received.words[0] != 7; received = arch::observe_from_system(box + threadIdx.x)) arch::pause<20>();
  for (unsigned k = 1; k < 4; ++k)
    if (received.words[k] != k * threadIdx.x) return;
  times[threadIdx.x] = arch::nanoseconds() - start;
}

TEST(system_message, arrives_whole_and_the_clock_goes_on) {
  const wf_test::device_array<arch::message> box(std::vector<arch::message>(64));
  const wf_test::device_array<std::uint64_t> times(std::vector<std::uint64_t>(64, ~std::uint64_t{0}));
  wf_test::launch_and_wait(&send, 2, 64, 0, box.data(), times.data());
  for (const std::uint64_t time : times.to_host()) EXPECT_LT(time, 60'000'000'000u);
}

}  // namespace system_message_tests
