// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layout of scratch: first the control words, which are zero between calls, then room for partial results. All
// functions share the control words of a workspace, so one workspace serves any of them, one call after another. The
// scratch that Warpfold keeps for a stream has as much of both as the calls on that stream needed.
#pragma once
#include <cstddef>

namespace warpfold::host_side {

/// The alignment of scratch. The first 128 bytes are a cache line of their own. They hold the ticket of reduce, and the
/// counter from which its blocks draw.
inline constexpr std::size_t workspace_alignment = 128;
/// Bytes of control words behind the ticket: whole cache lines of what reduce_by_key needs (by_key_control_bytes),
/// which needs most. Each feature asserts that its own words fit.
inline constexpr std::size_t feature_control_bytes = 1'762'944;
inline constexpr std::size_t control_bytes = workspace_alignment + feature_control_bytes;

/// Scratch that a call needs.
struct scratch_need {
  std::size_t feature_bytes;  ///< control words beside the ticket's cache line
  std::size_t room_bytes;     ///< for partial results

  /// Bytes of control words. They end where partial results may begin.
  constexpr std::size_t own_control_bytes() const {
    return (workspace_alignment + feature_bytes + workspace_alignment - 1) / workspace_alignment * workspace_alignment;
  }
  /// Bytes of scratch for such calls only; bytes of a workspace, which has the control words of every function.
  constexpr std::size_t own_bytes() const { return own_control_bytes() + room_bytes; }
  constexpr std::size_t workspace_bytes() const { return control_bytes + room_bytes; }
};
static_assert(control_bytes % workspace_alignment == 0);

}  // namespace warpfold::host_side
