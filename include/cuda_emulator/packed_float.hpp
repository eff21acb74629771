// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declares the 16-bit floating-point types that shuffles and atomics take. Their headers are not needed.
#pragma once

#include <type_traits>

struct __half;
struct __half2;
struct __nv_bfloat16;
struct __nv_bfloat162;

namespace cuda_emulator {

template <class T>
inline constexpr bool is_packed_float = std::is_same_v<T, __half> || std::is_same_v<T, __half2> ||
                                        std::is_same_v<T, __nv_bfloat16> || std::is_same_v<T, __nv_bfloat162>;

}  // namespace cuda_emulator
