// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cstdio>
#include <string>
namespace warpfold::emulator {
inline std::string function_name(const void* f) { char b[32]; std::snprintf(b, sizeof b, "%p", f); return b; }
}
