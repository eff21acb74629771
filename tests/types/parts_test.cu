// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of the table of types: each function of segments, keys, axes and prefixes with one type.
#include "types/table.cuh"

namespace {
[[maybe_unused]] const bool registered = types::register_diagonal(types::some_of_parts{});
}  // namespace
