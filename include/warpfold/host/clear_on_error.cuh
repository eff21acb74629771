// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clears the control words of a kernel that threw.
#pragma once
#include <cstring>
#include <span>
#include <warpfold/config.hpp>

namespace warpfold::host_side {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Clears the control words for the next call if a kernel stopped midway. Only the emulator survives that: there, the
/// launch throws, be it of a kernel or of a graph that holds it.
class clear_on_error {
 public:
  explicit clear_on_error([[maybe_unused]] std::span<std::byte> control)
#if !defined(__CUDACC__)
      : clear_({control})
#endif
  {
  }
  clear_on_error(const clear_on_error&) = delete;
  ~clear_on_error() {}  // not trivial, so that a guard counts as used

#if !defined(__CUDACC__)
 private:
  struct clear_control_words {
    std::span<std::byte> control;
    void operator()() const {
      if (!control.empty()) std::memset(control.data(), 0, control.size());
    }
  };
  cuda_emulator::on_kernel_failure<clear_control_words> clear_;
#endif
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host_side
