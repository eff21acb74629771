// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments over ranks have the results of one call over all items, wherever parts begin.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <warpfold/arg_operators.hpp>
#include <warpfold/canonical_tree.hpp>
#include <warpfold/exact_plus.cuh>
#include <warpfold/ranks_segments.cuh>
#include <warpfold/vector_operators.hpp>

#include "common/interval.hpp"
#include "ranks/local.cuh"

namespace ranks_segments_tests {

namespace wf = warpfold;
using namespace ranks_tests;
using wf_test::interval, wf_test::join, wf_test::random_source;
using whole = interval<std::int64_t>;
using number = std::int64_t;

/// Offsets of segments that cover `items` items, some of them empty, and one of `longest` items at least.
std::vector<number> random_offsets(number items, number longest, random_source& source) {
  std::vector<number> offsets{0};
  const number long_one = items > longest ? source.below(items - longest) : 0;
  while (offsets.back() < items) {
    const number begin = offsets.back(), length = source.below(3) == 0 ? 0 : source.below(1 + source.below(90));
    offsets.push_back(
        std::min(items, begin >= long_one && begin < long_one + longest ? long_one + longest : begin + length));
  }
  return offsets;
}

/// The segments of one rank: those with items in [first, end), and some of the empty ones around them.
std::pair<number, number> own_segments(const std::vector<number>& offsets, number first, number end,
                                       random_source& source) {
  const auto has_items = [&](number s) {
    const number begin = offsets[static_cast<std::size_t>(s)], behind = offsets[static_cast<std::size_t>(s) + 1];
    return std::max(begin, first) < std::min(behind, end);
  };
  const auto is_empty = [&](number s) {
    if (s < 0 || s + 1 >= std::ssize(offsets)) return false;
    const number begin = offsets[static_cast<std::size_t>(s)];
    return first <= begin && begin <= end && offsets[static_cast<std::size_t>(s) + 1] == begin;
  };
  const number segments = std::ssize(offsets) - 1;
  number from = 0;
  while (from < segments && !has_items(from)) ++from;
  if (from == segments) {  // none has items
    from = source.below(segments + 1);
    return {from, from + (is_empty(from) && source.below(2) == 0)};
  }
  number to = from;
  while (to < segments && has_items(to)) ++to;
  for (number s = to; s < segments; ++s)
    if (has_items(s)) to = s + 1;
  while (is_empty(from - 1) && source.below(2) == 0) --from;
  while (is_empty(to) && source.below(2) == 0) ++to;
  return {from, to};
}

template <class T, class R, class Op, class A = wf::accumulator_t<Op, T>> struct call {
  const std::vector<T>& items;
  const std::vector<number>& offsets;
  Op op;
  std::vector<R> expected;
  wf::initial<A> init, empty;

  void expect_on(int ranks, int rounds) const {
    if (!can_wait(ranks)) return;
    const std::vector<int> devices = devices_of(ranks);
    wf::local_ranks all(devices);
    random_source source(items.size() + static_cast<std::size_t>(ranks));
    for (int round = 0; round < rounds; ++round) {
      const auto parts = random_parts(std::ssize(items), ranks, source);
      const auto data = distribute(devices, items, parts);
      std::vector<std::pair<number, number>> own;
      std::vector<std::unique_ptr<device_array<number>>> own_offsets;
      std::vector<std::unique_ptr<device_array<R>>> results;
      for (std::size_t r = 0; r < devices.size(); ++r) {
        wf::check(cudaSetDevice(devices[r]), "cudaSetDevice");
        own.push_back(own_segments(offsets, parts[r].first, parts[r].second, source));
        const auto [from, to] = own.back();
        own_offsets.emplace_back(
            new device_array<number>(std::vector<number>(offsets.begin() + from, offsets.begin() + to + 1)));
        results.emplace_back(new device_array<R>(to - from));
      }
      over_both(all, devices, [&](int rank, auto& one) {
        const auto r = static_cast<std::size_t>(rank);
        const auto& [in, out, stream, first] = *data[r];
        const auto count = static_cast<std::size_t>(own[r].second - own[r].first);
        wf::segmented_reduce(one, in.items(), wf::part{first}, own_offsets[r]->items(),
                             std::span(results[r]->data(), count), op,
                             {.stream = stream, .init = init, .empty = empty});
        one.wait(stream);
        const std::vector<R> part = results[r]->to_host();
        for (std::size_t i = 0; i < part.size(); ++i)
          ASSERT_TRUE(same_result(part[i], expected[static_cast<std::size_t>(own[r].first) + i]))
              << "segment " << i << " of those from " << own[r].first << " on, rank " << r << " of " << ranks
              << " with " << in.size() << " items from " << first << " on";
      });
      if (testing::Test::HasFailure()) return;
    }
  }
};

/// Results by the CPU's replay of each segment's tree. Operators with `begin` lower by it.
template <class R, class T, class Op>
std::vector<R> replayed(const std::vector<T>& items, const std::vector<number>& offsets, Op op) {
  using A = wf::accumulator_t<Op, T>;
  std::vector<R> results;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    wf::canonical_tree::counter<A, Op> tree(op);
    for (number i = offsets[s]; i < offsets[s + 1]; ++i)
      tree.push(wf::canonical_tree::leaf<A>(op, items[static_cast<std::size_t>(i)], i));
    const A all = offsets[s] < offsets[s + 1] ? tree.root() : wf::identity<Op, A>::value();
    if constexpr (wf::lowers_segments<Op, A>) results.push_back(op.lower(all, offsets[s]));
    else if constexpr (wf::lowers<Op, A>) results.push_back(op.lower(all));
    else results.push_back(all);
  }
  return results;
}

