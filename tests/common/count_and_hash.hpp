// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An operator with full nodes (operator_traits.hpp) that tells every association: nodes hash what they join.
#pragma once
#include <cstdint>

#include "common/tree_hash.hpp"

namespace wf_test {

/// The hash of the tree over the items that count, and their number.
struct counted_hash {
  tree_hash<8> value;
  std::int64_t count;
  __host__ __device__ friend bool operator==(const counted_hash& a, const counted_hash& b) {
    return a.count == b.count && (a.count == 0 || a.value == b.value);
  }
};
/// All items count, or, if it skips NaN, those that are none.
template <bool SkipsNan> struct count_and_hash {
  using hash = tree_hash<8>;
  __host__ __device__ counted_hash lift(float item) const {
    return !SkipsNan || item == item ? counted_hash{lift_full(item), 1} : counted_hash{};
  }
  __host__ __device__ counted_hash operator()(const counted_hash& a, const counted_hash& b) const {
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    return {joined(a.value, b.value, a.count + b.count), a.count + b.count};
  }

  using full = hash;
  static constexpr bool skips_nan = SkipsNan;
  __host__ __device__ full lift_full(float item) const { return hash::of(static_cast<std::int64_t>(item)); }
  __host__ __device__ full join_full(const full& a, const full& b, std::int64_t items) const {
    return joined(a, b, 2 * items);
  }
  __host__ __device__ counted_hash of_full(const full& value, std::int64_t items) const { return {value, items}; }
  __host__ __device__ counted_hash join_fewer(const full& left, std::int64_t items, const counted_hash& right) const {
    return {joined(left, right.value, items + right.count), items + right.count};
  }

 private:
  __host__ __device__ static hash joined(const hash& a, const hash& b, std::int64_t count) {
    return hash_pair{}(hash_pair{}(a, b), hash::of(count));
  }
};

/// The same hash without full nodes, of an operator whose joins take long.
struct hash_by_joins {
  using result = counted_hash;
  static constexpr bool has_long_joins = true;
  __host__ __device__ counted_hash lift(float item) const { return count_and_hash<false>{}.lift(item); }
  __host__ __device__ counted_hash operator()(const counted_hash& a, const counted_hash& b) const {
    return count_and_hash<false>{}(a, b);
  }
};
/// The same of an operator whose joins are quick.
struct hash_by_quick_joins : hash_by_joins {
  static constexpr bool has_long_joins = false;
};

}  // namespace wf_test
