// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scratch that a call uses, and for how long.
#pragma once
#include <warpfold/host/argument_checks.cuh>
#include <warpfold/host/clear_on_error.cuh>
#include <warpfold/host/default_workspace.cuh>

namespace warpfold::host {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The scratch of one call: a caller's workspace, or a loan of the pool, which ends with this object. It must be kept
/// until the call's last kernel is enqueued.
class call_scratch {
 public:
  call_scratch() : guard_({}) {}
  explicit call_scratch(std::span<std::byte> callers) : held_{{{callers, control_bytes}}, {}}, guard_(control()) {}
  call_scratch(int device, cudaStream_t stream, const scratch_need& need)
      : held_{workspace_pool::instance().borrow(device, stream, need), stream}, guard_(control()) {}
  call_scratch(const call_scratch&) = delete;

  /// The line of the ticket, as words that are zero. All pointers are null if the call has no scratch.
  unsigned* ticket() const { return reinterpret_cast<unsigned*>(bytes().data()); }
  /// The feature's own control words.
  template <class T> T* control_words() const { return at<T>(workspace_alignment); }
  /// The control words behind those of type `First`.
  template <class First, class T> T* control_words_behind() const { return at<T>(workspace_alignment + sizeof(First)); }
  /// Room for partial results.
  template <class T> T* room() const { return at<T>(held_.loan.scratch.control_bytes); }

 private:
  std::span<std::byte> bytes() const { return held_.loan.scratch.bytes; }
  std::span<std::byte> control() const { return bytes().first(held_.loan.scratch.control_bytes); }
  template <class T> T* at(std::size_t offset) const {
    return bytes().empty() ? nullptr : reinterpret_cast<T*>(bytes().data() + offset);
  }

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

inline void check_max_blocks(const char* function, int max_blocks) {
  if (max_blocks < 0) reject(function, "max_blocks is " + std::to_string(max_blocks));
}

/// Checks the options that all calls have. Throws std::invalid_argument, which names `function`, if max_blocks is
/// negative, or if options.workspace lacks bytes that the call may need, whatever its plan.
template <class Options> void check_options(const char* function, const Options& options, const scratch_need& need) {
  check_max_blocks(function, options.max_blocks);
  check_workspace(function, options.workspace.bytes, need.workspace_bytes());
}

/// Scratch on `device`, the current one, for kernels that are enqueued next on options.stream: options.workspace, which
/// check_options has accepted, or the default workspace of the stream. None if the plan `uses` none.
template <class Options>
[[nodiscard]] call_scratch scratch_for(int device, const Options& options, const scratch_need& need, bool uses = true) {
  if (!uses) return call_scratch();
  if (!options.workspace.bytes.empty()) return call_scratch(options.workspace.bytes);
  return call_scratch(device, options.stream, need);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host
