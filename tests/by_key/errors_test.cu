// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduce_by_key refuses bad calls before anything is enqueued or written, and says what was wrong.
#include <gtest/gtest.h>

#include <limits>

#include "by_key/ways.cuh"
#include "reduce/iterators.cuh"
#include "reduce/rejected.cuh"

namespace wf = warpfold;
using wf_test::device_array;

namespace {

struct negate {
  __host__ __device__ float operator()(float x) const { return -x; }
};

// The arguments of a call; tests spoil some of them.
struct arguments {
  std::span<const int> keys;
  std::span<const float> values;
  std::span<int> out_keys;
  std::span<float> out_values;
  std::int64_t* out_count;
};

class reduce_by_key_errors : public wf_test::rejected_calls {
 protected:
  static constexpr const char* function = "warpfold::reduce_by_key: ";
  using options = wf::reduce_options<float>;

  arguments good() const { return {keys_.items(), values_.items(), out_.keys(), out_.values(), out_.count()}; }

  /// By both functions that take ranges, with the name of either and with `words`.
  void expect_refused(const arguments& a, std::vector<std::string> words, options with = {}) {
    words.push_back(function);
    expect_rejected(
        [&](cudaStream_t s) {
          with.stream = s;
          wf::reduce_by_key(a.keys, a.values, a.out_keys, a.out_values, a.out_count, with);
        },
        words);
    words.back() = "warpfold::transform_reduce_by_key: ";
    expect_rejected(
        [&](cudaStream_t s) {
          with.stream = s;
          wf::transform_reduce_by_key(a.keys, a.values, a.out_keys, a.out_values, a.out_count, wf::plus{}, negate{},
                                      with);
        },
        words);
    EXPECT_TRUE(out_.are_untouched());
  }
  /// By the function that takes pointers and iterators.
  template <class KeyIt, class ValueIt, class Count>
  void expect_count_refused(KeyIt keys, ValueIt values, std::int64_t count, Count* out_count,
                            std::vector<std::string> words) {
    words.push_back(function);
    expect_rejected(
        [&](cudaStream_t s) {
          wf::reduce_by_key(keys, values, count, out_.keys(), out_.values(), out_count, wf::maximum{}, {.stream = s});
        },
        words);
    EXPECT_TRUE(out_.are_untouched());
  }

