// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads of 1 to 16 bytes from global memory. All wide loads of the library pass here: on the CPU they are a memcpy,
// because reading items through a vector type breaks strict aliasing.
#pragma once
#include <cstring>
#include <warpfold/config.hpp>

namespace warpfold::arch {

template <int Bytes> struct vector_type;
template <> struct vector_type<1> { using type = unsigned char; };
template <> struct vector_type<2> { using type = unsigned short; };
template <> struct vector_type<4> { using type = unsigned; };
template <> struct vector_type<8> { using type = uint2; };
template <> struct vector_type<16> { using type = uint4; };

/// Copies `Bytes` (1, 2, 4, 8 or 16) from global memory, which nobody writes while the kernel runs, to registers.
/// `source` must be aligned to `Bytes`.
template <int Bytes> __device__ void load(const void* source, void* target) {
#if defined(__CUDA_ARCH__)
  const auto value = __ldg(static_cast<const typename vector_type<Bytes>::type*>(source));
  memcpy(target, &value, Bytes);
#else
  std::memcpy(target, source, Bytes);
#endif
}

}  // namespace warpfold::arch
