# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -D RECIPE=<package.py> -D VERSION=<version> -D PYTHON=<program> -D ARCHIVE=<file> -D PREFIX=<an installed Warpfold>
#       -D WORK=<directory> -P spack.cmake -- <option of CMake>...
# Installs the archive as Spack's recipe says. The result must be what `cmake --install` makes here.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/../script.cmake)
file(REMOVE_RECURSE ${WORK})
execute_process(COMMAND ${PYTHON} ${CMAKE_CURRENT_LIST_DIR}/spack_stand_in.py ${RECIPE} ${VERSION} ${ARCHIVE}
  OUTPUT_VARIABLE arguments OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" arguments "${arguments}")
file(ARCHIVE_EXTRACT INPUT ${ARCHIVE} DESTINATION ${WORK})
execute_process(COMMAND ${CMAKE_COMMAND} -S ${WORK}/warpfold-${VERSION} -B ${WORK}/build
  -DCMAKE_INSTALL_PREFIX=${WORK}/prefix ${arguments} ${options} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK}/build --target install OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
expect_same_tree(${WORK}/prefix ${PREFIX})