  const device_array<int> keys_{std::vector<int>(12, 1)};
  const device_array<float> values_{std::vector<float>(12, 1.0f)};
  const wf_test::by_key_outputs<int, float> out_{12};
};

TEST_F(reduce_by_key_errors, negative_count) {
  for (const std::int64_t count : {std::int64_t{-3}, std::numeric_limits<std::int64_t>::min()})
    expect_count_refused(keys_.data(), values_.data(), count, out_.count(),
                         {"count", std::to_string(count), "negative"});
}

TEST_F(reduce_by_key_errors, null_pointers) {
  auto a = good();
  a.keys = {static_cast<const int*>(nullptr), 12};
  expect_refused(a, {": keys is a null pointer"});
  a = good(), a.values = {static_cast<const float*>(nullptr), 12};
  expect_refused(a, {": values is a null pointer"});
  a = good(), a.out_keys = {static_cast<int*>(nullptr), 12};
  expect_refused(a, {": out_keys is a null pointer"});
  a = good(), a.out_values = {static_cast<float*>(nullptr), 12};
  expect_refused(a, {": out_values is a null pointer"});
  a = good(), a.out_count = nullptr;
  expect_refused(a, {": out_count is a null pointer"});
  a.keys = {}, a.values = {};
  expect_refused(a, {": out_count is a null pointer"});
  const float* const null = nullptr;
  expect_count_refused(null, values_.data(), 5, out_.count(), {": keys is a null pointer"});
  expect_count_refused(wf_test::stl_counting{}, null, 5, out_.count(), {": values is a null pointer"});
}

TEST_F(reduce_by_key_errors, sizes_that_differ) {
  auto a = good();
  a.keys = a.keys.first(11);
  expect_refused(a, {"keys has 11 items", "values has 12"});
  a = good(), a.values = {};
  expect_refused(a, {"keys has 12 items", "values has 0"});
  a = good(), a.out_keys = a.out_keys.first(3);
  expect_refused(a, {"out_keys", "3 runs", "out_values for 12"});
  a = good(), a.out_values = {};
  expect_refused(a, {"out_keys", "12 runs", "out_values for 0"});
}

// All pairs of buffers where one begins within the other. Neighbours are fine.
TEST_F(reduce_by_key_errors, outputs_within_inputs_or_each_other) {
  const device_array<std::int64_t> memory(std::vector<std::int64_t>(20, 1));
  auto* const ints = reinterpret_cast<int*>(memory.data()) + 14;  // only addresses count
  auto* const floats = reinterpret_cast<float*>(ints);
  for (const std::int64_t off : {-11, -1, 0, 5, 11}) {
    auto a = good();
    a.keys = {ints, 12}, a.out_keys = {ints + off, 12};
    expect_refused(a, {"out_keys lies within keys"});
    a = good(), a.keys = {ints, 12}, a.out_values = {floats + off, 12};
    expect_refused(a, {"out_values lies within keys"});
    a = good(), a.values = {floats, 12}, a.out_keys = {ints + off, 12};
    expect_refused(a, {"out_keys lies within values"});
    a = good(), a.values = {floats, 12}, a.out_values = {floats + off, 12};
    expect_refused(a, {"out_values lies within values"});
    a = good(), a.out_keys = {ints, 12}, a.out_values = {floats + off, 12};
    expect_refused(a, {"out_values lies within out_keys"});
  }
  for (const std::int64_t at : {7, 9, 12}) {  // the first and the last of them, and one amid
    auto a = good();
    a.out_count = memory.data() + at, a.keys = {ints, 12};
    expect_refused(a, {"out_count lies within keys"});
    a.keys = good().keys, a.values = {floats, 12};
    expect_refused(a, {"out_count lies within values"});
    a.values = good().values, a.out_keys = {ints, 12};
    expect_refused(a, {"out_count lies within out_keys"});
    a.out_keys = good().out_keys, a.out_values = {floats, 12};
    expect_refused(a, {"out_count lies within out_values"});
  }
  EXPECT_EQ(memory.to_host(), std::vector<std::int64_t>(20, 1));
}

TEST_F(reduce_by_key_errors, outputs_beside_inputs_and_each_other_are_fine) {
  const device_array<int> memory(std::vector<int>(5 * 12, 1));
  int* const m = memory.data();
  wf::reduce_by_key(m + 12, m + 36, 12, std::span(m, 12), std::span(m + 24, 12), m + 48);
  EXPECT_TRUE(memory.value(0) == 1 && memory.value(24) == 12 && memory.value(48) == 1);
}

TEST_F(reduce_by_key_errors, counts_that_may_not_fit) {
  const device_array<std::int8_t> byte(std::vector<std::int8_t>{-77});
  const device_array<int> word(std::vector<int>{-77});
  const wf_test::stl_counting keys;
  expect_count_refused(keys, keys, 128, byte.data(), {"out_count", "128 items", "127"});
  expect_count_refused(keys, keys, std::int64_t{1} << 31, word.data(), {"out_count", "2147483648 items", "2147483647"});
  expect_count_refused(keys, keys, std::numeric_limits<std::int64_t>::max(), word.data(), {"out_count", "2147483647"});
  EXPECT_TRUE(byte.value() == -77 && word.value() == -77);
  wf::reduce_by_key(keys, keys, 127, out_.keys(), out_.values(), byte.data(), wf::last{});
  EXPECT_EQ(byte.value(), 127);
}

TEST_F(reduce_by_key_errors, more_items_than_tiles_have_numbers_for) {
  const wf_test::stl_counting keys;
  expect_count_refused(keys, keys, (std::int64_t{1} << 41) + 1, out_.count(),
                       {"2199023255553 items", "takes 2199023255552"});
}

TEST_F(reduce_by_key_errors, workspace_and_max_blocks) {
  const std::size_t needed = wf::by_key::scratch(sizeof(float)).workspace_bytes();
  EXPECT_LE(needed, wf::workspace_bytes<float>());
  const device_array<std::byte> bytes(static_cast<std::int64_t>(needed) + 128);
  const auto by = [](std::byte* first, std::size_t size) {
    return options{.workspace = wf::workspace_ref::from_initialized({first, size})};
  };
  for (const std::size_t given : {std::size_t{1}, std::size_t{128}, needed - 1})
    expect_refused(good(), {"workspace", std::to_string(given), std::to_string(needed)}, by(bytes.data(), given));
  for (const std::size_t off : {1, 64})
    expect_refused(good(), {"workspace", "aligned", "128"}, by(bytes.data() + off, needed));
  auto a = good();
  expect_refused(a, {"max_blocks is -2"}, {.max_blocks = -2});
  a.keys = {}, a.values = {};
  expect_refused(a, {"max_blocks is -2"}, {.max_blocks = -2});
}

// A capture that something else has spoiled refuses the launch.
TEST_F(reduce_by_key_errors, what_cuda_refuses) {
  const wf::workspace workspace;
  const wf_test::stream stream;
  wf::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
  EXPECT_NE(cudaStreamSynchronize(stream), cudaSuccess);
  (void)cudaGetLastError();
  const auto [keys, values, out_keys, out_values, out_count] = good();
  const options in_vain{.stream = stream, .workspace = workspace};
  EXPECT_THROW(wf::reduce_by_key(keys, values, out_keys, out_values, out_count, in_vain), wf::cuda_error);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  cudaGraph_t graph{};
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
  (void)cudaGetLastError();
  EXPECT_TRUE(out_.are_untouched());
}

TEST_F(reduce_by_key_errors, host_memory) {
  if (wf_test::device_reaches_host_memory()) GTEST_SKIP() << "the device reaches the host's memory";
  std::vector<int> ints(12, 77);
  std::vector<float> floats(12, 77);
  std::int64_t count = 77;
  alignas(128) static std::byte workspace[8 << 20];
  auto a = good();
  a.keys = ints;
  expect_refused(a, {": keys points to host memory"});
  a = good(), a.values = floats;
  expect_refused(a, {": values points to host memory"});
  a = good(), a.out_keys = ints;
  expect_refused(a, {": out_keys points to host memory"});
  a = good(), a.out_values = floats;
  expect_refused(a, {": out_values points to host memory"});
  a = good(), a.out_count = &count;
  expect_refused(a, {": out_count points to host memory"});
  expect_refused(good(), {": workspace points to host memory"},
                 {.workspace = wf::workspace_ref::from_initialized(workspace)});
  expect_refused(good(), {": init points to host memory"}, {.init = static_cast<const float*>(floats.data())});
  EXPECT_TRUE(ints == std::vector<int>(12, 77) && floats == std::vector<float>(12, 77) && count == 77);
}

}  // namespace
