// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where segments lie, for tests: every distribution of lengths that cuts the work differently.
#pragma once
#include <algorithm>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>
#include <warpfold/canonical_tree.hpp>

#include "common/random_items.hpp"

namespace wf_test {

using lengths = std::vector<std::int64_t>;

/// Segments one after another, from item 0 on; before each, items that belong to none if `gap` says so.
struct layout {
  std::string name;
  std::vector<std::int64_t> begins, ends;
  std::int64_t items = 0;

  layout(std::string called, const lengths& of_segments, const lengths& gaps = {}) : name(std::move(called)) {
    for (std::size_t s = 0; s < of_segments.size(); ++s) {
      begins.push_back(items += gaps.empty() ? 0 : gaps[s]);
      ends.push_back(items += of_segments[s]);
    }
  }
  std::int64_t segments() const { return std::ssize(begins); }
  std::int64_t length(std::int64_t s) const {
    return ends[static_cast<std::size_t>(s)] - begins[static_cast<std::size_t>(s)];
  }

  template <class I> std::vector<I> offsets() const {
    std::vector<I> result{0};
    for (const std::int64_t end : ends) result.push_back(static_cast<I>(end));
    return result;
  }
  template <class I> std::vector<I> owners() const {
    std::vector<I> result;
    for (std::int64_t s = 0; s < segments(); ++s)
      result.insert(result.end(), static_cast<std::size_t>(length(s)), static_cast<I>(s));
    return result;
  }
  friend std::ostream& operator<<(std::ostream& out, const layout& l) {
    return out << l.name << " (" << l.segments() << " segments, " << l.items << " items)";
  }
};

template <class I> std::vector<I> narrowed(const std::vector<std::int64_t>& values) {
  return std::vector<I>(values.begin(), values.end());
}

inline lengths power_law(std::int64_t count, std::int64_t most, std::uint64_t seed = 5) {
  random_source source(seed);
  lengths result;
  for (std::int64_t s = 0; s < count; ++s)
    result.push_back(std::min<std::int64_t>(
        most, static_cast<std::int64_t>(2 / (1e-6 + static_cast<double>(source.below(1'000'000)) * 1e-6)) - 1));
  return result;
}

/// All distributions of lengths under test. `batch` is what a warp folds at once, `many` a number of items that
/// keeps every warp of a grid busy, `empties` that of a long run of empty segments.
inline std::vector<layout> distributions(std::int64_t batch, std::int64_t many, std::int64_t empties) {
  const auto all = [](std::int64_t length, std::int64_t count) {
    return lengths(static_cast<std::size_t>(count), length);
  };
  const auto join = [](std::initializer_list<lengths> parts) {
    lengths result;
    for (const lengths& part : parts) result.insert(result.end(), part.begin(), part.end());
    return result;
  };
  std::vector<layout> result{
      {"no segment", {}}, {"one empty segment", {0}}, {"all empty", all(0, empties)}, {"one item", {1}}};
  for (const std::int64_t length : {1, 2, 3, 31, 32, 33})
    result.emplace_back("all " + std::to_string(length), all(length, many / (4 * length) + 1));
  for (const std::int64_t unit : {batch, 2 * batch, 4 * batch, 8 * batch})
    result.emplace_back(
        "around " + std::to_string(unit),
        join({all(unit - 1, 3), all(unit, 3), all(unit + 1, 3), {2 * unit - 1, 1, 3 * unit, 0, 3 * unit + 1}}));
  result.emplace_back("one of all", all(many, 1));
  result.emplace_back("one of more units than a bundle", all(4 * many + 77, 1));
  result.emplace_back("two, one item apart", lengths{many / 2, 1, many / 2});
  result.emplace_back("alternating none and huge", join({{0, many / 4, 0, many / 3, 0, many / 2 + 1, 0}}));
  result.emplace_back("alternating tiny and huge", join({{1, many / 3, 2, many / 5, 3, many / 2, 1}}));
  const lengths some{5, 700, 1, 0, 33}, none = all(0, empties);
  result.emplace_back("empties at the start", join({none, some, {many / 3}}));
  result.emplace_back("empties in the middle", join({some, {many / 3}, none, {many / 3}, some}));
  result.emplace_back("empties at the end", join({some, {many / 3}, none}));
  lengths law = power_law(many / 20, many / 4);
  result.emplace_back("power law", law);
  std::sort(law.begin(), law.end());
  result.emplace_back("sorted up", law);
  std::reverse(law.begin(), law.end());
  result.emplace_back("sorted down", law);
  random_source source(3);
  lengths random;
  for (std::int64_t s = 0; s < many / 50; ++s) random.push_back(source.below(100));
  result.emplace_back("random", random);
  lengths mixed;  // of which some are long
  for (std::int64_t items = 0; items < many; items += mixed.back()) mixed.push_back(source.below(batch + batch / 4));
  result.emplace_back("short and long, at random", mixed);
  return result;
}

/// The same, with items before, between and after that belong to no segment.
inline layout with_gaps(const layout& dense, std::uint64_t seed = 9) {
  random_source source(seed);
  lengths own, gaps;
  for (std::int64_t s = 0; s < dense.segments(); ++s) {
    own.push_back(dense.length(s));
    gaps.push_back(source.below(4) == 0 ? source.below(300) : source.below(2));
  }
  layout result(dense.name + " with gaps", own, gaps);
  result.items += 13;
  return result;
}

/// Lengths of one random kind, for differential tests: about `most` items in all, at most.
inline lengths random_lengths(random_source& source, std::int64_t most) {
  const std::int64_t kind = source.below(8), most_segments = 1 + source.below(source.below(4) == 0 ? 2000 : 80);
  lengths result;
  for (std::int64_t s = 0, left = most; s < most_segments; ++s) {
    std::int64_t length = 0;
    switch (kind) {
      case 0: length = source.below(5); break;
      case 1: length = source.below(70); break;
      case 2: length = source.below(20) == 0 ? source.below(most / 2) : 0; break;
      case 3: length = source.below(3) == 0 ? source.below(2000) : 0; break;
      case 4: length = 1 + (s % 7 == 0); break;
      case 5: length = source.below(30) == 0 ? source.below(most) : source.below(3); break;
      case 6: length = (std::int64_t{1} << source.below(13)) + source.below(3) - 1; break;
      default: length = source.below(most); break;
    }
    result.push_back(length = std::min(length, left));
    left -= length;
  }
  return result;
}

/// The canonical tree over each segment; `empty` for those without items.
template <class T, class Op, class A = warpfold::accumulator_t<Op, T>>
std::vector<A> canonical_segments(const std::vector<T>& items, const layout& where, Op op, const A& empty) {
  std::vector<A> result;
  for (std::int64_t s = 0; s < where.segments(); ++s)
    result.push_back(where.length(s) == 0
                         ? empty
                         : warpfold::canonical_tree::replay(items.data() + where.begins[static_cast<std::size_t>(s)],
                                                            where.length(s), op));
  return result;
}

}  // namespace wf_test
