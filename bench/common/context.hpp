// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace bench {

/// Adds to the JSON context what a figure needs to be read later: device, clocks, L2, driver, toolkit, CUB, compiler,
/// commit (WARPFOLD_COMMIT in the environment). Warms the device up first, so that the clock is the one measured under.
void describe_device_in_context();

}  // namespace bench
