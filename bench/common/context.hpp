// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace bench {

/// Adds what a figure needs to be read later to the JSON context: device, clocks, L2, driver, toolkit, CUB, compiler and
/// commit (WARPFOLD_COMMIT in the environment). Warms the device up first, so that the clock is the one measured under.
void describe_device_in_context();

}  // namespace bench
