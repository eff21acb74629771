// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From any base address, items of any size are folded by the canonical tree and nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "common/monoids.hpp"
#include "common/same_bits.hpp"
#include "common/samples.hpp"
#include "common/tree_hash.hpp"
#include "reduce/expected.hpp"
#include "reduce/point.hpp"
#include "reduce/ways.cuh"

namespace wf = warpfold;
using wf_test::point, wf_test::tree_hash;

namespace {

// For each type an operator that tells what was folded in which order, and mostly by which tree.
template <class T> struct operator_for { using type = wf_test::add_points; };
template <> struct operator_for<wf_test::byte_affine> { using type = wf_test::compose_bytes; };
template <int Bytes, int Alignment> struct operator_for<tree_hash<Bytes, Alignment>> {
  using type = wf_test::hash_pair;
};

template <class T> std::vector<T> items_of(std::int64_t count) {
  if constexpr (requires { T::of(count); }) return wf_test::hash_items<T>(count);
  else return wf_test::random_items<T>(count);
}

// Every offset of the base against a vector of 16 bytes that items of this size can have.
template <class T> constexpr int offsets_of = 16 / std::gcd(16, int{sizeof(T)});

template <class T> class reduce_alignment : public testing::Test {
 protected:
  void expect_canonical(std::int64_t size, std::int64_t offset, int max_blocks) {
    const wf_test::device_array<T> in(std::span<const T>(items_).first(static_cast<std::size_t>(size)), offset);
    wf::reduce(in.items(), out_.data(), op_, {.max_blocks = max_blocks});
    EXPECT_TRUE(wf_test::same_bits(out_.value(), roots_.at(size)))
        << size << " items of " << sizeof(T) << " bytes, " << offset << " items past a boundary, max_blocks "
        << max_blocks;
  }

  std::vector<std::int64_t> sizes_ = [] {
    constexpr std::int64_t chunk = wf::thread::items_per_chunk(sizeof(T)), row = 32 * chunk;
    std::set<std::int64_t> sizes{1, 8 * row, 8 * row + chunk, 16 * row, 40 * row + 3, 200 * row + 1};
    for (const std::int64_t unit : {chunk, row, 4 * row})
      for (std::int64_t off = -1; off <= 1; ++off) sizes.insert(std::max<std::int64_t>(1, unit + off));
    const auto shapes = wf_test::shape_sizes<T>();
    sizes.insert(shapes.begin(), shapes.end() - 1);  // shares are reached by max_blocks
    return std::vector<std::int64_t>(sizes.begin(), sizes.end());
  }();

 private:
  typename operator_for<T>::type op_;
  std::vector<T> items_ = items_of<T>(sizes_.back());
  std::map<std::int64_t, T> roots_ = wf_test::canonical_roots<T>(items_, sizes_, op_);
  wf_test::device_array<T> out_{1};
};

using item_types =
    testing::Types<wf_test::byte_affine, tree_hash<2, 2>, tree_hash<3>, point<float, 3>, point<double, 3>>;
TYPED_TEST_SUITE(reduce_alignment, item_types);

TYPED_TEST(reduce_alignment, every_offset) {
  for (int offset = 0; offset < offsets_of<TypeParam>; ++offset) {
    std::int64_t number = offset;
    for (const std::int64_t size : this->sizes_)
      for (const int max_blocks : {0, 1})
        if (wf_test::in_sample(number++)) this->expect_canonical(size, offset, max_blocks);
  }
}

// Items as long as a vector, from bases that are no multiple of it.
TEST(reduce_alignment_within_items, every_word) {
  using item = point<float, 4>;
  const auto items = wf_test::random_items<item>(5000);
  const item expected = wf::canonical_tree::replay(items.begin(), std::ssize(items), wf_test::add_points{});
  const wf_test::device_array<item> memory(std::ssize(items) + 1), out(1);
  for (std::size_t bytes = 0; bytes < 16; bytes += 4) {
    auto* first = reinterpret_cast<item*>(reinterpret_cast<std::byte*>(memory.data()) + bytes);
    wf::check(cudaMemcpy(first, items.data(), items.size() * sizeof(item), cudaMemcpyHostToDevice), "cudaMemcpy");
    wf::reduce(first, std::ssize(items), out.data(), wf_test::add_points{});
    EXPECT_TRUE(wf_test::same_bits(out.value(), expected)) << bytes << " bytes past a boundary";
  }
}

}  // namespace
