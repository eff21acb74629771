// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Static `__shared__` variables: placeholder state, one image a block.
#pragma once
#include <cstddef>
namespace warpfold::emulator {
struct static_images {
  void clear() {}
};
}
