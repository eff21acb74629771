// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structs of any number of floats or doubles, added one by one: not exact, so equal bits mean an equal association.
#pragma once
#include <ostream>
#include <warpfold/operators.hpp>

#include "common/random_items.hpp"

namespace wf_test {

template <class T, int Dimensions> struct point {
  T x[Dimensions];

  static point random(random_source& source) {
    point result;
    for (T& x : result.x) x = random_item<T>(source);
    return result;
  }
  friend bool operator==(const point&, const point&) = default;
  friend std::ostream& operator<<(std::ostream& out, const point& p) {
    for (const T x : p.x) out << x << ' ';
    return out;
  }
};

struct add_points {
  template <class T, int Dimensions>
  __host__ __device__ point<T, Dimensions> operator()(const point<T, Dimensions>& a,
                                                      const point<T, Dimensions>& b) const {
    point<T, Dimensions> sum;
    for (int i = 0; i < Dimensions; ++i) sum.x[i] = warpfold::plus{}(a.x[i], b.x[i]);
    return sum;
  }
};

}  // namespace wf_test
