// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cstdint>

#include "../common/contender.hpp"

namespace bench {

/// Warpfold's sum of `bytes / 4` floats at `data`, aligned: the yardstick of every other type and operator. The bytes
/// may be those of other items; the sum has no meaning then.
contender make_float_plus(const void* data, std::int64_t bytes);

}  // namespace bench
