// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Holds every cell of the table of types that must be refused. messages.py compiles it.
#include "types/messages.hpp"

void refuse() { types::write_all<true>(types::functions{}, types::items{}); }
