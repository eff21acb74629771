// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Iterators as users have them, from the least that reduce takes to a full standard one.
#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <warpfold/config.hpp>

namespace wf_test {

/// Item i is Item::of(first + i). No iterator by the standard: it can be indexed, no more.
template <class Item> struct counting {
  using value_type = Item;
  using difference_type = std::int64_t;
  std::int64_t first;

  __host__ __device__ Item operator[](std::int64_t i) const { return Item::of(first + i); }
};

/// Every stride-th item of an array.
template <class T> struct strided {
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  const T* data;
  int stride;

  __host__ __device__ const T& operator[](std::ptrdiff_t i) const { return data[i * stride]; }
  __host__ __device__ const T& operator*() const { return *data; }
};

/// first, first + 1, …: a standard random-access iterator.
struct stl_counting {
  using value_type = std::int64_t;
  using difference_type = std::int64_t;
  using iterator_category = std::random_access_iterator_tag;
  std::int64_t value = 0;

  __host__ __device__ std::int64_t operator*() const { return value; }
  __host__ __device__ std::int64_t operator[](std::int64_t i) const { return value + i; }
  __host__ __device__ stl_counting& operator+=(std::int64_t n) { return value += n, *this; }
  __host__ __device__ stl_counting& operator-=(std::int64_t n) { return value -= n, *this; }
  __host__ __device__ stl_counting& operator++() { return *this += 1; }
  __host__ __device__ stl_counting& operator--() { return *this -= 1; }
  __host__ __device__ stl_counting operator++(int) { return {value++}; }
  __host__ __device__ stl_counting operator--(int) { return {value--}; }
  friend __host__ __device__ stl_counting operator+(stl_counting a, std::int64_t n) { return a += n; }
  friend __host__ __device__ stl_counting operator+(std::int64_t n, stl_counting a) { return a += n; }
  friend __host__ __device__ stl_counting operator-(stl_counting a, std::int64_t n) { return a -= n; }
  friend __host__ __device__ std::int64_t operator-(stl_counting a, stl_counting b) { return a.value - b.value; }
  friend __host__ __device__ auto operator<=>(const stl_counting&, const stl_counting&) = default;
};

/// Writes the negative of what it is given.
struct negating_output {
  struct reference {
    double* to;
    __host__ __device__ const reference& operator=(double value) const { return *to = -value, *this; }
  };
  double* to;

  __host__ __device__ reference operator*() const { return {to}; }
};

}  // namespace wf_test
