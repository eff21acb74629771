// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads for which an ordering holds.
#pragma once

#include <cstdint>

namespace cuda_emulator::races {

enum class scope : std::uint8_t { block, device };  // device stands for wider ones, too

}  // namespace cuda_emulator::races
