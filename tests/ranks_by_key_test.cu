// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs over ranks are those of one call over all items, wherever parts begin.
#include <gtest/gtest.h>

#include <span>
#include <warpfold/arg_operators.hpp>
#include <warpfold/canonical_tree.hpp>
#include <warpfold/ranks_by_key.cuh>

#include "common/interval.hpp"
#include "ranks/local.cuh"

namespace ranks_by_key_tests {

namespace wf = warpfold;
using namespace ranks_tests;
using wf_test::interval, wf_test::join, wf_test::random_source;
using whole = interval<std::int64_t>;
using number = std::int64_t;

/// Keys are equal if their hundreds are: so a run's key tells which item it is of.
struct same_hundreds {
  __host__ __device__ bool operator()(int a, int b) const { return a / 100 == b / 100; }
};

/// Keys of runs of up to `length` items each, and of `longest` ones now and then.
std::vector<int> random_keys(number items, number length, number longest, random_source& source) {
  std::vector<int> keys;
  for (int run = 0; std::ssize(keys) < items; ++run) {
    const number own = 1 + (source.below(5) == 0 ? source.below(longest) : source.below(length));
    for (number i = 0; i < own && std::ssize(keys) < items; ++i) keys.push_back(100 * run + static_cast<int>(i % 100));
  }
  return keys;
}

/// The outputs of one rank.
template <class R> struct run_arrays {
  device_array<int> keys, out_keys;
  device_array<R> out_values;
  device_array<int> out_count{1};

  run_arrays(const std::vector<int>& all, number first, number end, number room)
      : keys(std::vector<int>(all.begin() + first, all.begin() + end), first % 3), out_keys(room), out_values(room) {}
};

template <class T, class Op> struct call {
  using A = wf::accumulator_t<Op, T>;
  using R = wf::lowered_t<Op, A>;

  const std::vector<int>& keys;
  const std::vector<T>& items;
  Op op;
  wf::initial<A> init;

  R expected(number begin, number end) const {
    const A run = wf::canonical_tree::replay_part(items.data(), begin, end, op),
            all = init.has_value() ? op(init.value(), run) : run;
    if constexpr (wf::lowers<Op, A>) return op.lower(all);
    else return all;
  }
  void expect_on(int ranks, int rounds) const {
    if (!can_wait(ranks)) return;
    const std::vector<int> devices = devices_of(ranks);
    wf::local_ranks all(devices);
    random_source source(items.size() + static_cast<std::size_t>(ranks));
    for (int round = 0; round < rounds; ++round) {
      const auto parts = random_parts(std::ssize(items), ranks, source);
      const auto data = distribute(devices, items, parts);
      std::vector<std::unique_ptr<run_arrays<R>>> arrays;
      for (std::size_t r = 0; r < devices.size(); ++r) {
        wf::check(cudaSetDevice(devices[r]), "cudaSetDevice");
        arrays.emplace_back(new run_arrays<R>(keys, parts[r].first, parts[r].second, parts[r].second - parts[r].first));
      }
      over_both(all, devices, [&](int rank, auto& one) {
        const auto& [in, out, stream, first] = *data[static_cast<std::size_t>(rank)];
        run_arrays<R>& own = *arrays[static_cast<std::size_t>(rank)];
        wf::reduce_by_key(one, own.keys.items(), in.items(), wf::part{first}, own.out_keys.data(),
                          own.out_values.data(), own.out_count.data(), op, same_hundreds{},
                          {.stream = stream, .init = init});
        one.wait(stream);
        expect_runs(own, first, first + static_cast<number>(in.size()));
      });
      if (testing::Test::HasFailure()) return;
    }
  }

 private:
  /// The runs that end in [first, end).
  void expect_runs(const run_arrays<R>& found, number first, number end) const {
    const std::vector<int> found_keys = found.out_keys.to_host();
    const std::vector<R> values = found.out_values.to_host();
    const auto key = [&](number i) { return keys[static_cast<std::size_t>(i)]; };
    std::size_t run = 0;
    number begin = first;
    while (first < end && begin > 0 && same_hundreds{}(key(begin - 1), key(begin))) --begin;
    for (number behind; begin < end; begin = behind) {
      for (behind = begin + 1; behind < std::ssize(keys) && same_hundreds{}(key(behind - 1), key(behind));) ++behind;
      if (behind > end) break;
      ASSERT_LT(run, values.size());
      ASSERT_EQ(found_keys[run], key(begin)) << "run " << run << " of items " << first << " to " << end;
      ASSERT_TRUE(same_result(values[run], expected(begin, behind)))
          << "run " << run << " of items " << begin << " to " << behind << ", rank with " << first << " to " << end;
      ++run;
    }
    ASSERT_EQ(found.out_count.value(), static_cast<int>(run)) << "items " << first << " to " << end;
  }
};

TEST(ranks_by_key, runs_of_all_lengths_have_the_order_of_one_call) {
  const std::tuple<number, number, number, int> cases[]{
      {1, 1, 1, 1}, {2, 2, 2, 2}, {3000, 20, 900, 3}, {2000, 500, 2000, 5}, {1500, 3000, 3000, 8}};
  for (const auto& [small, length, long_one, ranks] : cases) {
    const number items = small * scale, longest = long_one * scale;
    random_source source(static_cast<std::uint64_t>(items + longest));
    const std::vector<int> keys = random_keys(items, length, longest, source);
    call<whole, join>{keys, wf_test::interval_items<whole>(items), join{}, {}}.expect_on(ranks, 2);
  }
}

template <class Op>
void expect_floats(number count, int ranks, Op op, const wf::initial<wf::accumulator_t<Op, float>>& init) {
  random_source source(static_cast<std::uint64_t>(count));
  count *= scale;
  const std::vector<int> keys = random_keys(count, 20, count / 2, source);
  call<float, Op>{keys, wf_test::random_items<float>(static_cast<std::size_t>(count)), op, init}.expect_on(ranks, 2);
}

TEST(ranks_by_key, operators_of_all_kinds_have_the_bits_of_one_call) {
  expect_floats(9'011, 4, wf::plus{}, 3.f);
  expect_floats(900, 3, wf::arg_maximum{}, {});
}

TEST(ranks_by_key, what_does_not_fit_is_thrown_on_all_ranks) {
  const std::vector<int> devices = devices_of(2);
  const std::vector<float> items{1, 2, 3, 4, 5};
  const auto data = distribute(devices, items, {{0, 2}, {2, 5}});
  std::vector<std::unique_ptr<run_arrays<float>>> arrays;
  for (std::size_t r = 0; r < 2; ++r) {
    wf::check(cudaSetDevice(devices[r]), "cudaSetDevice");
    arrays.emplace_back(new run_arrays<float>({0, 0, 0, 1, 1}, 2 * static_cast<int>(r), r == 0 ? 2 : 5, 3));
  }
  wf::local_ranks all(devices);
  const auto expect_thrown = [&](number second_first, number missing, const char* text) {
    for (const auto& failure : failures_on(devices, [&](int rank) {
           const auto& [in, out, stream, first] = *data[static_cast<std::size_t>(rank)];
           run_arrays<float>& own = *arrays[static_cast<std::size_t>(rank)];
           const auto values = in.items().first(in.size() - static_cast<std::size_t>(rank * missing));
           wf::reduce_by_key(all[rank], own.keys.items(), values, wf::part{rank * second_first}, own.out_keys.data(),
                             own.out_values.data(), own.out_count.data(), wf::plus{}, same_hundreds{},
                             {.stream = stream});
           all[rank].wait(stream, "reduce_by_key");
         }))
      EXPECT_NE(text_of(failure).find(text), std::string::npos) << text_of(failure);
  };
  expect_thrown(3, 0, "reduce_by_key: no rank has item 2, which follow those of rank 0, before those of rank 1");
  expect_thrown(1, 0, "reduce_by_key: rank 0 and rank 1 both have item 1");
  expect_thrown(2, 1, "keys has 3 items");
  expect_thrown(2, 0, "nothing");
}

}  // namespace ranks_by_key_tests
