// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The oracle: the canonical tree as the documentation defines it, written anew. Node (j, k) is op(left half, right
// half) of what exists of [k 2^j, (k + 1) 2^j), or the one half that has items.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace wf_fuzz {

/// Tables of all whole nodes. `Model::fold` is the operator.
template <class Model> class tree {
 public:
  using item = typename Model::item;

  explicit tree(std::span<const item> leaves) {
    levels_.push_back(std::vector<item>(leaves.begin(), leaves.end()));
    while (levels_.back().size() > 1) {
      std::vector<item> above;
      const auto& below = levels_.back();
      for (std::size_t k = 0; k + 1 < below.size(); k += 2) above.push_back(Model::fold(below[k], below[k + 1]));
      levels_.push_back(std::move(above));
    }
  }

  /// The joins of the tree that lie within [begin, end), which is not empty.
  item fold(std::int64_t begin, std::int64_t end) const {
    int level = 0;
    while ((std::int64_t{1} << level) < end) ++level;
    return *node(level, 0, begin, end);
  }

 private:
  std::optional<item> node(int level, std::int64_t k, std::int64_t begin, std::int64_t end) const {
    const std::int64_t first = k << level, last = (k + 1) << level;
    if (last <= begin || end <= first) return {};
    if (begin <= first && last <= end) return levels_[static_cast<std::size_t>(level)][static_cast<std::size_t>(k)];
    const auto left = node(level - 1, 2 * k, begin, end), right = node(level - 1, 2 * k + 1, begin, end);
    if (left && right) return Model::fold(*left, *right);
    return left ? left : right;
  }

  std::vector<std::vector<item>> levels_;
};

/// init op value, where there is an init.
template <class Model>
typename Model::item with_init(const std::optional<typename Model::item>& init, const typename Model::item& value) {
  return init ? Model::fold(*init, value) : value;
}
/// The result of nothing.
template <class Model> typename Model::item of_nothing(const std::optional<typename Model::item>& init) {
  return init ? *init : Model::identity();
}

/// The result of all items, of which there may be none.
template <class Model>
typename Model::item total(std::span<const typename Model::item> all, const std::optional<typename Model::item>& init) {
  if (all.empty()) return of_nothing<Model>(init);
  return with_init<Model>(init, tree<Model>(all).fold(0, static_cast<std::int64_t>(all.size())));
}

/// The prefixes of all items; `begin_of(i)` is the first item that prefix i folds.
template <class Model, class BeginOf>
std::vector<typename Model::item> prefixes(std::span<const typename Model::item> items, bool exclusive,
                                           const std::optional<typename Model::item>& init, BeginOf begin_of) {
  const tree<Model> all(items);
  std::vector<typename Model::item> results;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(items.size()); ++i) {
    const std::int64_t begin = begin_of(i), end = exclusive ? i : i + 1;
    results.push_back(begin < end ? with_init<Model>(init, all.fold(begin, end)) : of_nothing<Model>(init));
  }
  return results;
}

}  // namespace wf_fuzz
