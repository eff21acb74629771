// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items and operators of the fuzz campaign. A program that shows a failure begins with this file as it is, so it
// includes nothing of the tests.
#pragma once
#include <cstdint>
#include <warpfold/warpfold.cuh>

/// x -> scale * x + offset modulo 251, in two bytes: associative, not commutative.
struct affine {
  std::uint8_t scale, offset;
};
struct compose {
  __host__ __device__ affine operator()(affine f, affine g) const {
    return {static_cast<std::uint8_t>(f.scale * g.scale % 251),
            static_cast<std::uint8_t>((f.offset * g.scale + g.offset) % 251)};
  }
};

/// The same modulo 16, in one byte: scale in the high half.
struct small_affine {
  std::uint8_t halves;
};
struct compose_small {
  __host__ __device__ small_affine operator()(small_affine f, small_affine g) const {
    const int scale = (f.halves >> 4) * (g.halves >> 4), offset = (f.halves & 15) * (g.halves >> 4) + (g.halves & 15);
    return {static_cast<std::uint8_t>((scale & 15) << 4 | (offset & 15))};
  }
};

/// Numbers first to last, in twelve bytes. What does not follow gives poison, which absorbs; so does a torn copy.
struct interval {
  std::int32_t first, last, check;

  __host__ __device__ static interval of(std::int32_t first, std::int32_t last) {
    return {first, last, first * 3 ^ last * 5};
  }
};
struct join {
  __host__ __device__ interval operator()(interval a, interval b) const {
    const bool whole = a.check == (a.first * 3 ^ a.last * 5) && b.check == (b.first * 3 ^ b.last * 5);
    if (!whole || a.last < a.first || b.last < b.first || a.last + 1 != b.first) return interval::of(1, 0);
    return interval::of(a.first, b.last);
  }
};

/// A hash of a whole tree. The operator is not associative: any other tree than the canonical one shows.
struct tree_hash {
  std::uint64_t bits;
};
struct hash_nodes {
  __host__ __device__ tree_hash operator()(tree_hash a, tree_hash b) const {
    const std::uint64_t left = a.bits * 0x9e3779b97f4a7c15u, right = b.bits * 0xc2b2ae3d27d4eb4fu + 1;
    return {(left << 23 | left >> 41) ^ (right << 7 | right >> 57) ^ (left >> 32)};
  }
};

/// Every item of an array through an iterator that is no pointer.
template <class T> struct one_by_one {
  using value_type = T;
  using difference_type = std::int64_t;
  const T* first;
  __host__ __device__ T operator[](std::int64_t i) const { return first[i]; }
  __host__ __device__ T operator*() const { return *first; }
};
