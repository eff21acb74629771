// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA's keywords, where the toolkit's headers leave them undefined or unfit for a host compiler.
#pragma once

#undef __launch_bounds__
#define __launch_bounds__(...)
