// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every kernel over axes in small, with and without blocks that share outputs; also for compute-sanitizer.
#include <warpfold/scan_axes.cuh>

#include "axes/arrays.cuh"
#include "common/interval.hpp"

namespace axes_sanitizer {

namespace wf = warpfold;
using wf_test::arrays::layout;

struct small_case {
  const char* name;
  std::vector<std::int64_t> extents;
  unsigned reduced;
  std::int64_t padding;  ///< between rows
};

TEST(axes_sanitizer, every_kernel) {
  const small_case cases[] = {{"contiguous rows", {50, 70}, 0b10, 0},
                              {"vector columns", {70, 48}, 0b01, 0},
                              {"tall vector columns", {9000, 16}, 0b01, 0},
                              {"single columns", {90, 127}, 0b01, 1},
                              {"columns of few items", {13, 300}, 0b01, 0},
                              {"padded rows", {7, 3000}, 0b10, 5},
                              {"short padded rows", {60, 70}, 0b10, 3},
                              {"few rows, misaligned", {2, 20001}, 0b10, 1},
                              {"outer and inner", {6, 5, 64}, 0b101, 0},
                              {"narrow matrix", {5000, 3}, 0b01, 0},
                              {"narrow matrix of whole batches", {4096, 3}, 0b01, 0},
                              {"narrow matrices", {40, 9, 5}, 0b010, 0},
                              {"all items", {3, 4, 5}, 0b111, 1},
                              {"copy", {5, 33}, 0, 2}};
  for (const small_case& each : cases) {
    std::vector<int> order;
    std::vector<std::int64_t> padding(each.extents.size()), kept;
    for (std::size_t i = 0; i < each.extents.size(); ++i) {
      order.push_back(static_cast<int>(i));
      if (!(each.reduced >> i & 1)) kept.push_back(each.extents[i]);
    }
    padding.back() = each.padding;
    const layout in = wf_test::arrays::make_layout(each.extents, order, 1, padding, 0, 0);
    const layout out = wf_test::arrays::contiguous(kept);
    const auto memory = wf_test::random_items<float>(in.length);
    for (const int misaligned : {0, 1}) {
      const wf_test::device_array<float> from(memory, misaligned), to(out.items());
      for (const int repeat : {1, 2})  // the second call finds its counters zero
        wf::reduce_axes(wf_test::arrays::view_of(from.data(), in),
                        wf_test::arrays::view_of(to.data(), wf_test::arrays::with_reduced(in, each.reduced, out)),
                        wf_test::arrays::named(each.reduced, in.rank), wf::plus{}, {.max_blocks = 7 * (repeat - 1)});
      const auto expected = wf_test::arrays::expected<float>(in, each.reduced, memory, wf::plus{});
      for (std::int64_t i = 0; i < out.items(); ++i)
        EXPECT_TRUE(wf_test::same_bits(to.value(i), expected[static_cast<std::size_t>(i)]))
            << each.name << ", output " << i << ", misaligned by " << misaligned;
    }
  }
}

// Strips and rows of tiles, of which later ones look back, and few blocks that draw many.
TEST(axes_sanitizer, scans) {
  using interval = wf_test::interval<>;
  struct matrix {
    std::int64_t rows, columns;
    int axis;
  };
  for (const auto& [rows, columns, axis] :
       {matrix{3000, 3, 0}, matrix{300, 40, 0}, matrix{90, 127, 0}, matrix{9, 1500, 1}, matrix{60, 70, 1}})
    for (const int max_blocks : {0, 2}) {
      std::vector<interval> items, expected;
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < columns; ++c) {
          items.push_back(interval::of(axis == 0 ? r : c));
          expected.push_back(interval::of(0, axis == 0 ? r : c));
        }
      const wf_test::device_array<interval> in(items, max_blocks / 2), out(in.count());
      wf::inclusive_scan_axes(wf::strided(in.data(), {rows, columns}), wf::strided(out.data(), {rows, columns}),
                              wf::axes{axis}, wf_test::join{}, {.max_blocks = max_blocks});
      EXPECT_EQ(out.to_host(), expected) << rows << " x " << columns << ", axis " << axis << ", " << max_blocks;
    }
}

}  // namespace axes_sanitizer
