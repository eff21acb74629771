// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Users' operators and types: without identity, not commutative, of awkward and of large sizes.
#include <gtest/gtest.h>

#include "common/interval.hpp"
#include "common/monoids.hpp"
#include "segmented/expect_canonical.cuh"

namespace wf = warpfold;
using wf_test::layout;

namespace wf_test {
/// Summed by the library's operator, with an identity that only the host can make, and that +0 makes inexact.
struct complex {
  float re, im;

  static complex random(random_source& source) { return {random_item<float>(source), -0.0f}; }
  __host__ __device__ friend complex operator+(const complex& a, const complex& b) {
    return {wf::plus{}(a.re, b.re), wf::plus{}(a.im, b.im)};
  }
  friend std::ostream& operator<<(std::ostream& out, const complex& c) { return out << c.re << " + " << c.im << " i"; }
};
}  // namespace wf_test

template <> struct warpfold::identity<warpfold::plus, wf_test::complex> {
  static wf_test::complex value() {
    static int calls = 0;
    ++calls;
    return {0, 0};
  }
};

namespace {

template <class T> std::vector<T> random_items_of(const layout& where) {
  return wf_test::random_items<T>(where.items, 23);
}

TEST(segmented_reduce_operators, affine_maps) {
  using affine = wf_test::affine<>;
  wf_test::expect_canonical_segments<affine>(random_items_of<affine>, wf_test::compose{}, affine{3, 5}, affine{7, 9});
}

TEST(segmented_reduce_operators, twelve_bytes) {
  using wf_test::triple;
  wf_test::expect_canonical_segments<triple>(random_items_of<triple>, wf_test::add_triples{}, triple{1, 2, 3},
                                             triple{4, 5, 6});
}

// Few values, so that each smallest one occurs several times: the leftmost must be found.
TEST(segmented_reduce_operators, value_and_index) {
  using wf_test::value_and_index;
  const auto make = [](const layout& where) {
    wf_test::random_source source(4);
    std::vector<value_and_index> items;
    for (std::int64_t i = 0; i < where.items; ++i)
      items.push_back({static_cast<float>(source.below(5)), static_cast<int>(i)});
    return items;
  };
  wf_test::expect_canonical_segments<value_and_index>(make, wf_test::leftmost_smallest{}, value_and_index{9, -1},
                                                      value_and_index{0, -2});
}

TEST(segmented_reduce_operators, a_hundred_bytes) {
  using wide = wf_test::interval<std::int32_t, 100>;
  const auto make = [](const layout& where) {
    std::vector<wide> items;
    for (std::int64_t s = 0; s < where.segments(); ++s)
      for (std::int64_t i = 0; i < where.length(s); ++i) items.push_back(wide::of(i));
    return items;
  };
  wf_test::expect_canonical_segments<wide>(make, wf_test::join{}, wide::of(-1), wide::of(-9));
}

// An identity that a user gives is for empty segments: it takes no part in others.
TEST(segmented_reduce_operators, a_users_identity_is_never_folded) {
  using wf_test::complex;
  static_assert(wf::has_identity_v<wf::plus, complex>);
  wf_test::expect_canonical_segments<complex>(random_items_of<complex>, wf::plus{}, complex{1, -0.0f}, complex{2, 3});
}

}  // namespace
