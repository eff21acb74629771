// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel works on, as far as its arguments tell: for readers of the log, and of a profiler's ranges.
#pragma once
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <warpfold/host/type_name.hpp>

namespace warpfold::host_side {
inline namespace WARPFOLD_HIDDEN_V1 {

struct launch_work {
  std::int64_t items = -1;     ///< of the input; the most, if only the device knows their number; -1 if unknown
  std::string_view item = "";  ///< the type of an item
};

/// The type of the items of a source; of pairs, that of the left one.
template <class Source> std::string_view item_name() {
  if constexpr (requires { typename Source::item; }) return type_name<typename Source::item>();
  else if constexpr (requires(const Source& source) { source.left; })
    return item_name<std::remove_cvref_t<decltype(Source::left)>>();
  else return "";
}

/// The work of a kernel with these arguments.
template <class... All> [[gnu::cold]] launch_work work_of(const All&...) { return {}; }
template <class First, class... More>
  requires requires(const First& first) { first.leaves; }
[[gnu::cold]] launch_work work_of(const First& arguments, const More&...) {
  using leaves = std::remove_cvref_t<decltype(arguments.leaves)>;
  if constexpr (requires { arguments.leaves.source.items; })
    return {arguments.leaves.source.items, item_name<std::remove_cvref_t<decltype(leaves::source)>>()};
  else return {-1, item_name<leaves>()};
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host_side
