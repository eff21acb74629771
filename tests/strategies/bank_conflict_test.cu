// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No bank conflicts, by the rule of the hardware: of the lanes that are served together, no two touch different rows of
// one bank. Computed on the CPU, from the addresses that the algorithms use.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <warpfold/thread/chunk.cuh>
#include <warpfold_strategies/matrix_scan.cuh>
#include <warpfold_strategies/scan_conflicts.hpp>
#include <warpfold_strategies/slots.cuh>
#include <warpfold_strategies/up_down_sweep.cuh>

namespace wf_test {
namespace {

template <int Bytes> struct sized { unsigned char byte[Bytes]; };

/// The most rows that one bank serves at once if lane i accesses the slot slot_of(i); no access if that is negative.
template <class A> int conflicts(const std::function<int(int)>& slot_of) {
  using namespace warpfold::block;
  constexpr int served = 128 / access_bytes<A>;  // lanes at a time
  int most = 1;
  for (int offset = 0; offset < item_bytes<A>; offset += access_bytes<A>)
    for (int begin = 0; begin < 32; begin += served) {
      std::map<int, std::set<int>> rows_of_bank;
      for (int lane = begin; lane < begin + served; ++lane) {
        if (slot_of(lane) < 0) continue;
        const int unit = (slot_of(lane) * slot_bytes<A> + offset) / access_bytes<A>;
        rows_of_bank[unit % served].insert(unit / served);
      }
      for (const auto& [bank, rows] : rows_of_bank) most = std::max(most, static_cast<int>(rows.size()));
    }
  return most;
}

template <class A> class strategies_bank_conflicts : public testing::Test {};
using sizes = testing::Types<sized<1>, sized<2>, sized<4>, sized<8>, sized<12>, sized<16>, sized<20>, sized<24>,
                             sized<32>, sized<40>, sized<48>, sized<64>, sized<96>>;
TYPED_TEST_SUITE(strategies_bank_conflicts, sizes);

TYPED_TEST(strategies_bank_conflicts, a_tree_reads_and_writes_without) {
  constexpr int items = 2048;
  using slots = warpfold::block::tree_slots<TypeParam, items>;
  for (int stride = 1; stride < items; stride *= 2)
    for (int warp = 0; warp < items / stride / 64 + 1; ++warp)
      for (const int operand : {0, stride})
        EXPECT_EQ(conflicts<TypeParam>([&](int lane) {
                    const int item = 2 * stride * (warp * 32 + lane) + operand;
                    return item < items ? slots::index(item) : -1;
                  }),
                  1)
            << "stride " << stride << ", warp " << warp;
}

TYPED_TEST(strategies_bank_conflicts, data_warps_read_without) {
  using slots = warpfold::block::tree_slots<TypeParam, 1024>;
  for (int first = 0; first < 1024; first += 32)
    for (int distance = 1; distance < 32; distance *= 2)
      EXPECT_EQ(conflicts<TypeParam>(
                    [&](int lane) { return lane % (2 * distance) == 0 ? slots::index(first + lane + distance) : -1; }),
                1);
}

TYPED_TEST(strategies_bank_conflicts, a_matrix_reads_its_columns_without) {
  using square = warpfold::block::matrix_slots<TypeParam, 32, 32>;
  using narrow = warpfold::block::matrix_slots<TypeParam, 32, 16>;
  using odd = warpfold::block::matrix_slots<TypeParam, 32, 9>;
  for (int column = 0; column < 32; ++column) {
    EXPECT_EQ(conflicts<TypeParam>([&](int lane) { return square::index(lane, column); }), 1);
    EXPECT_EQ(conflicts<TypeParam>([&](int lane) { return narrow::index(lane, column % 16); }), 1);
    EXPECT_EQ(conflicts<TypeParam>([&](int lane) { return odd::index(lane, column % 9); }), 1);
  }
}

TYPED_TEST(strategies_bank_conflicts, the_loader_stores_chunks_without) {
  constexpr int chunk_items = warpfold::thread::items_per_chunk(sizeof(TypeParam));
  using tree = warpfold::block::tree_slots<TypeParam, 1024>;
  using matrix = warpfold::block::matrix_slots<TypeParam, 32, 32>;
  for (int first = 0; first < 1024; first += 32 * chunk_items)
    for (int k = 0; k < chunk_items; ++k) {
      const auto item = [&](int lane) { return first + lane * chunk_items + k; };
      EXPECT_EQ(conflicts<TypeParam>([&](int lane) { return item(lane) < 1024 ? tree::index(item(lane)) : -1; }), 1);
      EXPECT_EQ(conflicts<TypeParam>(
                    [&](int lane) { return item(lane) < 1024 ? matrix::index(item(lane) / 32, item(lane) % 32) : -1; }),
                1);
    }
}

TYPED_TEST(strategies_bank_conflicts, scans_have_none_or_few) {
  using namespace warpfold::block;
  const auto conflicts_in = [](auto algorithm) {
    return warpfold::strategies::conflicts_of<decltype(algorithm), TypeParam>().conflicts;
  };
  EXPECT_EQ(conflicts_in(hillis_steele<256>{}), 0);
  EXPECT_EQ(conflicts_in(matrix_scan<32, 32, 256>{}), 0);
  EXPECT_LE(15 * conflicts_in(up_down_sweep<padding::spare_slots, 256>{}),
            conflicts_in(up_down_sweep<padding::none, 256>{}));
}

/// The counter finds what `conflicts` above finds, for any stride.
TYPED_TEST(strategies_bank_conflicts, are_counted_alike) {
  using namespace warpfold::block;
  constexpr int accesses = item_bytes<TypeParam> / access_bytes<TypeParam>, turns = 32 / bank_slots<TypeParam>;
  for (int stride = 0; stride < 70; ++stride) {
    const auto slot_of = [=](int lane) { return stride * lane; };
    warpfold::strategies::shared_accesses sum;
    warpfold::strategies::add_access<TypeParam>(sum, slot_of);
    // In each turn and access, a stride puts this many lanes in one bank.
    EXPECT_EQ(sum.wavefronts, conflicts<TypeParam>(slot_of) * accesses * turns) << "stride " << stride;
    EXPECT_EQ(sum.conflicts, sum.wavefronts - accesses * turns) << "stride " << stride;
  }
}

/// At stride s a warp's lanes are 2 s words apart: of 32 banks, 32 / (2 s) are used, but at least one.
TEST(strategies_bank_conflicts_of_the_sources, an_unpadded_sweep_meets_in_banks) {
  using namespace warpfold::block;
  constexpr int items = 512;
  std::int64_t expected = 0;
  const auto add_step = [&](int stride, int pairs) {
    for (; pairs > 0; pairs -= 32) {
      const int lanes = std::min(pairs, 32), banks = std::max(32 / (2 * stride), 1);
      expected += 3 * ((lanes + banks - 1) / banks - 1);  // two loads and a store
    }
  };
  for (int stride = 1; stride < items; stride *= 2) add_step(stride, items / (2 * stride));
  for (int stride = items / 2; stride > 0; stride /= 2) add_step(stride, items / (2 * stride) - 1);
  const auto counted = warpfold::strategies::conflicts_of<up_down_sweep<padding::none, items / 2>, sized<4>>();
  EXPECT_EQ(counted.conflicts, expected);
  // With padding: the load of the left items of each warp but the first, on the way down.
  expected = 0;
  for (int stride = 1; stride < items / 64; stride *= 2) expected += items / (64 * stride) - 1;
  using padded = up_down_sweep<padding::spare_slots, items / 2>;
  EXPECT_EQ((warpfold::strategies::conflicts_of<padded, sized<4>>().conflicts), expected);
  EXPECT_EQ((warpfold::strategies::conflicts_of<hillis_steele<256>, sized<4>>().wavefronts), 8 * 8 * 3 - 4 - 2 - 1);
}

TEST(strategies_bank_conflicts_of_the_sources, one_spare_word_is_for_four_bytes_only) {
  const auto padded_by_a_word = [](int item) { return [item](int lane) { return lane * 33 + item; }; };
  EXPECT_EQ(conflicts<sized<4>>(padded_by_a_word(5)), 1);
  // Rows of 32 items of 8 bytes and one word: lane i is at 65 i words; its neighbour half a warp away shares its bank.
  std::map<int, std::set<int>> rows_of_bank;
  for (int lane = 0; lane < 16; ++lane)
    for (int word = 0; word < 2; ++word) rows_of_bank[(lane * 65 + word) % 32].insert((lane * 65 + word) / 32);
  EXPECT_TRUE(std::ranges::any_of(rows_of_bank, [](const auto& bank) { return bank.second.size() > 1; }));
}

}  // namespace
}  // namespace wf_test
