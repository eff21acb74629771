// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random layouts, data, forms, alignments, grids and schedules, against the canonical tree over each segment alone. The
// operator is not even associative: any other tree shows, and so does any item too many or too few.
#include <gtest/gtest.h>

#include "common/random_cases.hpp"
#include "common/tree_hash.hpp"
#include "reduce/iterators.cuh"
#include "segmented/ways.cuh"

namespace wf = warpfold;
using wf_test::device_array, wf_test::layout, wf_test::random_source;
using hash = wf_test::tree_hash<8, 8>;

namespace {

struct random_case {
  wf_test::segmented_way way;
  layout where{"", {}};
  std::vector<hash> items;

  explicit random_case(std::uint64_t seed, random_source& source, bool gaps = false)
      : way(wf_test::way_of(source.below(1000))) {
    const std::int64_t most = std::int64_t{10} << source.below(wf_test::emulated ? 12 : 16);
    where = layout("", wf_test::random_lengths(source, most));
    if (gaps) where = wf_test::with_gaps(where, seed);
    fill(source);
  }
  void fill(random_source& source) {
    for (std::int64_t i = 0; i < where.items; ++i) items.push_back(hash::of(static_cast<std::int64_t>(source() >> 2)));
  }

  template <class Call> testing::AssertionResult check(Call call) const {
    const hash init = hash::of(-1), empty = hash::of(-2);
    const wf_test::hash_pair op{};
    const device_array<hash> in(items, way.offset);
    const auto results = wf_test::results_of(
        way, where.segments(), init, empty, [&](auto out, const auto& options) { call(in.items(), out, op, options); });
    const auto expected =
        wf_test::expected_of(way, wf_test::canonical_segments(items, where, op, empty), where, init, empty, op);
    const auto same = wf_test::same_segments(results, expected);
    return same ? same : testing::AssertionFailure() << same.message() << ", " << where << ", " << way;
  }
};

TEST(segmented_reduce_random, offsets_of_64_bits) {
  wf_test::for_all_seeds([](std::uint64_t seed, random_source& source) {
    const random_case c(seed, source);
    const device_array<std::int64_t> offsets(c.where.offsets<std::int64_t>(), c.way.offset);
    return c.check([&](auto in, auto out, auto op, const auto& options) {
      wf::segmented_reduce(in, offsets.items(), out, op, options);
    });
  });
}

// Every other entry of an array, through an iterator.
TEST(segmented_reduce_random, offsets_from_an_iterator) {
  wf_test::for_all_seeds([](std::uint64_t seed, random_source& source) {
    const random_case c(seed, source);
    std::vector<unsigned> doubled;
    for (const unsigned offset : c.where.offsets<unsigned>()) doubled.insert(doubled.end(), {offset, ~0u});
    const device_array<unsigned> array(doubled, c.way.offset);
    return c.check([&](auto in, auto out, auto op, const auto& options) {
      wf::segmented_reduce(in, wf_test::strided<unsigned>{array.data(), 2}, out, op, options);
    });
  });
}

TEST(segmented_reduce_random, bounds_with_gaps) {
  wf_test::for_all_seeds([](std::uint64_t seed, random_source& source) {
    const random_case c(seed, source, true);
    const device_array<std::int64_t> begins(c.where.begins, c.way.offset);
    const device_array<int> ends(wf_test::narrowed<int>(c.where.ends), c.way.offset);
    return c.check([&](auto in, auto out, auto op, const auto& options) {
      wf::segmented_reduce(in, wf::bounds{begins.items(), ends.items()}, out, op, options);
    });
  });
}

TEST(segmented_reduce_random, owners_of_64_bits) {
  wf_test::for_all_seeds([](std::uint64_t seed, random_source& source) {
    const random_case c(seed, source);
    const device_array<std::int64_t> ids(c.where.owners<std::int64_t>(), c.way.offset);
    return c.check([&](auto in, auto out, auto op, const auto& options) {
      wf::segmented_reduce(in, wf::owners{ids.items()}, out, op, options);
    });
  });
}

TEST(segmented_reduce_random, fixed_length) {
  wf_test::for_all_seeds([](std::uint64_t seed, random_source& source) {
    random_case c(seed, source);
    const std::int64_t length = source.below(std::int64_t{2} << source.below(12)), most = 20'000;
    const wf_test::lengths all(static_cast<std::size_t>(1 + source.below(most / (length + 10))), length);
    c.where = layout("all " + std::to_string(length), all);
    c.items.clear();
    c.fill(source);
    return c.check([&](auto in, auto out, auto op, const auto& options) {
      wf::segmented_reduce(in, wf::fixed_length{length}, out, op, options);
    });
  });
}

}  // namespace
