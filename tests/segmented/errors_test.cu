// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// segmented_reduce refuses bad calls before anything is enqueued or written, and says what was wrong. Mistakes that
// only kernels can see are found by kernels that check.
#include <gtest/gtest.h>
#include <algorithm>

#include "common/samples.hpp"
#include "reduce/rejected.cuh"
#include "segmented/ways.cuh"

namespace wf = warpfold;
using wf_test::device_array;

namespace {

struct without_identity {
  __host__ __device__ float operator()(float a, float) const { return a; }
};
struct negate {
  __host__ __device__ float operator()(float x) const { return -x; }
};

class segmented_reduce_errors : public wf_test::rejected_calls {
 protected:
  static constexpr const char* function = "warpfold::segmented_reduce: ";

  template <class Segments>
  void expect_segments_rejected(const Segments& segments, std::size_t outputs, const std::vector<std::string>& words) {
    expect_rejected(
        [&](cudaStream_t s) { wf::segmented_reduce(in_.items(), segments, outs(outputs), wf::plus{}, {.stream = s}); },
        words);
  }
  // Beyond the first, what a rejected call does not touch.
  std::span<float> outs(std::size_t count) const { return {count == 1 ? out() : several_.data(), count}; }
  std::span<const int> offsets(std::size_t count) const { return offsets_.items().first(count); }
  static std::string sizes(std::size_t size, std::size_t expected) {
    return std::to_string(size) + " entries, not " + std::to_string(expected);
  }

