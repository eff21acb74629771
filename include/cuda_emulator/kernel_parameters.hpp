// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks a kernel's parameters: CUDA copies the bytes of the arguments to the device.
#pragma once

#include <cstddef>
#include <type_traits>

namespace cuda_emulator::detail {

inline constexpr std::size_t max_parameter_bytes = 32764;  // CUDA's limit from compute capability 7.0 on

template <class Parameter> consteval bool check_parameter() {
  static_assert(
      !std::is_reference_v<Parameter>,
      "cuda_emulator: a kernel cannot take a reference, since the device cannot reach the host's variable; pass a "
      "value or a pointer to device memory");
  using value = std::remove_cvref_t<Parameter>;
  static_assert(
      std::is_trivially_copy_constructible_v<value> && std::is_trivially_destructible_v<value>,
      "cuda_emulator: a kernel's argument must be trivially copyable, since CUDA copies its bytes; this type, one of "
      "its members or one of a lambda's captures has a copy constructor or a destructor of its own");
  static_assert(!std::is_function_v<std::remove_pointer_t<value>>,
                "cuda_emulator: a kernel cannot call a host function by its address; pass a function object");
  return true;
}

template <class... Parameters> consteval bool check_parameters() {
  static_assert((sizeof(std::remove_reference_t<Parameters>) + ... + 0) <= max_parameter_bytes,
                "cuda_emulator: a kernel's parameters have 32764 bytes at most");
  return (check_parameter<Parameters>() && ... && true);
}

}  // namespace cuda_emulator::detail
