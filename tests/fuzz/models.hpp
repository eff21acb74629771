// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is folded: a type of items, the operator that the library gets, and the one of the oracle.
#pragma once
#include <cmath>
#include <cstring>
#include <limits>

#include "common/random_items.hpp"
#include "fuzz/items.cuh"

namespace wf_fuzz {

using wf_test::random_source;

/// How items are distributed.
enum kind : std::int64_t { any_items, equal_items, special_items, sparse_items, kinds };

/// What all models share that call the library with an operator of the tests, which has no identity.
template <class T, class Op> struct users_model {
  using item = T;
  using op = Op;
  static constexpr bool has_identity = false;
  static T fold(const T& a, const T& b) { return Op{}(a, b); }
  static T identity() { return {}; }
};

struct affines : users_model<affine, compose> {
  static constexpr const char* name = "affine";
  static affine make(random_source& source, std::int64_t kind, std::int64_t) {
    const auto word = source();
    const auto scale = static_cast<std::uint8_t>(word % 250 + 1), offset = static_cast<std::uint8_t>(word >> 32 & 127);
    if (kind == equal_items) return {3, 7};
    if (kind == special_items && word % 11 == 0) return {0, offset};  // forgets what is left of it
    if (kind == sparse_items && word % 97 != 0) return {1, 0};
    return {scale, offset};
  }
};
struct small_affines : users_model<small_affine, compose_small> {
  static constexpr const char* name = "small";
  static small_affine make(random_source& source, std::int64_t kind, std::int64_t) {
    if (kind == equal_items) return {0x37};
    return {static_cast<std::uint8_t>(source() >> 40 | 0x10)};
  }
};
struct intervals : users_model<interval, join> {
  static constexpr const char* name = "interval";
  static interval make(random_source&, std::int64_t, std::int64_t i) {
    return interval::of(static_cast<std::int32_t>(i), static_cast<std::int32_t>(i));
  }
};
struct hashes : users_model<tree_hash, hash_nodes> {
  static constexpr const char* name = "hash";
  static tree_hash make(random_source& source, std::int64_t kind, std::int64_t) {
    return {kind == equal_items ? 1 : source()};
  }
};
/// Sums, whose bits depend on the tree.
struct floats {
  using item = float;
  using op = warpfold::plus;
  static constexpr const char* name = "float";
  static constexpr bool has_identity = true;
  static float fold(float a, float b) { return a + b; }
  static float identity() { return 0; }
  static float make(random_source& source, std::int64_t kind, std::int64_t) {
    static const float special[] = {0.f,    -0.f, std::numeric_limits<float>::infinity(), 1e-45f, -1e-39f, 3e38f,
                                    -3e38f, 1.f};
    const float drawn = wf_test::random_item<float>(source);
    if (kind == equal_items) return 0.1f;
    if (kind == special_items) return source.below(4) ? drawn : special[source.below(8)];
    if (kind == sparse_items) return source.below(97) ? 0.f : drawn;
    return drawn;
  }
};
/// Sums that wrap: an exact operator, which may take any association in order.
struct ints {
  using item = int;
  using op = warpfold::plus;
  static constexpr const char* name = "int";
  static constexpr bool has_identity = true;
  static int fold(int a, int b) { return static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b)); }
  static int identity() { return 0; }
  static int make(random_source& source, std::int64_t kind, std::int64_t) {
    const int drawn = wf_test::random_item<int>(source);
    if (kind == equal_items) return 1;
    if (kind == special_items) return drawn & 1 ? std::numeric_limits<int>::min() : -1;
    if (kind == sparse_items) return source.below(97) ? 0 : drawn;
    return drawn;
  }
};

template <class Model>
std::vector<typename Model::item> make_items(std::int64_t count, std::uint64_t data, std::int64_t kind) {
  random_source source(data);
  std::vector<typename Model::item> items;
  items.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) items.push_back(Model::make(source, kind, i));
  return items;
}
/// What stands left of the items.
template <class Model> typename Model::item make_init(std::uint64_t data) {
  random_source source(~data);
  return Model::make(source, any_items, -1);
}

/// Whether results have the same bits; any NaN is as good as any other. Specialised for types with padding.
template <class T> struct bits {
  static bool same(const T& a, const T& b) {
    if constexpr (std::is_floating_point_v<T>)
      if (std::isnan(a) && std::isnan(b)) return true;
    return std::memcmp(&a, &b, sizeof(T)) == 0;
  }
};
template <class T> bool same_bits(const T& a, const T& b) { return bits<T>::same(a, b); }

}  // namespace wf_fuzz
