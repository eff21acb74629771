// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segments whose number the kernel reads: each has the bits of a call with that number, and nothing is written behind.
#include <gtest/gtest.h>

#include <warpfold/device_count.cuh>

#include "common/interval.hpp"
#include "kernels.cuh"
#include "reduce/stream.cuh"

namespace segmented_device_count_tests {

namespace wf = warpfold;
using wf_test::device_array, wf_test::layout;
using interval = wf_test::interval<>;

const interval untouched = interval::of(-77), none = interval::of(-5);

/// Short segments, empty ones, one that several warps share, and short ones again.
layout mixed(std::int64_t longest) {
  wf_test::lengths lengths = wf_test::power_law(150, 300);
  lengths.insert(lengths.begin() + 100, {longest, 0, longest / 2 + 1});
  return {"mixed", lengths};
}
template <class N> void set(const device_array<N>& count, std::int64_t value) { count.set(0, static_cast<N>(value)); }
/// Expects the results of the first `count` segments, and nothing behind.
void expect_first(const layout& where, std::int64_t count, const std::vector<interval>& out) {
  for (std::int64_t s = 0; s < std::ssize(out); ++s) {
    const auto at = static_cast<std::size_t>(s);
    const interval expected = s >= count             ? untouched
                              : where.length(s) == 0 ? none
                                                     : interval::of(where.begins[at], where.ends[at] - 1);
    ASSERT_EQ(out[at], expected) << "segment " << s << " of " << count;
  }
}
/// Expects that reduce(in, offsets, count, out, options) is right for each of the counts.
template <class Reduce> void expect_each_count(const layout& where, Reduce reduce) {
  const std::int64_t most = where.segments();
  const device_array<interval> in(wf_test::interval_items(where.items), 1);
  const device_array<int> offsets(where.offsets<int>());
  const device_array<unsigned> count(1);
  for (const std::int64_t n : {std::int64_t{0}, std::int64_t{1}, std::int64_t{40}, std::int64_t{101}, most})
    for (const int max_blocks : {0, 1}) {
      set(count, n);
      const device_array<interval> out(std::vector<interval>(static_cast<std::size_t>(most), untouched));
      reduce(in.items(), offsets.items(), wf::device_count(count.data(), most), std::span(out.data(), out.size()),
             wf::segmented_options<interval>{.empty = none, .max_blocks = max_blocks});
      expect_first(where, n, out.to_host());
    }
}

template <class Kernel> class segmented_device_count : public testing::Test {};
using kernels = testing::Types<wf_test::in_place, wf_test::staged, wf_test::per_warp_team>;
TYPED_TEST_SUITE(segmented_device_count, kernels);

TYPED_TEST(segmented_device_count, every_kernel_takes_the_first_segments) {
  expect_each_count(mixed(20'000), [](auto in, auto offsets, const auto& count, auto out, const auto& options) {
    TypeParam::reduce(std::span<const interval>(in), wf::first_segments{std::span<const int>(offsets), count}, out,
                      wf_test::join{}, options);
  });
}

TEST(segmented_device_counts, bounds_of_iterators_into_a_pointer) {
  expect_each_count(mixed(500), [](auto in, auto offsets, const auto& count, auto out, const auto& options) {
    const wf::bounds all{offsets.data(), offsets.data() + 1};
    wf::segmented_reduce(in, wf::first_segments{all, count}, out.data(), wf_test::join{}, options);
  });
}

TEST(segmented_device_counts, rows) {
  for (const int length : {3, 700}) {
    constexpr std::int64_t most = 110;
    const layout where("rows", wf_test::lengths(most, length));
    expect_each_count(where, [&](auto in, auto, const auto& count, auto out, const auto& options) {
      wf::segmented_reduce(in, wf::first_segments{wf::fixed_length{length}, count}, out, wf_test::join{}, options);
    });
  }
}

TEST(segmented_device_counts, replays_of_a_graph_see_other_counts) {
  const layout where = mixed(3000);
  const std::int64_t most = where.segments();
  const device_array<interval> in(wf_test::interval_items(where.items)),
      out(std::vector<interval>(static_cast<std::size_t>(most), untouched));
  const device_array<int> offsets(where.offsets<int>());
  const device_array<std::int64_t> count(1);
  const wf_test::graph graph([&](cudaStream_t s) {
    wf::segmented_reduce(in.items(), wf::first_segments{offsets.data(), wf::device_count(count.data(), most)},
                         std::span(out.data(), out.size()), wf_test::join{}, {.stream = s, .empty = none});
  });
  EXPECT_EQ(graph.nodes(), 1u);
  const wf_test::stream stream;
  for (const std::int64_t n : {std::int64_t{0}, std::int64_t{7}, most}) {
    set(count, n);
    graph.launch(stream);
    wf::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    expect_first(where, n, out.to_host());
  }
}

#if defined(WARPFOLD_EMULATOR) || !WARPFOLD_CHECKS  // on a GPU a kernel that stops takes the context with it
TEST(segmented_device_counts, wrong_counts_stop_the_kernel_or_are_clamped_and_reported) {
  const layout where("ones", wf_test::lengths(50, 1));
  const device_array<interval> in(wf_test::interval_items(where.items));
  const device_array<int> offsets(where.offsets<int>()), status(std::vector<int>{0}), count(1);
  for (const int n : {-1, 51}) {
    const device_array<interval> out(std::vector<interval>(50, untouched));
    set(count, n);
    const auto call = [&] {
      wf::segmented_reduce(in.items(),
                           wf::first_segments{offsets.data(), wf::device_count(count.data(), 50, status.data())},
                           out.data(), wf_test::join{}, {.empty = none});
      wf::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    };
#if WARPFOLD_CHECKS
    try {
      call();
      ADD_FAILURE() << "no kernel has stopped for " << n;
    } catch (const cuda_emulator::error& e) {
      EXPECT_TRUE(e.kind() == cuda_emulator::fault::precondition) << e.what();
    }
#else
    call();
    expect_first(where, n < 0 ? 0 : 50, out.to_host());
    EXPECT_EQ(status.value(), 1);
#endif
  }
}
#endif

TEST(segmented_device_counts, errors_name_the_argument) {
  const device_array<int> in(40), out(10), offsets(11), count(1);
  const auto error_of = [&](const auto& all, std::int64_t most, auto to) -> std::string {
    try {
      wf::segmented_reduce(in.items(), wf::first_segments{all, wf::device_count(count.data(), most)}, to);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "no error";
  };
  const std::span<const int> entries(offsets.data(), 11);
  EXPECT_NE(error_of(entries, 11, out.data()).find("offsets has 11 entries, fewer than the 12"), std::string::npos);
  EXPECT_NE(error_of(entries, 10, std::span(out.data(), 9)).find("out has room for 9 results"), std::string::npos);
  EXPECT_NE(error_of(entries, -1, out.data()).find("at most -1"), std::string::npos);
  EXPECT_NE(error_of(wf::fixed_length{5}, 9, out.data()).find("in has 40 items"), std::string::npos);
  EXPECT_NE(error_of(wf::fixed_length{-1}, 9, out.data()).find("fixed_length is -1"), std::string::npos);
  EXPECT_NE(error_of(entries, 1, count.data()).find("lies within device_count"), std::string::npos);
}

}  // namespace segmented_device_count_tests
