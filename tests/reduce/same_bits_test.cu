// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floating-point sums have the bits of the canonical tree, whatever the size, grid, schedule, alignment, init or
// scratch; and the error of pairwise summation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "common/random_items.hpp"
#include "common/same_bits.hpp"
#include "reduce/expected.hpp"
#include "reduce/ways.cuh"

namespace wf = warpfold;
using wf_test::way;

namespace {

template <class T> class reduce_same_bits : public testing::Test {
 protected:
  void expect_canonical(std::int64_t size, std::int64_t offset, std::initializer_list<way> ways) {
    const wf_test::device_array<T> in(std::span<const T>(items_).first(static_cast<std::size_t>(size)), offset);
    for (const way& w : ways) {
      wf::reduce(in.items(), asked_.out(), wf::plus{}, asked_.options(w));
      const T root = roots_.at(size), expected = w.has_init() ? wf::plus{}(init, root) : root;
      EXPECT_TRUE(wf_test::same_bits(asked_.result(), expected)) << size << " items, " << offset << " off, " << w;
    }
  }
  void expect_canonical(std::int64_t size, std::int64_t offset, const std::vector<way>& ways) {
    for (const way& w : ways) expect_canonical(size, offset, {w});
  }

  static constexpr T init = T(-1234.567);
  std::vector<std::int64_t> sizes_ = [] {
    auto sizes = wf_test::border_sizes<T>(wf_test::emulated ? 1 << 16 : 1 << 21);
    const auto shapes = wf_test::shape_sizes<T>();
    sizes.insert(sizes.end(), shapes.begin(), shapes.end());
    std::sort(sizes.begin(), sizes.end());
    return sizes;
  }();

 private:
  std::vector<T> items_ = wf_test::random_items<T>(sizes_.back());
  std::map<std::int64_t, T> roots_ = wf_test::canonical_roots<T>(items_, sizes_, wf::plus{});
  wf_test::asked<T> asked_{init};
};

using real_types = testing::Types<float, double>;
TYPED_TEST_SUITE(reduce_same_bits, real_types);

TYPED_TEST(reduce_same_bits, every_border_and_way) {
  std::int64_t turn = 0;
  for (const std::int64_t size : this->sizes_) {
    const auto all = wf_test::ways(turn);
    this->expect_canonical(size, turn % 4, {all[turn % 9], all[(turn + 4) % 9], all[(turn + 8) % 9]});
    ++turn;
  }
}

TYPED_TEST(reduce_same_bits, forced_grids_under_many_schedules) {
  for (const std::int64_t size : wf_test::shape_sizes<TypeParam>())
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const wf_test::schedule_seed schedule(seed);
      for (const int max_blocks : {1, 2, 3, 7, 20, 131, 0})
        this->expect_canonical(size, static_cast<std::int64_t>(seed), {way{.max_blocks = max_blocks}});
    }
}

// The canonical tree has h = ceil(log2 N) levels and so rounds each item's way to the root at most h times: with unit
// roundoff u, |sum - exact| <= ((1 + u)^h - 1) * (|x_1| + ... + |x_N|) <= h u / (1 - h u) * that (Higham, Accuracy and
// Stability of Numerical Algorithms, 4.2). The reference is the same tree in long double, whose own error by the same
// bound is added; the bound itself, a sum of long doubles with (1 + u')^h, is off by far less than its last term's
// slack.
template <class T> long double error_bound(const std::vector<T>& items) {
  const auto pairwise = [&](auto roundoff_of) {
    const long double levels = std::ceil(std::log2(static_cast<long double>(items.size())));
    const long double hu = levels * std::numeric_limits<decltype(roundoff_of)>::epsilon() / 2;
    return hu / (1 - hu);
  };
  long double magnitude = 0;
  for (const T item : items) magnitude += std::abs(item);
  return (pairwise(T{}) + pairwise(0.0L)) * magnitude *
         (1 + items.size() * std::numeric_limits<long double>::epsilon());
}

struct add_long_doubles {
  long double operator()(long double a, long double b) const { return a + b; }
};

TYPED_TEST(reduce_same_bits, error_bound) {
  for (const std::int64_t size : {2, 1000, 65537, 300007}) {
    const auto items = wf_test::random_items<TypeParam>(size, static_cast<std::uint64_t>(size));
    const std::vector<long double> precise(items.begin(), items.end());
    const long double reference = wf::canonical_tree::replay(precise.begin(), size, add_long_doubles{});
    const wf_test::device_array<TypeParam> in(items), out(1);
    wf::reduce(in.items(), out.data());
    EXPECT_LE(std::abs(out.value() - reference), error_bound(items)) << size << " items";
  }
}

// An init joins last: (init + root), not a leaf of the tree, or the last bits differ.
TYPED_TEST(reduce_same_bits, init_joins_the_root) {
  const TypeParam tiny = std::numeric_limits<TypeParam>::epsilon() / 2;
  const std::vector<TypeParam> items(4, tiny);
  const wf_test::device_array<TypeParam> in(items), out(1);
  wf::reduce(in.items(), out.data(), {.init = TypeParam(1)});
  EXPECT_TRUE(wf_test::same_bits(out.value(), TypeParam(1) + 4 * tiny));
}

}  // namespace
