// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random runs, data, alignments, grids, room and schedules, against the canonical tree over all items, in which only
// the items of a run exist. The operator is not even associative: any other tree shows, and so does any item too many
// or too few.
#include <gtest/gtest.h>

#include "by_key/ways.cuh"
#include "common/random_cases.hpp"
#include "common/tree_hash.hpp"
#include "reduce/iterators.cuh"

namespace wf = warpfold;
using wf_test::device_array, wf_test::layout, wf_test::random_source;
using hash = wf_test::tree_hash<8, 8>;
using twelve = wf_test::tree_hash<12, 4>;

namespace {

/// Runs of one random kind of lengths. key_of(run, random bits) makes the key of an item.
template <class Hash, class Key> struct random_case {
  wf_test::by_key_way way;
  layout runs{"", {}};
  std::vector<Key> keys;
  std::vector<Hash> items;

  template <class KeyOf>
  random_case(random_source& source, KeyOf key_of) : way(wf_test::by_key_way_of(source.below(10'000))) {
    const std::int64_t most = std::int64_t{10} << source.below(wf_test::emulated ? 12 : 16);
    runs = wf_test::runs_of(layout("", wf_test::random_lengths(source, most)));
    if (source.below(5) == 0) way.spare = -1 - source.below(runs.segments() + 1);
    for (std::int64_t s = 0; s < runs.segments(); ++s)
      for (std::int64_t i = 0; i < runs.length(s); ++i) {
        keys.push_back(key_of(s, source()));
        items.push_back(Hash::of(static_cast<std::int64_t>(source() >> 2)));
      }
  }

  template <class Equal, class Call> testing::AssertionResult check(Equal equal, Call call) const {
    const wf_test::hash_pair op{};
    const auto expected = wf_test::canonical_runs(keys, items, op, equal);
    const auto result =
        wf_test::gives_runs(way, expected, Hash::of(-1), op, [&](auto... arguments) { call(op, arguments...); });
    return result ? result : testing::AssertionFailure() << result.message() << ", " << runs;
  }
};

TEST(reduce_by_key_random, keys_of_4_bytes_and_12_bytes) {
  wf_test::for_all_seeds([](std::uint64_t, random_source& source) {
    const random_case<twelve, int> c(source,
                                     [](std::int64_t run, std::uint64_t) { return static_cast<int>(run % 2) - 1; });
    const device_array<int> keys(c.keys, c.way.keys_off);
    const device_array<twelve> values(c.items, c.way.values_off);
    return c.check(std::equal_to{}, [&](auto op, auto out_keys, auto out_values, auto out_count, const auto& options) {
      wf::reduce_by_key(keys.items(), values.items(), out_keys, out_values, out_count, op, options);
    });
  });
}

// Keys may be drawn at random; then chance decides the lengths of runs.
TEST(reduce_by_key_random, keys_of_1_byte) {
  wf_test::for_all_seeds([](std::uint64_t, random_source& source) {
    const std::uint64_t most = source.below(2) == 0 ? 0 : 2 + static_cast<std::uint64_t>(source.below(254));
    const random_case<hash, std::uint8_t> c(source, [&](std::int64_t run, std::uint64_t bits) {
      return static_cast<std::uint8_t>(most > 0 ? bits % most : static_cast<std::uint64_t>(run));
    });
    const device_array<std::uint8_t> keys(c.keys, c.way.keys_off);
    const device_array<hash> values(c.items, c.way.values_off);
    return c.check(std::equal_to{}, [&](auto op, auto out_keys, auto out_values, auto out_count, const auto& options) {
      wf::reduce_by_key(keys.items(), values.items(), out_keys, out_values, out_count, op, options);
    });
  });
}

struct tagged_key {
  std::int64_t id, tag;  ///< the tag tells which item of a run gave the key

  friend std::ostream& operator<<(std::ostream& out, const tagged_key& k) { return out << k.id << " tagged " << k.tag; }
};
struct same_id {
  __host__ __device__ bool operator()(const tagged_key& a, const tagged_key& b) const { return a.id == b.id; }
};

TEST(reduce_by_key_random, keys_of_16_bytes_and_a_users_equality) {
  wf_test::for_all_seeds([](std::uint64_t, random_source& source) {
    const random_case<hash, tagged_key> c(source, [](std::int64_t run, std::uint64_t bits) {
      return tagged_key{run % 3, static_cast<std::int64_t>(bits)};
    });
    const device_array<tagged_key> keys(c.keys, c.way.keys_off);
    const device_array<hash> values(c.items, c.way.values_off);
    return c.check(same_id{}, [&](auto op, auto out_keys, auto out_values, auto out_count, const auto& options) {
      wf::reduce_by_key(keys.items(), values.items(), out_keys, out_values, out_count, op, same_id{}, options);
    });
  });
}

// Every other key of an array, and values that are computed.
TEST(reduce_by_key_random, iterators) {
  wf_test::for_all_seeds([](std::uint64_t, random_source& source) {
    random_case<hash, short> c(source, [](std::int64_t run, std::uint64_t) { return static_cast<short>(run % 7); });
    c.items = wf_test::hash_items<hash>(c.runs.items);
    std::vector<short> doubled;
    for (const short key : c.keys) doubled.insert(doubled.end(), {key, -1});
    const device_array<short> keys(doubled, c.way.keys_off);
    return c.check(std::equal_to{}, [&](auto op, auto out_keys, auto out_values, auto out_count, const auto& options) {
      wf::reduce_by_key(wf_test::strided<short>{keys.data(), 2}, wf_test::counting<hash>{0}, c.runs.items, out_keys,
                        out_values, out_count, op, options);
    });
  });
}

}  // namespace
