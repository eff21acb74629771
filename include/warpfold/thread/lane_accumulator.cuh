// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators whose results depend on the items alone, not on their grouping, may sum the items of a lane in a form that
// costs less than joining accumulators. The lane makes one accumulator of all its items at the end.
#pragma once
#include <warpfold/operator_traits.hpp>

namespace warpfold::thread {

/// An operator's header specialises it, with
///
///   number      the type of items that lanes add: float or double
///   nothing     a number that changes no result
///   sum<Items>  a class: add(number (&items)[Items]) adds items, and may overwrite them; total() is the accumulator
///   few         optional, a class for at most 31 items: add(number) adds one; is_exact() tells whether their sum is
///               right, which op.lower takes in place of an accumulator
template <class Op, class A> struct lane_accumulator { static constexpr bool exists = false; };

}  // namespace warpfold::thread
