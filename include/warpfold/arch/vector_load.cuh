// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores of 1 to 16 bytes of global memory. All wide accesses of the library pass here: on the CPU they are a
// memcpy, because reading items through a vector type breaks strict aliasing.
#pragma once
#include <warpfold/config.hpp>
#include <warpfold/standard.hpp>

namespace warpfold::arch {

template <int Bytes> struct vector_type;
template <> struct vector_type<1> { using type = unsigned char; };
template <> struct vector_type<2> { using type = unsigned short; };
template <> struct vector_type<4> { using type = unsigned; };
template <> struct vector_type<8> { using type = uint2; };
template <> struct vector_type<16> { using type = uint4; };

namespace detail {
/// A memcpy takes any address. A GPU stops at one that is no multiple of the vector's size, and so does the emulator.
template <int Bytes> __host__ __device__ void require_aligned([[maybe_unused]] const void* address) {
#if !defined(__CUDACC__)
  cuda_emulator::require_aligned(address, Bytes, "vector access");
#endif
}
/// Memory that ld.global.nc reads must be constant while the kernel runs.
template <int Bytes> __host__ __device__ void note_constant([[maybe_unused]] const void* address) {
#if !defined(__CUDACC__)
  cuda_emulator::races::constant_load(address, Bytes);
#endif
}

#if defined(__clang__) && defined(__CUDA__)
// Clang as the compiler of CUDA knows neither __stcs nor, until version 20, __ldcs: caches then get no hint.
template <class T> __device__ T load_streaming(const T* source) { return *source; }
template <class T> __device__ void store_streaming(T* target, const T& value) { *target = value; }
#elif defined(__CUDACC__)
template <class T> __device__ T load_streaming(const T* source) { return __ldcs(source); }
template <class T> __device__ void store_streaming(T* target, const T& value) { __stcs(target, value); }
#endif
}  // namespace detail

/// Copies `Bytes` (1, 2, 4, 8 or 16) from global memory, which nobody writes while the kernel runs, to registers.
/// `source` must be aligned to `Bytes`.
template <int Bytes> __device__ void load(const void* source, void* target) {
#if defined(__CUDA_ARCH__)
  const auto value = __ldg(static_cast<const typename vector_type<Bytes>::type*>(source));
  memcpy(target, &value, Bytes);
#else
  detail::require_aligned<Bytes>(source);
  detail::note_constant<Bytes>(source);
  std::memcpy(target, source, Bytes);
#endif
}

/// How `load` reads, for those who choose: memory that nobody writes while the kernel runs.
struct read_only {
  template <int Bytes> __device__ static void load(const void* source, void* target) {
    arch::load<Bytes>(source, target);
  }
  /// The same of 1 or 2 bytes, as a word. (The compiler would make a word of an `unsigned short` as soon as it has
  /// come, and so wait for each before it asks for the next.)
  template <int Bytes> __device__ static std::uint32_t load_word(const void* source) {
    std::uint32_t word = 0;
#if defined(__CUDA_ARCH__)
    const auto address = __cvta_generic_to_global(source);
    if constexpr (Bytes == 1) asm("ld.global.nc.u8 %0, [%1];" : "=r"(word) : "l"(address));
    else asm("ld.global.nc.u16 %0, [%1];" : "=r"(word) : "l"(address));
#else
    arch::load<Bytes>(source, &word);
#endif
    return word;
  }
};

/// Memory that is read once, and that the kernel may overwrite afterwards.
struct read_once {
  template <int Bytes> __device__ static void load(const void* source, void* target) {
#if defined(__CUDA_ARCH__)
    using vector = typename vector_type<Bytes>::type;
    vector value;
    // As __ldcs, but the compiler does not move it: else a warp may wait for one vector before it asks for the next.
    if constexpr (Bytes == 16)
      asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                   : "l"(__cvta_generic_to_global(source))
                   : "memory");
    else value = detail::load_streaming(static_cast<const vector*>(source));
    memcpy(target, &value, Bytes);
#else
    detail::require_aligned<Bytes>(source);
    std::memcpy(target, source, Bytes);
#endif
  }
  template <int Bytes> __device__ static std::uint32_t load_word(const void* source) {
    std::uint32_t word = 0;
    load<Bytes>(source, &word);
    return word;
  }
};

/// Brings the cache line of `source`, in global memory, into the L2 cache. Nothing waits for it.
__device__ inline void prefetch_into_l2([[maybe_unused]] const void* source) {
#if defined(__CUDA_ARCH__)
  asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(source)));
#endif
}

/// Copies `Bytes` (1, 2, 4, 8 or 16) to global memory, which is not read again soon. `target` must be aligned to
/// `Bytes`.
template <int Bytes> __device__ void store_once(void* target, const void* source) {
#if defined(__CUDA_ARCH__)
  typename vector_type<Bytes>::type value;
  memcpy(&value, source, Bytes);
  detail::store_streaming(static_cast<typename vector_type<Bytes>::type*>(target), value);
#else
  detail::require_aligned<Bytes>(target);
  std::memcpy(target, source, Bytes);
#endif
}

}  // namespace warpfold::arch
