// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A segmented scan refuses bad calls before anything is enqueued or written, and says what was wrong.
#include <gtest/gtest.h>
#include <warpfold/segmented_scan.cuh>

#include "reduce/rejected.cuh"

namespace wf = warpfold;

namespace {

struct keep_left {
  __host__ __device__ float operator()(float a, float) const { return a; }
};

class segmented_scan_errors : public wf_test::rejected_calls {
 protected:
  /// scan(stream options) is rejected with `words`.
  template <class Scan> void expect_words(const std::vector<std::string>& words, Scan scan) {
    expect_rejected([&](cudaStream_t s) { scan(wf::reduce_options<float>{.stream = s}); }, words);
  }
  const wf_test::device_array<float> in_{std::vector<float>(5000, 1.0f)};
  const wf_test::device_array<int> offsets_{std::vector<int>{0, 100, 5000}};
  const wf_test::device_array<float> results_{5000};
};

TEST_F(segmented_scan_errors, counts_and_sizes) {
  const auto o = offsets_.items();
  expect_words({"warpfold::segmented_inclusive_scan: ", "count", "-3"},
               [&](auto options) { wf::segmented_inclusive_scan(in_.data(), -3, o, results_.data(), options); });
  expect_words({"warpfold::segmented_exclusive_scan: ", "out has 1", "5000"}, [&](auto options) {
    wf::segmented_exclusive_scan(in_.items(), o, std::span(results_.data(), 1), options);
  });
  expect_words({"warpfold::segmented_inclusive_scan: ", "max_blocks", "-2"}, [&](auto options) {
    options.max_blocks = -2;
    wf::segmented_inclusive_scan(in_.items(), o, results_.data(), options);
  });
}

TEST_F(segmented_scan_errors, descriptions_that_do_not_fit) {
  const auto o = offsets_.items();
  expect_words({"segmented_inclusive_scan: ", "offsets has 0"},
               [&](auto options) { wf::segmented_inclusive_scan(in_.items(), o.first(0), results_.data(), options); });
  expect_words({"segmented_inclusive_scan: ", "ends has 1", "2"}, [&](auto options) {
    wf::segmented_inclusive_scan(in_.items(), wf::bounds{o.first(2), o.last(1)}, results_.data(), options);
  });
  expect_words({"segmented_inclusive_scan: ", "ids has 3", "5000"}, [&](auto options) {
    wf::segmented_inclusive_scan(in_.items(), wf::owners{o}, results_.data(), options);
  });
  for (const int length : {-1, 0, 3, 5001})
    expect_words({"segmented_inclusive_scan: ", "fixed_length is " + std::to_string(length), "5000"},
                 [&](auto options) {
                   wf::segmented_inclusive_scan(in_.items(), wf::fixed_length{length}, results_.data(), options);
                 });
}

TEST_F(segmented_scan_errors, null_pointers) {
  const auto o = offsets_.items();
  const float* null = nullptr;
  const std::span<const int> no_offsets(static_cast<const int*>(nullptr), 3);
  expect_words({"segmented_inclusive_scan: ", "first", "null"},
               [&](auto options) { wf::segmented_inclusive_scan(null, 10, o, results_.data(), options); });
  expect_words({"segmented_inclusive_scan: ", "out", "null"}, [&](auto options) {
    wf::segmented_inclusive_scan(in_.items(), o, static_cast<float*>(nullptr), options);
  });
  expect_words({"segmented_inclusive_scan: ", "offsets", "null"},
               [&](auto options) { wf::segmented_inclusive_scan(in_.items(), no_offsets, results_.data(), options); });
}

TEST_F(segmented_scan_errors, overlapping_output) {
  const auto o = offsets_.items();
  expect_words({"segmented_inclusive_scan: ", "out lies within in"}, [&](auto options) {
    wf::segmented_inclusive_scan(in_.items().first(1000), o, in_.data() + 999, options);
  });
  expect_words({"segmented_inclusive_scan: ", "out lies within offsets"}, [&](auto options) {
    wf::segmented_inclusive_scan(in_.items().first(1), o, reinterpret_cast<float*>(offsets_.data()), options);
  });
  expect_words({"segmented_inclusive_scan: ", "init lies within out"}, [&](auto options) {
    options.init = static_cast<const float*>(results_.data() + 77);
    wf::segmented_inclusive_scan(in_.items(), o, results_.data(), options);
  });
}

TEST_F(segmented_scan_errors, exclusive_without_identity_and_init) {
  expect_words({"segmented_exclusive_scan: ", "identity", "init"}, [&](auto options) {
    wf::segmented_exclusive_scan(in_.items(), offsets_.items(), results_.data(), keep_left{}, options);
  });
}

TEST_F(segmented_scan_errors, workspace_too_small) {
  const wf_test::device_array<std::byte> bytes(4096);
  expect_words({"segmented_inclusive_scan: ", "workspace", "4096"}, [&](auto options) {
    options.workspace = wf::workspace_ref::from_initialized({bytes.data(), bytes.size()});
    wf::segmented_inclusive_scan(in_.items(), offsets_.items(), results_.data(), options);
  });
}

// On a GPU such a kernel ends the process's use of the device.
#if WARPFOLD_CHECKS && defined(WARPFOLD_EMULATOR)
template <class Segments> std::string stopped(const Segments& segments, int max_blocks) {
  const wf_test::device_array<float> in(std::vector<float>(5000, 1.0f)), out(5000);
  try {
    wf::segmented_inclusive_scan(in.items(), segments, out.data(), {.max_blocks = max_blocks});
  } catch (const cuda_emulator::error& e) {
    return e.kind() == cuda_emulator::fault::precondition ? e.what() : "";
  }
  return "";
}

TEST_F(segmented_scan_errors, malformed_segments_stop_the_kernel) {
  const std::vector<int> wrong[] = {{0, 100, 5001},  {-1, 100, 5000}, {0, 3000, 2000, 5000},
                                    {0, 5000, 1000}, {0, 7000, 5000}, {100, 50, 5000}};
  for (const auto& entries : wrong)
    for (const int max_blocks : {0, 1}) {
      const wf_test::device_array<int> offsets(entries);
      EXPECT_NE(stopped(offsets.items(), max_blocks).find("segments must be in order"), std::string::npos)
          << testing::PrintToString(entries);
    }
  const wf_test::device_array<int> begins(std::vector<int>{0, 90, 400}), ends(std::vector<int>{100, 200, 300});
  EXPECT_NE(stopped(wf::bounds{begins.items(), ends.items()}, 0).find("segments must be in order"), std::string::npos);
  std::vector<int> ids(5000, 4);
  ids[3777] = 3;
  const wf_test::device_array<int> owners(ids);
  EXPECT_NE(stopped(wf::owners{owners.items()}, 1).find("segments must be in order"), std::string::npos);
}
#endif

}  // namespace
