// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Monoids with which reductions are tested beside the interval one.
#pragma once
#include <cstdint>
#include <ostream>
#include <type_traits>
#include <warpfold/operators.hpp>

#include "common/random_items.hpp"

namespace wf_test {

/// x -> scale * x + offset, modulo 2^bits. Composition is associative and not commutative, and mistakes do not cancel:
/// scales are odd, so nothing is forgotten.
template <class Word = std::uint32_t> struct affine {
  Word scale, offset;

  static affine random(random_source& source) { return {static_cast<Word>(source() | 1), static_cast<Word>(source())}; }
  friend bool operator==(const affine&, const affine&) = default;
  friend std::ostream& operator<<(std::ostream& out, const affine& f) {
    return out << std::uint64_t{f.scale} << " x + " << std::uint64_t{f.offset};
  }
};

/// First the left map, then the right one.
struct compose {
  template <class Word> __host__ __device__ affine<Word> operator()(affine<Word> f, affine<Word> g) const {
    return {static_cast<Word>(unsigned{f.scale} * g.scale), static_cast<Word>(unsigned{f.offset} * g.scale + g.offset)};
  }
};

/// An affine map modulo 16 in one byte.
struct byte_affine {
  std::uint8_t bits;  ///< scale in the high half, offset in the low one

  static byte_affine random(random_source& source) { return {static_cast<std::uint8_t>(source() | 0x10)}; }
  friend bool operator==(byte_affine, byte_affine) = default;
  friend std::ostream& operator<<(std::ostream& out, byte_affine f) {
    return out << (f.bits >> 4) << " x + " << (f.bits & 15);
  }
};

struct compose_bytes {
  __host__ __device__ byte_affine operator()(byte_affine f, byte_affine g) const {
    const int scale = (f.bits >> 4) * (g.bits >> 4), offset = (f.bits & 15) * (g.bits >> 4) + (g.bits & 15);
    return {static_cast<std::uint8_t>((scale & 15) << 4 | (offset & 15))};
  }
};

/// Twelve bytes: three floats, added one by one. Not exact, so equal bits mean an equal association.
struct triple {
  float x, y, z;

  static triple random(random_source& source) {
    return {random_item<float>(source), random_item<float>(source), random_item<float>(source)};
  }
  friend bool operator==(const triple&, const triple&) = default;
  friend std::ostream& operator<<(std::ostream& out, const triple& t) {
    return out << '(' << t.x << ", " << t.y << ", " << t.z << ')';
  }
};

struct add_triples {
  __host__ __device__ triple operator()(const triple& a, const triple& b) const {
    constexpr warpfold::plus add{};
    return {add(a.x, b.x), add(a.y, b.y), add(a.z, b.z)};
  }
};

/// The smallest value and where it is; of equals the leftmost.
struct value_and_index {
  float value;
  std::int32_t index;

  friend bool operator==(const value_and_index&, const value_and_index&) = default;
  friend std::ostream& operator<<(std::ostream& out, const value_and_index& v) {
    return out << v.value << " at " << v.index;
  }
};

/// Relies on order: of equal values it keeps the left one without looking at the index.
struct leftmost_smallest {
  __host__ __device__ value_and_index operator()(const value_and_index& a, const value_and_index& b) const {
    return b.value < a.value ? b : a;
  }
};

}  // namespace wf_test
