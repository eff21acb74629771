// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layout of scratch: first the control words, which are zero between calls, then room for partial results. All
// functions share the control words, so that one workspace serves any of them, one call after another.
#pragma once
#include <cstddef>

namespace warpfold::host {

/// The alignment of scratch. The first 128 bytes, a cache line of its own, hold the ticket of
/// reduce, and the counter from which its blocks draw.
inline constexpr std::size_t workspace_alignment = 128;
/// Bytes of control words behind the ticket: as many as reduce_by_key needs, which needs most. Each feature asserts
/// that its own words fit.
inline constexpr std::size_t feature_control_bytes = 1'762'944;
inline constexpr std::size_t control_bytes = workspace_alignment + feature_control_bytes;

}  // namespace warpfold::host
