// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of reduce_by_key with epochs of few tiles, so that many epochs follow one another: words are used again,
// runs lie across epochs, and epochs are joined by the tree.
#include <warpfold/by_key/kernel.cuh>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>
#include <warpfold/by_key/dispatch.cuh>
#include <warpfold/canonical_tree.hpp>

#include "common/device.cuh"
#include "common/random_items.hpp"
#include "common/samples.hpp"
#include "common/tree_hash.hpp"

namespace {

namespace wf = warpfold;
using wf_test::device_array;
using hash = wf_test::tree_hash<48, 8>;  // few items per thread, so that tiles are small
using keys_source = wf::thread::pointer_source<int, 1>;
using leaves_type = wf::thread::leaves<wf::thread::pointer_source<hash, 1>, wf::thread::no_transform, hash>;

struct same {
  __device__ bool operator()(int a, int b) const { return a == b; }
};
using storage = wf::by_key::by_key_storage<keys_source, leaves_type>;

/// Keys of runs of random lengths: about `length` each, or, now and then, far longer.
std::vector<int> random_keys(std::int64_t items, std::int64_t length, wf_test::random_source& source) {
  std::vector<int> keys;
  for (int key = 0; std::ssize(keys) < items; ++key) {
    const std::int64_t own = source.below(20) == 0 ? items / 3 : 1 + source.below(2 * length);
    for (std::int64_t i = 0; i < own && std::ssize(keys) < items; ++i) keys.push_back(key);
  }
  return keys;
}

/// As the library enqueues it.
template <class Kernel, class Arguments>
void enqueue_and_wait(Kernel kernel, int blocks, int threads, std::size_t shared_bytes, const Arguments& arguments) {
  wf::host_side::enqueue(kernel, {blocks, threads, shared_bytes}, nullptr, arguments);
  wf::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

/// Items of a part, by their numbers in the whole input.
struct numbered_items {
  const hash* items;
  std::int64_t first;
  const hash& operator[](std::int64_t number) const { return items[number - first]; }
};

/// `items` items from number `first` on. `Schedule` is tile_epochs for a whole input, part_epochs for a part of one.
template <class Schedule = wf::by_key::tile_epochs>
void check(std::int64_t items, std::int64_t length, int log_epoch, int blocks, std::uint64_t seed,
           std::int64_t first = 0) {
  using outputs = wf::by_key::run_outputs<int*, hash*, int*>;
  using arguments_type =
      wf::by_key::by_key_arguments<keys_source, leaves_type, wf_test::hash_pair, same, outputs, Schedule>;
  const bool stages = seed % 2 != 0;  // whether values come through shared memory
  static_assert(storage::policy.thread_items == 2);
  const wf_test::schedule_seed scheduled(seed);
  wf_test::random_source source(seed);
  const auto keys = random_keys(items, length, source);
  const auto values = wf_test::hash_items<hash>(items);
  const auto most = static_cast<std::size_t>(items);
  const device_array<int> in_keys(keys), out_keys(std::vector<int>(most, -1)), count(1);
  const device_array<hash> in_values(values), out_values(std::vector<hash>(most, hash::of(-1)));
  const device_array<wf::by_key::by_key_control> control(1);
  const device_array<wf::by_key::carry_messages<hash>> carries(wf::by_key::epoch_carries(1 << log_epoch));
  const device_array<wf::by_key::epoch_scratch<hash>> epochs(1);
  const auto clear = [](const auto& words) {
    wf::check(cudaMemset(words.data(), 0, sizeof(*words.data()) * words.size()), "cudaMemset");
  };
  clear(control), clear(carries);
  const std::int64_t tile_items = std::int64_t{storage::policy.tile_threads} * storage::policy.thread_items;
  const std::int64_t missing = Schedule::is_part ? wf::by_key::missing_before(first, items) : 0,
                     before = missing % tile_items;
  Schedule schedule =
      wf::by_key::plan_by_key<Schedule>(blocks, missing, missing + items, storage::policy, sizeof(hash)).schedule;
  schedule.log_epoch = log_epoch;
  const arguments_type arguments{{in_keys.data() - before, before + items},
                                 {{in_values.data() - before, before + items}, {}},
                                 {},
                                 {},
                                 {out_keys.data(), out_values.data(), count.data(), items},
                                 {},
                                 schedule,
                                 {control.data(), carries.data(), epochs.data()},
                                 static_cast<int>((missing + items) / tile_items),
                                 stages};
  const auto kernel = &wf::by_key::by_key_kernel<keys_source, leaves_type, wf_test::hash_pair, same, outputs, Schedule>;
  wf::check(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(storage::bytes(true))),
      "cudaFuncSetAttribute");
  for (int call = 0; call < 2; ++call) {  // the second one with what the first one left
    enqueue_and_wait(kernel, blocks, storage::block_threads, storage::bytes(stages), arguments);
    const auto found_keys = out_keys.to_host();
    const auto found = out_values.to_host();
    std::size_t run = 0;
    for (std::int64_t begin = 0, end; begin < items; begin = end, ++run) {
      const int key = keys[static_cast<std::size_t>(begin)];
      for (end = begin + 1; end < items && keys[static_cast<std::size_t>(end)] == key;) ++end;
      ASSERT_EQ(found_keys[run], key) << "seed " << seed << ", epochs of 2^" << log_epoch;
      ASSERT_EQ(found[run], wf::canonical_tree::replay_part(numbered_items{values.data(), first}, first + begin,
                                                            first + end, wf_test::hash_pair{}))
          << "run " << run << ", items " << begin << " to " << end << ", seed " << seed << ", epochs of 2^" << log_epoch
          << ", first item " << first;
    }
    ASSERT_EQ(count.value(), static_cast<int>(run));
    const auto is_clear = [](const auto& words) {
      const auto left = words.to_host();
      return std::ranges::all_of(std::as_bytes(std::span(left)), [](std::byte byte) { return byte == std::byte{}; });
    };
    ASSERT_TRUE(is_clear(control) && is_clear(carries)) << "control words are left behind, seed " << seed;
  }
}

/// Outputs whose first ones, of epochs that did not run, are not there.
template <class T> struct far_outputs {
  T* items;
  std::int64_t first;
  __device__ T& operator[](std::ptrdiff_t run) const { return items[run - first]; }
};

// The kernel begins with the second of two epochs, as if the first one had billions of heads: more than 32 bits count.
TEST(by_key_epochs, after_billions_of_heads) {
  constexpr std::int64_t heads = 5'000'000'000, tile_items = std::int64_t{storage::policy.tile_threads} * 2;
  constexpr std::int64_t items = 4 * tile_items, first = 2 * tile_items, length = 7;
  static_assert(first % length != 0);  // a run lies across the epochs
  std::vector<int> keys;
  for (std::int64_t i = 0; i < items; ++i) keys.push_back(static_cast<int>(i / length));
  const auto values = wf_test::hash_items<hash>(items);
  constexpr std::int64_t begin = first / length * length, runs = (items - 1) / length - first / length;
  const device_array<int> in_keys(keys), out_keys(runs + 1);
  const device_array<hash> in_values(values), out_values(runs + 1);
  const device_array<std::int64_t> count(1);
  // What the first epoch leaves: its unfinished run, the number of its heads, and that it is done.
  wf::by_key::by_key_control begun{};
  begun.next_tile = 2;
  begun.finished.words[0] = 1;
  std::memcpy(begun.finished.words + 2, &heads, sizeof heads);
  wf::by_key::epoch_scratch<hash> pending{};
  pending.pending[0].runs = {
      hash::absent(), wf::canonical_tree::replay_part(values.data(), begin, first, wf_test::hash_pair{}), 1, false};
  const device_array<wf::by_key::by_key_control> control(std::span(&begun, 1));
  const device_array<wf::by_key::epoch_scratch<hash>> epochs(std::span(&pending, 1));
  const device_array<wf::by_key::carry_messages<hash>> carries(wf::by_key::epoch_carries(2));
  wf::check(cudaMemset(carries.data(), 0, sizeof(*carries.data()) * carries.size()), "cudaMemset");
  using outputs = wf::by_key::run_outputs<far_outputs<int>, far_outputs<hash>, std::int64_t*>;
  const wf::by_key::by_key_arguments<keys_source, leaves_type, wf_test::hash_pair, same, outputs> arguments{
      {in_keys.data(), items},
      {{in_values.data(), items}, {}},
      {},
      {},
      {{out_keys.data(), heads - 1}, {out_values.data(), heads - 1}, count.data(), heads + runs},
      {},
      {4, 1},
      {control.data(), carries.data(), epochs.data()},
      4,
      false};
  const auto kernel = &wf::by_key::by_key_kernel<keys_source, leaves_type, wf_test::hash_pair, same, outputs>;
  enqueue_and_wait(kernel, 2, storage::block_threads, storage::bytes(false), arguments);
  EXPECT_EQ(count.value(), heads + runs);
  const auto found = out_values.to_host();
  for (std::int64_t run = 0; run <= runs; ++run) {
    const std::int64_t from = begin + run * length, to = std::min(from + length, items);
    EXPECT_EQ(found[static_cast<std::size_t>(run)],
              wf::canonical_tree::replay_part(values.data(), from, to, wf_test::hash_pair{}))
        << "run " << run << " of " << runs;
    if (run > 0) {
      EXPECT_EQ(out_keys.value(run), static_cast<int>(from / length));
    }
  }
}

TEST(by_key_epochs, one_after_another) {
  constexpr std::int64_t items = wf_test::emulated ? 5'001 : 30'001;
  std::uint64_t seed = 1;
  for (const int log_epoch : {0, 1, 2, 4})
    for (const std::int64_t length : {3, 1000})
      for (const int blocks : {1, wf_test::emulated ? 5 : 100}) {
        if (wf_test::in_sample(static_cast<std::int64_t>(seed) - 1)) check(items, length, log_epoch, blocks, seed);
        ++seed;
      }
}

TEST(by_key_epochs, of_more_tiles_than_a_group) {
  constexpr std::int64_t items = wf_test::emulated ? 36'500 : 100'000;  // more than an epoch of two groups
  std::int64_t number = 0;
  for (const int log_epoch : {5, 6, 8})
    if (wf_test::in_sample(number++))
      check(items, 40, log_epoch, wf_test::emulated ? 4 : 100, static_cast<std::uint64_t>(log_epoch));
}

TEST(by_key_epochs, of_a_part_of_an_input) {
  constexpr std::int64_t tile_items = std::int64_t{storage::policy.tile_threads} * 2;
  wf_test::random_source source(46);
  std::uint64_t seed = 1;
  for (const int log_epoch : {0, 2, 6})
    for (const std::int64_t items :
         {std::int64_t{1}, 7 * tile_items + 5, (wf_test::emulated ? 36 : 500) * tile_items}) {
      const std::int64_t first = source.below(1 << source.below(20));
      check<wf::by_key::part_epochs>(items, 1 + source.below(50), log_epoch, 1 + static_cast<int>(source.below(5)),
                                     seed++, first);
    }
}

}  // namespace