  const device_array<float> in_{std::vector<float>(12, 1.0f)}, several_{20};
  const device_array<int> offsets_{std::vector<int>(20, 12)};
};

TEST_F(segmented_reduce_errors, negative_count) {
  expect_rejected(
      [&](cudaStream_t s) { wf::segmented_reduce(in_.data(), -3, offsets(2), outs(1), wf::plus{}, {.stream = s}); },
      {function, "count", "-3"});
}

TEST_F(segmented_reduce_errors, null_pointers) {
  const float* null = nullptr;
  const int* null_offsets = nullptr;
  expect_rejected(
      [&](cudaStream_t s) { wf::segmented_reduce(null, 5, offsets(2), outs(1), wf::plus{}, {.stream = s}); },
      {function, "first", "null"});
  expect_rejected([&](cudaStream_t s) { wf::segmented_reduce(std::span(null, 5), offsets(2), outs(1), {.stream = s}); },
                  {function, "in is", "null"});
  expect_rejected(
      [&](cudaStream_t s) {
        wf::transform_segmented_reduce(std::span(null, 5), offsets(2), outs(1), wf::plus{}, negate{}, {.stream = s});
      },
      {"warpfold::transform_segmented_reduce: ", "in is", "null"});
  expect_rejected(
      [&](cudaStream_t s) {
        wf::segmented_reduce(in_.items(), offsets(2), std::span<float>(static_cast<float*>(nullptr), 1), {.stream = s});
      },
      {function, "out", "null"});
  expect_segments_rejected(std::span(null_offsets, 2), 1, {function, "offsets", "null"});
  expect_segments_rejected(null_offsets, 1, {function, "offsets", "null"});
  expect_segments_rejected(wf::bounds{std::span(null_offsets, 1), offsets(1)}, 1, {function, "begins", "null"});
  expect_segments_rejected(wf::bounds{offsets(1), std::span(null_offsets, 1)}, 1, {function, "ends", "null"});
  expect_segments_rejected(wf::owners{std::span(null_offsets, 12)}, 1, {function, "ids", "null"});
}

TEST_F(segmented_reduce_errors, sizes_that_do_not_match) {
  expect_segments_rejected(offsets(1), 1, {function, "offsets", sizes(1, 2), "one more than out has"});
  expect_segments_rejected(offsets(3), 1, {function, "offsets", sizes(3, 2)});
  expect_segments_rejected(offsets(0), 0, {function, "offsets", sizes(0, 1)});
  expect_segments_rejected(wf::bounds{offsets(3), offsets(4)}, 4, {function, "begins", sizes(3, 4), "as out has"});
  expect_segments_rejected(wf::bounds{offsets(4), offsets(5)}, 4, {function, "ends", sizes(5, 4), "as out has"});
  expect_segments_rejected(wf::owners{offsets(11)}, 5, {function, "ids", sizes(11, 12), "as there are items"});
  expect_segments_rejected(wf::owners{offsets(12)}, 0, {function, "out is empty", "12 items"});
}

TEST_F(segmented_reduce_errors, fixed_lengths_that_do_not_fill_the_input) {
  expect_segments_rejected(wf::fixed_length{-2}, 1, {function, "fixed_length", "-2", "negative"});
  expect_segments_rejected(wf::fixed_length{5}, 2, {function, "12 items", "2 segments of 5"});
  expect_segments_rejected(wf::fixed_length{6}, 3, {function, "12 items", "3 segments of 6"});
  expect_segments_rejected(wf::fixed_length{0}, 3, {function, "12 items", "3 segments of 0"});
  expect_segments_rejected(wf::fixed_length{12}, 0, {function, "12 items", "0 segments of 12"});
  expect_segments_rejected(wf::fixed_length{std::int64_t{1} << 62}, 4, {function, "12 items"});
}

TEST_F(segmented_reduce_errors, out_within_the_input) {
  const device_array<float> memory(std::vector<float>(30, 1.0f));
  const std::span<const float> in = memory.items().subspan(10, 12);
  for (const std::int64_t first : {8, 10, 15, 21})
    expect_rejected(
        [&](cudaStream_t s) {
          wf::segmented_reduce(in, wf::fixed_length{4}, std::span(memory.data() + first, 3), {.stream = s});
        },
        {function, "out lies within in"});
  wf::segmented_reduce(in, wf::fixed_length{4}, std::span(memory.data() + 7, 3));  // beside it is fine
  wf::segmented_reduce(in, wf::fixed_length{4}, std::span(memory.data() + 22, 3));
  for (const std::int64_t i : {7, 8, 9, 22, 23, 24}) EXPECT_EQ(memory.value(i), 4.0f);
}

TEST_F(segmented_reduce_errors, no_identity_init_or_empty) {
  expect_rejected(
      [&](cudaStream_t s) {
        wf::segmented_reduce(in_.items(), offsets(2), outs(1), without_identity{}, {.stream = s});
      },
      {function, "identity", ".init", ".empty"});
  const device_array<int> whole(std::vector<int>{0, 12});
  const device_array<float> result(1);
  const std::span<float> to(result.data(), 1);
  wf::segmented_reduce(in_.items(), whole.items(), to, without_identity{}, {.init = 3.0f});
  EXPECT_EQ(result.value(), 3.0f);
  wf::segmented_reduce(in_.items(), whole.items(), to, without_identity{}, {.empty = 3.0f});
  EXPECT_EQ(result.value(), 1.0f);
}

TEST_F(segmented_reduce_errors, init_and_empty_that_cannot_be_held) {
  const device_array<std::uint8_t> in(std::vector<std::uint8_t>(12, 3));
  const device_array<std::uint8_t> narrow(1);
  const std::span<std::uint8_t> bytes(narrow.data(), 1);
  const std::string given = "is -1";
  expect_rejected(
      [&](cudaStream_t s) {
        wf::segmented_reduce(in.items(), offsets(2), bytes, wf::minimum{}, {.stream = s, .init = -1});
      },
      {function, "init " + given});
  expect_rejected(
      [&](cudaStream_t s) {
        wf::segmented_reduce(in.items(), offsets(2), bytes, wf::plus{}, {.stream = s, .empty = -1});
      },
      {function, "empty " + given});
  const device_array<int> result(1);
  wf::segmented_reduce(in.items(), offsets(2), std::span(result.data(), 1), wf::minimum{}, {.empty = -1});
  EXPECT_EQ(result.value(), -1) << "the output holds it";
}

TEST_F(segmented_reduce_errors, workspace_and_max_blocks) {
  const std::size_t needed = wf::segmented::scratch(sizeof(float)).workspace_bytes();
  EXPECT_LE(needed, wf::workspace_bytes<float>());
  const device_array<std::byte> bytes(static_cast<std::int64_t>(needed) + 128);
  const auto expect_workspace_rejected = [&](std::span<std::byte> bytes, const std::vector<std::string>& words) {
    expect_rejected(
        [&](cudaStream_t s) {
          wf::segmented_reduce(in_.items(), offsets(2), outs(1), wf::plus{},
                               {.stream = s, .workspace = wf::workspace_ref::from_initialized(bytes)});
        },
        words);
  };
  for (const std::size_t given : {std::size_t{1}, std::size_t{128}, needed - 1})
    expect_workspace_rejected({bytes.data(), given},
                              {function, "workspace", std::to_string(given), std::to_string(needed)});
  for (const std::size_t off : {1, 64})
    expect_workspace_rejected({bytes.data() + off, needed}, {function, "workspace", "aligned", "128"});
  expect_rejected(
      [&](cudaStream_t s) { wf::segmented_reduce(in_.items(), offsets(2), outs(1), {.stream = s, .max_blocks = -2}); },
      {function, "max_blocks", "-2"});
}

TEST_F(segmented_reduce_errors, host_memory) {
  if (wf_test::device_reaches_host_memory()) GTEST_SKIP() << "the device reaches the host's memory";
  const std::vector<float> host(12, 1.0f);
  const std::vector<int> host_offsets(12, 0);
  float host_out = 77;
  expect_rejected([&](cudaStream_t s) { wf::segmented_reduce(std::span(host), offsets(2), outs(1), {.stream = s}); },
                  {function, "in ", "host memory"});
  expect_rejected(
      [&](cudaStream_t s) { wf::segmented_reduce(in_.items(), offsets(2), std::span(&host_out, 1), {.stream = s}); },
      {function, "out", "host memory"});
  expect_segments_rejected(std::span(host_offsets).first(2), 1, {function, "offsets", "host memory"});
  expect_segments_rejected(wf::bounds{offsets(1), std::span(host_offsets).first(1)}, 1,
                           {function, "ends", "host memory"});
  expect_segments_rejected(wf::owners{std::span(host_offsets)}, 1, {function, "ids", "host memory"});
  expect_rejected(
      [&](cudaStream_t s) {
        wf::segmented_reduce(in_.items(), offsets(2), outs(1),
                             {.stream = s, .empty = static_cast<const float*>(&host_out)});
      },
      {function, "host memory"});
  EXPECT_EQ(host_out, 77.0f);
}

#if defined(WARPFOLD_EMULATOR)
// On a GPU these kernels end the process's use of the device.
class segmented_reduce_preconditions : public testing::Test {
 protected:
  static constexpr std::int64_t items = 30'000;

