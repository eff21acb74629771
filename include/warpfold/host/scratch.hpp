// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where things lie in scratch: control words first, zero between calls, then room for partial results. All functions share the
// same words, so that one workspace serves any of them, one call after another.
#pragma once
#include <cstddef>

namespace warpfold::host {

/// The alignment of scratch. The ticket of reduce has the first 128 bytes, a line of its own.
inline constexpr std::size_t workspace_alignment = 128;
/// After the ticket: the words of the function that needs most of them, reduce_by_key. Each feature asserts that its own fit.
inline constexpr std::size_t feature_control_bytes = 1'762'944;
inline constexpr std::size_t control_bytes = workspace_alignment + feature_control_bytes;

}  // namespace warpfold::host
