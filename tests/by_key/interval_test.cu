// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interval monoid through every distribution of lengths: it shows any leak between runs, loss, duplicate or
// reorder.
#include <gtest/gtest.h>
#include <algorithm>

#include "by_key/ways.cuh"
#include "common/interval.hpp"
#include "common/samples.hpp"
#include "reduce/iterators.cuh"

namespace wf = warpfold;
using wf_test::by_key_way, wf_test::device_array, wf_test::layout, wf_test::lengths;
using interval = wf_test::interval<>;
using wide = wf_test::interval<std::int32_t, 40>;
using narrow = wf_test::interval<std::int16_t>;

namespace {

constexpr std::int64_t many = wf_test::emulated ? 18'000 : 200'000;

template <class K, class A>
constexpr std::int64_t tile_items = [] {
  constexpr auto policy = wf::by_key::kernel_policy_for(sizeof(K), sizeof(A), sizeof(A));
  return std::int64_t{policy.tile_threads} * policy.thread_items;
}();

/// Each item is its place in its run, so that an init of [-1, -1] fits all runs; or its place in the input, so that no
/// item of one run fits another.
template <class T> std::vector<T> items_of(const layout& runs, bool from_run) {
  std::vector<T> items;
  for (std::size_t s = 0; s < runs.begins.size(); ++s)
    for (std::int64_t i = runs.begins[s]; i < runs.ends[s]; ++i)
      items.push_back(T::of(i - (from_run ? runs.begins[s] : 0)));
  return items;
}

template <class K, class T> wf_test::run_list<K, T> joined(const layout& runs, bool from_run) {
  wf_test::run_list<K, T> result;
  for (std::size_t s = 0; s < runs.begins.size(); ++s) {
    const std::int64_t first = from_run ? 0 : runs.begins[s];
    result.keys.push_back(static_cast<K>(s % 3));
    result.values.push_back(T::of(first, first + runs.ends[s] - runs.begins[s] - 1));
  }
  return result;
}

template <class K, class T> void expect_joined(const layout& where, const by_key_way& way) {
  const layout runs = wf_test::runs_of(where);
  const bool from_run = way.init != wf_test::from::nothing;
  const device_array<K> keys(wf_test::keys_of<K>(runs), way.keys_off);
  const device_array<T> values(items_of<T>(runs, from_run), way.values_off);
  const auto reduce = [&](auto out_keys, auto out_values, auto out_count, const auto& options) {
    wf::reduce_by_key(keys.items(), values.items(), out_keys, out_values, out_count, wf_test::join{}, options);
  };
  EXPECT_TRUE(wf_test::gives_runs(way, joined<K, T>(runs, from_run), T::of(-1), wf_test::join{}, reduce)) << runs;
}

// Ways take turns, beginning with number `turn`.
template <class K, class T> void expect_all_joined(const std::vector<layout>& all, std::int64_t step) {
  for (const layout& where : all)
    for (std::int64_t i = wf_test::share_of(3); i > 0; --i) expect_joined<K, T>(where, wf_test::by_key_way_of(step++));
}

// 256: a warp takes this many of them.
TEST(reduce_by_key_interval, all_distributions) {
  expect_all_joined<int, interval>(wf_test::distributions(256, many, 100), 0);
}

TEST(reduce_by_key_interval, all_distributions_of_40_bytes) {
  expect_all_joined<int, wide>(wf_test::distributions(64, many / 4, 100), 1);
}

/// Inputs and runs that end at, before and after the ends of tiles, and of pairs of them.
std::vector<layout> around_tiles(std::int64_t tile) {
  std::vector<layout> result;
  for (const std::int64_t unit : {tile / 2, tile, 2 * tile, 3 * tile})
    for (const std::int64_t off : {-1, 0, 1}) {
      const std::int64_t count = unit + off;
      const std::string name = std::to_string(count) + " of tiles of " + std::to_string(tile);
      result.emplace_back("one of " + name, lengths{count});
      result.emplace_back("all alone, " + name, lengths(static_cast<std::size_t>(count), 1));
      result.emplace_back("first alone, " + name, lengths{1, count - 1});
      result.emplace_back("last alone, " + name, lengths{count - 1, 1});
      result.emplace_back("then two, " + name, lengths{count, 2, tile - 2, 1, 1, tile});
    }
  return result;
}

TEST(reduce_by_key_interval, around_tiles) {
  static_assert(tile_items<std::uint8_t, narrow> == 4096 && tile_items<int, wide> == 512);
  expect_all_joined<std::uint8_t, narrow>(around_tiles(4096), 0);
  expect_all_joined<int, interval>(around_tiles(tile_items<int, interval>), 1);
  expect_all_joined<int, wide>(around_tiles(512), 2);
}

// More tiles than a warp joins at once, twice over, and runs across all kinds of borders, under many schedules.
TEST(reduce_by_key_interval, many_tiles_under_many_schedules_and_grids) {
  constexpr std::int64_t tile = tile_items<int, wide>;
  lengths of_runs{3, 33 * tile, 1, 32 * tile - 1, 700, 1, 1, 5 * tile};
  for (const std::int64_t length : wf_test::power_law(200, tile)) of_runs.push_back(length + 1);
  if (!wf_test::emulated) of_runs.insert(of_runs.end(), {1100 * tile, 1, 1, 1200 * tile + 17});
  const layout where("many tiles", of_runs);
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(wf_test::share_of(wf_test::emulated ? 3 : 1)); ++seed)
    for (const int max_blocks : {1, 2, 3, 7, 0})
      expect_joined<int, wide>(where, {.max_blocks = max_blocks, .own_workspace = true, .spare = 3, .seed = seed});
}

