// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans by key of as many items as the kernel reads: they have the bits of the tree, and write nothing behind.
#include <gtest/gtest.h>

#include <warpfold/canonical_tree.hpp>
#include <warpfold/device_count_scan_by_key.cuh>

#include <span>
#include <string>
#include <vector>

#include "common/device.cuh"
#include "common/refusal.hpp"
#include "common/tree_hash.hpp"
#include "reduce/stream.cuh"

namespace keyed_scan_device_count_tests {

namespace wf = warpfold;
using wf_test::device_array, wf_test::hash_pair;
using hash = wf_test::tree_hash<8, 8>;

constexpr int most = 40'000;

/// Runs of all lengths.
std::vector<int> runs() {
  std::vector<int> keys;
  const std::vector<int> lengths{1, 500, 7, 9'001, 33, 2'047, 1, 1};
  for (int run = 0; std::ssize(keys) < most; ++run)
    for (int i = 0; i < lengths[static_cast<std::size_t>(run) % lengths.size()] && std::ssize(keys) < most; ++i)
      keys.push_back(run % 3);
  return keys;
}

/// The first `count` items, scanned in place: each result is the tree over its run so far. Others stay.
std::vector<hash> expected(const std::vector<int>& keys, std::vector<hash> items, std::int64_t count) {
  wf::canonical_tree::counter<hash, hash_pair> tree(hash_pair{});
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    if (i == 0 || keys[i - 1] != keys[i]) tree = wf::canonical_tree::counter<hash, hash_pair>(hash_pair{}, i);
    tree.push(items[i]);
    items[i] = tree.root();
  }
  return items;
}

TEST(scan_by_key_device_count, every_prefix_in_a_graph_whose_replays_see_other_counts) {
  const auto keys = runs();
  const auto items = wf_test::hash_items<hash>(most);
  const device_array<int> k(keys, 1);
  const device_array<unsigned> count(1);
  for (const int max_blocks : {0, 2}) {
    const device_array<hash> in_place(items, 1);
    const wf_test::graph graph([&](cudaStream_t s) {
      wf::inclusive_scan_by_key(k.data(), in_place.data(), wf::device_count(count.data(), most), in_place.data(),
                                hash_pair{}, {.stream = s, .max_blocks = max_blocks});
    });
    EXPECT_EQ(graph.nodes(), 1u);
    const wf_test::stream stream;
    for (const unsigned n : {0u, 1u, 100u, 9'000u, 39'999u, 40'000u}) {
      count.set(0, n);
      in_place.set(items);
      graph.launch(stream);
      stream.wait();
      ASSERT_EQ(in_place.to_host(), expected(keys, items, n)) << n;
    }
  }
}

TEST(scan_by_key_device_count, errors) {
  const device_array<int> keys(5), count(std::vector<int>{4});
  const device_array<hash> values(5), out(5);
  const auto scan = [&](const wf::device_count<int>& number, const auto& to) {
    return wf_test::refusal([&] { wf::inclusive_scan_by_key(keys.data(), values.data(), number, to, hash_pair{}); });
  };
  const std::string begin = "warpfold::inclusive_scan_by_key: ";
  EXPECT_EQ(scan({count.data(), 6}, std::span(out.data(), 5)), begin + "out has 5 items, fewer than the input's 6");
  EXPECT_EQ(scan({nullptr, 4}, out.data()), begin + "the device_count's pointer is null");
  EXPECT_EQ(scan({reinterpret_cast<const int*>(out.data() + 3), 4}, out.data()),
            begin + "out lies within device_count");
  EXPECT_EQ(scan({count.data(), 4}, static_cast<hash*>(nullptr)), begin + "out is a null pointer");
}

/// The other forms are calls, too. (They pass on what the form above does, and would take long to compile.)
template <class It, class Count>
constexpr bool are_calls = requires(It it, const Count& count, const wf::reduce_options<int>& options) {
  wf::exclusive_scan_by_key(it, it, count, it);
  wf::exclusive_scan_by_key(it, it, count, it, wf::plus{}, wf::equal_to{}, options);
};
static_assert(are_calls<int*, wf::device_count<long long>>);

}  // namespace keyed_scan_device_count_tests
