// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How Warpfold reports errors: std::invalid_argument for what the caller passed, cuda_error for what CUDA answered.
#pragma once
#include <concepts>
#include <cstdio>
#include <initializer_list>
#include <source_location>
#include <stdexcept>
#include <string>
#include <utility>
#include <warpfold/config.hpp>

namespace warpfold {

namespace detail {
/// A part of a message: text or a whole number. To list parts takes a caller less code than to join strings.
class message_part {
 public:
  constexpr message_part(const char* text) : text_(text) {}
  message_part(const std::string& text) : text_(text.c_str()) {}
  template <std::integral N>
  constexpr message_part(N number)
      : is_negative_(std::cmp_less(number, 0)), number_(static_cast<unsigned long long>(number)) {}

  [[gnu::noinline, gnu::cold]] void append_to(std::string& message) const {
    char digits[24];
    if (text_ == nullptr)
      (void)std::snprintf(digits, sizeof digits, "%s%llu", is_negative_ ? "-" : "", is_negative_ ? -number_ : number_);
    message += text_ != nullptr ? text_ : digits;
  }

 private:
  const char* text_ = nullptr;
  bool is_negative_ = false;
  unsigned long long number_ = 0;
};

/// Not inlined, and neither are the functions below that throw: they are called in many places.
[[gnu::noinline, gnu::cold]] inline std::string joined(std::initializer_list<message_part> parts) {
  std::string whole;
  for (const message_part& part : parts) part.append_to(whole);
  return whole;
}
}  // namespace detail

/// An error that a CUDA call reported: which code, which call, from where. Can be caught across shared libraries.
class WARPFOLD_EXPORTED cuda_error : public std::runtime_error {
 public:
  cuda_error(cudaError_t code, const char* call, std::source_location where)
      : std::runtime_error(detail::joined({call, ": ", cudaGetErrorName(code), " (", cudaGetErrorString(code), ") at ",
                                           where.file_name(), ":", where.line()})),
        code_(code),
        call_(call),
        where_(where) {}

  cudaError_t code() const noexcept { return code_; }                    ///< what CUDA reported
  const char* call() const noexcept { return call_; }                    ///< the name of CUDA's function
  const std::source_location& where() const noexcept { return where_; }  ///< where it was called

 private:
  cudaError_t code_;
  const char* call_;
  std::source_location where_;
};

namespace detail {
/// Clears CUDA's last error, since the exception carries it.
[[noreturn, gnu::noinline, gnu::cold]] inline void throw_cuda_error(cudaError_t code, const char* call,
                                                                    std::source_location where) {
  (void)cudaGetLastError();
  throw cuda_error(code, call, where);
}
}  // namespace detail

/// Throws cuda_error unless `code` is cudaSuccess. The library calls this name, since users have macros named check.
inline void require_success(cudaError_t code, const char* call,
                            std::source_location where = std::source_location::current()) {
  if (code != cudaSuccess) detail::throw_cuda_error(code, call, where);
}
/// The same, for users.
inline void(check)(cudaError_t code, const char* call, std::source_location where = std::source_location::current()) {
  require_success(code, call, where);
}

/// Throws std::invalid_argument "function: argument problem".
[[noreturn, gnu::noinline, gnu::cold]] inline void reject(const char* function, const char* problem) {
  throw std::invalid_argument(detail::joined({"warpfold::", function, ": ", problem}));
}
/// The same for a problem that has been put together.
[[noreturn]] inline void reject(const char* function, const std::string& problem) { reject(function, problem.c_str()); }
/// The same for a problem in parts.
[[noreturn, gnu::noinline, gnu::cold]] inline void reject(const char* function,
                                                          std::initializer_list<detail::message_part> parts) {
  reject(function, detail::joined(parts));
}

}  // namespace warpfold
