// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which scratch a call uses.
#pragma once
#include <warpfold/host/argument_checks.cuh>
#include <warpfold/host/default_workspace.cuh>

namespace warpfold::host {
inline namespace WARPFOLD_HIDDEN_V1 {

/// `needed` bytes of scratch on `device`, the current one, for a kernel that is launched next: options.workspace, which is checked
/// (std::invalid_argument names `function`), or the default workspace of options.stream.
template <class Options>
std::span<std::byte> scratch_for(const char* function, int device, const Options& options, std::size_t needed) {
  check_workspace(function, options.workspace.bytes, needed);
  if (!options.workspace.bytes.empty()) return options.workspace.bytes;
  return workspace_pool::instance().get(device, options.stream, needed);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host
