// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The short name of namespace warpfold, for those who ask for it.
#pragma once

namespace warpfold {}
namespace wf = warpfold;
