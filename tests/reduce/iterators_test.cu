// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs that are no arrays: anything that device code can index; and outputs that are no pointers.
#include <gtest/gtest.h>

#include <iterator>
#include <warpfold/canonical_tree.hpp>

#include "common/interval.hpp"
#include "common/random_items.hpp"
#include "reduce/iterators.cuh"
#include "reduce/ways.cuh"

namespace wf = warpfold;
using wf_test::interval, wf_test::join, wf_test::way;

namespace {

using counting = wf_test::counting<interval<>>;
using strided = wf_test::strided<float>;
using stl_counting = wf_test::stl_counting;

static_assert(!std::random_access_iterator<counting>, "the least that an input has to offer");
static_assert(std::random_access_iterator<stl_counting>);

TEST(reduce_iterators, counting_keeps_order_at_every_border_and_way) {
  wf_test::asked<interval<>> asked(interval<>::of(-1), interval<>::poison());
  std::int64_t turn = 0;
  for (const std::int64_t size : wf_test::border_sizes<char[16]>(wf_test::emulated ? 1 << 15 : 1 << 20)) {
    for (const way& w : wf_test::ways(turn, {turn % 2 == 0 ? 0 : 1})) {
      wf::reduce(counting{0}, size, asked.out(), join{}, asked.options(w));
      EXPECT_EQ(asked.result(), interval<>::of(w.has_init() ? -1 : 0, size - 1)) << size << " items, " << w;
    }
    ++turn;
  }
}

TEST(reduce_iterators, standard_iterator) {
  const wf_test::device_array<std::int64_t> out(1);
  for (const std::int64_t size : {1, 1000, 10'007, 50'021}) {
    wf::reduce(stl_counting{5}, size, out.data());
    EXPECT_EQ(out.value(), size * (size + 9) / 2) << size;
  }
}

TEST(reduce_iterators, strided_follows_the_canonical_tree) {
  const auto items = wf_test::random_items<float>(40'000);
  const wf_test::device_array<float> in(items), out(1);
  for (const int stride : {1, 3, -2}) {
    const std::int64_t count = 10'007, first = stride < 0 ? std::ssize(items) - 1 : 0;
    wf::reduce(strided{in.data() + first, stride}, count, out.data());
    EXPECT_EQ(out.value(), wf::canonical_tree::replay(strided{items.data() + first, stride}, count, wf::plus{}))
        << stride;
  }
}

// A contiguous iterator is as good as a pointer.
TEST(reduce_iterators, contiguous_iterator_is_a_pointer) {
  const auto items = wf_test::random_items<float>(10'007);
  const wf_test::device_array<float> in(items, 1), out(1);
  wf::reduce(in.items().begin(), in.count(), out.data());
  EXPECT_EQ(out.value(), wf::canonical_tree::replay(items.begin(), in.count(), wf::plus{}));
}

TEST(reduce_iterators, output_iterator_and_wider_output) {
  const auto items = wf_test::random_items<float>(20'011);
  const float expected = wf::canonical_tree::replay(items.begin(), std::ssize(items), wf::plus{});
  const wf_test::device_array<float> in(items);
  const wf_test::device_array<double> out(2);
  wf::reduce(in.items(), out.data(), wf::accumulate_in<float>(wf::plus{}));  // named, since the output is wider
  wf::reduce(in.items(), wf_test::negating_output{out.data() + 1});
  EXPECT_EQ(out.value(0), double{expected});
  EXPECT_EQ(out.value(1), -double{expected});
}

TEST(reduce_iterators, empty) {
  wf_test::device_array<std::int64_t> out(1);
  out.set(0, 77);
  wf::reduce(stl_counting{5}, 0, out.data());
  EXPECT_EQ(out.value(), 0);
  wf::reduce(stl_counting{5}, 0, out.data(), {.init = 9});
  EXPECT_EQ(out.value(), 9);
}

}  // namespace
