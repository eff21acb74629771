// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans by key: every result has the association of reduce_by_key over its run up to it; the operator is not
// associative on purpose. Runs of all lengths, all sizes, all forms.
#include <gtest/gtest.h>
#include <warpfold/reduce_by_key.cuh>
#include <warpfold/scan_by_key.cuh>

#include "common/known_values.cuh"
#include "common/random_items.hpp"
#include "common/tree_hash.hpp"
#include "reduce/iterators.cuh"
#include "reduce/rejected.cuh"
#include "scan/expect_prefixes.cuh"

namespace wf = warpfold;
using wf_test::all_same_bits, wf_test::device_array, wf_test::hash_pair;
using hash = wf_test::tree_hash<8, 8>;

namespace {

/// Runs whose lengths repeat, until `count` items have keys. Neighbouring keys differ.
template <class Key> std::vector<Key> keys_of(std::int64_t count, const std::vector<std::int64_t>& lengths) {
  std::vector<Key> keys;
  for (std::int64_t run = 0; std::ssize(keys) < count; ++run)
    for (std::int64_t i = 0; i < lengths[static_cast<std::size_t>(run) % lengths.size()] && std::ssize(keys) < count;
         ++i)
      keys.push_back(static_cast<Key>(run % 3));
  return keys;
}

/// The inclusive results; with `init`, each joined to it; and, if `is_exclusive`, moved up within the run.
template <class Key, class T, class Op, class A = wf::accumulator_t<Op, T>>
std::vector<A> expected_of(const std::vector<Key>& keys, const std::vector<T>& values, Op op, const A* init = nullptr,
                           bool is_exclusive = false) {
  std::vector<A> expected;
  std::size_t begin = 0;
  wf::canonical_tree::counter<A, Op> tree(op);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i == 0 || !(keys[i - 1] == keys[i])) {
      begin = i;
      tree = wf::canonical_tree::counter<A, Op>(op, i);
    }
    const auto prefix = [&] { return init != nullptr ? op(*init, tree.root()) : tree.root(); };
    if (is_exclusive) expected.push_back(i == begin ? *init : prefix());
    tree.push(wf::detail::convert<A>(values[i]));
    if (!is_exclusive) expected.push_back(prefix());
  }
  return expected;
}