  template <class Segments>
  void expect_stopped(const Segments& segments, std::size_t count, const std::string& what,
                      std::initializer_list<int> bounds_of_blocks = {0, 1, 3}) {
    for (const int max_blocks : bounds_of_blocks) {
      const auto kind = stopped_by(segments, count, max_blocks);
      EXPECT_TRUE(kind == cuda_emulator::fault::precondition) << what << ", max_blocks " << max_blocks;
    }
  }
  template <class Segments>
  std::optional<cuda_emulator::fault> stopped_by(const Segments& segments, std::size_t count, int max_blocks) {
    try {
      wf::segmented_reduce(in_.items(), segments, std::span(out_.data(), count), wf::plus{},
                           {.max_blocks = max_blocks});
    } catch (const cuda_emulator::error& e) {
      EXPECT_NE(std::string(e.what()).find("segments must be in order"), std::string::npos) << e.what();
      return e.kind();
    }
    return {};
  }
  /// Some segments of all lengths.
  static wf_test::layout good() { return {"", {0, 5, 100, 0, 0, 3000, 1, 7000, 33, 33, 33, 9000, 0, 4, 10'791, 0}}; }

  const device_array<float> in_{std::vector<float>(items, 1.0f)}, out_{5000};
};

TEST_F(segmented_reduce_preconditions, good_segments_pass) {
  const auto where = good();
  ASSERT_EQ(where.items, items);
  const device_array<int> offsets(where.offsets<int>()), ids(where.owners<int>());
  const auto count = static_cast<std::size_t>(where.segments());
  for (const int max_blocks : {0, 1}) {
    EXPECT_FALSE(stopped_by(offsets.items(), count, max_blocks));
    EXPECT_FALSE(stopped_by(wf::bounds{offsets.items().first(count), offsets.items().last(count)}, count, max_blocks));
    EXPECT_FALSE(stopped_by(wf::owners{ids.items()}, count, max_blocks));
  }
}

TEST_F(segmented_reduce_preconditions, offsets) {
  const auto where = good();
  const auto count = static_cast<std::size_t>(where.segments());
  std::int64_t number = 0;
  for (std::size_t s = 0; s <= count; ++s)
    for (const int wrong :
         {-1, 1 << 30, static_cast<int>(items) + 1, s > 0 ? static_cast<int>(where.ends[s - 1]) + 20'000 : -5}) {
      if (!wf_test::in_sample(number++)) continue;
      auto offsets = where.offsets<int>();
      offsets[s] = wrong;
      if (std::is_sorted(offsets.begin(), offsets.end()) && offsets.front() >= 0 && offsets.back() <= items) continue;
      const device_array<int> on_device(offsets);
      expect_stopped(on_device.items(), count, "offset " + std::to_string(s) + " is " + std::to_string(wrong));
    }
}

// One step down among very many, wherever it is: also where no warp's search would come by.
TEST_F(segmented_reduce_preconditions, one_offset_out_of_order_among_many) {
  wf_test::random_source source(6);
  for (int round = 0; round < wf_test::share_of(60); ++round) {
    std::vector<int> offsets;
    for (int s = 0; s <= 5000; ++s) offsets.push_back(6 * s);
    const auto at = static_cast<std::size_t>(source.below(5000));
    offsets[at] = offsets[at + 1] + 1 + static_cast<int>(source.below(items - offsets[at + 1]));
    const device_array<int> on_device(offsets);
    expect_stopped(on_device.items(), 5000, "offset " + std::to_string(at) + " is " + std::to_string(offsets[at]),
                   {round % 3 == 0   ? 0
                    : round % 3 == 1 ? 1
                                     : 3});
  }
}

TEST_F(segmented_reduce_preconditions, bounds) {
  const auto where = good();
  const auto expect_bounds_stopped = [&](std::vector<std::int64_t> begins, std::vector<std::int64_t> ends,
                                         const char* what) {
    const device_array<int> b(wf_test::narrowed<int>(begins)), e(wf_test::narrowed<int>(ends));
    expect_stopped(wf::bounds{b.items(), e.items()}, begins.size(), what);
  };
  expect_bounds_stopped({0, 10, 5}, {10, 12, 12}, "out of order");
  expect_bounds_stopped({0, 100, 200}, {101, 200, 300}, "overlap");
  expect_bounds_stopped({0, 100, 200}, {100, 99, 300}, "ends before it begins");
  expect_bounds_stopped({0, 100, 200}, {100, 200, items + 1}, "beyond the input");
  expect_bounds_stopped({0, 100, items + 5}, {100, 200, items + 5}, "empty, beyond the input");
  expect_bounds_stopped({-1, 100, 200}, {100, 200, 300}, "before the input");
}

TEST_F(segmented_reduce_preconditions, owners) {
  const auto where = good();
  const auto count = static_cast<std::size_t>(where.segments());
  for (const std::int64_t at : {std::int64_t{0}, std::int64_t{1}, items / 2, items - 1})
    for (const int wrong : {-1, static_cast<int>(count), 1 << 30, at == items / 2 ? 0 : -7}) {
      auto ids = where.owners<int>();
      ids[static_cast<std::size_t>(at)] = wrong;
      const device_array<int> on_device(ids);
      expect_stopped(wf::owners{on_device.items()}, count, "id " + std::to_string(at) + " is " + std::to_string(wrong));
    }
}
#endif

}  // namespace
