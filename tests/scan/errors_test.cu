// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A scan refuses bad calls before anything is enqueued or written, and says what was wrong.
#include <gtest/gtest.h>
#include <warpfold/scan.cuh>

#include "reduce/rejected.cuh"

namespace wf = warpfold;

namespace {

struct without_identity {
  __host__ __device__ float operator()(float a, float) const { return a; }
};

class scan_errors : public wf_test::rejected_calls {
 protected:
  const wf_test::device_array<float> in_{std::vector<float>(5000, 1.0f)}, results_{5000};
  float* out() const { return results_.data(); }
};

TEST_F(scan_errors, counts_and_sizes) {
  expect_rejected([&](cudaStream_t s) { wf::inclusive_scan(in_.data(), -3, out(), {.stream = s}); },
                  {"warpfold::inclusive_scan: ", "count", "-3"});
  expect_rejected([&](cudaStream_t s) { wf::exclusive_scan(in_.items(), std::span(out(), 1), {.stream = s}); },
                  {"warpfold::exclusive_scan: ", "out has 1", "5000"});
  expect_rejected(
      [&](cudaStream_t s) { wf::inclusive_scan(in_.items(), out(), wf::plus{}, {.stream = s, .max_blocks = -2}); },
      {"warpfold::inclusive_scan: ", "max_blocks", "-2"});
}

TEST_F(scan_errors, null_pointers) {
  const float* null = nullptr;
  expect_rejected([&](cudaStream_t s) { wf::inclusive_scan(null, 10, out(), {.stream = s}); },
                  {"warpfold::inclusive_scan: ", "first", "null"});
  expect_rejected([&](cudaStream_t s) { wf::exclusive_scan(std::span(null, 10), out(), {.stream = s}); },
                  {"warpfold::exclusive_scan: ", "in", "null"});
  float* nowhere = nullptr;
  expect_rejected([&](cudaStream_t s) { wf::inclusive_scan(in_.items(), nowhere, {.stream = s}); },
                  {"warpfold::inclusive_scan: ", "out", "null"});
}

TEST_F(scan_errors, overlapping_output) {
  const auto middle = in_.items().subspan(2000, 1000);
  for (const std::int64_t offset : {-999, -1, 1, 999})
    expect_rejected([&](cudaStream_t s) { wf::inclusive_scan(middle, in_.data() + 2000 + offset, {.stream = s}); },
                    {"warpfold::inclusive_scan: ", "out lies within in"});
  // At one address, but of another type.
  expect_rejected(
      [&](cudaStream_t s) {
        wf::inclusive_scan(in_.items(), reinterpret_cast<int*>(in_.data()), wf::plus{}, {.stream = s});
      },
      {"warpfold::inclusive_scan: ", "out lies within in"});
}

TEST_F(scan_errors, init_within_the_output) {
  const wf_test::device_array<float> results(5000);
  expect_rejected(
      [&](cudaStream_t s) {
        wf::inclusive_scan(in_.items(), results.data(),
                           {.stream = s, .init = static_cast<const float*>(results.data() + 77)});
      },
      {"warpfold::inclusive_scan: ", "init lies within out"});
}

TEST_F(scan_errors, exclusive_without_identity_and_init) {
  expect_rejected([&](cudaStream_t s) { wf::exclusive_scan(in_.items(), out(), without_identity{}, {.stream = s}); },
                  {"warpfold::exclusive_scan: ", "identity", "init"});
}

TEST_F(scan_errors, workspace_too_small) {
  const wf_test::device_array<std::byte> bytes(4096);
  for (const std::size_t items : {100u, 5000u})  // also where it would not be used
    expect_rejected(
        [&](cudaStream_t s) {
          wf::inclusive_scan(
              in_.items().first(items), out(),
              {.stream = s, .workspace = wf::workspace_ref::from_initialized({bytes.data(), bytes.size()})});
        },
        {"warpfold::inclusive_scan: ", "workspace", "4096"});
}

}  // namespace
