// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "../segmented/measure.cuh"
#include "keyed_runs.cuh"

namespace bench {

/// A group of Warpfold, CUB and the kernels that move the same bytes; `CubOp` is the operator as it suits CUB.
template <class T, class Op, class CubOp, class Key = std::int32_t>
void add_runs(const std::string& type_and_operator, std::int64_t items, const distribution& lengths) {
  const std::int64_t bytes = items * static_cast<std::int64_t>(sizeof(T) + sizeof(Key));
  const std::string key = "keys:int" + std::to_string(8 * sizeof(Key));
  add_segmented_group("reduce_by_key/" + type_and_operator, items, bytes, lengths, key, {"cub_by_key"}, [=] {
    keyed_runs<T, Op, Key> problem(items, lengths);
    contenders list{problem.warpfold_call(), problem.template cub_call<CubOp>()};
    problem.verify(list[0], list[1]);
    return time_segmented(problem, std::move(list), problem.moved());
  });
}

}  // namespace bench
