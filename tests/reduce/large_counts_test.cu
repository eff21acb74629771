// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts past 2^31 and 2^32: of items that an iterator computes, and of bytes in memory. The emulator is too slow
// for so many.
#include <gtest/gtest.h>

#include "common/interval.hpp"
#include "iterators.cuh"
#include "stream.cuh"
#include "ways.cuh"

namespace wf = warpfold;
using long_interval = wf_test::interval<std::int64_t>;

namespace {

constexpr std::int64_t two_to_31 = std::int64_t{1} << 31, two_to_32 = 2 * two_to_31;
constexpr std::int64_t counts[] = {two_to_31 - 1, two_to_31,     two_to_31 + 1, two_to_32 - 1,
                                   two_to_32,     two_to_32 + 1, 5'000'000'029};

TEST(reduce_large_counts, order_of_counted_items) {
  const wf_test::device_array<long_interval> out(1);
  for (const std::int64_t count : counts)
    for (const int max_blocks : {0, 7}) {
      wf::reduce(wf_test::counting<long_interval>{0}, count, out.data(), wf_test::join{},
                 {.init = long_interval::of(-1), .max_blocks = max_blocks});
      EXPECT_EQ(out.value(), long_interval::of(-1, count - 1)) << count << " items, max_blocks " << max_blocks;
    }
}

TEST(reduce_large_counts, sum_of_counted_items) {
  const wf_test::device_array<std::int64_t> out(1);
  for (const std::int64_t count : counts) {
    wf::reduce(wf_test::stl_counting{}, count, out.data());
    const auto n = static_cast<unsigned __int128>(count);
    EXPECT_EQ(out.value(), static_cast<std::int64_t>(n * (n - 1) / 2)) << count;
  }
}

/// Byte i is i mod 251, less 125, so any 251 bytes in a row sum to nothing: any byte lost or read twice shows.
__global__ void fill(std::int8_t* bytes, std::int64_t count) {
  for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < count;
       i += std::int64_t{gridDim.x} * blockDim.x)
    bytes[i] = static_cast<std::int8_t>(i % 251 - 125);
}

TEST(reduce_large_counts, bytes_in_memory) {
  constexpr std::int64_t most = two_to_31 + two_to_31 / 2 + 12'345;
  const wf_test::device_array<std::int8_t> bytes(most, 16);
  const wf_test::device_array<std::int64_t> out(1);
  wf_test::launch_and_wait(&fill, 1024, 256, 0, bytes.data() - 1, most + 1);
  for (const std::int64_t count : {two_to_31 - 1, two_to_31, two_to_31 + 1, most})
    for (const int offset : {-1, 0}) {        // misaligned, and not
      const std::int64_t first = offset + 1;  // of the bytes that are added, counted from where the filling began
      std::int64_t expected = 0;
      for (std::int64_t i = first; i % 251 != 0 && i < first + count; ++i) expected += i % 251 - 125;
      for (std::int64_t i = (first + count) / 251 * 251; i < first + count; ++i) expected += i % 251 - 125;
      wf::reduce(bytes.data() + offset, count, out.data(), wf::accumulate_in<std::int64_t>(wf::plus{}));
      EXPECT_EQ(out.value(), expected) << count << " bytes, " << offset << " off";
    }
}

// reduce reads what the kernel before it wrote, also where that one let its dependents start early.
__global__ void write_late(float* items, std::int64_t count) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
  const long long begin = clock64();
  while (clock64() - begin < 200'000) {}
  for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < count;
       i += std::int64_t{gridDim.x} * blockDim.x)
    items[i] = 1.0f;
}

TEST(reduce_after_programmatic_launch, waits_for_the_kernel_before) {
  const std::int64_t count = 1'000'003;
  const wf_test::device_array<float> in(count), out(1);
  const wf_test::stream stream;
  for (int round = 0; round < 20; ++round) {
    wf::check(cudaMemsetAsync(in.data(), 0, in.size() * sizeof(float), stream), "cudaMemsetAsync");
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(64);
    config.blockDim = dim3(256);
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = 1;
    wf::launch(&write_late, config, in.data(), count);
    wf::reduce(in.items(), out.data(), {.stream = stream});
    stream.wait();
    EXPECT_EQ(out.value(), static_cast<float>(count)) << "round " << round;
  }
}

}  // namespace
