// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The standard headers of code that runs on devices. NVRTC has none: there libcu++, which comes with the toolkit, gives
// the names, and they stand in std, where nothing else is.
#pragma once
#if defined(__CUDACC_RTC__)
#include <cuda/std/bit>
#include <cuda/std/cmath>
#include <cuda/std/concepts>
#include <cuda/std/cstddef>
#include <cuda/std/cstdint>
#include <cuda/std/cstring>
#include <cuda/std/iterator>
#include <cuda/std/limits>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

namespace std {
using namespace cuda::std;
using ::fma;
}  // namespace std
#else
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>
#endif
