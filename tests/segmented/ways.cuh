// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ways to ask for one and the same segmented reduction, none of which may change a bit; and comparisons of results.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <warpfold/segmented_reduce.cuh>

#include "common/device.cuh"
#include "layouts.hpp"

namespace wf_test {

enum class from { nothing, value, device_memory };

struct segmented_way {
  from init = from::nothing, empty = from::value;
  int max_blocks = 0;
  bool own_workspace = false;
  std::int64_t offset = 0;  ///< items, and entries that tell segments apart, by which these are misaligned
  std::uint64_t seed = 1;   ///< of the emulator's schedule

  friend std::ostream& operator<<(std::ostream& out, const segmented_way& w) {
    constexpr const char* names[] = {"no", "a", "a device-resident"};
    return out << names[static_cast<int>(w.init)] << " init, " << names[static_cast<int>(w.empty)]
               << " empty, max_blocks " << w.max_blocks << (w.own_workspace ? ", a workspace, " : ", ") << w.offset
               << " off, seed " << w.seed;
  }
};

/// Number `turn` of a sequence that goes through all values of all members. One of init and empty is always given.
inline segmented_way way_of(std::int64_t turn) {
  constexpr from givens[][2] = {{from::nothing, from::value},
                                {from::value, from::nothing},
                                {from::device_memory, from::value},
                                {from::nothing, from::device_memory},
                                {from::device_memory, from::nothing}};
  constexpr int bounds[] = {0, 1, 7};
  const auto& given = givens[turn % 5];
  return {given[0], given[1], bounds[turn % 3], turn % 2 == 1, turn % 7 % 4, static_cast<std::uint64_t>(turn) + 1};
}

/// The counters that a call uses, which it must leave zero.
inline bool is_cleared(std::span<const std::byte> workspace) {
  std::vector<std::byte> control(warpfold::host_side::control_bytes);
  warpfold::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  warpfold::check(cudaMemcpy(control.data(), workspace.data(), control.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
  return std::all_of(control.begin(), control.end(), [](std::byte b) { return b == std::byte{}; });
}

/// A workspace full of rubbish except for its counters: nothing may rely on the rest.
class rubbish_workspace {
 public:
  explicit rubbish_workspace(std::size_t accumulator_bytes) : owner_(accumulator_bytes) {
    const auto values = owner_.bytes().subspan(warpfold::host_side::control_bytes);
    warpfold::check(cudaMemset(values.data(), 0xa5, values.size()), "cudaMemset");
    warpfold::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
  operator warpfold::workspace_ref() const { return owner_; }
  bool is_cleared() const { return wf_test::is_cleared(owner_.bytes()); }

 private:
  warpfold::workspace owner_;
};

/// Calls reduce(out, options) as `way` says, and returns the `segments` outputs.
template <class A, class Reduce>
std::vector<A> results_of(const segmented_way& way, std::int64_t segments, const A& init, const A& empty,
                          Reduce reduce) {
  static const rubbish_workspace workspace(sizeof(A));
  const schedule_seed scheduled(way.seed);
  const device_array<A> constants(std::vector<A>{init, empty}), out(segments);
  if (segments > 0) warpfold::check(cudaMemset(out.data(), 0x5a, out.size() * sizeof(A)), "cudaMemset");
  warpfold::segmented_options<A> options{.max_blocks = way.max_blocks};
  if (way.init == from::value) options.init = init;
  if (way.init == from::device_memory) options.init = static_cast<const A*>(constants.data());
  if (way.empty == from::value) options.empty = empty;
  if (way.empty == from::device_memory) options.empty = static_cast<const A*>(constants.data() + 1);
  if (way.own_workspace) options.workspace = workspace;
  reduce(std::span<A>(out.data(), out.size()), options);
  EXPECT_TRUE(!way.own_workspace || workspace.is_cleared()) << "counters are left behind, " << way;
  return out.to_host();
}

/// The expected outputs of `way`, given the value of each segment: init joined on the left, once; and empty segments.
template <class A, class Op>
std::vector<A> expected_of(const segmented_way& way, std::vector<A> roots, const layout& where, const A& init,
                           const A& empty, Op op) {
  for (std::int64_t s = 0; s < where.segments(); ++s) {
    A& root = roots[static_cast<std::size_t>(s)];
    if (where.length(s) == 0) root = way.empty != from::nothing ? empty : init;
    else if (way.init != from::nothing) root = op(init, root);
  }
  return roots;
}

/// Equality of all segments by bits; NaNs are equal to one another if `any_nan`. Says which segment differs first.
template <class A>
testing::AssertionResult same_segments(const std::vector<A>& actual, const std::vector<A>& expected,
                                       bool any_nan = false) {
  if (actual.size() != expected.size()) return testing::AssertionFailure() << actual.size() << " results";
  for (std::size_t s = 0; s < actual.size(); ++s) {
    if (std::memcmp(&actual[s], &expected[s], sizeof(A)) == 0) continue;
    if constexpr (std::is_floating_point_v<A>)
      if (any_nan && actual[s] != actual[s] && expected[s] != expected[s]) continue;
    return testing::AssertionFailure() << "segment " << s << " is " << testing::PrintToString(actual[s]) << ", not "
                                       << testing::PrintToString(expected[s]);
  }
  return testing::AssertionSuccess();
}

}  // namespace wf_test
