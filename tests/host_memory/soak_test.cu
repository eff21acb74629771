// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many reductions of host memory, of which some throw: nothing is lost, leaked or left pending. And a mapped file that is
// larger than all buffers.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <warpfold/accumulation.cuh>
#include <warpfold/host_memory_segments.cuh>

#include "common/pinned_array.cuh"
#include "common/random_items.hpp"

namespace host_memory_soak_tests {

namespace wf = warpfold;

struct refused : std::runtime_error {
  refused() : std::runtime_error("the generator gives up") {}
};

int threads_of_process() {
  return static_cast<int>(std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}));
}
std::size_t free_device_bytes() {
  std::size_t free = 0, all = 0;
  wf::check(cudaMemGetInfo(&free, &all), "cudaMemGetInfo");
  return free;
}

/// WARPFOLD_SOAK_CALLS in the environment says how many calls, instead of a few.
int calls() {
  const char* const given = std::getenv("WARPFOLD_SOAK_CALLS");
  return given != nullptr ? std::atoi(given) : 400;
}

TEST(host_memory_soak, leaves_nothing_behind) {
  wf_test::random_source random(3);
  const int all = calls(), warm_up = all / 4;
  std::size_t free_bytes = 0;
  int threads = 0;
  wf::accumulation<std::int64_t> sums;
  std::int64_t pushed = 0;
  for (int call = 0; call < all; ++call) {
    if (call == warm_up) free_bytes = free_device_bytes(), threads = threads_of_process();
    const auto count = static_cast<std::int64_t>(random.below(3000)) + 1;
    const auto bad = static_cast<std::int64_t>(random.below(static_cast<int>(4 * count)));  // often none of them
    std::int64_t expected = 0;
    for (std::int64_t i = 0; i < count; ++i) expected += i % 97 - call;
    const auto items = wf::chunks<std::int64_t>(count, [=](std::int64_t first, std::span<std::int64_t> to) {
      for (std::int64_t& item : to) {
        if (first == bad) throw refused();
        item = first++ % 97 - call;
      }
    });
    wf::host_options<std::int64_t> options;
    options.chunk_bytes = 512u << random.below(4);
    options.buffers = 1 + static_cast<int>(random.below(3)), options.threads = 1 + static_cast<int>(random.below(3));
    try {
      ASSERT_EQ(wf::reduce_value(items, wf::plus{}, options), expected);
      ASSERT_GE(bad, count);
    } catch (const refused&) {
      ASSERT_LT(bad, count);
    }
    try {
      sums.push(items);
      pushed += expected;
    } catch (const refused&) {
      ASSERT_LT(bad, count);
    }
  }
  EXPECT_EQ(sums.items() > 0 ? sums.value() : 0, pushed);
  EXPECT_EQ(threads_of_process(), threads);
  EXPECT_GE(free_device_bytes(), free_bytes);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

// Items are on their way to the device when wrong offsets are found.
TEST(host_memory_soak, refused_segments_leave_nothing_behind) {
  wf_test::random_source random(5);
  const int all = calls(), warm_up = all / 4;
  std::size_t free_bytes = 0;
  int threads = 0;
  const wf_test::pinned_array<int> items(std::vector<int>(20'000, 1));
  for (int call = 0; call < all; ++call) {
    if (call == warm_up) free_bytes = free_device_bytes(), threads = threads_of_process();
    std::vector<int> offsets{0};
    while (offsets.size() < 60) offsets.push_back(std::min<int>(offsets.back() + random.below(700), 20'000));
    const bool is_wrong = random.below(3) == 0;
    if (is_wrong) offsets[1 + static_cast<std::size_t>(random.below(59))] = 20'001 + random.below(1000);
    std::vector<int> sums(59, -1), expected(59);
    for (std::size_t s = 0; s < sums.size(); ++s) expected[s] = offsets[s + 1] - offsets[s];
    wf::host_segmented_options<int> options;
    options.chunk_bytes = 4096u << random.below(4);
    options.buffers = 1 + static_cast<int>(random.below(3)), options.threads = 1 + static_cast<int>(random.below(3));
    try {
      wf::segmented_reduce(items.input(), offsets, sums, options);
      ASSERT_FALSE(is_wrong);
      ASSERT_EQ(sums, expected);
    } catch (const std::invalid_argument&) {
      ASSERT_TRUE(is_wrong);
      ASSERT_EQ(sums, std::vector<int>(59, -1));
    }
  }
  EXPECT_EQ(threads_of_process(), threads);
  EXPECT_GE(free_device_bytes(), free_bytes);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST(host_memory_soak, a_mapped_file_larger_than_all_buffers) {
  constexpr std::int64_t count = 200'000;
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("warpfold_soak_" + std::to_string(getpid()));
  std::int64_t expected = 0;
  {
    std::ofstream file(path, std::ios::binary);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t item = i * i % 10'007 - 5000;
      expected += item;
      file.write(reinterpret_cast<const char*>(&item), sizeof item);
    }
  }
  const int descriptor = open(path.c_str(), O_RDONLY);
  ASSERT_GE(descriptor, 0);
  void* const mapped = mmap(nullptr, count * sizeof(std::int64_t), PROT_READ, MAP_PRIVATE, descriptor, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  wf::host_options<std::int64_t> options;
  options.chunk_bytes = 1 << 14;
  EXPECT_EQ(wf::reduce_value(wf::host(static_cast<const std::int64_t*>(mapped), count), wf::plus{}, options), expected);
  (void)munmap(mapped, count * sizeof(std::int64_t));
  (void)close(descriptor);
  std::filesystem::remove(path);
}

}  // namespace host_memory_soak_tests