// Large keys make small tiles, and so more tiles than words for them: the words are used epoch after epoch.
struct large_key {
  std::int64_t id, more[37];

  __host__ __device__ static large_key of(std::int64_t id) { return {id, {3 * id}}; }
  friend std::ostream& operator<<(std::ostream& out, const large_key& k) { return out << k.id << ' ' << k.more[0]; }
};
struct same_id {
  __host__ __device__ bool operator()(const large_key& a, const large_key& b) const { return a.id == b.id; }
};
struct large_keys {
  using value_type = large_key;
  using difference_type = std::int64_t;
  std::int64_t length;

  __host__ __device__ large_key operator[](std::int64_t i) const { return large_key::of(i / length); }
};

TEST(reduce_by_key_interval, several_epochs_of_tiles) {
  using forty = wf_test::interval<std::int32_t, 40>;
  constexpr std::int64_t tile = tile_items<large_key, forty>, epoch = tile * wf::by_key::epoch_tiles(sizeof(forty));
  static_assert(tile == 32 && epoch == 1 << 18);
  const auto expect_epochs_joined = [](std::int64_t count, std::int64_t length, int max_blocks) {
    wf_test::run_list<large_key, forty> expected;
    for (std::int64_t begin = 0; begin < count; begin += length) {
      expected.keys.push_back(large_key::of(begin / length));
      expected.values.push_back(forty::of(begin, std::min(begin + length, count) - 1));
    }
    const auto reduce = [&](auto out_keys, auto out_values, auto out_count, const auto& options) {
      wf::reduce_by_key(large_keys{length}, wf_test::counting<forty>{0}, count, out_keys, out_values, out_count,
                        wf_test::join{}, same_id{}, options);
    };
    const by_key_way way{.max_blocks = max_blocks, .own_workspace = true, .spare = 1};
    EXPECT_TRUE(wf_test::gives_runs(way, expected, {}, wf_test::join{}, reduce))
        << count << " items in runs of " << length;
  };
  expect_epochs_joined(epoch + 3210, 1000, 2);
  if (wf_test::emulated) return;  // an epoch takes seconds
  for (const std::int64_t count : {epoch, epoch + 1, 2 * epoch, 7 * epoch + 12'345})
    for (const std::int64_t length : {std::int64_t{37}, epoch / 2, epoch, epoch + 1, 2 * epoch, 9 * epoch})
      for (const int max_blocks : {0, 3}) expect_epochs_joined(count, length, max_blocks);
}

}  // namespace