template <class T, class Op> void expect_replayed(number items, number longest, int ranks, Op op) {
  random_source source(static_cast<std::uint64_t>(items + longest));
  items *= scale, longest *= scale;
  const std::vector<T> all = wf_test::random_items<T>(static_cast<std::size_t>(items));
  const std::vector<number> offsets = random_offsets(items, longest, source);
  using R = wf::lowered_t<Op, wf::accumulator_t<Op, T>>;
  call<T, R, Op>{all, offsets, op, replayed<R>(all, offsets, op), {}, {}}.expect_on(ranks, 2);
}

TEST(ranks_segments, of_all_lengths_have_the_order_of_one_call) {
  const std::tuple<number, number, int> cases[]{{1, 1, 1}, {2, 2, 2}, {700, 300, 3}, {3000, 2900, 5}, {2000, 2000, 8}};
  for (const auto& [small, long_one, ranks] : cases) {
    const number items = small * scale, longest = long_one * scale;
    random_source source(static_cast<std::uint64_t>(items + longest));
    const std::vector<whole> all = wf_test::interval_items<whole>(items);
    const std::vector<number> offsets = random_offsets(items, longest, source);
    std::vector<whole> expected;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
      expected.push_back(offsets[s] < offsets[s + 1] ? whole::of(offsets[s], offsets[s + 1] - 1) : whole::of(-5));
    call<whole, whole, join>{all, offsets, join{}, expected, {}, whole::of(-5)}.expect_on(ranks, 2);
  }
}

TEST(ranks_segments, operators_of_all_kinds_have_the_bits_of_one_call) {
  expect_replayed<float>(3011, 2500, 4, wf::plus{});
  expect_replayed<float>(900, 500, 3, wf::arithmetic_mean{});
  expect_replayed<float>(900, 500, 3, wf::exact_plus{});
  expect_replayed<float>(900, 500, 3, wf::within_segment(wf::arg_maximum{}));
}

namespace {
/// Two ranks of three and four items, each with segments of its own.
struct two_ranks {
  const std::vector<int> devices = devices_of(2);
  const std::vector<float> items{1, 2, 4, 8, 16, 32, 64};
  const std::vector<std::unique_ptr<rank_data<float>>> data = distribute(devices, items, {{0, 3}, {3, 7}});
  wf::local_ranks all{devices};

  /// What each rank throws; `results` are those of rank 1.
  std::vector<std::string> texts(const std::vector<std::vector<number>>& offsets,
                                 std::vector<float>* results = nullptr) {
    std::vector<std::unique_ptr<device_array<number>>> own;
    std::vector<std::unique_ptr<device_array<float>>> outs;
    for (std::size_t r = 0; r < 2; ++r) {
      wf::check(cudaSetDevice(devices[r]), "cudaSetDevice");
      own.emplace_back(new device_array<number>(offsets[r]));
      outs.emplace_back(new device_array<float>(std::ssize(offsets[r])));
    }
    const auto failures = failures_on(devices, [&](int rank) {
      const auto r = static_cast<std::size_t>(rank);
      const auto& [in, out, stream, first] = *data[r];
      wf::segmented_reduce(all[rank], in.items(), wf::part{first}, own[r]->items(), outs[r]->data(), wf::plus{},
                           {.stream = stream, .init = 100.f, .empty = -1.f});
      all[rank].wait(stream, "segmented_reduce");
    });
    if (results != nullptr) *results = outs[1]->to_host();
    std::vector<std::string> result;
    for (const auto& failure : failures) result.push_back(text_of(failure));
    return result;
  }
  void expect_refused(const std::vector<std::vector<number>>& offsets, const char* why) {
    for (const std::string& text : texts(offsets)) EXPECT_NE(text.find(why), std::string::npos) << text;
  }
};
}  // namespace

TEST(ranks_segments, join_init_and_refuse_what_does_not_fit) {
  two_ranks ranks;
  std::vector<float> results;
  EXPECT_EQ(ranks.texts({{0, 1, 5}, {1, 5, 5, 7}}, &results)[1], "nothing");
  results.pop_back();
  EXPECT_EQ(results, (std::vector<float>{130, -1, 196}));
  EXPECT_EQ(ranks.texts({{0, 2}, {4, 6, 6}}, &results)[0], "nothing");  // not all items have a segment
  EXPECT_EQ(results[0], 148);

  ranks.expect_refused({{0, 4}, {0, 5, 7}},
                       "segmented_reduce: rank 0 and rank 1 name other bounds of the segment that "
                       "goes on with item 3");
  ranks.expect_refused({{0, 4}, {4, 7}}, "rank 0 and rank 1 name other bounds");
  ranks.expect_refused({{0, 3, 5}, {5, 7}}, "rank 0 has a segment of items 3 to 4, but none of them");
  ranks.expect_refused({{0, 3}, {0, 3}}, "rank 1 has a segment of items 0 to 2, but none of them");
  ranks.expect_refused({{0, 3}, {3, 9}}, "rank 1 has a segment of items 3 to 8, beyond the items of all ranks");
  ranks.expect_refused({{-2, 3}, {3, 7}}, "rank 0 has a segment of items -2 to 2, beyond the items of all ranks");
  ranks.expect_refused({{0, 4, 4}, {0, 4, 7}}, "rank 0 has an empty segment before item 4, not where its items are");
  ranks.expect_refused({{2, 0}, {3, 7}}, "rank 0 has a segment of items 2 to -1, but none of them");
}

}  // namespace ranks_segments_tests
