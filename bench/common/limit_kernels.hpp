// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "contender.hpp"

namespace bench {

/// Kernels that read `bytes` bytes and reduce nothing: plain 16-byte loads at several depths and grids, and bulk copies
/// to shared memory where the device has them. The limit of a run is its fastest kernel of any kind, these included.
/// `input` is aligned to 16 bytes; bytes past the last whole vector are not read.
contenders make_read_contenders(const void* input, std::size_t bytes);

/// Their names, known without a device allocation; all start with "read_".
std::vector<std::string> read_contender_names();

}  // namespace bench
