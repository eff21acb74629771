// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which scratch a call uses, and for how long.
#pragma once
#include <warpfold/host/argument_checks.cuh>
#include <warpfold/host/clear_on_error.cuh>
#include <warpfold/host/default_workspace.cuh>

namespace warpfold::host {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The scratch of one call: a caller's workspace or a loan of the pool, which ends with this object. To be kept until
/// the call's last kernel is enqueued.
class call_scratch {
 public:
  call_scratch() : guard_({}) {}
  explicit call_scratch(std::span<std::byte> callers) : held_{{callers}, {}}, guard_(callers) {}
  call_scratch(int device, cudaStream_t stream, std::size_t bytes)
      : held_{workspace_pool::instance().borrow(device, stream, bytes), stream}, guard_(held_.loan.bytes) {}
  call_scratch(const call_scratch&) = delete;

  /// The control words; behind them, at control_bytes, room for partial results.
  std::byte* data() const { return held_.loan.bytes.data(); }

 private:
  struct held {
    workspace_pool::loan loan;
    cudaStream_t stream;
    ~held() {
      if (loan.borrowed != nullptr) workspace_pool::instance().give_back(loan, stream);
    }
  };
  held held_{};
  clear_on_error guard_;  // ends before the loan does
};

/// `needed` bytes of scratch on `device`, the current one, for kernels that are enqueued next on options.stream:
/// options.workspace, which is checked (std::invalid_argument names `function`), or the default workspace of the
/// stream.
template <class Options>
[[nodiscard]] call_scratch scratch_for(const char* function, int device, const Options& options, std::size_t needed) {
  check_workspace(function, options.workspace.bytes, needed);
  if (!options.workspace.bytes.empty()) return call_scratch(options.workspace.bytes);
  return call_scratch(device, options.stream, needed);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host
