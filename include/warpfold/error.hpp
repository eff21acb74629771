// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How Warpfold reports errors: std::invalid_argument for what the caller passed, cuda_error for what CUDA answered.
#pragma once
#include <source_location>
#include <stdexcept>
#include <string>
#include <warpfold/config.hpp>

namespace warpfold {

/// An error that a CUDA call reported: which code, which call, from where. Can be caught across shared libraries.
class WARPFOLD_EXPORTED cuda_error : public std::runtime_error {
 public:
  cuda_error(cudaError_t code, const char* call, std::source_location where)
      : std::runtime_error(std::string(call) + ": " + cudaGetErrorName(code) + " (" + cudaGetErrorString(code) +
                           ") at " + where.file_name() + ":" + std::to_string(where.line())),
        code_(code),
        call_(call),
        where_(where) {}

  cudaError_t code() const noexcept { return code_; }
  const char* call() const noexcept { return call_; }
  const std::source_location& where() const noexcept { return where_; }

 private:
  cudaError_t code_;
  const char* call_;
  std::source_location where_;
};

/// Throws cuda_error unless `code` is cudaSuccess. The error is taken off CUDA's record, since the exception carries
/// it.
inline void check(cudaError_t code, const char* call, std::source_location where = std::source_location::current()) {
  if (code == cudaSuccess) return;
  (void)cudaGetLastError();
  throw cuda_error(code, call, where);
}

/// Throws std::invalid_argument "function: argument problem".
[[noreturn]] inline void reject(const char* function, const std::string& problem) {
  throw std::invalid_argument(std::string("warpfold::") + function + ": " + problem);
}

}  // namespace warpfold
