// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names of integers of 128 bits.
#pragma once
#include <warpfold/config.hpp>

namespace warpfold {

/// Integers of 128 bits: no type of ISO C++, but one of every compiler that Warpfold supports. NVRTC has them where it
/// is told to.
#if defined(__SIZEOF_INT128__) || !defined(__CUDACC_RTC__)
__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;
#else
struct int128;
using uint128 = unsigned long long;  // where a 128-bit word would be converted to, which no type needs then
#endif

}  // namespace warpfold
