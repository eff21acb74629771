// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators, transforms and conversions see the input's items and values made of them, and nothing else: through each
// block algorithm on each schedule, at data-blocks that are not full. Those below stop the kernel at any other value.
#include "common/device.cuh"
#include "segmented.cuh"

namespace wf_test {
namespace {

constexpr int known = 0x5eed;
/// Stops the kernel unless `holds`. (nvcc knows __trap in device code only.)
__host__ __device__ inline void expect([[maybe_unused]] bool holds) {
#if defined(__CUDA_ARCH__) || !defined(__CUDACC__)
  if (!holds) __trap();
#endif
}
__host__ __device__ inline void expect_known(int mark) { expect(mark == known); }

/// An item of `Words` words. Its transform makes a `seen` of it, which is converted to a `tally`.
template <int Words> struct token { int mark[Words]; };
struct seen {
  int mark;
};
struct tally {
  int mark = 0, count = 0;

  tally() = default;
  __host__ __device__ tally(int mark, int count) : mark(mark), count(count) {}
  __host__ __device__ explicit tally(const seen& s) : mark(s.mark), count(1) { expect_known(s.mark); }
};
struct look {
  template <int Words> __host__ __device__ seen operator()(const token<Words>& item) const {
    for (const int mark : item.mark) expect_known(mark);
    return {known};
  }
};
struct add_tallies {
  __host__ __device__ tally operator()(const tally& a, const tally& b) const {
    expect_known(a.mark);
    expect_known(b.mark);
    return {known, a.count + b.count};
  }
};

template <int Words> device_array<token<Words>> tokens(std::int64_t count, std::int64_t offset) {
  token<Words> item;
  for (int& mark : item.mark) mark = known;
  return device_array<token<Words>>(std::vector<token<Words>>(static_cast<std::size_t>(count), item), offset);
}

/// Tallies that are computed. There are no others.
struct computed_tallies {
  using value_type = tally;
  using difference_type = std::int64_t;
  std::int64_t limit;

  __host__ __device__ tally operator[](std::int64_t i) const {
    expect(i >= 0 && i < limit);
    return {known, 1};
  }
};

/// Around 1, a row, a data-block of `d` items, and the shares of three blocks.
std::vector<std::int64_t> partial_sizes(std::int64_t d) { return {1, 2, 31, 33, d - 1, d + 1, 3 * d + 5, 5 * d - 3}; }

template <class S> class strategies_unknown_items : public testing::Test {
 protected:
  static constexpr int blocks = strategy_parts<S>::is_persistent ? 3 : 0;
  void SetUp() override {
    if (!runs_here<S>()) GTEST_SKIP() << needs_bulk_copies;
  }
  template <int Words> void expect_counted() {
    const std::int64_t d = wf::facts_of<S, tally, add_tallies>(1).data_block_items;
    const device_array<tally> out(1);
    for (const std::int64_t offset : {0, 1})
      for (const std::int64_t count : partial_sizes(d)) {
        const auto in = tokens<Words>(count, offset);
        wf::transform_reduce<S>(in.items(), out.data(), wf::accumulate_in<tally>(add_tallies{}), look{},
                                {.init = tally{known, 1000}, .max_blocks = blocks});
        ASSERT_EQ(out.value().count, count + 1000) << "offset " << offset;
      }
  }
};
using ordered_pairs = join_lists<
    testing::Types<wf::strategy<small_tree, wf::grid::multi_pass>, wf::strategy<small_warp_tree, wf::grid::multi_pass>,
                   wf::strategy<small_matrix, wf::grid::multi_pass>, wf::strategy<small_shuffle, wf::grid::multi_pass>>,
    persistent_compositions<small_tree, paper_form<2>, modern_form<2>, wf::finish::last_block>,
    persistent_compositions<small_warp_tree, paper_form<2>, modern_form<2>, wf::finish::two_launch>,
    persistent_compositions<small_matrix, paper_form<1>, two_producers, wf::finish::last_block>,
    persistent_compositions<small_shuffle, paper_form<2>, modern_form<1>, wf::finish::two_launch>>;
TYPED_TEST_SUITE(strategies_unknown_items, ordered_pairs, composition_names);

TYPED_TEST(strategies_unknown_items, in_an_array) { this->template expect_counted<1>(); }
TYPED_TEST(strategies_unknown_items, of_twelve_bytes) { this->template expect_counted<3>(); }

TYPED_TEST(strategies_unknown_items, computed) {
  const device_array<tally> out(1);
  const std::int64_t d = wf::facts_of<TypeParam, tally, add_tallies>(1).data_block_items;
  for (const std::int64_t count : partial_sizes(d)) {
    wf::reduce<TypeParam>(computed_tallies{count}, count, out.data(), add_tallies{},
                          {.max_blocks = TestFixture::blocks});
    ASSERT_EQ(out.value().count, count);
  }
}

/// The atomic finishes, which take the library's own operators: transforms only.
template <class S> class strategies_unknown_items_atomic : public testing::Test {};
TYPED_TEST_SUITE(strategies_unknown_items_atomic, atomic_compositions, composition_names);

struct look_for_one {
  __host__ __device__ int operator()(const token<1>& item) const { return expect_known(item.mark[0]), 1; }
};
TYPED_TEST(strategies_unknown_items_atomic, in_an_array) {
  if (!runs_here<TypeParam>()) GTEST_SKIP() << needs_bulk_copies;
  const device_array<int> out(1);
  for (const std::int64_t offset : {0, 1})
    for (const std::int64_t count : partial_sizes(256)) {
      const auto in = tokens<1>(count, offset);
      wf::transform_reduce<TypeParam>(in.items(), out.data(), wf::plus{}, look_for_one{}, {.max_blocks = 3});
      ASSERT_EQ(out.value(), count);
    }
}

/// Segments: init, too, is joined to items only, and an empty segment gets .empty.
template <class S> class strategies_unknown_items_segmented : public testing::Test {};
TYPED_TEST_SUITE(strategies_unknown_items_segmented, main_segmented_compositions, composition_names);

TYPED_TEST(strategies_unknown_items_segmented, in_an_array) {
  constexpr int blocks = strategy_parts<TypeParam>::is_persistent ? 3 : 0;
  for (const bool with_init : {false, true})
    for (const std::int64_t count : partial_sizes(256))
      for (const auto& cut : segmentations<int>(count, 256, static_cast<std::uint64_t>(count))) {
        const auto in = tokens<1>(count, with_init);
        const device_array<int> ids(cut.ids);
        const device_array<tally> out(std::vector<tally>(static_cast<std::size_t>(cut.segments)));
        wf::segmented_options<tally> options{.empty = tally{known, -7}, .max_blocks = blocks};
        if (with_init) options.init = tally{known, 1000};
        wf::transform_segmented_reduce<TypeParam>(in.items(), wf::owners{ids.items()},
                                                  std::span(out.data(), out.size()),
                                                  wf::accumulate_in<tally>(add_tallies{}), look{}, options);
        std::vector<int> expected(out.size(), -7);
        for (const int id : cut.ids) {
          int& own = expected[static_cast<std::size_t>(id)];
          own = own == -7 ? (with_init ? 1001 : 1) : own + 1;
        }
        const auto actual = out.to_host();
        for (std::size_t s = 0; s < expected.size(); ++s)
          ASSERT_EQ(actual[s].count, expected[s]) << "segment " << s << " of " << count << " items";
      }
}

}  // namespace
}  // namespace wf_test
