// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The oracle for order: item i is the interval [i, i]; neighbours join; any other pair gives poison, which absorbs. One
// result shows any reorder, loss or duplicate. The monoid has no identity and no inverse.
#pragma once
#include <cstdint>
#include <ostream>
#include <type_traits>
#include <vector>
#include <warpfold/operator_traits.hpp>

namespace wf_test {

namespace detail {
template <class Index, int Count> struct interval_check { Index check[Count]; };
template <class Index> struct interval_check<Index, 0> {};
}  // namespace detail

/// `Index` is a signed integer. Bytes beyond the two bounds hold checks of them, so a torn copy is poison, too.
template <class Index = std::int32_t, int Bytes = 2 * int{sizeof(Index)}>
struct interval : detail::interval_check<Index, Bytes / int{sizeof(Index)} - 2> {
  static constexpr int checks = Bytes / int{sizeof(Index)} - 2;
  Index first, last;

  __host__ __device__ static interval of(std::int64_t first, std::int64_t last) {
    interval result;
    result.first = static_cast<Index>(first);
    result.last = static_cast<Index>(last);
    if constexpr (checks > 0)
      for (int k = 0; k < checks; ++k) result.check[k] = result.expected_check(k);
    return result;
  }
  __host__ __device__ static interval of(std::int64_t item) { return of(item, item); }
  __host__ __device__ static interval poison() { return of(1, 0); }

  __host__ __device__ bool is_poison() const {
    bool poison = first > last;
    if constexpr (checks > 0)
      for (int k = 0; k < checks; ++k) poison = poison || this->check[k] != expected_check(k);
    return poison;
  }

  __host__ __device__ friend bool operator==(const interval& a, const interval& b) {
    return a.is_poison() ? b.is_poison() : !b.is_poison() && a.first == b.first && a.last == b.last;
  }
  friend std::ostream& operator<<(std::ostream& out, const interval& i) {
    if (i.is_poison()) out << "poison ";
    return out << '[' << std::int64_t{i.first} << ", " << std::int64_t{i.last} << ']';
  }

 private:
  __host__ __device__ Index expected_check(int k) const {
    const auto a = static_cast<std::uint64_t>(first), b = static_cast<std::uint64_t>(last);
    return static_cast<Index>(
        static_cast<std::make_unsigned_t<Index>>(a * (2u * static_cast<unsigned>(k) + 3u) - 5u * b));
  }
};

struct join {
  template <class Interval> __host__ __device__ Interval operator()(const Interval& a, const Interval& b) const {
    if (a.is_poison() || b.is_poison() || std::int64_t{a.last} + 1 != b.first) return Interval::poison();
    return Interval::of(a.first, b.last);
  }
};

/// The same, which says that it is exact: scans may associate as they like.
struct exact_join : join {};

/// For segments that share an init of [-1, -1]: it becomes the interval of one item more, before the segment.
struct join_after_init {
  __host__ __device__ interval<> operator()(const interval<>& a, const interval<>& b) const {
    if (a == interval<>::of(-1) && !b.is_poison()) return interval<>::of(-1 - b.first, b.last);
    return join{}(a, b);
  }
};
struct exact_join_after_init : join_after_init {};

/// For transform_reduce: an integer item becomes the interval of that item.
template <class Interval = interval<>> struct to_interval {
  template <class T> __host__ __device__ Interval operator()(T item) const {
    return Interval::of(static_cast<std::int64_t>(item));
  }
};

/// [0, 0], [1, 1], … ; before them belongs an init of [-1, -1].
template <class Interval = interval<>> std::vector<Interval> interval_items(std::int64_t count) {
  std::vector<Interval> items;
  items.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) items.push_back(Interval::of(i));
  return items;
}

}  // namespace wf_test

template <class Index, int Bytes>
inline constexpr bool warpfold::is_exact<wf_test::exact_join, wf_test::interval<Index, Bytes>> = true;
template <> inline constexpr bool warpfold::is_exact<wf_test::exact_join_after_init, wf_test::interval<>> = true;
