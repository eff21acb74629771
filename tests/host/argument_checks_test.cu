// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host functions check before they write that buffers are apart.
#include <warpfold/host/argument_checks.cuh>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "common/refusal.hpp"

namespace {

namespace wf = warpfold;
namespace host_side = warpfold::host_side;

struct apart : testing::Test {
  int memory[10] = {};
  std::string of(const int* in, std::int64_t count, int* out, std::int64_t out_count) {
    return wf_test::refusal([&] { host_side::check_apart("f", "in", in, count, "out", out, out_count); });
  }
  std::string of_initial(const int* init, int* out, std::int64_t out_count) {
    return wf_test::refusal(
        [&] { host_side::check_initial_apart("f", "init", wf::initial<int>(init), "out", out, out_count); });
  }
};

TEST(known_memory, is_a_granule_of_the_device_or_a_page_of_the_host) {
  constexpr std::uintptr_t granule = std::uintptr_t{1} << 21, page = 4096, at = 77 * granule + 5 * page;
  host_side::known_memory known;
  EXPECT_FALSE(known.has(at));
  known.add_host(at + 8);
  EXPECT_TRUE(known.has(at) && known.has(at + page - 1));
  EXPECT_FALSE(known.has(at - 1) || known.has(at + page));
  known.add_device(at);
  EXPECT_TRUE(known.has(77 * granule) && known.has(78 * granule - 1));
  EXPECT_FALSE(known.has(77 * granule - 1) || known.has(78 * granule));
  for (std::uintptr_t other = 100; other < 1000; ++other) known.add_device(other * granule);  // others take its place
  EXPECT_FALSE(known.has(77 * granule));
  EXPECT_TRUE(known.has(999 * granule));
}

TEST(known_memory, of_the_host_can_be_read) {
  const int own = 3;
  EXPECT_TRUE(host_side::host_can_read(&own));
  EXPECT_FALSE(host_side::host_can_read(reinterpret_cast<const void*>(16)));
}

TEST_F(apart, takes_neighbours_and_empty_ranges) {
  EXPECT_EQ(of(memory, 5, memory + 5, 5), "accepted");
  EXPECT_EQ(of(memory + 5, 5, memory, 5), "accepted");
  EXPECT_EQ(of(memory, 0, memory, 10), "accepted");
  EXPECT_EQ(of(memory, 10, memory + 3, 0), "accepted");
  EXPECT_EQ(of(nullptr, 0, memory, 10), "accepted");
}

TEST_F(apart, refuses_any_item_in_common) {
  const std::string message = "warpfold::f: out lies within in";
  EXPECT_EQ(of(memory, 5, memory + 4, 5), message);
  EXPECT_EQ(of(memory + 4, 5, memory, 5), message);
  EXPECT_EQ(of(memory, 10, memory + 3, 1), message);
  EXPECT_EQ(of(memory + 3, 1, memory, 10), message);
}

TEST_F(apart, compares_bytes_of_items_of_different_sizes) {
  char* bytes = reinterpret_cast<char*>(memory);
  const auto of_bytes = [&](int first) {
    return wf_test::refusal([&] { host_side::check_apart("f", "in", memory + 0, 2, "out", bytes + first, 1); });
  };
  EXPECT_EQ(of_bytes(7), "warpfold::f: out lies within in");
  EXPECT_EQ(of_bytes(8), "accepted");
}

TEST_F(apart, refuses_an_initial_value_among_the_results) {
  EXPECT_EQ(of_initial(memory + 9, memory, 10), "warpfold::f: init lies within out");
  EXPECT_EQ(of_initial(memory, memory, 1), "warpfold::f: init lies within out");
  EXPECT_EQ(of_initial(memory + 9, memory, 9), "accepted");
  EXPECT_EQ(of_initial(nullptr, memory, 10), "accepted");
  EXPECT_EQ(
      wf_test::refusal([&] { host_side::check_initial_apart("f", "init", wf::initial<int>(3), "out", memory, 10); }),
      "accepted");
}

}  // namespace
