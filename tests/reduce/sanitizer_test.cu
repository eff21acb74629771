// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small case of each kernel and load path, to run under compute-sanitizer's tools.
#include <gtest/gtest.h>

#include <algorithm>
#include <warpfold/reduce_part.cuh>
#include <warpfold/top_k_operators.hpp>

#include "common/interval.hpp"
#include "ways.cuh"

namespace wf = warpfold;
using wf_test::interval, wf_test::join;

namespace {

// The same cut into blocks on every device: max_blocks decides, not the number of multiprocessors.
struct shape {
  const char* name;
  std::int64_t size;
  int max_blocks;
};

constexpr shape shapes[] = {{"a warp", 60, 0},
                            {"a block", 3001, 0},
                            {"a cluster or a wave", 9001, 2},
                            {"a cluster", 9002, 8},
                            {"a wave", 3 * 4096 - 7, 3},
                            {"shares", 30'011, 1},
                            {"shares of three blocks", 70'003, 3},
                            {"drawn shares", 80'011, 2}};

class reduce_sanitizer : public testing::TestWithParam<shape> {
 protected:
  template <class Reduce> void expect_joined(Reduce reduce) {
    const wf_test::device_array<interval<>> out(1);
    reduce(out.data());
    EXPECT_EQ(out.value(), interval<>::of(-1, GetParam().size - 1));
  }
};

TEST_P(reduce_sanitizer, aligned_and_misaligned_items) {
  for (const int offset : {0, 1}) {
    const wf_test::device_array<interval<>> in(wf_test::interval_items(GetParam().size), offset);
    expect_joined([&](interval<>* out) {
      wf::reduce(in.items(), out, join{}, {.init = interval<>::of(-1), .max_blocks = GetParam().max_blocks});
    });
  }
}

TEST_P(reduce_sanitizer, misaligned_bytes) {
  const std::vector<std::int8_t> ones(static_cast<std::size_t>(GetParam().size), 1);
  for (const int offset : {0, 1, 15}) {
    const wf_test::device_array<std::int8_t> in(ones, offset);
    const wf_test::device_array<int> out(1);
    wf::reduce(in.items(), out.data(), {.max_blocks = GetParam().max_blocks});
    EXPECT_EQ(out.value(), GetParam().size);
  }
}

// A list of the best items, in one block and in three.
TEST_P(reduce_sanitizer, best_items) {
  std::vector<int> items;
  for (std::int64_t i = 0; i < GetParam().size; ++i) items.push_back(static_cast<int>(i * 7919 % 10'007));
  const wf_test::device_array<int> in(items, 1);
  // Of known bytes, because initcheck also looks at what lies between the members.
  const wf_test::device_array<wf::best_items<int, 3>> out(std::vector<wf::best_items<int, 3>>(1));
  wf::reduce(in.items(), out.data(), wf::top_k<3>{}, {.max_blocks = GetParam().max_blocks});
  const auto best = out.value();
  EXPECT_EQ(best.item[0].value, *std::max_element(items.begin(), items.end()));
  for (const auto& item : best.item) EXPECT_EQ(items[static_cast<std::size_t>(item.index)], item.value);
}

// A part that begins within a node, in one tile, in a wave of tiles and in shares.
TEST_P(reduce_sanitizer, parts) {
  using nodes = wf::part_nodes<interval<>, join>;
  constexpr std::int64_t first = 1003;
  std::vector<interval<>> items;
  for (std::int64_t i = 0; i < GetParam().size; ++i) items.push_back(interval<>::of(first + i));
  const wf_test::device_array<interval<>> in(items, 1);
  const wf_test::device_array<nodes> out(std::vector<nodes>(1));  // places without a node are copied, too
  wf::reduce_part(in.items(), {.first = first}, out.data(), join{}, {.max_blocks = GetParam().max_blocks});
  const std::vector<nodes> found = out.to_host();
  const nodes& list = found[0];
  ASSERT_EQ(list.first(), first);
  ASSERT_EQ(list.end(), first + GetParam().size);
  std::int64_t next = first;
  for (int i = 0; i < list.size(); ++i) {
    EXPECT_EQ(list[i].first, next);
    next = list[i].last + 1;
  }
  EXPECT_EQ(next, list.end());
}

// The race detector sees their loads. It sees no loads of structs that are passed by value.
TEST(reduce_sanitizer_of_ints, in_a_cluster) {
  const wf_test::device_array<int> in(std::vector<int>(9002, 1));
  const wf_test::device_array<int> out(1);
  wf::reduce(in.items(), out.data(), {.max_blocks = 8});
  EXPECT_EQ(out.value(), 9002);
}

TEST(reduce_sanitizer_of_nothing, init) {
  const wf_test::device_array<float> out(1);
  wf::reduce(std::span<const float>{}, out.data(), {.init = 3.0f});
  EXPECT_EQ(out.value(), 3.0f);
}

INSTANTIATE_TEST_SUITE_P(shapes, reduce_sanitizer, testing::ValuesIn(shapes), [](const auto& info) {
  std::string name = info.param.name;
  for (char& c : name)
    if (c == ' ') c = '_';
  return name;
});

}  // namespace
