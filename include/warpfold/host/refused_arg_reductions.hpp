// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The overloads of arg-reductions of segments and keys that are refused (refused_calls.hpp). `Choices` are relative_to,
// ties and nans.
#pragma once
#include <warpfold/host/refused_calls.hpp>

namespace warpfold {
inline namespace WARPFOLD_HIDDEN_V1 {

template <auto... Choices, item_iterator It, segments Segments, class Out>
  requires detail::no_count<It, Segments>
void segmented_argmin(It, const Segments&, Out&&, const detail::any_options& = {}) {
  detail::refuse_missing_count<It>();
}
template <auto... Choices, class Call = void>
void segmented_argmin(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                      detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {}) {
  detail::refuse_arguments<Call>();
}
template <auto... Choices, item_iterator Keys, item_iterator Values, item_iterator Third, class... More>
void argmin_by_key(const Keys&, const Values&, const Third&, const More&...) {
  detail::refuse_keys_without_count<Keys>();
}
template <auto... Choices, class Call = void>
void argmin_by_key(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                   detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
                   detail::any_argument = {}) {
  detail::refuse_arguments<Call>();
}

template <auto... Choices, item_iterator It, segments Segments, class Out>
  requires detail::no_count<It, Segments>
void segmented_argmax(It, const Segments&, Out&&, const detail::any_options& = {}) {
  detail::refuse_missing_count<It>();
}
template <auto... Choices, class Call = void>
void segmented_argmax(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                      detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {}) {
  detail::refuse_arguments<Call>();
}
template <auto... Choices, item_iterator Keys, item_iterator Values, item_iterator Third, class... More>
void argmax_by_key(const Keys&, const Values&, const Third&, const More&...) {
  detail::refuse_keys_without_count<Keys>();
}
template <auto... Choices, class Call = void>
void argmax_by_key(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                   detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
                   detail::any_argument = {}) {
  detail::refuse_arguments<Call>();
}

template <auto... Choices, item_iterator It, segments Segments, class Out>
  requires detail::no_count<It, Segments>
void segmented_arg_minmax(It, const Segments&, Out&&, const detail::any_options& = {}) {
  detail::refuse_missing_count<It>();
}
template <auto... Choices, class Call = void>
void segmented_arg_minmax(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                          detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {}) {
  detail::refuse_arguments<Call>();
}
template <auto... Choices, item_iterator Keys, item_iterator Values, item_iterator Third, class... More>
void arg_minmax_by_key(const Keys&, const Values&, const Third&, const More&...) {
  detail::refuse_keys_without_count<Keys>();
}
template <auto... Choices, class Call = void>
void arg_minmax_by_key(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                       detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
                       detail::any_argument = {}) {
  detail::refuse_arguments<Call>();
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
