// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clears the control words of a kernel that threw.
#pragma once
#include <cstring>
#include <exception>
#include <span>
#include <warpfold/host/scratch.hpp>

namespace warpfold::host {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Clears the control words for the next call if a kernel stopped midway. Only the emulator survives that: there, the
/// launch throws.
class clear_on_error {
 public:
  explicit clear_on_error(std::span<std::byte> scratch) : scratch_(scratch) {}
  clear_on_error(const clear_on_error&) = delete;
  ~clear_on_error() {
#if !defined(__CUDACC__)
    if (!scratch_.empty() && std::uncaught_exceptions() > entered_with_) std::memset(scratch_.data(), 0, control_bytes);
#endif
  }

 private:
  [[maybe_unused]] std::span<std::byte> scratch_;
  [[maybe_unused]] int entered_with_ = std::uncaught_exceptions();
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host
