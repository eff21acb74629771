// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows become runs, and runs become rows, whatever the size of a unit.
#include <warpfold/warp/transpose.cuh>

#include <gtest/gtest.h>

#include <vector>
#include <warpfold/arch/shared_memory.cuh>

#include "common/device.cuh"

namespace transpose_tests {

namespace wf = warpfold;

template <class Word, int Words> struct unit { Word word[Words]; };

/// Each lane gets rows of units, all of whose words are the unit's number, and writes the numbers that it finds in runs
/// and in rows again; -1 where the words of a unit differ.
template <class Unit, int Rows> __global__ void exchange_kernel(int* runs, int* rows) {
  using exchange = wf::warp::transpose<Unit, Rows>;
  struct alignas(16) room {
    unsigned char bytes[exchange::room_bytes + 16];
  };
  auto& shared = wf::arch::dynamic_shared<room>();
  const int lane = static_cast<int>(threadIdx.x);
  Unit units[Rows], before[Rows];
  for (int r = 0; r < Rows; ++r) {
    for (auto& word : units[r].word) word = static_cast<std::decay_t<decltype(word)>>(r * 32 + lane);
    before[r] = units[r];
  }
  const auto number = [](const Unit& of) {
    for (const auto& word : of.word)
      if (word != of.word[0]) return -1;
    return static_cast<int>(of.word[0]);
  };
  exchange::to_runs(before, shared.bytes);  // then lanes write where others have read
  exchange::to_runs(units, shared.bytes);
  for (int r = 0; r < Rows; ++r) {
    const int own = number(units[r]);
    runs[lane * Rows + r] = own == number(before[r]) ? own : -1;
  }
  exchange::to_rows(units, shared.bytes);
  for (int r = 0; r < Rows; ++r) rows[r * 32 + lane] = number(units[r]);
}

template <class Unit, int Rows> void expect_exchange() {
  const wf_test::device_array<int> runs(32 * Rows), rows(32 * Rows);
  wf::launch(&exchange_kernel<Unit, Rows>,
             wf::host_side::launch_config(1, 32, wf::warp::transpose<Unit, Rows>::room_bytes + 16, nullptr),
             runs.data(), rows.data());
  const std::vector<int> in_runs = runs.to_host(), in_rows = rows.to_host();
  for (int i = 0; i < 32 * Rows; ++i) {
    ASSERT_EQ(in_runs[static_cast<std::size_t>(i)], i) << sizeof(Unit) << " bytes, " << Rows << " rows";
    ASSERT_EQ(in_rows[static_cast<std::size_t>(i)], i) << sizeof(Unit) << " bytes, " << Rows << " rows";
  }
}

TEST(transpose, gives_each_lane_its_run_and_back) {
  expect_exchange<unit<unsigned char, 1>, 4>();
  expect_exchange<unit<short, 3>, 8>();
  expect_exchange<unit<int, 1>, 1>();
  expect_exchange<unit<int, 1>, 8>();
  expect_exchange<unit<int, 3>, 4>();
  expect_exchange<unit<int, 4>, 2>();
  expect_exchange<unit<int, 4>, 8>();
  expect_exchange<unit<double, 6>, 2>();
}

}  // namespace transpose_tests
