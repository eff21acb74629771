// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators, equalities, transforms, conversions and iterators see keys and items of the input and values made of
// these, and nothing else: not the zero bytes that fill the lanes without an item, nor the carry of a span without
// items, nor the key before the first one.
#include <gtest/gtest.h>

#include <algorithm>
#include <warpfold/by_key/dispatch.cuh>

#include "by_key/ways.cuh"
#include "common/known_values.cuh"

namespace wf = warpfold;
using namespace wf_test::known_values;
using wf_test::by_key_way, wf_test::device_array, wf_test::layout, wf_test::lengths;

namespace {

struct same_marked {
  __host__ __device__ bool operator()(marked a, marked b) const {
    expect_known(a.mark == marked::mark_of_known && b.mark == marked::mark_of_known);
    return a.value == b.value;
  }
};
/// An output that a `marked` is converted to.
struct unmarked {
  unsigned value;
  unmarked() = default;
  __host__ __device__ unmarked& operator=(marked from) {
    expect_known(from.mark == marked::mark_of_known);
    value = from.value;
    return *this;
  }
};
/// A wide item: a thread holds one at a time.
struct wide {
  unsigned mark, words[31];
};
struct any_wide {
  __host__ __device__ wide operator()(const wide& a, const wide& b) const {
    expect_known(a.mark == marked::mark_of_known && b.mark == marked::mark_of_known);
    return a;
  }
};
/// The first `count` of some items, which are counted if they are read past that.
template <class T> struct watched_iterator {
  using value_type = T;
  using difference_type = std::int64_t;
  const T* items;
  std::int64_t count;
  __host__ __device__ T operator[](std::int64_t i) const {
    const bool exists = 0 <= i && i < count;
    expect_known(exists);
    return items[exists ? i : 0];
  }
};

template <class Item, class Op, class Out, class A, class Transform = wf::thread::no_transform> struct problem {
  Item item;  ///< all items are this one
  Op op;
  Out out;
  A init;
  Transform transform{};
};
const problem add_marks{marked{3, marked::mark_of_known}, add_marked{}, unmarked{}, marked{1, marked::mark_of_known}};
const problem mark_items{5, add_marked{}, unmarked{}, marked{1, marked::mark_of_known}, mark_positive{}};
const problem compare_items{7, greater_positive{}, 0, 2};
const problem sum_ratios{ratio{6, 3}, wf::accumulate_in<int>(wf::plus{}), 0, 2};
const problem keep_wide{wide{marked::mark_of_known, {}}, any_wide{}, wide{}, wide{marked::mark_of_known, {}}};

/// No head, one now and then, many; of all numbers of items about a warp and a tile.
std::vector<layout> layouts(std::int64_t tile_items) {
  std::vector<layout> all;
  for (const std::int64_t items : {std::int64_t{1}, std::int64_t{2}, std::int64_t{31}, std::int64_t{33}, tile_items - 1,
                                   tile_items, tile_items + 1, 2 * tile_items + 17})
    for (const std::int64_t length : {std::int64_t{1}, std::int64_t{2}, std::int64_t{50}, items}) {
      lengths runs(static_cast<std::size_t>(items / length), length);
      if (items % length != 0) runs.push_back(items % length);
      all.emplace_back("runs of " + std::to_string(length) + ", items " + std::to_string(items), runs);
    }
  all.emplace_back("power law", wf_test::power_law(2 * tile_items, 77));
  return all;
}

std::vector<marked> marked_keys(const layout& runs) {
  std::vector<marked> keys;
  for (const unsigned key : wf_test::keys_of<unsigned>(runs)) keys.push_back({key, marked::mark_of_known});
  return keys;
}

enum class form { ranges, iterators };

/// Reduces by marked keys, aligned or not, in small and large grids, with init and without.
template <class Problem> void expect_none_used(const Problem& given, form input) {
  using item = decltype(given.item);
  using A = decltype(given.init);
  constexpr auto policy = wf::by_key::kernel_policy_for(sizeof(marked), sizeof(item), sizeof(A));
  std::int64_t turn = 0;
  for (const layout& all : layouts(std::int64_t{policy.tile_threads} * policy.thread_items))
    for (int i = 0; i < 4; ++i) {
      const layout runs = wf_test::runs_of(all);
      const by_key_way way = wf_test::by_key_way_of(turn++);
      const wf_test::schedule_seed scheduled(way.seed);
      const device_array keys(marked_keys(runs), i % 2 == 0 ? 0 : way.keys_off);
      const device_array values(std::vector<item>(static_cast<std::size_t>(runs.items), given.item),
                                i % 2 == 0 ? 0 : way.values_off);
      const device_array<A> init(std::vector<A>{given.init});
      const std::int64_t room = std::max<std::int64_t>(0, runs.segments() - i);
      const device_array<unmarked> out_keys(runs.segments());
      const device_array<decltype(given.out)> out_values(runs.segments());
      const device_array<int> count(1);
      wf::reduce_options<A> options{.max_blocks = way.max_blocks};
      if (way.init == wf_test::from::value) options.init = given.init;
      if (way.init == wf_test::from::device_memory) options.init = static_cast<const A*>(init.data());
      const std::span to_keys(out_keys.data(), static_cast<std::size_t>(room));
      const std::span to_values(out_values.data(), static_cast<std::size_t>(room));
      const unsigned before = unknown_uses_so_far();
      if (input == form::ranges)
        wf::transform_reduce_by_key(keys.items(), values.items(), to_keys, to_values, count.data(), given.op,
                                    given.transform, same_marked{}, options);
      else
        wf::transform_reduce_by_key(watched_iterator<marked>{keys.data(), runs.items},
                                    watched_iterator<item>{values.data(), runs.items}, runs.items, to_keys, to_values,
                                    count.data(), given.op, given.transform, same_marked{}, options);
      ASSERT_EQ(unknown_uses_so_far() - before, 0u) << runs << ", " << way;
      ASSERT_EQ(count.value(), runs.segments()) << runs << ", " << way;
    }
}

TEST(reduce_by_key_unknown_items, marked_ranges) { expect_none_used(add_marks, form::ranges); }
TEST(reduce_by_key_unknown_items, marked_iterators) { expect_none_used(add_marks, form::iterators); }
TEST(reduce_by_key_unknown_items, transformed_ranges) { expect_none_used(mark_items, form::ranges); }
TEST(reduce_by_key_unknown_items, transformed_iterators) { expect_none_used(mark_items, form::iterators); }
TEST(reduce_by_key_unknown_items, operators_over_known_types) { expect_none_used(compare_items, form::ranges); }
TEST(reduce_by_key_unknown_items, conversions) { expect_none_used(sum_ratios, form::ranges); }
TEST(reduce_by_key_unknown_items, wide_items) { expect_none_used(keep_wide, form::ranges); }

using keys_source = wf::thread::pointer_source<marked, 2>;
using leaves_type = wf::thread::leaves<wf::thread::pointer_source<marked, 2>, wf::thread::no_transform, marked>;
using storage = wf::by_key::by_key_storage<keys_source, leaves_type>;
constexpr std::int64_t tile_items = storage::thread_tile::tile_items;

/// The kernel with epochs of 2^log_epoch tiles, so that several follow one another.
void expect_none_used_in_epochs(std::int64_t items, std::int64_t length, int log_epoch, int blocks, bool stages) {
  lengths own(static_cast<std::size_t>(items / length), length);
  if (items % length != 0) own.push_back(items % length);
  const layout runs("", own);
  const device_array keys(marked_keys(runs));
  const device_array values(std::vector<marked>(static_cast<std::size_t>(items), add_marks.item));
  const device_array<unmarked> out_keys(items), out_values(items);
  const device_array<int> count(1);
  const device_array<wf::by_key::by_key_control> control(1);
  const device_array<wf::by_key::carry_messages<marked>> carries(wf::by_key::epoch_carries(1 << log_epoch));
  const device_array<wf::by_key::epoch_scratch<marked>> epochs(1);
  wf::check(cudaMemset(control.data(), 0, sizeof(*control.data())), "cudaMemset");
  wf::check(cudaMemset(carries.data(), 0, sizeof(*carries.data()) * carries.size()), "cudaMemset");
  const wf::by_key::by_key_arguments<keys_source, leaves_type, add_marked, same_marked,
                                     wf::by_key::run_outputs<unmarked*, unmarked*, int*>>
      arguments{{keys.data(), items},
                {{values.data(), items}, {}},
                {},
                {},
                {out_keys.data(), out_values.data(), count.data(), items},
                {},
                {static_cast<int>((items - 1) / tile_items + 1), log_epoch},
                {control.data(), carries.data(), epochs.data()},
                static_cast<int>(items / tile_items),
                stages};
  const auto kernel = &wf::by_key::by_key_kernel<keys_source, leaves_type, add_marked, same_marked,
                                                 wf::by_key::run_outputs<unmarked*, unmarked*, int*>>;
  wf::check(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(storage::bytes(true))),
      "cudaFuncSetAttribute");
  const unsigned before = unknown_uses_so_far();
  wf_test::launch_and_wait(kernel, blocks, storage::block_threads, storage::bytes(stages), arguments);
  ASSERT_EQ(unknown_uses_so_far() - before, 0u) << items << " items, runs of " << length << ", 2^" << log_epoch;
  ASSERT_EQ(count.value(), runs.segments());
}

