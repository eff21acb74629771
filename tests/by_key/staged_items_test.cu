// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A warp's items through shared memory: places without conflicts, and the right items, turn after turn in the same
// room.
#include <warpfold/by_key/staged_items.cuh>

#include <gtest/gtest.h>

#include <set>
#include <vector>
#include <warpfold/arch/shared_memory.cuh>
#include <warpfold/thread/chunk.cuh>

#include "common/device.cuh"

namespace {

namespace wf = warpfold;

template <int Vectors> void expect_places() {
  using places = wf::warp::run_places<Vectors>;
  std::set<int> all;
  for (int vector = 0; vector < 32 * Vectors; ++vector) all.insert(places::of(vector));
  EXPECT_EQ(std::ssize(all), 32 * Vectors) << Vectors << ": two in one place";
  EXPECT_EQ(*all.rbegin(), 32 * Vectors - 1);
  for (int lane = 0; lane < 32; ++lane)
    for (int k = 0; k < Vectors; ++k) {
      EXPECT_EQ(places::of_row(k, lane), places::of(k * 32 + lane));
      EXPECT_EQ(places::of_lane(lane, k), places::of(lane * Vectors + k));
    }
  // Eight lanes at a time read or write 16 bytes each, of the 128 that all banks hold.
  for (int lane = 0; lane < 32; lane += 8)
    for (int k = 0; k < Vectors; ++k) {
      std::set<int> read, written;
      for (int i = lane; i < lane + 8; ++i) {
        read.insert(places::of_lane(i, k) % 8);
        written.insert(places::of_row(k, i) % 8);
      }
      EXPECT_EQ(read.size(), 8u) << Vectors << " vectors a lane, number " << k << " of lanes from " << lane;
      EXPECT_EQ(written.size(), 8u) << Vectors << " vectors a lane, row " << k << ", lanes from " << lane;
    }
}

TEST(staged_places, have_no_conflicts) {
  expect_places<1>();
  expect_places<2>();
  expect_places<3>();
  expect_places<4>();
  expect_places<6>();
  expect_places<8>();
  expect_places<12>();
  expect_places<16>();
}

template <class T> struct taken { T items[16], before; };

/// Each turn gives every lane its items, and the one before the warp's first.
template <class T, int Items> __global__ void stage_kernel(const T* data, int turns, taken<T>* results) {
  using chunk = wf::thread::chunk<T, wf::thread::items_per_chunk(sizeof(T))>;
  constexpr int chunk_items = wf::thread::items_per_chunk(sizeof(T));
  auto& stage = wf::arch::dynamic_shared<wf::by_key::staged_items<T, Items>>();
  const int lane = static_cast<int>(threadIdx.x);
  stage.start(data, 0, false);
  for (int step = 0; step < turns; ++step) {
    wf::arch::wait_async_copies();
    __syncwarp();
    chunk chunks[Items / chunk_items];
    stage.read(chunks);
    auto& result = results[step * 32 + lane];
    result.before = step > 0 ? stage.item_before() : T{};
    __syncwarp();
    if (step + 1 < turns) stage.start(data, std::int64_t{step + 1} * 32 * Items, true);
    for (int k = 0; k < Items; ++k) result.items[k] = chunks[k / chunk_items].item(k % chunk_items);
  }
}

struct triple {
  int x, y, z;
  friend bool operator==(const triple&, const triple&) = default;
};
template <class T> T item_of(int i) {
  if constexpr (std::is_same_v<T, triple>) return {i, -i, 3 * i};
  else return static_cast<T>(i);
}

template <class T, int Items> void expect_items() {
  constexpr int turns = 5, count = turns * 32 * Items;
  std::vector<T> data;
  for (int i = 0; i < count; ++i) data.push_back(item_of<T>(i));
  const wf_test::device_array<T> in(data);
  const wf_test::device_array<taken<T>> results(std::vector<taken<T>>(turns * 32));
  wf_test::launch_and_wait(&stage_kernel<T, Items>, 1, 32, sizeof(wf::by_key::staged_items<T, Items>), in.data(), turns,
                           results.data());
  const auto found = results.to_host();
  for (int i = 0; i < count; ++i)
    ASSERT_TRUE(found[static_cast<std::size_t>(i / Items)].items[i % Items] == item_of<T>(i))
        << sizeof(T) << " bytes, item " << i;
  for (int step = 1; step < turns; ++step)
    ASSERT_TRUE(found[static_cast<std::size_t>(step * 32)].before == item_of<T>(step * 32 * Items - 1))
        << sizeof(T) << " bytes";
}

TEST(staged_items, are_each_lanes_own) {
  for (int seed = 1; seed <= (wf_test::emulated ? 5 : 1); ++seed) {
    const wf_test::schedule_seed scheduled(static_cast<std::uint64_t>(seed));
    expect_items<signed char, 16>();
    expect_items<short, 16>();
    expect_items<float, 16>();
    expect_items<double, 16>();
    expect_items<double, 8>();
    expect_items<triple, 8>();
    expect_items<triple, 16>();
  }
}

}  // namespace
