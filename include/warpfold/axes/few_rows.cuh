// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds outputs of few items, all of which a lane holds, by what the operator tells (thread/few_items.cuh).
#pragma once
#include <warpfold/axes/index_map.cuh>
#include <warpfold/axes/leaves.cuh>
#include <warpfold/axes/policy.hpp>
#include <warpfold/thread/few_items.cuh>

namespace warpfold::axis_reduction {
inline namespace WARPFOLD_HIDDEN_V1 {

namespace detail {
template <class Leaves> WARPFOLD_JIT consteval bool find_folds_few() {
  if constexpr (is_as_loaded<Leaves>) return thread::has_full_form<as_loaded<Leaves, thread::few_items + 1>>;
  else return false;
}

/// The chunk of items [First, First + Items) of an output, which are item `column` of the rows. There is 0 in place of
/// items that the rows do not hold.
template <int First, int Items, class Leaves, int Rows>
__device__ auto items_of_rows(const typename Leaves::chunk (&rows)[Rows], int column) {
  thread::chunk<typename Leaves::item, Items> items{};
  WARPFOLD_UNROLL
  for (int k = 0; k < Items; ++k)
    if (First + k < Rows) items.set(k, rows[First + k].item(column));
  return items;
}
}  // namespace detail

/// Whether few items are folded by full nodes.
template <class Leaves> inline constexpr bool folds_few = detail::find_folds_few<Leaves>();
/// Whether threads gain by longer rounds of items, since there is more to compute: few_items_kernel.
template <class Leaves>
inline constexpr bool folds_by_long_rounds = folds_few<Leaves> || sums_few<Leaves> || detail::has_terms<Leaves>;

/// Sets `value` to the node over `count` items of an output, which are item `column` of the rows, 0 < count <= Rows;
/// the first of them has number `begin`. Returns false if it may be wrong, since an item is a NaN that does not count.
template <class Leaves, int Rows, class Op, class A>
__device__ bool fold_few_rows(const Leaves& leaves, const typename Leaves::chunk (&rows)[Rows], int column, int begin,
                              int count, Op op, A& value) {
  constexpr int eight = thread::few_items + 1;
  static_assert(Rows <= 2 * eight);
  if constexpr (folds_few<Leaves>) {
    const auto loaded = loaded_from<eight>(leaves);
    const auto& full_op = thread::full_form_of(loaded);
    const auto first = detail::items_of_rows<0, eight, Leaves>(rows, column);
    const auto full_node = [&](const auto& from) {
      return thread::detail::fold_full_items<0, eight>(full_op,
                                                       [&](int k) { return thread::item_of(loaded, from, k); });
    };
    bool is_right = true;
    if (count < eight) is_right = thread::fold_few_items(loaded, first, count, value);
    else if constexpr (Rows >= eight) {
      const auto left = full_node(first);
      if constexpr (Rows > eight) {
        const auto last = detail::items_of_rows<eight, eight, Leaves>(rows, column);
        if (count == 2 * eight) value = full_op.of_full(full_op.join_full(left, full_node(last), eight), 2 * eight);
        else {
          if (count > eight) is_right = thread::fold_few_items(loaded, last, count - eight, value);
          value = thread::join_on_left(loaded, left, eight, count > eight, value);
        }
      } else value = full_op.of_full(left, eight);
    }
    return is_right && thread::all_count(loaded, value);
  } else if constexpr (detail::has_terms<Leaves> && Rows > very_few_items) {
    const auto item = [&](int k) { return leaves.transform.transform(rows[k].item(column)); };
    using terms_operator = decltype(leaves.transform.op);
    bool are_terms;
    if (Rows > eight && count <= eight)
      are_terms = thread::fold_terms<terms_operator, least_of(Rows, eight)>(item, count, value);
    else if (Rows > eight && count >= Rows) are_terms = thread::fold_terms<terms_operator, Rows>(item, value);
    else are_terms = thread::fold_terms<terms_operator, Rows>(item, count, value);
    if (are_terms) return true;
    thread::array<typename Leaves::item, Rows> items;
    WARPFOLD_UNROLL
    for (int k = 0; k < Rows; ++k) items[k] = rows[k].item(column);
    value = detail::fold_items_apart<A>(leaves.transform, items, count, op);
    return true;
  } else {
    value = count >= Rows ? fold_rows(leaves, rows, column, begin, Rows, op)
                          : fold_rows(leaves, rows, column, begin, count, op);
    return true;
  }
}

/// Adds the first `count` items of an output to `sum`, where sums_few.
template <class Leaves, int Rows, class Sum>
__device__ void add_few_rows(const Leaves& leaves, const typename Leaves::chunk (&rows)[Rows], int column, int count,
                             Sum& sum) {
  WARPFOLD_UNROLL
  for (int k = 0; k < Rows; ++k)
    if (k < count) sum.add(summed_item(leaves, rows[k], column, true));
}

/// The sum of the `count` items of an output from `origin` on, item by item. Not inlined: it is rare.
template <class Leaves, class Map>
WARPFOLD_NO_INLINE __device__ auto sum_items_apart(const Leaves& leaves, const Map& reduced, std::int64_t origin,
                                                   int count) -> typename Leaves::accumulator {
  lane_sum<Leaves, 1> sum;
  WARPFOLD_NO_UNROLL
  for (int k = 0; k < count; ++k) {
    typename Leaves::chunk held;
    leaves.load(held, origin + reduced.in(k));
    typename decltype(sum)::number items[1] = {summed_item(leaves, held, 0, true)};
    sum.add(items);
  }
  return sum.total();
}

/// Folds the items of a vector of outputs, which lie at `at`, `Rows` at a time, 1, 2 or 4 times at most, and writes the
/// results.
template <class Arguments, int Rows, int Rounds = 2> class few_items_folder {
 public:
  using Leaves = typename Arguments::leaves_type;
  using A = typename Leaves::accumulator;
  using rows_type = typename Leaves::chunk[Rows];

  __device__ few_items_folder(const Arguments& arguments, const place& at) : arguments_(arguments), at_(at) {}

  /// Folds `count` > 0 items, the first of which has number `first`: a multiple of Rows.
  __device__ void fold(const rows_type& rows, int first, int count) {
    WARPFOLD_UNROLL
    for (int v = 0; v < vector; ++v) {
      A value;
      are_right_ = fold_few_rows(arguments_.leaves, rows, v, first, count, arguments_.op, value) && are_right_;
      results_[v] = first & Rows ? arguments_.op(results_[v], value) : value;
      if (Rounds > 2 && first == Rows) left_[v] = results_[v];
    }
  }
  /// Writes the results of all items.
  __device__ void write() {
    if (Rounds > 2 && arguments_.items > 2 * Rows) WARPFOLD_UNROLL
    for (int v = 0; v < vector; ++v) results_[v] = arguments_.op(left_[v], results_[v]);
    if constexpr (folds_few<Leaves>)
      if (!are_right_)
        fold_by_items(arguments_.leaves, arguments_.reduced, at_.in, 0, arguments_.items, arguments_.op, results_);
    arguments_.template write_at<vector>(at_.out, results_);
  }

 private:
  static constexpr int vector = Leaves::chunk_items;
  static_assert(Rounds <= 2 || Rounds == 4);

  const Arguments& arguments_;
  const place at_;
  bool are_right_ = true;
  A results_[vector] = {};  // of the latest one or two rounds
  A left_[vector] = {};     // of the first two rounds, if there are more
};

/// The same where sums_few.
template <class Arguments, int Rows, int Rounds>
  requires sums_few<typename Arguments::leaves_type>
class few_items_folder<Arguments, Rows, Rounds> {
 public:
  using Leaves = typename Arguments::leaves_type;
  using rows_type = typename Leaves::chunk[Rows];
  static_assert(Leaves::chunk_items == 1);

  __device__ few_items_folder(const Arguments& arguments, const place& at) : arguments_(arguments), at_(at) {}

  __device__ void fold(const rows_type& rows, int, int count) { add_few_rows(arguments_.leaves, rows, 0, count, sum_); }
  __device__ void write() {
    if (sum_.is_exact() && arguments_.write_sum_at(at_.out, sum_)) return;
    const typename Leaves::accumulator result[1] = {
        sum_items_apart(arguments_.leaves, arguments_.reduced, at_.in, static_cast<int>(arguments_.items))};
    arguments_.template write_at<1>(at_.out, result);
  }

 private:
  const Arguments& arguments_;
  const place at_;
  typename detail::lane_accumulator_of<Leaves>::few sum_;
};

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::axis_reduction