TEST(reduce_by_key_unknown_items, several_epochs) {
  std::uint64_t seed = 1;
  for (const int log_epoch : {0, 1, 2})
    for (const std::int64_t length : {std::int64_t{1}, std::int64_t{40}, std::int64_t{100'000}}) {
      const wf_test::schedule_seed scheduled(seed++);
      expect_none_used_in_epochs(7 * tile_items + 13, length, log_epoch, 3, seed % 2 == 0);
    }
}

template <class Function, class... Args> __global__ void apply_kernel(Function function, Args... args) {
  (void)function(args...);
}

// Shows that the tests above can fail.
TEST(reduce_by_key_unknown_uses, are_counted) {
  const marked known{1, marked::mark_of_known};
  const unsigned before = unknown_uses_so_far();
  wf_test::launch_and_wait(&apply_kernel<add_marked, marked, marked>, 1, 1, 0, add_marked{}, known, known);
  EXPECT_EQ(unknown_uses_so_far() - before, 0u);
  wf_test::launch_and_wait(&apply_kernel<add_marked, marked, marked>, 1, 1, 0, add_marked{}, known, marked{});
  wf_test::launch_and_wait(&apply_kernel<same_marked, marked, marked>, 1, 1, 0, same_marked{}, marked{}, known);
  EXPECT_EQ(unknown_uses_so_far() - before, 2u);
}

}  // namespace
