// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <warpfold/operator_traits.hpp>

/// Item types and operators of a user, which Warpfold does not know.
namespace bench {

/// 12 bytes: no power of two, no vector load of its own size.
struct vector3 {
  float x, y, z;
  static __device__ vector3 random_item(std::uint64_t bits) {
    const auto part = [=](int shift) { return static_cast<float>((bits >> shift) & 0x1FFFFF) * 0x1p-21f; };
    return {part(0), part(21), part(42)};
  }
};

/// 16 bytes, aligned to 8.
struct complex128 {
  double re, im;
  static __device__ complex128 random_item(std::uint64_t bits) {
    return {static_cast<double>(bits >> 11) * 0x1p-53, static_cast<double>(bits & 0xFFFFFFFF) * 0x1p-32};
  }
};

/// x -> scale * x + shift, mod 2^32. 8 bytes.
struct affine {
  std::uint32_t scale, shift;
  bool operator==(const affine&) const = default;
  static __device__ affine random_item(std::uint64_t bits) {
    return {static_cast<std::uint32_t>(bits) | 1u, static_cast<std::uint32_t>(bits >> 32)};  // odd: nothing is lost
  }
};

/// A value and where it stands. 8 bytes.
struct indexed {
  float value;
  std::int32_t index;
  static __device__ indexed random_item(std::uint64_t bits) {
    return {static_cast<float>(bits >> 40) * 0x1p-24f, static_cast<std::int32_t>(bits & 0x7FFFFFFF)};
  }
};

/// [[a, b], [c, d]] of determinant 1, mod 2^32. 16 bytes, aligned to 4.
struct matrix2 {
  std::uint32_t a, b, c, d;
  static __device__ matrix2 random_item(std::uint64_t bits) {
    const auto b = static_cast<std::uint32_t>(bits), c = static_cast<std::uint32_t>(bits >> 32);
    return {1 + b * c, b, c, 1};
  }
};

struct add_components {
  __host__ __device__ vector3 operator()(vector3 p, vector3 q) const { return {p.x + q.x, p.y + q.y, p.z + q.z}; }
  __host__ __device__ complex128 operator()(complex128 p, complex128 q) const { return {p.re + q.re, p.im + q.im}; }
};

/// Composition from left to right: not commutative.
struct compose {
  __host__ __device__ affine operator()(affine f, affine g) const {
    return {f.scale * g.scale, f.shift * g.scale + g.shift};
  }
};

/// The larger value, and of two equal ones the left one: argmax.
struct larger {
  __host__ __device__ indexed operator()(indexed p, indexed q) const { return q.value > p.value ? q : p; }
};

/// Not commutative.
struct multiply {
  __host__ __device__ matrix2 operator()(matrix2 p, matrix2 q) const {
    return {p.a * q.a + p.b * q.c, p.a * q.b + p.b * q.d, p.c * q.a + p.d * q.c, p.c * q.b + p.d * q.d};
  }
};

/// The item of largest magnitude; the left one of two alike.
struct largest_magnitude {
  template <class T> __host__ __device__ T operator()(T p, T q) const { return magnitude(q) > magnitude(p) ? q : p; }

 private:
  static __host__ __device__ float magnitude(float x) { return fabsf(x); }
  static __host__ __device__ int magnitude(std::int8_t x) { return x < 0 ? -int{x} : int{x}; }
};

/// The same, which says that it is exact.
struct exact_largest_magnitude : largest_magnitude {};

/// Whether a peer's result is right, given Warpfold's. A sum in another order differs by at most as many roundings as
/// one item goes through, each of half an epsilon of the sum of magnitudes. All items are positive, so this is the sum.
template <class A> bool agrees(const A& ours, const A& theirs, double roundings) {
  if constexpr (std::floating_point<A>) {
    const double epsilon = std::numeric_limits<A>::epsilon();
    return std::abs(double{ours} - double{theirs}) <= roundings * epsilon * std::abs(double{ours});
  } else {
    return ours == theirs;
  }
}

inline bool agrees(const vector3& ours, const vector3& theirs, double roundings) {
  return agrees(ours.x, theirs.x, roundings) && agrees(ours.y, theirs.y, roundings) &&
         agrees(ours.z, theirs.z, roundings);
}

inline bool agrees(const complex128& ours, const complex128& theirs, double roundings) {
  return agrees(ours.re, theirs.re, roundings) && agrees(ours.im, theirs.im, roundings);
}

}  // namespace bench

template <> inline constexpr bool warpfold::is_exact<bench::exact_largest_magnitude, float> = true;
