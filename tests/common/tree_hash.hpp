// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The oracle for association: an operator that is neither associative nor commutative on purpose. Two folds of the same
// items have the same hash only if they follow the same tree.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ostream>
#include <vector>
#include <warpfold/config.hpp>

namespace wf_test {

/// Any number of bytes, aligned to `Alignment`.
template <int Bytes, int Alignment = 1> struct tree_hash {
  alignas(Alignment) unsigned char byte[Bytes];

  /// The leaf of item i.
  __host__ __device__ static tree_hash of(std::int64_t item) {
    return spread(mix(static_cast<std::uint64_t>(item) + 0x9e3779b97f4a7c15u));
  }
  /// What no fold may look at.
  __host__ __device__ static tree_hash absent() { return spread(mix(0xdeadu)); }

  __host__ __device__ static tree_hash spread(std::uint64_t hash) {
    tree_hash result;
    for (int i = 0; i < Bytes; i += 8) {
      std::memcpy(result.byte + i, &hash, Bytes - i < 8 ? Bytes - i : 8);
      hash = hash * 0xd6e8feb86659fd93u + 1;
    }
    return result;
  }
  __host__ __device__ std::uint64_t gather() const {
    std::uint64_t hash = 0;
    for (int i = 0; i < Bytes; i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, byte + i, Bytes - i < 8 ? Bytes - i : 8);
      hash = (hash ^ word) * 0x100000001b3u;
    }
    return hash;
  }
  __host__ __device__ static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    return z ^ (z >> 27);
  }

  __host__ __device__ friend bool operator==(const tree_hash& a, const tree_hash& b) {
    for (int i = 0; i < Bytes; ++i)
      if (a.byte[i] != b.byte[i]) return false;
    return true;
  }
  friend std::ostream& operator<<(std::ostream& out, const tree_hash& h) {
    for (const unsigned char b : h.byte) {
      char digits[3];
      std::snprintf(digits, sizeof digits, "%02x", unsigned{b});
      out << digits;
    }
    return out;
  }
};

struct hash_pair {
  template <int Bytes, int Alignment>
  __host__ __device__ tree_hash<Bytes, Alignment> operator()(const tree_hash<Bytes, Alignment>& a,
                                                             const tree_hash<Bytes, Alignment>& b) const {
    using hash = tree_hash<Bytes, Alignment>;
    return hash::spread(hash::mix(3 * hash::mix(a.gather() + 1) + 5 * b.gather()));
  }
};

/// Joins numbers so that order and association show.
struct number_pair {
  __host__ __device__ unsigned operator()(unsigned a, unsigned b) const { return 3 * a + 5 * (b ^ b >> 7) + 1; }
};

/// For transform_reduce: an item becomes the leaf of its value.
template <class Hash> struct to_hash {
  template <class T> __host__ __device__ Hash operator()(T item) const {
    return Hash::of(static_cast<std::int64_t>(item));
  }
};

/// The leaves of items 0, 1, ….
template <class Hash> std::vector<Hash> hash_items(std::int64_t count) {
  std::vector<Hash> items;
  items.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) items.push_back(Hash::of(i));
  return items;
}

}  // namespace wf_test
