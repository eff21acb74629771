// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every segmented composition keeps order and keeps segments apart: nothing is swapped, lost, folded twice or leaked.
// Items of 12 bytes. And the segmented strategies as callers meet them.
#include "common/interval.hpp"
#include "reduce/stream.cuh"
#include "segmented.cuh"

namespace wf_test {
namespace {

using item = interval<std::int32_t, 12>;
static_assert(sizeof(item) == 12);

/// Item i is [i, i], or, where an init of [-1, -1] stands on the left of each segment, its place within its segment.
std::vector<item> intervals(const std::vector<int>& ids, bool with_init) {
  std::vector<item> items;
  std::int64_t place = -1;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    place = with_init && i > 0 && ids[i] != ids[i - 1] ? 0 : place + 1;
    items.push_back(item::of(place));
  }
  return items;
}

template <class S> class strategies_segmented_interval : public testing::Test {};
using all_compositions = join_lists<main_segmented_compositions, more_segmented_compositions>;
TYPED_TEST_SUITE(strategies_segmented_interval, all_compositions, composition_names);

TYPED_TEST(strategies_segmented_interval, is_in_order_however_segments_lie) {
  expect_segmented_fold<TypeParam, int, item>(&intervals, item::of(-1), item::of(-5), item::of(-9), join{},
                                              equal_values{});
}

struct strategies_segmented_host : testing::Test {
  using passes = in_passes<seg::tree<32>>;
  using last = to_last<seg::tree<64>>;
  static constexpr int count = 5000;

  const segmentation<int> cut = segmentation<int>::of(
      count, [] { return 70; }, [] { return 1; });
  const device_array<item> in{intervals(cut.ids, false)};
  const device_array<int> ids{cut.ids};
  const device_array<item> memory{std::vector<item>(static_cast<std::size_t>(cut.segments), item::poison())};
  const std::span<item> out{memory.data(), memory.size()};

  void expect_folded(const item& empty) const {
    const auto actual = memory.to_host();
    const auto expected = fold_segments(intervals(cut.ids, false), cut, join{}, std::optional<item>(), empty);
    for (std::size_t s = 0; s < expected.size(); ++s) ASSERT_EQ(actual[s], expected[s]) << "segment " << s;
  }
  void expect_untouched() const {
    for (const item& i : memory.to_host()) ASSERT_TRUE(i.is_poison());
  }
  template <class S> void expect_refused(const char* words, const wf::segmented_options<item>& options) const {
    try {
      wf::segmented_reduce<S>(in.items(), wf::owners{ids.items()}, out, join{}, options);
      FAIL() << "accepted";
    } catch (const std::invalid_argument& refused) {
      EXPECT_NE(std::string(refused.what()).find(words), std::string::npos) << refused.what();
    }
    expect_untouched();
  }
};

TEST_F(strategies_segmented_host, refuses_what_it_cannot_do_and_writes_nothing) {
  expect_refused<last>("the operator has no identity", {});
  expect_refused<last>("max_blocks is -1", {.empty = item::of(0), .max_blocks = -1});
  expect_refused<passes>("grid::multi_pass has a block for each", {.empty = item::of(0), .max_blocks = 1});
  const device_array<std::byte> bytes(256);
  const auto few = wf::workspace_ref::from_initialized({bytes.data(), bytes.size()});
  expect_refused<last>("workspace has 256 bytes", {.empty = item::of(0), .workspace = few});
  expect_refused<passes>("workspace has 256 bytes", {.empty = item::of(0), .workspace = few});
}

TEST_F(strategies_segmented_host, uses_callers_scratch) {
  const auto expect = [&]<class S>(std::type_identity<S>) {
    const device_array<std::byte> bytes(static_cast<std::int64_t>(wf::workspace_bytes<S, item>(count)));
    const wf::workspace_ref scratch = wf::initialize_workspace({bytes.data(), bytes.size()});
    for (const int empty : {7, 8}) {
      wf::segmented_reduce<S>(in.items(), wf::owners{ids.items()}, out, join{},
                              {.empty = item::of(empty), .workspace = scratch});
      expect_folded(item::of(empty));
    }
  };
  expect(std::type_identity<passes>{});
  expect(std::type_identity<last>{});
}

TEST_F(strategies_segmented_host, reads_init_and_empty_from_device_memory) {
  const device_array<item> values(std::vector<item>{item::of(-1), item::of(3)});
  const auto cut_once = segmentation<int>::of(
      count, [] { return count; }, [] { return 1; });
  const device_array<int> owners(cut_once.ids);
  const item *init = values.data(), *empty = values.data() + 1;
  wf::segmented_reduce<last>(in.items(), wf::owners{owners.items()}, out.first(3), join{},
                             {.init = init, .empty = empty});
  EXPECT_EQ(memory.value(0), item::of(3));
  EXPECT_EQ(memory.value(1), item::of(-1, count - 1));
  EXPECT_EQ(memory.value(2), item::of(3));
  EXPECT_TRUE(memory.value(3).is_poison());
}

TEST_F(strategies_segmented_host, of_nothing_writes_empty_segments) {
  const std::span<const item> nothing;
  wf::segmented_reduce<last>(nothing, wf::owners{std::span<const int>()}, out.first(2), join{}, {.init = item::of(4)});
  wf::segmented_reduce<passes>(nothing, wf::owners{std::span<const int>()}, out.first(0), join{},
                               {.init = item::of(5)});
  EXPECT_EQ(memory.value(0), item::of(4));
  EXPECT_EQ(memory.value(1), item::of(4));
  EXPECT_TRUE(memory.value(2).is_poison());
}

TEST_F(strategies_segmented_host, can_be_captured) {
  const auto expect = [&]<class S>(std::type_identity<S>) {
    const graph recorded([&](cudaStream_t stream) {
      wf::segmented_reduce<S>(in.items(), wf::owners{ids.items()}, out, join{},
                              {.stream = stream, .empty = item::of(2)});
    });
    const auto launches = wf::facts_of<S, item, join>(count).launches;
    EXPECT_EQ(recorded.nodes(), static_cast<std::size_t>(launches));
    const stream own;
    for (int replay = 0; replay < 2; ++replay) {
      recorded.launch(own);
      own.wait();
      expect_folded(item::of(2));
    }
  };
  expect(std::type_identity<passes>{});
  expect(std::type_identity<last>{});
}

#if !defined(__CUDACC__) && WARPFOLD_CHECKS
TEST_F(strategies_segmented_host, finds_owners_that_descend_or_lie_outside) {
  device_array<int> owners(cut.ids);
  for (const int wrong : {-1, 0, static_cast<int>(cut.segments)}) {
    owners.set(3000, wrong);
    const auto reduce = [&] {
      wf::segmented_reduce<last>(in.items(), wf::owners{owners.items()}, out, join{}, {.empty = item::of(0)});
    };
    EXPECT_THROW(reduce(), cuda_emulator::error) << wrong;
    owners.set(3000, cut.ids[3000]);
    reduce();
    expect_folded(item::of(0));
  }
}
#endif

}  // namespace
}  // namespace wf_test
