// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays of random shapes for the tests of reductions over axes, and a plain loop that says what they hold.
#pragma once
#include <gtest/gtest.h>
#include <warpfold/canonical_tree.hpp>
#include <warpfold/reduce_axes.cuh>

#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "common/device.cuh"
#include "common/random_items.hpp"
#include "common/same_bits.hpp"
#include "common/samples.hpp"

namespace wf_test::arrays {

/// Extents and strides, known when the test runs. A view of it has a fixed rank.
struct layout {
  int rank = 0;
  std::int64_t extent[warpfold::max_axes] = {}, stride[warpfold::max_axes] = {};
  std::int64_t origin = 0;  ///< the place of item (0, 0, …) in the array's memory
  std::int64_t length = 1;  ///< items of memory

  std::int64_t items() const {
    std::int64_t product = 1;
    for (int i = 0; i < rank; ++i) product *= extent[i];
    return product;
  }
  std::string text() const {
    std::ostringstream out;
    for (int i = 0; i < rank; ++i) out << (i > 0 ? " x " : "") << extent[i] << " (" << stride[i] << ')';
    return out.str();
  }
};

/// Memory for the extents in the order of axes `order` from the outermost to the innermost, with strides that are
/// `step` times as large as need be, padded by up to `padding` items per axis. Axes in `backwards` run backwards, those
/// in `repeated` have stride 0.
inline layout make_layout(const std::vector<std::int64_t>& extents, const std::vector<int>& order, std::int64_t step,
                          const std::vector<std::int64_t>& padding, unsigned backwards, unsigned repeated) {
  layout made;
  made.rank = static_cast<int>(extents.size());
  std::int64_t span = 1;
  for (int i = made.rank - 1; i >= 0; --i) {
    const auto axis = static_cast<std::size_t>(order[static_cast<std::size_t>(i)]);
    made.extent[axis] = extents[axis];
    if (repeated >> axis & 1) continue;
    const std::int64_t stride = span * (i == made.rank - 1 ? step : 1);
    made.stride[axis] = backwards >> axis & 1 ? -stride : stride;
    if (extents[axis] > 0) {
      if (backwards >> axis & 1) made.origin += (extents[axis] - 1) * stride;
      made.length += (extents[axis] - 1) * stride;
      span = stride * extents[axis] + padding[axis];
    }
  }
  return made;
}

inline layout contiguous(const std::vector<std::int64_t>& extents) {
  std::vector<int> order;
  for (std::size_t i = 0; i < extents.size(); ++i) order.push_back(static_cast<int>(i));
  return make_layout(extents, order, 1, std::vector<std::int64_t>(extents.size()), 0, 0);
}

/// A view with the layout's rank, which calls see as one of 8 dimensions: missing ones in front have extent 1.
template <class T> warpfold::strided<T, warpfold::max_axes> view_of(T* memory, const layout& shape) {
  std::int64_t extents[warpfold::max_axes], strides[warpfold::max_axes];
  const int before = warpfold::max_axes - shape.rank;
  for (int i = 0; i < warpfold::max_axes; ++i) {
    extents[i] = i < before ? 1 : shape.extent[i - before];
    strides[i] = i < before ? 0 : shape.stride[i - before];
  }
  return {memory + shape.origin, extents, strides};
}

/// Calls visit(place) for the items of `axes` of the layout in row-major order; other axes stay at item `fixed`.
template <class Visit>
void for_items(const layout& shape, unsigned axes, std::int64_t place, Visit visit, int axis = 0) {
  if (axis == shape.rank) return visit(place);
  if (!(axes >> axis & 1)) return for_items(shape, axes, place, visit, axis + 1);
  for (std::int64_t i = 0; i < shape.extent[axis]; ++i)
    for_items(shape, axes, place + i * shape.stride[axis], visit, axis + 1);
}

/// The expected outputs, in row-major order of the kept axes: the canonical tree over transform(items).
template <class A, class T, class Op, class Transform = warpfold::thread::no_transform>
std::vector<A> expected(const layout& in, unsigned reduced, const std::vector<T>& memory, Op op,
                        std::optional<A> init = {}, Transform transform = {}) {
  std::vector<A> results;
  for_items(in, ~reduced, in.origin, [&](std::int64_t output) {
    warpfold::canonical_tree::counter<A, Op> tree(op);
    for_items(in, reduced, output, [&](std::int64_t place) {
      tree.push(warpfold::detail::convert<A>(transform(memory[static_cast<std::size_t>(place)])));
    });
    results.push_back(init ? op(*init, tree.root()) : tree.root());
  });
  return results;
}

/// The axes of a view_of(…, layout of `rank` dimensions) that are named by bits.
inline warpfold::axes named(unsigned mask, int rank) {
  warpfold::axes result{};
  for (int i = 0; i < rank; ++i)
    if (mask >> i & 1) result.number[result.count++] = i - rank;
  return result;
}

/// The layout of the output: the kept axes of `in` in the order and with the strides of `kept`, reduced ones with
/// extent 1.
inline layout with_reduced(const layout& in, unsigned reduced, const layout& kept) {
  layout all = kept;
  all.rank = in.rank;
  for (int i = 0, k = 0; i < in.rank; ++i) {
    const bool is_reduced = reduced >> i & 1;
    all.extent[i] = is_reduced ? 1 : kept.extent[k];
    all.stride[i] = is_reduced ? 0 : kept.stride[k];
    if (!is_reduced) ++k;
  }
  return all;
}

}  // namespace wf_test::arrays
