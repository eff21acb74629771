# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# warpfold_emulate(target [SPLIT_ACCESSES | RACES]): runs the target's CUDA sources on the CPU. cudaEmulate.cmake says how.
function(warpfold_emulate target)
  _cuda_emulate_with(warpfold::emulator ${target} ${ARGN})
endfunction()
