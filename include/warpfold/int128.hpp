// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names of integers of 128 bits.
#pragma once
#include <warpfold/config.hpp>

namespace warpfold {

// No types of ISO C++, but of every compiler that Warpfold supports. NVRTC has them where it is told to.
#if defined(__SIZEOF_INT128__) || !defined(__CUDACC_RTC__)
__extension__ typedef __int128 int128;            ///< an integer of 128 bits
__extension__ typedef unsigned __int128 uint128;  ///< an unsigned one
#else
struct int128;                       ///< where there are none
using uint128 = unsigned long long;  ///< where a 128-bit word would be converted to, which no type needs then
#endif

}  // namespace warpfold
