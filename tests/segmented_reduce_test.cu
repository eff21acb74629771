// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each cell of the table in segmented_reduce.cuh: forms of input, segments and output, with an operator, without one
// and with a transform.
#include <gtest/gtest.h>

#include <numeric>

#include "common/outputs.cuh"
#include "reduce/rejected.cuh"
#include "segmented/ways.cuh"

namespace wf = warpfold;
using wf_test::device_array, wf_test::outputs::negating_output, wf_test::outputs::discarding_output;

namespace {

/// Items that are computed.
struct numbers {
  using value_type = int;
  using difference_type = std::int64_t;
  __host__ __device__ int operator[](std::int64_t i) const { return static_cast<int>(i) + 1; }
};
/// Entries that are computed: first, first + apart, ...
struct stairs {
  using value_type = int;
  using difference_type = std::int64_t;
  int first, apart;
  __host__ __device__ int operator[](std::int64_t i) const { return first + static_cast<int>(i) * apart; }
};
struct twice {
  __host__ __device__ int operator()(int item) const { return 2 * item; }
};

class segmented_reduce_forms : public wf_test::rejected_calls {
 protected:
  static constexpr std::int64_t items = 12;
  static constexpr int length = 3;

  /// The expected outputs for segments of `of` items: maxima, sums, and sums of twice the items.
  enum class result { maxima, sums, doubled_sums };
  static std::vector<int> expected(result of) {
    std::vector<int> all;
    for (int s = 0; s < items / length; ++s) {
      const int last = (s + 1) * length, sum = 3 * last - 3;
      all.push_back(of == result::maxima ? last : of == result::sums ? sum : 2 * sum);
    }
    return all;
  }

  /// Calls reduce(input..., segments, out, rest...) for each form of input.
  template <class Segments, class Out> void expect_each_input(const Segments& segments, const Out& out) {
    const auto in = in_.items();
    expect(result::maxima, [&] { wf::segmented_reduce(in, segments, out, wf::maximum{}); });
    expect(result::maxima, [&] { wf::segmented_reduce(in.data(), items, segments, out, wf::maximum{}); });
    expect(result::maxima, [&] { wf::segmented_reduce(numbers{}, items, segments, out, wf::maximum{}); });
    expect(result::sums, [&] { wf::segmented_reduce(in, segments, out); });
    expect(result::sums, [&] { wf::segmented_reduce(in, segments, out, {.max_blocks = 1}); });
    expect(result::sums, [&] { wf::segmented_reduce(in.data(), items, segments, out); });
    expect(result::sums, [&] { wf::segmented_reduce(in.data(), items, segments, out, {.max_blocks = 1}); });
    expect(result::doubled_sums, [&] { wf::transform_segmented_reduce(in, segments, out, wf::plus{}, twice{}); });
    expect(result::doubled_sums,
           [&] { wf::transform_segmented_reduce(in.data(), items, segments, out, wf::plus{}, twice{}); });
  }
  /// For outputs that tell the number of segments.
  template <class Segments> void expect_with_a_range(const Segments& segments) {
    expect_each_input(segments, out_range());
  }
  /// For those that do not: the segments tell it.
  template <class Segments> void expect_without_a_range(const Segments& segments) {
    expect_each_input(segments, out_.data());
    sign_ = -1;
    expect(result::maxima,
           [&] { wf::segmented_reduce(in_.items(), segments, negating_output{out_.data()}, wf::maximum{}); });
    sign_ = 1;
  }

  std::span<int> out_range() const { return {out_.data(), out_.size()}; }

  template <class Call> void expect(result of, Call call) {
    wf::check(cudaMemset(out_.data(), 0x5a, out_.size() * sizeof(int)), "cudaMemset");
    call();
    auto actual = out_.to_host();
    for (int& value : actual) value *= sign_;
    EXPECT_EQ(actual, expected(of));
  }

  static std::vector<int> counted(int count, int first, int apart) {
    std::vector<int> all;
    for (int i = 0; i < count; ++i) all.push_back(first + i * apart);
    return all;
  }
  static std::vector<int> owned() {
    std::vector<int> all;
    for (int i = 0; i < items; ++i) all.push_back(i / length);
    return all;
  }

