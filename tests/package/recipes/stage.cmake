# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -D SOURCE=<project> -D VERSION=<version> -D WORK=<directory> -P stage.cmake
# Makes an archive as a release has it, and the recipes for it: WORK/archive.tar.gz, WORK/{vcpkg,conan,spack}.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${WORK})
set(release ${WORK}/warpfold-${VERSION})
file(COPY ${SOURCE}/include ${SOURCE}/cmake ${SOURCE}/LICENSE ${SOURCE}/CMakeLists.txt DESTINATION ${release})
execute_process(COMMAND ${CMAKE_COMMAND} -E tar czf archive.tar.gz warpfold-${VERSION}
  WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} -D ARCHIVE=${WORK}/archive.tar.gz -D URL=file://${WORK}/archive.tar.gz
  -D OUTPUT=${WORK} -P ${SOURCE}/cmake/packaging/recipes.cmake COMMAND_ERROR_IS_FATAL ANY)
