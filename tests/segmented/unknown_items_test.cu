// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators, transforms, conversions and iterators see items of the input and values made of these, and nothing else:
// not the zero bytes that fill the lanes without an item, nor the result of an empty segment.
#include <gtest/gtest.h>

#include "common/known_values.cuh"
#include "common/samples.hpp"
#include "segmented/expect_canonical.cuh"
#include "segmented/kernels.cuh"

namespace wf = warpfold;
using namespace wf_test::known_values;
using wf_test::device_array, wf_test::layout, wf_test::lengths;

namespace {

struct negate_negative {
  __host__ __device__ int operator()(int item) const {
    expect_known(item < 0);
    return -item;
  }
};
/// `count` items, which are computed.
struct counted_iterator {
  using value_type = int;
  using difference_type = std::int64_t;
  std::int64_t count;
  __host__ __device__ int operator[](std::int64_t i) const {
    expect_known(0 <= i && i < count);
    return static_cast<int>(i % 1000) + 1;
  }
};

template <class Item, class Op, class A, class Transform = wf::thread::no_transform> struct problem {
  Item item;  ///< all items are this one
  Op op;
  A init, empty;
  Transform transform{};

  std::vector<Item> items(std::int64_t count) const { return std::vector<Item>(static_cast<std::size_t>(count), item); }
};
const problem add_marks{marked{3, marked::mark_of_known}, add_marked{}, marked{1, marked::mark_of_known}, marked{9, 0}};
const problem mark_items{5, add_marked{}, marked{1, marked::mark_of_known}, marked{9, 0}, mark_positive{}};
const problem compare_items{7, greater_positive{}, 2, -9};
const problem compare_transformed{-7, greater_positive{}, 2, -9, negate_negative{}};
const problem sum_ratios{ratio{6, 3}, wf::accumulate_in<int>(wf::plus{}), 2, -9};

std::vector<layout> layouts() {
  auto all = wf_test::some_layouts(256);
  wf_test::random_source source(21);
  lengths tiny, few, long_ones;
  for (int s = 0; s < 700; ++s) tiny.push_back(source.below(4)), few.push_back(source.below(70));
  for (int s = 0; s < 20; ++s) long_ones.push_back(s % 5 == 0 ? 0 : 300 + source.below(1000));
  all.emplace_back("tiny", tiny);
  all.emplace_back("few", few);
  all.emplace_back("long", long_ones);
  all.emplace_back("tiny and nothing", lengths(400, 1));
  return all;
}

template <class Kernel> class segmented_reduce_unknown_items : public testing::Test {
 protected:
  void SetUp() override {
    if (Kernel::needs_bulk_copies && !wf_test::copies_in_bulk()) GTEST_SKIP() << wf_test::needs_bulk_copies;
  }

  /// Through one form, with init and without: describe(way) keeps what tells the segments apart.
  template <class Problem, class Describe>
  void expect_none_used(const Problem& given, const layout& where, Describe describe) {
    const auto items = given.items(where.items);
    for (std::int64_t i = wf_test::share_of(5); i > 0; --i) {
      const auto way = wf_test::way_of(turn_++);
      const device_array in(items, way.offset);
      const unsigned before = unknown_uses_so_far();
      (void)wf_test::results_of(way, where.segments(), given.init, given.empty, [&](auto out, const auto& options) {
        describe([&](const auto& segments) {
          Kernel::reduce(in.items(), segments, out, given.op, options, given.transform);
        });
      });
      ASSERT_EQ(unknown_uses_so_far() - before, 0u) << where << ", " << way;
    }
  }
  template <class Index, class Problem> void expect_none_used_by_offsets(const Problem& given) {
    for (const layout& where : layouts()) {
      const device_array<Index> offsets(where.offsets<Index>());
      expect_none_used(given, where, [&](auto reduce) { reduce(offsets.items()); });
    }
  }
  template <class Problem> void expect_none_used_by_bounds(const Problem& given) {
    for (const layout& dense : layouts()) {
      const layout where = wf_test::with_gaps(dense);
      const device_array<int> begins(wf_test::narrowed<int>(where.begins)), ends(wf_test::narrowed<int>(where.ends));
      expect_none_used(given, where, [&](auto reduce) { reduce(wf::bounds{begins.items(), ends.items()}); });
    }
  }
  template <class Problem> void expect_none_used_by_owners(const Problem& given) {
    if constexpr (!std::is_same_v<Kernel, wf_test::per_warp_team>)
      for (const layout& where : layouts()) {
        const device_array<int> ids(where.owners<int>());
        expect_none_used(given, where, [&](auto reduce) { reduce(wf::owners{ids.items()}); });
      }
  }
  template <class Problem> void expect_none_used_by_fixed_length(const Problem& given) {
    if constexpr (!Kernel::needs_bulk_copies)
      for (const std::int64_t length : {257, 1000, 3001}) {
        const layout where("equal", lengths(static_cast<std::size_t>(12'000 / length), length));
        expect_none_used(given, where, [&](auto reduce) { reduce(wf::fixed_length{length}); });
      }
  }

 private:
  std::int64_t turn_ = 0;
};
using kernels = testing::Types<wf_test::in_place, wf_test::staged, wf_test::per_warp_team>;
TYPED_TEST_SUITE(segmented_reduce_unknown_items, kernels);

TYPED_TEST(segmented_reduce_unknown_items, by_offsets) {
  this->template expect_none_used_by_offsets<int>(add_marks);
  this->template expect_none_used_by_offsets<int>(mark_items);
  this->template expect_none_used_by_offsets<std::int64_t>(compare_items);
  this->template expect_none_used_by_offsets<int>(compare_transformed);
}
TYPED_TEST(segmented_reduce_unknown_items, by_offsets_of_items_that_are_converted) {
  this->template expect_none_used_by_offsets<int>(sum_ratios);
}
TYPED_TEST(segmented_reduce_unknown_items, by_bounds) {
  this->expect_none_used_by_bounds(mark_items);
  this->expect_none_used_by_bounds(compare_items);
}
TYPED_TEST(segmented_reduce_unknown_items, by_owners) {
  this->expect_none_used_by_owners(mark_items);
  this->expect_none_used_by_owners(compare_items);
}
TYPED_TEST(segmented_reduce_unknown_items, by_fixed_length) {
  this->expect_none_used_by_fixed_length(mark_items);
  this->expect_none_used_by_fixed_length(compare_items);
}

/// By the kernel that a call chooses.
struct call {
  static constexpr bool needs_bulk_copies = false;
  template <class T, class Segments, class A, class Op, class Transform>
  static void reduce(std::span<const T> in, const Segments& segments, std::span<A> out, Op op,
                     const wf::segmented_options<A>& options, Transform transform) {
    wf::transform_segmented_reduce(in, segments, out, op, transform, options);
  }
  template <class T, class Segments, class A, class Op>
  static void reduce(std::span<const T> in, const Segments& segments, std::span<A> out, Op op,
                     const wf::segmented_options<A>& options, wf::thread::no_transform) {
    wf::segmented_reduce(in, segments, out, op, options);
  }
};
using segmented_reduce_calls_unknown_items = segmented_reduce_unknown_items<call>;

// One length at least for each algorithm of the fixed-length kernel.
TEST_F(segmented_reduce_calls_unknown_items, fixed_lengths_by_each_algorithm) {
  const auto expect_none = [&](const auto& given) {
    for (const std::int64_t length :
         {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 40, 64, 100, 129, 255, 256, 257, 260, 280, 300, 511, 513, 600, 1023})
      for (const std::int64_t segments : {1, 2, 37}) {
        const layout where("length " + std::to_string(length), lengths(static_cast<std::size_t>(segments), length));
        this->expect_none_used(given, where, [&](auto reduce) { reduce(wf::fixed_length{length}); });
      }
    const layout nothing("length 0", lengths(77, 0));
    this->expect_none_used(given, nothing, [&](auto reduce) { reduce(wf::fixed_length{0}); });
  };
  expect_none(mark_items);
  expect_none(add_marks);
  expect_none(compare_items);
  expect_none(sum_ratios);
}

TEST_F(segmented_reduce_calls_unknown_items, iterators_are_not_read_past_their_items) {
  for (const layout& where : layouts()) {
    const device_array<int> offsets(where.offsets<int>());
    for (int turn = 0; turn < 5; ++turn) {
      const unsigned before = unknown_uses_so_far();
      (void)wf_test::results_of(wf_test::way_of(turn), where.segments(), 2, -9, [&](auto out, const auto& options) {
        wf::segmented_reduce(counted_iterator{where.items}, where.items, offsets.items(), out, greater_positive{},
                             options);
      });
      ASSERT_EQ(unknown_uses_so_far() - before, 0u) << where;
    }
  }
}

template <class Op, class A> __global__ void apply_kernel(Op op, A a, A b, A* result) { *result = op(a, b); }

// Shows that the tests above can fail.
TEST(segmented_reduce_unknown_uses, are_counted) {
  const device_array<marked> result(1);
  const marked known{1, marked::mark_of_known};
  const unsigned before = unknown_uses_so_far();
  wf_test::launch_and_wait(&apply_kernel<add_marked, marked>, 1, 1, 0, add_marked{}, known, known, result.data());
  EXPECT_EQ(unknown_uses_so_far() - before, 0u);
  wf_test::launch_and_wait(&apply_kernel<add_marked, marked>, 1, 1, 0, add_marked{}, known, marked{}, result.data());
  EXPECT_EQ(unknown_uses_so_far() - before, 1u);
}

}  // namespace
