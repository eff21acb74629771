// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scratch: any content beyond the control word, accumulators of changing size, and use after a call that went wrong.
#include <gtest/gtest.h>

#include <stdexcept>

#include "common/interval.hpp"
#include "common/samples.hpp"
#include "reduce/stream.cuh"
#include "reduce/ways.cuh"

namespace wf = warpfold;
using wf_test::interval, wf_test::join;

namespace {

using wide = interval<std::int32_t, 40>;

constexpr std::int64_t count = wf_test::emulated ? 60'007 : 3'000'007;

template <class A> void expect_joined(cudaStream_t stream, wf::workspace_ref workspace = {}) {
  static const wf_test::device_array<A> in(wf_test::interval_items<A>(count)), out(1);
  wf::reduce(in.items(), out.data(), join{}, {.stream = stream, .workspace = workspace});
  wf::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  EXPECT_EQ(out.value(), A::of(0, count - 1)) << sizeof(A) << "-byte accumulators";
}

TEST(reduce_workspaces, default_one_grows) {
  const wf_test::stream stream;
  for (int round = 0; round < 2; ++round) {
    expect_joined<interval<>>(stream);
    expect_joined<wide>(stream);
  }
}

TEST(reduce_workspaces, one_for_accumulators_of_any_size) {
  const wf::workspace workspace(sizeof(wide));
  EXPECT_GE(workspace.bytes().size(), wf::workspace_bytes<wide>());
  EXPECT_GE(wf::workspace_bytes<wide>(), wf::workspace_bytes<interval<>>());
  for (int round = 0; round < 2; ++round) {
    expect_joined<interval<>>({}, workspace);
    expect_joined<wide>({}, workspace);
  }
}

// Exactly as many bytes as asked for, full of rubbish except for the words that initialize_workspace clears.
TEST(reduce_workspaces, callers_bytes_with_rubbish) {
  const wf_test::stream stream;
  const wf_test::device_array<std::byte> bytes(static_cast<std::int64_t>(wf::workspace_bytes<wide>()));
  wf::check(cudaMemset(bytes.data(), 0xa5, bytes.size()), "cudaMemset");
  wf::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  const wf::workspace_ref callers = wf::initialize_workspace({bytes.data(), bytes.size()}, stream);
  for (int call = 0; call < 4; ++call) expect_joined<wide>(stream, callers);
}

TEST(reduce_workspaces, moved_one_works_on) {
  wf::workspace workspace;
  expect_joined<interval<>>({}, workspace);
  wf::workspace other = std::move(workspace);
  expect_joined<interval<>>({}, other);
  EXPECT_TRUE(workspace.bytes().empty());
  workspace = std::move(other);
  expect_joined<interval<>>({}, workspace);
}

// A launch that CUDA refuses, here because the capture it belongs to has been spoilt, leaves scratch as it was.
TEST(reduce_workspaces, survives_a_refused_launch) {
  const wf::workspace workspace;
  const wf_test::device_array<interval<>> in(wf_test::interval_items(count));
  wf_test::device_array<interval<>> out(1);
  out.set(0, interval<>::of(-7));
  for (const wf::workspace_ref scratch : {wf::workspace_ref{workspace}, wf::workspace_ref{}}) {
    const wf_test::stream stream;
    wf::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
    EXPECT_NE(cudaStreamSynchronize(stream), cudaSuccess);  // spoils it
    (void)cudaGetLastError();
    EXPECT_THROW(wf::reduce(in.items(), out.data(), join{}, {.stream = stream, .workspace = scratch}), wf::cuda_error);
    EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
    cudaGraph_t graph{};
    EXPECT_NE(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    (void)cudaGetLastError();
    EXPECT_EQ(out.value(), interval<>::of(-7));
    expect_joined<interval<>>(stream, scratch);
  }
}

#if defined(WARPFOLD_EMULATOR)
// Only the emulator lets an operator throw. The kernel stops midway, after some blocks have taken their tickets.
struct join_until_poison {
  interval<> operator()(const interval<>& a, const interval<>& b) const {
    if (b.is_poison()) throw std::domain_error("poison");
    return join{}(a, b);
  }
};

TEST(reduce_workspaces, survives_an_operator_that_throws) {
  const wf::workspace workspace;
  for (const wf::workspace_ref scratch : {wf::workspace_ref{workspace}, wf::workspace_ref{}})
    for (const int max_blocks : {0, 1, 7})
      for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(wf_test::share_of(8)); ++seed) {
        const wf_test::schedule_seed schedule(seed);
        auto items = wf_test::interval_items(count);
        wf_test::device_array<interval<>> in(items), out(1);
        const auto reduce = [&] {
          wf::reduce(in.items(), out.data(), join_until_poison{}, {.workspace = scratch, .max_blocks = max_blocks});
        };
        in.set(count / 2, interval<>::poison());
        EXPECT_THROW(reduce(), std::domain_error) << max_blocks << " blocks, seed " << seed;
        in.set(count / 2, items[count / 2]);
        reduce();
        EXPECT_EQ(out.value(), interval<>::of(0, count - 1)) << max_blocks << " blocks, seed " << seed;
      }
}
#endif

}  // namespace