const std::vector<std::vector<std::int64_t>> all_lengths{
    {1}, {3, 1, 2}, {40}, {1, 500, 7, 33}, {1'000'000}, {9'001, 1}, {2'047, 1, 1, 2'049}};

TEST(scan_by_key, trees_of_runs_of_all_lengths) {
  for (const auto& lengths : all_lengths)
    for (const std::int64_t count : {1, 2, 33, 1'000, 4'097, 40'011}) {
      const auto keys = keys_of<int>(count, lengths);
      const auto items = wf_test::hash_items<hash>(count);
      const hash init = hash::of(-1);
      const device_array<int> k(keys);
      const device_array<hash> in(items), out(std::vector<hash>(items.size()));
      wf::inclusive_scan_by_key(k.items(), in.items(), out.data(), hash_pair{});
      EXPECT_TRUE(all_same_bits(out.to_host(), expected_of(keys, items, hash_pair{}))) << lengths[0];
      for (const int max_blocks : {0, 3}) {
        wf::inclusive_scan_by_key(k.items(), in.items(), out.data(), hash_pair{},
                                  {.init = init, .max_blocks = max_blocks});
        EXPECT_TRUE(all_same_bits(out.to_host(), expected_of(keys, items, hash_pair{}, &init))) << lengths[0];
        wf::exclusive_scan_by_key(k.items(), in.items(), out.data(), hash_pair{},
                                  {.init = init, .max_blocks = max_blocks});
        EXPECT_TRUE(all_same_bits(out.to_host(), expected_of(keys, items, hash_pair{}, &init, true))) << lengths[0];
      }
    }
}

TEST(scan_by_key, last_results_are_those_of_reduce_by_key) {
  const auto keys = keys_of<std::int64_t>(30'001, {1, 500, 7, 33, 3'000});
  const auto items = wf_test::random_items<float>(30'001);
  const device_array<std::int64_t> k(keys), out_keys(30'001), runs(1);
  const device_array<float> in(items), out(30'001), sums(30'001);
  wf::inclusive_scan_by_key(k.items(), in.items(), out.data());
  wf::reduce_by_key(k.items(), in.items(), out_keys.data(), sums.data(), runs.data());
  const auto prefixes = out.to_host(), of_runs = sums.to_host();
  std::size_t run = 0;
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (i + 1 == keys.size() || keys[i] != keys[i + 1]) {
      ASSERT_TRUE(wf_test::same_bits(prefixes[i], of_runs[run++])) << i;
    }
  EXPECT_EQ(static_cast<std::int64_t>(run), runs.value());
}

// Keys and values of different sizes, misaligned, in place.
TEST(scan_by_key, narrow_items_at_all_alignments) {
  const auto keys = keys_of<std::int8_t>(20'003, {5, 300, 1});
  const auto items = wf_test::random_items<std::int16_t>(20'003);
  std::vector<std::int16_t> expected;
  for (const int prefix : expected_of(keys, items, wf::plus{})) expected.push_back(static_cast<std::int16_t>(prefix));
  for (const std::int64_t offset : {0, 1, 2, 15}) {
    const device_array<std::int8_t> k(keys, offset);
    const device_array<std::int16_t> both(items, 15 - offset);
    wf::inclusive_scan_by_key(k.items(), both.items(), both.data());
    EXPECT_TRUE(all_same_bits(both.to_host(), expected)) << offset;
  }
}

struct same_ten {
  __host__ __device__ bool operator()(std::int64_t a, std::int64_t b) const { return a / 10 == b / 10; }
};

TEST(scan_by_key, iterators_and_equalities) {
  const device_array<std::int64_t> out(2'500);
  const wf_test::stl_counting counting{0};
  wf::exclusive_scan_by_key(counting, counting, 2'500, out.data(), wf::maximum{}, same_ten{}, {.init = -3});
  for (std::int64_t i = 0; const std::int64_t found : out.to_host()) {
    ASSERT_EQ(found, i % 10 == 0 ? -3 : i - 1) << i;
    ++i;
  }
  wf::inclusive_scan_by_key(counting, counting, 2'500, out.data(), wf::plus{});
  EXPECT_EQ(out.value(77), 77);
  const std::span<const std::int64_t> none;
  wf::inclusive_scan_by_key(none, none, out.data());
}

TEST(scan_by_key, nothing_unknown_is_touched) {
  using namespace wf_test::known_values;
  for (const std::int64_t count : {1, 33, 500, 4'099}) {
    const device_array<int> keys(keys_of<int>(count, {5, 300, 1}));
    const std::vector<marked> items(static_cast<std::size_t>(count), {1, marked::mark_of_known});
    const device_array<marked> in(items), out(items);
    wf::inclusive_scan_by_key(keys.items(), in.items(), out.data(), add_marked{});
    wf::exclusive_scan_by_key(keys.items(), in.items(), out.data(), add_marked{},
                              {.init = marked{7, marked::mark_of_known}});
    EXPECT_EQ(out.value(0).value, 7u);
  }
  EXPECT_EQ(unknown_uses_so_far(), 0u);
}

class scan_by_key_errors : public wf_test::rejected_calls {};

TEST_F(scan_by_key_errors, sizes_and_overlaps) {
  const device_array<float> in(std::vector<float>(50));
  const device_array<int> keys(std::vector<int>(50));
  expect_rejected(
      [&](cudaStream_t s) { wf::inclusive_scan_by_key(keys.items().first(49), in.items(), out(), {.stream = s}); },
      {"warpfold::inclusive_scan_by_key: ", "49", "50"});
  expect_rejected([&](cudaStream_t s) { wf::exclusive_scan_by_key(keys.data(), in.data(), -2, out(), {.stream = s}); },
                  {"warpfold::exclusive_scan_by_key: ", "count", "-2"});
  expect_rejected(
      [&](cudaStream_t s) {
        wf::inclusive_scan_by_key(keys.items(), in.items(), keys.data(), wf::maximum{}, {.stream = s});
      },
      {"warpfold::inclusive_scan_by_key: ", "out lies within keys"});
}

}  // namespace