  const device_array<int> in_{counted(items, 1, 1)}, out_{items / length}, offsets_{counted(5, 0, length)},
      begins_{counted(4, 0, length)}, ends_{counted(4, length, length)}, ids_{owned()};
  int sign_ = 1;
};

TEST_F(segmented_reduce_forms, offsets_as_a_range) {
  expect_with_a_range(offsets_.items());
  expect_without_a_range(offsets_.items());
}
TEST_F(segmented_reduce_forms, offsets_as_an_iterator) {
  expect_with_a_range(static_cast<const int*>(offsets_.data()));
  expect(result::maxima, [&] { wf::segmented_reduce(in_.items(), stairs{0, length}, out_range(), wf::maximum{}); });
}
TEST_F(segmented_reduce_forms, bounds) {
  const auto begins = begins_.items(), ends = ends_.items();
  expect_with_a_range(wf::bounds{begins, ends});
  expect_without_a_range(wf::bounds{begins, ends});
  expect(result::maxima, [&] {
    wf::segmented_reduce(in_.items(), wf::bounds{begins, ends.data()}, out_.data(), wf::maximum{});
  });
  expect(result::maxima, [&] {
    wf::segmented_reduce(in_.items(), wf::bounds{begins.data(), ends}, out_.data(), wf::maximum{});
  });
  expect(result::maxima, [&] {
    wf::segmented_reduce(in_.items(), wf::bounds{begins.data(), ends.data()}, out_range(), wf::maximum{});
  });
  expect(result::maxima, [&] {
    wf::segmented_reduce(in_.items(), wf::bounds{stairs{0, length}, stairs{length, length}}, out_range(),
                         wf::maximum{});
  });
}
TEST_F(segmented_reduce_forms, fixed_length) {
  expect_with_a_range(wf::fixed_length{length});
  expect_without_a_range(wf::fixed_length{length});
}
TEST_F(segmented_reduce_forms, owners) { expect_with_a_range(wf::owners{ids_.items()}); }

TEST_F(segmented_reduce_forms, outputs_that_store_nothing) {
  wf::segmented_reduce(in_.items(), offsets_.items(), discarding_output{}, wf::maximum{});
  wf::segmented_reduce(in_.items(), wf::fixed_length{length}, discarding_output{});
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(segmented_reduce_forms, no_segments) {
  wf::segmented_reduce(in_.items().first(0), offsets_.items().first(1), static_cast<int*>(nullptr), wf::maximum{});
  wf::segmented_reduce(in_.items().first(0), wf::fixed_length{4}, static_cast<int*>(nullptr), wf::maximum{});
  wf::segmented_reduce(in_.items().first(0), wf::bounds{begins_.items().first(0), ends_.items().first(0)},
                       static_cast<int*>(nullptr), wf::maximum{});
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(segmented_reduce_forms, segments_that_do_not_tell_their_number) {
  const auto expect_refused = [&](const auto& segments, const std::vector<std::string>& words) {
    expect_rejected(
        [&](cudaStream_t s) { wf::segmented_reduce(in_.items(), segments, out_.data(), wf::plus{}, {.stream = s}); },
        words);
  };
  expect_refused(wf::fixed_length{0}, {"fixed_length is 0", "positive"});
  expect_refused(wf::fixed_length{-4}, {"fixed_length is -4", "positive"});
  expect_refused(wf::fixed_length{5}, {"12 items", "2 segments of 5"});
  expect_refused(offsets_.items().first(0), {"offsets has 0 entries"});
  expect_refused(wf::bounds{begins_.items(), ends_.items().first(3)}, {"ends", "3 entries, not 4"});
}

// ---- init and empty -------------------------------------------------------------------------------------------------

TEST_F(segmented_reduce_forms, init_and_empty_within_out_are_refused) {
  const device_array<int> memory(std::vector<int>(16, 7));
  const std::span<int> out(memory.data() + 4, 4);
  const auto expect_refused = [&](const auto& segments, int place, bool is_init) {
    const int* value = memory.data() + place;
    expect_rejected(
        [&](cudaStream_t s) {
          wf::segmented_options<int> options{.stream = s};
          (is_init ? options.init : options.empty) = value;
          wf::segmented_reduce(in_.items(), segments, out, wf::plus{}, options);
        },
        {is_init ? "init lies within out" : "empty lies within out"});
  };
  for (const int place : {4, 5, 7})
    for (const bool is_init : {true, false}) {
      expect_refused(offsets_.items(), place, is_init);
      expect_refused(wf::bounds{begins_.items(), ends_.items()}, place, is_init);
      expect_refused(wf::fixed_length{length}, place, is_init);
      expect_refused(wf::owners{ids_.items()}, place, is_init);
    }
  for (const int place : {3, 8}) {  // beside it is fine
    const int* value = memory.data() + place;
    wf::segmented_reduce(in_.items(), offsets_.items(), out, wf::plus{}, {.init = value, .empty = value});
    EXPECT_EQ(memory.value(4), 6 + 7);
  }
}

struct add_without_identity {
  __host__ __device__ int operator()(int a, int b) const { return a + b; }
};

TEST_F(segmented_reduce_forms, a_positive_fixed_length_needs_no_identity) {
  expect(result::sums,
         [&] { wf::segmented_reduce(in_.items(), wf::fixed_length{length}, out_range(), add_without_identity{}); });
  const device_array<int> many(std::vector<int>(333 * 4, 1)), sums(4);
  wf::segmented_reduce(many.items(), wf::fixed_length{333}, std::span<int>(sums.data(), 4), add_without_identity{});
  EXPECT_EQ(sums.to_host(), std::vector<int>(4, 333));
  expect_rejected(
      [&](cudaStream_t s) {
        wf::segmented_reduce(in_.items().first(0), wf::fixed_length{0}, out_range(), add_without_identity{},
                             {.stream = s});
      },
      {"identity", ".init", ".empty"});
}

}  // namespace
