// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names of types, by which programs that exchange bytes find out that they mean the same.
#pragma once
#include <string_view>
#include <warpfold/config.hpp>

namespace warpfold::host_side {
inline namespace WARPFOLD_HIDDEN_V1 {

/// The name of a type, as the compiler writes it.
template <class T> std::string_view type_name() {
  const std::string_view text = __PRETTY_FUNCTION__;
  const std::size_t first = text.find("T = ") + 4;
  return text.substr(first, text.find_first_of(";]", first) - first);
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host_side
