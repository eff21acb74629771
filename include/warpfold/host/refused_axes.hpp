// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls along axes that are refused (refused_calls.hpp).
#pragma once
#include <warpfold/host/refused_calls.hpp>

namespace warpfold {

namespace detail {
template <class Call> constexpr any_value refuse_axes() {
  static_assert(!std::is_void_v<Call>,
                "warpfold: these arguments fit no form of this function: pass an array (std::mdspan, wf::strided), the "
                "output (of scans: an array, too), wf::axes{...} unless rows or columns of a matrix are reduced; then "
                "operator and options in braces: {.stream = s}");
  return {};
}

template <class Call> constexpr any_value refuse_top_k_axes() {
  static_assert(!std::is_void_v<Call>,
                "warpfold: these arguments fit no form of this function: pass an array (std::mdspan, wf::strided), "
                "wf::axes{n}, k, then values and indices, an array, a range or a pointer each; options stand last, in "
                "braces: {.stream = s}");
  return {};
}

/// Of (in, out, axis, ...), arrays.
struct refused_axes {
  template <class Call = void>
  void operator()(any_argument, any_argument = {}, any_argument = {}, any_argument = {}, any_argument = {},
                  any_argument = {}, any_argument = {}) const {
    refuse_axes<Call>();
  }
};
}  // namespace detail

inline namespace WARPFOLD_HIDDEN_V1 {

template <class Call = void>
void reduce_axes(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
                 detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
                 detail::any_argument = {}) {
  detail::refuse_axes<Call>();
}
template <class Call = void>
void transform_reduce_axes(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                           detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
                           detail::any_argument = {}, detail::any_argument = {}) {
  detail::refuse_axes<Call>();
}
template <class Call = void>
void reduce_rows(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
                 detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
                 detail::any_argument = {}) {
  detail::refuse_axes<Call>();
}
template <class Call = void>
void reduce_columns(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                    detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
                    detail::any_argument = {}, detail::any_argument = {}) {
  detail::refuse_axes<Call>();
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
