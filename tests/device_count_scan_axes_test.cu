// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans along axes whose outermost one is as long as the kernel reads.
#include <gtest/gtest.h>

#include <warpfold/device_count_scan_axes.cuh>
#include <warpfold/vector_operators.hpp>

#include <string>
#include <vector>

#include "axes/arrays.cuh"
#include "common/interval.hpp"
#include "common/random_cases.hpp"
#include "common/refusal.hpp"
#include "reduce/stream.cuh"

namespace scan_axes_device_count_tests {

namespace wf = warpfold;
using wf_test::device_array;
using wf_test::arrays::layout;
using interval = wf_test::interval<>;

const interval untouched = interval::of(-77);

void set(const device_array<int>& count, std::int64_t value) { count.set(0, static_cast<int>(value)); }

/// A scan of arrays of three dimensions.
struct asked {
  layout in, out;
  int axis = 0;
  bool is_backwards = false;
  std::int64_t most = 0;  ///< of axis 0, which may be longer
  int max_blocks = 0;

  std::string text() const {
    return "in " + in.text() + ", out " + out.text() + ", most " + std::to_string(most) + ", axis " +
           std::to_string(axis) + (is_backwards ? ", backwards" : "") + ", max_blocks " + std::to_string(max_blocks);
  }
  /// Calls visit(place, number in the order of the scan) for each item of a layout that takes part.
  template <class Visit> void for_items(layout of, std::int64_t count, Visit visit) const {
    of.extent[0] = count;
    const std::int64_t last = of.extent[axis] - 1;
    wf_test::arrays::for_items(of, ~(1u << axis), of.origin, [&](std::int64_t first) {
      for (std::int64_t i = 0; i <= last; ++i) visit(first + i * of.stride[axis], is_backwards ? last - i : i);
    });
  }
  /// Scans as many first indices as each count says: of intervals, which show any reorder, loss or duplicate.
  testing::AssertionResult check(const std::vector<std::int64_t>& counts) const {
    const device_array<int> number(1);
    const auto view = [](interval* memory, const layout& of) {
      return wf::strided<interval, 3>(memory + of.origin, {of.extent[0], of.extent[1], of.extent[2]},
                                      {of.stride[0], of.stride[1], of.stride[2]});
    };
    for (const std::int64_t count : counts) {
      std::vector<interval> memory(static_cast<std::size_t>(in.length), interval::poison()),
          expected(static_cast<std::size_t>(out.length), untouched);
      for_items(in, count,
                [&](std::int64_t at, std::int64_t i) { memory[static_cast<std::size_t>(at)] = interval::of(i); });
      const device_array<interval> from(memory), to(expected);
      for_items(out, count, [&](std::int64_t at, std::int64_t i) {
        expected[static_cast<std::size_t>(at)] = interval::of(-1, i - 1);
      });
      set(number, count);
      const auto scan = [&](const auto& named) {
        wf::exclusive_scan_axes(view(from.data(), in), wf::device_count(number.data(), most), view(to.data(), out),
                                named, wf_test::join{}, {.init = interval::of(-1), .max_blocks = max_blocks});
      };
      if (is_backwards) scan(wf::backwards{axis});
      else scan(wf::axes{axis});
      if (to.to_host() != expected) return testing::AssertionFailure() << count << " indices: " << text();
    }
    return testing::AssertionSuccess();
  }
};

asked random_case(wf_test::random_source& source) {
  std::vector<std::int64_t> extents(3);
  std::int64_t left = 5'000;
  for (const int kind : {0, 1, 2}) {
    auto& extent = extents[static_cast<std::size_t>(source.below(3))];
    if (extent == 0) extent = 1 + source.below(std::min<std::int64_t>(left, kind == 0 ? 5'000 : 40)), left /= extent;
  }
  for (auto& extent : extents) extent = std::max<std::int64_t>(extent, 1);
  const auto random_layout = [&] {
    std::vector<int> order{0, 1, 2};
    if (source.below(2) == 0) std::swap(order[static_cast<std::size_t>(source.below(3))], order[0]);
    const bool is_padded = source.below(2) == 0;
    const std::vector<std::int64_t> padding(3, is_padded ? 2 : 0);
    return wf_test::arrays::make_layout(extents, order, 1, padding,
                                        source.below(3) == 0 ? static_cast<unsigned>(source.below(8)) : 0, 0);
  };
  asked drawn{random_layout(), random_layout()};
  drawn.axis = static_cast<int>(source.below(3));
  drawn.is_backwards = source.below(2) == 0;
  drawn.most = extents[0] - (source.below(3) == 0 ? source.below(extents[0]) : 0);
  drawn.max_blocks = static_cast<int>(source.below(3));
  return drawn;
}

TEST(scan_axes_device_count, random_arrays) {
  wf_test::for_all_seeds([](std::uint64_t, wf_test::random_source& source) {
    const asked drawn = random_case(source);
    return drawn.check({drawn.most, source.below(drawn.most + 1), 0});
  });
}

// Few columns, of which blocks take bands: as many as there are, one, and none.
TEST(scan_axes_device_count, long_columns) {
  for (const bool is_backwards : {false, true})
    for (const int inner : {1, 7}) {
      const layout both = wf_test::arrays::contiguous({9'001, 1, inner});
      EXPECT_TRUE((asked{both, both, 0, is_backwards, 9'001}.check({9'001, 5'003, 3, 0})));
    }
}

TEST(scan_axes_device_count, in_a_graph_whose_replays_see_other_counts) {
  constexpr int most = 300, columns = 4;
  std::vector<interval> items;
  for (int i = 0; i < most * columns; ++i) items.push_back(interval::of(i / columns));
  const device_array<interval> in(items), out(std::vector<interval>(items.size(), untouched));
  const device_array<int> count(1);
  const wf::strided matrix(in.data(), {most, columns}), to(out.data(), {most, columns});
  const wf_test::graph graph([&](cudaStream_t s) {
    wf::exclusive_scan_axes(matrix, wf::device_count(count.data(), most), to, wf::axes{0}, wf_test::join{},
                            {.stream = s, .init = interval::of(-1)});
  });
  EXPECT_EQ(graph.nodes(), 1u);
  const wf_test::stream stream;
  for (const int n : {0, 7, most}) {
    set(count, n);
    graph.launch(stream);
    stream.wait();
    const auto found = out.to_host();
    for (int i = 0; i < most * columns; ++i)
      ASSERT_EQ(found[static_cast<std::size_t>(i)], i / columns < n ? interval::of(-1, i / columns - 1) : untouched);
  }
}

TEST(scan_axes_device_count, errors) {
  const device_array<interval> in(40), out(40);
  const device_array<int> count(std::vector<int>{4});
  const wf::strided matrix(in.data(), {4, 10}), to(out.data(), {4, 10});
  const auto scan = [&](const wf::device_count<int>& number, const auto& results) {
    return wf_test::refusal([&] {
      wf::exclusive_scan_axes(matrix, number, results, wf::axes{0}, wf_test::join{}, {.init = interval::of(-1)});
    });
  };
  const std::string begin = "warpfold::exclusive_scan_axes: ";
  EXPECT_EQ(scan({count.data(), 5}, to), begin + "axis 0 has 4 indices, and the device_count may be 5");
  EXPECT_EQ(scan({count.data(), -1}, to), begin + "a device_count may be at most -1");
  EXPECT_EQ(scan({nullptr, 4}, to), begin + "the device_count's pointer is null");
  EXPECT_EQ(scan({count.data(), 4}, wf::strided(out.data(), {3, 10})),
            begin + "out has the extents (3, 10); in has (4, 10)");
  EXPECT_EQ(scan({reinterpret_cast<const int*>(out.data() + 30), 4}, to), begin + "out lies within device_count");
}

/// The other forms are calls, too. (They pass on what the form above does, and would take long to compile.)
template <class In, class Count, class Out, class Axis>
constexpr bool are_calls = requires(const In& in, const Count& count, const Out& out, const Axis& axis,
                                    const wf::reduce_options<int>& options) {
  wf::inclusive_scan_axes(in, count, out, axis);
  wf::exclusive_scan_axes(in, count, out, axis, options);
  wf::transform_inclusive_scan_axes(in, count, out, axis, wf::plus{}, wf::magnitude{}, options);
};
static_assert(are_calls<wf::strided<int, 2>, wf::device_count<int>, wf::strided<int, 2>, wf::backwards>);

}  // namespace scan_axes_device_count_tests
