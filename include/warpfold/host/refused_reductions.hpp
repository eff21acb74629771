// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The overloads of reduce and transform_reduce that are refused (refused_calls.hpp).
#pragma once
#include <warpfold/host/refused_calls.hpp>

namespace warpfold {
inline namespace WARPFOLD_HIDDEN_V1 {

template <reduction_strategy S = automatic, item_iterator It, class Out>
void reduce(It, Out&&, const detail::any_options& = {}) {
  detail::refuse_missing_count<It>();
}
template <reduction_strategy S = automatic, item_iterator It, class Out, class Op>
  requires detail::no_count<It, Out>
void reduce(It, Out&&, Op, const detail::any_options& = {}) { detail::refuse_missing_count<It>(); }
template <reduction_strategy S = automatic, item_iterator It>
detail::any_value reduce_value(It, const detail::any_options& = {}) {
  return detail::refuse_missing_count<It>();
}
template <reduction_strategy S = automatic, item_iterator It, class Op>
  requires detail::no_count<It, Op> detail::any_value reduce_value(It, Op, const detail::any_options& = {}) {
    return detail::refuse_missing_count<It>();
  }
template <reduction_strategy S = automatic, class In, class Second, class... More>
  requires detail::passes_value<In, Second, More...>
void reduce(const In&, const Second&, const More&...) { detail::refuse_value<In>(); }
template <reduction_strategy S = automatic, class In, class Second, class... More>
  requires detail::passes_value<In, Second, More...> detail::any_value reduce_value(const In&, const Second&,
                                                                                    const More&...) {
    return detail::refuse_value<In>();
  }

template <reduction_strategy S = automatic, item_iterator It, class Out, class Op, class Transform>
  requires detail::no_count<It, Out>
void transform_reduce(It, Out&&, Op, Transform, const detail::any_options& = {}) { detail::refuse_missing_count<It>(); }
template <reduction_strategy S = automatic, item_iterator It, class Op, class Transform>
  requires detail::no_count<It, Op> detail::any_value transform_reduce_value(It, Op, Transform,
                                                                             const detail::any_options& = {}) {
    return detail::refuse_missing_count<It>();
  }
template <reduction_strategy S = automatic, item_iterator Left, item_iterator Right, class Out, class Op,
          class Transform>
  requires detail::no_count<Left, Right>
void transform_reduce(Left, Right, Out&&, Op, Transform, const detail::any_options& = {}) {
  detail::refuse_two_inputs<Left>();
}
template <reduction_strategy S = automatic, item_iterator Left, item_iterator Right, item_iterator Third, class Op,
          class Transform>
void transform_reduce(Left, Right, Third, auto&&, Op, Transform, const detail::any_options& = {}) {
  detail::refuse_two_inputs<Left>();
}
template <reduction_strategy S = automatic, item_iterator Left, item_iterator Right, class Op, class Transform>
  requires detail::no_count<Left, Right> detail::any_value transform_reduce_value(Left, Right, Op, Transform,
                                                                                  const detail::any_options& = {}) {
    return detail::refuse_two_inputs<Left>();
  }
template <reduction_strategy S = automatic, item_iterator Left, item_iterator Right, item_iterator Third, class Op,
          class Transform>
detail::any_value transform_reduce_value(Left, Right, Third, Op, Transform, const detail::any_options& = {}) {
  return detail::refuse_two_inputs<Left>();
}
template <reduction_strategy S = automatic, class In, class Second, class Third, class... More>
  requires detail::passes_value_to_transform<In, Second, Third, More...>
void transform_reduce(const In&, const Second&, const Third&, const More&...) { detail::refuse_value<In>(); }
template <reduction_strategy S = automatic, class In, class Second, class Third, class... More>
  requires detail::passes_value_to_transform<In, Second, Third, More...> detail::any_value transform_reduce_value(
      const In&, const Second&, const Third&, const More&...) {
    return detail::refuse_value<In>();
  }

template <reduction_strategy S = automatic, class Call = void>
void reduce(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
            detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
            detail::any_argument = {}) {
  detail::refuse_arguments<Call>();
}
template <reduction_strategy S = automatic, class Call = void>
detail::any_value reduce_value(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                               detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
                               detail::any_argument = {}, detail::any_argument = {}) {
  return detail::refuse_arguments<Call>();
}
template <reduction_strategy S = automatic, class Call = void>
void transform_reduce(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                      detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
                      detail::any_argument = {}, detail::any_argument = {}) {
  detail::refuse_arguments<Call>();
}
template <reduction_strategy S = automatic, class Call = void>
detail::any_value transform_reduce_value(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                                         detail::any_argument = {}, detail::any_argument = {},
                                         detail::any_argument = {}, detail::any_argument = {},
                                         detail::any_argument = {}) {
  return detail::refuse_arguments<Call>();
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold
