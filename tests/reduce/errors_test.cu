// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduce refuses bad calls before anything is enqueued or written, and says what was wrong.
#include <gtest/gtest.h>
#include <warpfold/fuse.hpp>

#include "reduce/iterators.cuh"
#include "reduce/rejected.cuh"

namespace wf = warpfold;

namespace {

struct without_identity {
  __host__ __device__ float operator()(float a, float) const { return a; }
};

class reduce_errors : public wf_test::rejected_calls {
 protected:
  using options = wf::reduce_options<float>;

  const wf_test::device_array<float> in_{std::vector<float>(5000, 1.0f)};
  const wf_test::device_array<std::byte> bytes_{static_cast<std::int64_t>(wf::workspace_bytes<float>()) + 128};
};

TEST_F(reduce_errors, negative_count) {
  expect_rejected([&](cudaStream_t s) { wf::reduce(in_.data(), -3, out(), {.stream = s}); },
                  {"warpfold::reduce: ", "count", "-3"});
}

TEST_F(reduce_errors, null_input_with_items) {
  const float* null = nullptr;
  expect_rejected([&](cudaStream_t s) { wf::reduce(null, 10, out(), {.stream = s}); },
                  {"warpfold::reduce: ", "first", "null"});
  expect_rejected([&](cudaStream_t s) { wf::reduce(std::span(null, 10), out(), wf::plus{}, {.stream = s}); },
                  {"warpfold::reduce: ", "null"});
}

TEST_F(reduce_errors, null_input_without_items_is_fine) {
  wf::reduce(static_cast<const float*>(nullptr), 0, out());
  EXPECT_EQ(out_value(), 0.0f);
}

TEST_F(reduce_errors, null_output) {
  float* null = nullptr;
  expect_rejected([&](cudaStream_t s) { wf::reduce(in_.items(), null, {.stream = s}); },
                  {"warpfold::reduce: ", "out", "null"});
  expect_rejected([&](cudaStream_t s) { wf::reduce(std::span<const float>{}, null, {.stream = s}); },
                  {"warpfold::reduce: ", "out", "null"});
}

TEST_F(reduce_errors, empty_without_identity_and_init) {
  expect_rejected(
      [&](cudaStream_t s) { wf::reduce(std::span<const float>{}, out(), without_identity{}, {.stream = s}); },
      {"warpfold::reduce: ", "empty", "identity", "init"});
}

TEST_F(reduce_errors, init_that_the_accumulator_cannot_hold) {
  const wf_test::device_array<std::uint8_t> in(std::vector<std::uint8_t>{3, 4});
  const wf_test::device_array<std::int64_t> wide(std::vector<std::int64_t>{3, 4});
  expect_rejected([&](cudaStream_t s) { wf::reduce(in.items(), out(), wf::minimum{}, {.stream = s, .init = -1}); },
                  {"warpfold::reduce: ", "init is -1"});
  expect_rejected(
      [&](cudaStream_t s) {
        (void)wf::reduce(in.items(), wf::outputs(out(), int64_out()), wf::fuse(wf::bit_or{}, wf::minimum{}),
                         {.stream = s, .init = wf::fused(-2, -7)});
      },
      {"warpfold::reduce: ", "init is -7"});
  expect_rejected(
      [&](cudaStream_t s) { wf::reduce(wide.items(), int64_out(), wf::maximum{}, {.stream = s, .init = 1ull << 63}); },
      {"warpfold::reduce: ", "init is 9223372036854775808"});
  EXPECT_EQ(wf::reduce_value(in.items(), {.init = -1}), 6u) << "sums are modulo 2^32";
  EXPECT_EQ(wf::reduce_value(in.items(), wf::bit_and{}, {.init = -1}), 0u);
  EXPECT_EQ(wf::reduce_value(in.items(), wf::minimum{}, {.init = 1}), 1u);
}

TEST_F(reduce_errors, workspace_too_small) {
  const std::size_t needed = wf::reduction::scratch(wf::host_side::current_device(), sizeof(float)).workspace_bytes();
  EXPECT_LE(needed, wf::workspace_bytes<float>());
  for (const std::int64_t size : {100, 5000})  // also where it would not be used
    for (const std::size_t given : {std::size_t{1}, std::size_t{128}, needed - 1})
      expect_rejected(
          [&](cudaStream_t s) {
            wf::reduce(in_.data(), size, out(),
                       {.stream = s, .workspace = wf::workspace_ref::from_initialized({bytes_.data(), given})});
          },
          {"warpfold::reduce: ", "workspace", std::to_string(given), std::to_string(needed)});
}

TEST_F(reduce_errors, workspace_misaligned) {
  for (const std::size_t off : {1, 64})
    expect_rejected(
        [&](cudaStream_t s) {
          const auto scratch = wf::workspace_ref::from_initialized({bytes_.data() + off, wf::workspace_bytes<float>()});
          wf::reduce(in_.items(), out(), {.stream = s, .workspace = scratch});
        },
        {"warpfold::reduce: ", "workspace", "aligned", "128"});
}

TEST_F(reduce_errors, initialize_workspace_refuses_too) {
  expect_rejected(
      [&](cudaStream_t s) {
        wf::initialize_workspace({bytes_.data(), 100}, s);
      },
      {"warpfold::initialize_workspace: ", "bytes", "100", std::to_string(wf::host_side::control_bytes)});
  expect_rejected(
      [&](cudaStream_t s) {
        wf::initialize_workspace({bytes_.data() + 8, bytes_.size() - 8}, s);
      },
      {"warpfold::initialize_workspace: ", "bytes", "aligned", "128"});
}

TEST_F(reduce_errors, negative_max_blocks) {
  expect_rejected([&](cudaStream_t s) { wf::reduce(in_.items(), out(), {.stream = s, .max_blocks = -2}); },
                  {"warpfold::reduce: ", "max_blocks", "-2"});
}

TEST_F(reduce_errors, more_items_than_can_be_counted) {
  const std::int64_t count = std::int64_t{1} << 62;
  expect_rejected([&](cudaStream_t s) { wf::reduce(wf_test::stl_counting{}, count, int64_out(), {.stream = s}); },
                  {"warpfold::reduce: ", "count", std::to_string(count), "at most"});
}

// Some systems let the GPU reach all of the host's memory.
TEST_F(reduce_errors, host_memory) {
  const std::vector<float> host(5000, 1.0f);
  float host_out = 77;
  if (wf_test::device_reaches_host_memory()) {
    wf::reduce(host.data(), std::ssize(host), out());
    EXPECT_EQ(out_value(), 5000.0f);
    return;
  }
  expect_rejected([&](cudaStream_t s) { wf::reduce(host.data(), 5000, out(), {.stream = s}); },
                  {"warpfold::reduce: ", "first", "host memory"});
  expect_rejected([&](cudaStream_t s) { wf::reduce(in_.items(), &host_out, {.stream = s}); },
                  {"warpfold::reduce: ", "out", "host memory"});
  expect_rejected(
      [&](cudaStream_t s) {
        wf::reduce(in_.items(), out(), {.stream = s, .init = static_cast<const float*>(&host_out)});
      },
      {"warpfold::reduce: ", "init", "host memory"});
  alignas(128) static std::byte host_bytes[1 << 22];
  expect_rejected(
      [&](cudaStream_t s) {
        wf::reduce(in_.items(), out(), {.stream = s, .workspace = wf::workspace_ref::from_initialized(host_bytes)});
      },
      {"warpfold::reduce: ", "workspace", "host memory"});
  expect_rejected([&](cudaStream_t s) { wf::initialize_workspace(host_bytes, s); },
                  {"warpfold::initialize_workspace: ", "bytes", "host memory"});
  EXPECT_EQ(host_out, 77.0f);
}

TEST_F(reduce_errors, pinned_and_managed_memory_are_fine) {
  float *pinned = nullptr, *managed = nullptr;
  wf::check(cudaMallocHost(reinterpret_cast<void**>(&pinned), sizeof(float)), "cudaMallocHost");
  wf::check(cudaMallocManaged(reinterpret_cast<void**>(&managed), sizeof(float)), "cudaMallocManaged");
  wf::reduce(in_.items(), pinned);
  wf::reduce(in_.items(), managed);
  wf::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  EXPECT_EQ(*pinned, 5000.0f);
  EXPECT_EQ(*managed, 5000.0f);
  wf::check(cudaFreeHost(pinned), "cudaFreeHost");
  wf::check(cudaFree(managed), "cudaFree");
}

// The value forms wait, so they cannot be captured, and they leave the capture whole.
TEST_F(reduce_errors, value_under_capture) {
  expect_rejected([&](cudaStream_t s) { (void)wf::reduce_value(in_.items(), {.stream = s}); },
                  {"warpfold::reduce_value: ", "captured"});
}

TEST_F(reduce_errors, value_forms_check_too) {
  EXPECT_THROW((void)wf::reduce_value(std::span<const float>{}, without_identity{}), std::invalid_argument);
  EXPECT_THROW((void)wf::reduce_value(std::span(static_cast<const float*>(nullptr), 5)), std::invalid_argument);
  EXPECT_THROW((void)wf::reduce_value(in_.items(), {.max_blocks = -1}), std::invalid_argument);
}

}  // namespace
