// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that transform_reduce refuses.
#include <gtest/gtest.h>

#include "reduce/rejected.cuh"

namespace wf = warpfold;

namespace {

struct negate {
  __host__ __device__ float operator()(float x) const { return -x; }
};

class transform_reduce_errors : public wf_test::rejected_calls {
 protected:
  const wf_test::device_array<float> in_{std::vector<float>(5000, 1.0f)};
  const float* const null_ = nullptr;
};

TEST_F(transform_reduce_errors, null_input_with_items) {
  expect_rejected(
      [&](cudaStream_t s) { wf::transform_reduce(std::span(null_, 5), out(), wf::plus{}, negate{}, {.stream = s}); },
      {"warpfold::transform_reduce: ", "in ", "null"});
}

TEST_F(transform_reduce_errors, null_inputs_with_items) {
  const std::span null(null_, 5);
  const std::span good(in_.data(), 5);
  expect_rejected(
      [&](cudaStream_t s) { wf::transform_reduce(null, good, out(), wf::plus{}, wf::multiplies{}, {.stream = s}); },
      {"warpfold::transform_reduce: ", "left ", "null"});
  expect_rejected(
      [&](cudaStream_t s) { wf::transform_reduce(good, null, out(), wf::plus{}, wf::multiplies{}, {.stream = s}); },
      {"warpfold::transform_reduce: ", "right ", "null"});
}

TEST_F(transform_reduce_errors, inputs_of_different_lengths) {
  for (const std::size_t length : {0, 4998}) {
    const auto shorter = in_.items().first(length);
    expect_rejected(
        [&](cudaStream_t s) {
          wf::transform_reduce(in_.items(), shorter, out(), wf::plus{}, wf::multiplies{}, {.stream = s});
        },
        {"warpfold::transform_reduce: ", "5000", std::to_string(length)});
    EXPECT_THROW((void)wf::transform_reduce_value(shorter, in_.items(), wf::plus{}, wf::multiplies{}),
                 std::invalid_argument);
  }
}

TEST_F(transform_reduce_errors, null_output) {
  float* null = nullptr;
  expect_rejected([&](cudaStream_t s) { wf::transform_reduce(in_.items(), null, wf::plus{}, negate{}, {.stream = s}); },
                  {"warpfold::transform_reduce: ", "out", "null"});
  expect_rejected(
      [&](cudaStream_t s) {
        wf::transform_reduce(in_.items(), in_.items(), null, wf::plus{}, wf::multiplies{}, {.stream = s});
      },
      {"warpfold::transform_reduce: ", "out", "null"});
}

TEST_F(transform_reduce_errors, options) {
  const wf_test::device_array<std::byte> bytes(200);
  expect_rejected(
      [&](cudaStream_t s) {
        wf::transform_reduce(in_.items(), out(), wf::plus{}, negate{}, {.stream = s, .max_blocks = -4});
      },
      {"warpfold::transform_reduce: ", "max_blocks", "-4"});
  expect_rejected(
      [&](cudaStream_t s) {
        const auto scratch = wf::workspace_ref::from_initialized({bytes.data(), bytes.size()});
        wf::transform_reduce(in_.items(), out(), wf::plus{}, negate{}, {.stream = s, .workspace = scratch});
      },
      {"warpfold::transform_reduce: ", "workspace", "200"});
}

TEST_F(transform_reduce_errors, values_under_capture) {
  expect_rejected(
      [&](cudaStream_t s) { (void)wf::transform_reduce_value(in_.items(), wf::plus{}, negate{}, {.stream = s}); },
      {"warpfold::transform_reduce_value: ", "captured"});
  expect_rejected(
      [&](cudaStream_t s) {
        (void)wf::transform_reduce_value(in_.items(), in_.items(), wf::plus{}, wf::multiplies{}, {.stream = s});
      },
      {"warpfold::transform_reduce_value: ", "captured"});
}

}  // namespace
