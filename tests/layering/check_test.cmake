# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -D WORK_DIRECTORY=<scratch> -P check_test.cmake
# Lays out headers that break one rule each, and reads what check.cmake says of them.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${WORK_DIRECTORY})

function(check result)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -D INCLUDE_DIRECTORY=${WORK_DIRECTORY} -P ${CMAKE_CURRENT_LIST_DIR}/check.cmake
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  set(${result} "${status} ${output}" PARENT_SCOPE)
endfunction()

# Writes a header whose content is `content`, and expects a report that matches `expected`.
function(expect header content expected)
  file(WRITE ${WORK_DIRECTORY}/warpfold/${header} "#pragma once\n${content}\n")
  check(report)
  if(NOT report MATCHES "^1 .*${expected}")
    message(SEND_ERROR "${header}: expected '${expected}', got: ${report}")
  endif()
  file(REMOVE ${WORK_DIRECTORY}/warpfold/${header})
endfunction()

file(WRITE ${WORK_DIRECTORY}/warpfold/config.hpp "#pragma once\n#include <cuda_runtime.h>\n")
file(WRITE ${WORK_DIRECTORY}/warpfold/warp/reduce.cuh "#pragma once\n#include \"warpfold/config.hpp\"\n")
file(WRITE ${WORK_DIRECTORY}/warpfold/warp/shuffle.cuh "#pragma once\n#include \"warpfold/warp/reduce.cuh\"\n")
file(WRITE ${WORK_DIRECTORY}/warpfold/reduce.cuh "#pragma once\n#include <vector>\n#include \"warpfold/warp/reduce.cuh\"\n")
check(report)
if(NOT report MATCHES "^0 ")
  message(SEND_ERROR "headers without a mistake: ${report}")
endif()

expect(warp/up.cuh "\n#include \"warpfold/reduce.cuh\"" "warp/up[.]cuh:3: includes warpfold/reduce[.]cuh, which is not below it")
expect(thread/up.cuh "#include \"warpfold/warp/reduce.cuh\"" "thread/up[.]cuh:2: .*not below it")
expect(public.cuh "#include \"warpfold/reduce.cuh\"" "public[.]cuh:2: .*not below it")
expect(tuning/nowhere.hpp "#include \"warpfold/block/none.cuh\"" "which does not exist")
expect(emulator/outside.hpp "#include \"warpfold/config.hpp\"" "emulator/outside[.]hpp:2: .*not below it")
expect(elsewhere/new.cuh "" "elsewhere/new[.]cuh:1: belongs to no layer")
expect(block/host.cuh "#include <vector>" "block/host[.]cuh:2: includes vector: device layers")
expect(dispatch/peer.cuh "#  include <cub/cub.cuh>" "includes cub/cub[.]cuh")
expect(dispatch/peer.cuh "#include <thrust/reduce.h>" "includes thrust/reduce[.]h")
expect(grid/heavy.cuh "#include <cuda/atomic>" "includes cuda/atomic")
string(REPEAT "// a line; of [a\n" 299 long)
expect(dispatch/long.cuh "${long}" "has 301 lines")
file(WRITE ${WORK_DIRECTORY}/warpfold/warp/unguarded.cuh "")
check(report)
if(NOT report MATCHES "warp/unguarded[.]cuh:1: has no #pragma once")
  message(SEND_ERROR "a header without #pragma once: ${report}")
endif()
file(REMOVE_RECURSE ${WORK_DIRECTORY}/warpfold)
check(report)
if(NOT report MATCHES "^1 .*0 headers")
  message(SEND_ERROR "no header at all: ${report}")
endif()
