// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Owners of as many items as the kernel reads: results are those of a call with that count, and no owner, item or
// result behind them is touched.
#include <gtest/gtest.h>

#include <warpfold/device_count.cuh>
#include <warpfold/segmented_reduce.cuh>
#include <warpfold/segmented_scan.cuh>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "common/device.cuh"
#include "common/interval.hpp"
#include "common/refusal.hpp"

namespace owners_device_count_tests {

namespace wf = warpfold;
using wf_test::device_array;
using interval = wf_test::interval<>;

const interval untouched = interval::of(-77), none = interval::of(-5), init = interval::of(-1);

/// Short segments, empty ones, one that several warps share, and short ones again.
const std::vector<int> lengths = [] {
  std::vector<int> all;
  for (int i = 0; i < 300; ++i) all.push_back(i == 150 ? 20'000 : i == 160 ? 3'000 : i * 7 % 23 % 9);
  return all;
}();

struct problem {
  std::vector<int> owner, begin;  ///< of each item; of each item's segment
  problem() {
    for (int segment = 0; segment < std::ssize(lengths); ++segment) {
      const int first = static_cast<int>(owner.size());
      owner.resize(owner.size() + static_cast<std::size_t>(lengths[static_cast<std::size_t>(segment)]), segment);
      begin.resize(owner.size(), first);
    }
  }
  std::int64_t items() const { return std::ssize(owner); }
};

/// The first `count` items and their owners; what lies behind must not be used.
struct first_items_of {
  device_array<interval> in;
  device_array<int> ids, number;

  first_items_of(const problem& all, std::int64_t count)
      : in([&] {
          auto items = wf_test::interval_items(all.items());
          std::fill(items.begin() + count, items.end(), interval::poison());
          return items;
        }()),
        ids([&] {
          auto owner = all.owner;
          std::fill(owner.begin() + count, owner.end(), 1 << 30);
          return owner;
        }()),
        number(std::vector<int>{static_cast<int>(count)}) {}

  auto segments() const {
    return wf::first_items{wf::owners{ids.items()}, wf::device_count(number.data(), in.count())};
  }
};

std::vector<std::int64_t> counts(const problem& all) { return {0, 1, 31, 700, 12'345, all.items() - 1, all.items()}; }

TEST(owners_device_count, each_segment_has_those_of_the_first_items) {
  const problem all;
  for (const std::int64_t n : counts(all))
    for (const int max_blocks : {0, 1}) {
      const first_items_of first(all, n);
      const device_array<interval> out(std::vector<interval>(lengths.size(), untouched));
      wf::segmented_reduce(first.in.items(), first.segments(), std::span(out.data(), out.size()), wf_test::join{},
                           {.empty = none, .max_blocks = max_blocks});
      const auto found = out.to_host();
      std::int64_t begin = 0;
      for (std::size_t s = 0; s < lengths.size(); ++s) {
        const std::int64_t end = begin + lengths[s], last = std::min(end, n) - 1;
        ASSERT_EQ(found[s], last < begin ? none : interval::of(begin, last))
            << "segment " << s << " of " << n << " items";
        begin = end;
      }
    }
}

TEST(owners_device_count, every_prefix_and_nothing_behind) {
  const problem all;
  for (const std::int64_t n : counts(all))
    for (const int max_blocks : {0, 2}) {
      const first_items_of first(all, n);
      const device_array<interval> out(std::vector<interval>(all.owner.size(), untouched));
      wf::segmented_inclusive_scan(first.in.items(), first.segments(), out.data(), wf_test::join{},
                                   {.init = init, .max_blocks = max_blocks});
      const auto found = out.to_host();
      for (std::int64_t i = 0; i < all.items(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        const interval expected = i >= n ? untouched : wf_test::join{}(init, interval::of(all.begin[at], i));
        ASSERT_EQ(found[at], expected) << "item " << i << " of " << n;
      }
    }
}

TEST(owners_device_count, errors) {
  const device_array<interval> in(40), out(10);
  const device_array<int> ids(std::vector<int>(40)), count(std::vector<int>{4});
  const auto reduce = [&](const wf::device_count<int>& number) {
    return wf_test::refusal([&] {
      wf::segmented_reduce(in.items(), wf::first_items{wf::owners{ids.items()}, number}, std::span(out.data(), 10),
                           wf_test::join{}, {.empty = none});
    });
  };
  const std::string begin = "warpfold::segmented_reduce: ";
  EXPECT_EQ(reduce({count.data(), 41}), begin + "in has 40 items, and the device_count may be 41");
  EXPECT_EQ(reduce({nullptr, 4}), begin + "the device_count's pointer is null");
  EXPECT_EQ(reduce({reinterpret_cast<const int*>(out.data() + 3), 40}), begin + "out lies within device_count");
}

}  // namespace owners_device_count_tests
