// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of rungs against the project's list of the sources' algorithms.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "../../examples/ladder/rungs.cuh"

namespace {

using namespace ladder;

std::vector<rung_facts> facts() {
  std::vector<rung_facts> result;
  for (const rung<float>& r : all_rungs<float>()) result.push_back(r.about);
  return result;
}

std::vector<std::string> titles_of(ladder_of source) {
  std::vector<std::string> titles;
  for (const rung_facts& about : facts())
    if (about.source == source) titles.emplace_back(about.title);
  return titles;
}

using titles = std::vector<std::string>;

TEST(ladder_table, lists_the_ten_kernels_of_003) {
  EXPECT_EQ(titles_of(ladder_of::lecture),
            (titles{"atomic global", "atomic shared", "shared (interleaved, divergent)", "anti-divergence",
                    "anti-conflicts (sequential addressing)", "dual load", "unrolled last warp",
                    "unrolled all (templated block size)", "shuffle", "multi sequential (grid stride)"}));
}

TEST(ladder_table, lists_harris_1_to_7) {
  EXPECT_EQ(titles_of(ladder_of::harris),
            (titles{"interleaved divergent", "interleaved strided", "sequential addressing", "first add during load",
                    "unroll last warp", "completely unrolled", "multiple items per thread"}));
}

TEST(ladder_table, lists_both_trees_of_001) {
  EXPECT_EQ(titles_of(ladder_of::course_note), (titles{"naive tree", "reassigned tree"}));
}

TEST(ladder_table, lists_002_scalar_and_vectorised_and_the_triple) {
  EXPECT_EQ(titles_of(ladder_of::kepler),
            (titles{"two-pass shuffle", "two-pass shuffle, vectorised", "warp atomic", "warp atomic, vectorised",
                    "block atomic", "block atomic, vectorised", "interleaved triple"}));
}

TEST(ladder_table, begins_with_one_atomic_an_item_and_ends_with_warpfold) {
  EXPECT_EQ(facts().front().name, "atomic-global");
  EXPECT_EQ(facts().back().name, "warpfold");
  EXPECT_EQ(titles_of(ladder_of::warpfold), titles{"Warpfold's default"});
}

TEST(ladder_table, names_are_unique_and_steps_go_to_earlier_rungs) {
  std::set<std::string_view> seen;
  for (const rung_facts& about : facts()) {
    EXPECT_TRUE(about.improves.empty() || seen.contains(about.improves)) << about.name;
    EXPECT_TRUE(seen.insert(about.name).second) << about.name;
  }
}

TEST(ladder_table, a_kernel_under_two_names_is_listed_under_both) {
  std::map<std::string_view, rung_facts> by_name;
  for (const rung_facts& about : facts()) by_name[about.name] = about;
  int pairs = 0;
  for (const auto& [name, about] : by_name) {
    if (about.also.empty()) continue;
    ASSERT_TRUE(by_name.contains(about.also)) << name;
    EXPECT_EQ(by_name[about.also].also, name);
    EXPECT_EQ(by_name[about.also].kernel, about.kernel);
    ++pairs;
  }
  EXPECT_EQ(pairs, 2 * 6);  // Harris 1 to 6 are 003's #3 to #8
}

// "Commutativity is needed by Harris 3 to 7, 001's reassigned tree, 002's shuffle, grid-stride and atomic kernels, 003
// from anti-conflicts on, and across blocks by every rung that ends in atomicAdd (all of 003)."
TEST(ladder_table, marks_what_needs_commutativity) {
  const std::set<std::string_view> ordered = {"naive-tree", "harris-1", "harris-2", "warpfold"};
  for (const rung<float>& r : all_rungs<float>()) {
    const rung_facts& about = r.about;
    EXPECT_EQ(about.needs == commutativity::not_needed, ordered.contains(about.name)) << about.name;
    const bool between_blocks =
        about.needs == commutativity::between_blocks || about.needs == commutativity::everywhere;
    EXPECT_TRUE(r.end != finish::atomics || between_blocks) << about.name;
  }
}

TEST(ladder_table, every_rung_can_be_launched) {
  for (const rung<double>& r : source_rungs<double>()) {
    EXPECT_NE(r.kernel, nullptr) << r.about.name;
    EXPECT_GT(r.items_a_block, 0) << r.about.name;
    EXPECT_EQ(r.about.block_threads % 32, 0) << r.about.name;
    EXPECT_LE(r.shared_items * sizeof(double), 48u * 1024) << r.about.name;
    EXPECT_EQ(r.end == finish::atomics, r.atomics_a_block > 0) << r.about.name;
  }
}

}  // namespace
