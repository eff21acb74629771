# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -D CPACK=<program> -D BUILD=<build directory> -D VERSION=<version> -D PREFIX=<an installed Warpfold>
#       -D WORK=<directory> -P archives.cmake
# Makes the TGZ and the DEB, and unpacks them to WORK/tgz and WORK/deb: both hold what `cmake --install` installs.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/script.cmake)
file(REMOVE_RECURSE ${WORK})
execute_process(COMMAND ${CPACK} --config ${BUILD}/CPackConfig.cmake -G "TGZ;DEB" -B ${WORK}
  WORKING_DIRECTORY ${BUILD} COMMAND_ERROR_IS_FATAL ANY)

file(ARCHIVE_EXTRACT INPUT ${WORK}/warpfold-${VERSION}.tar.gz DESTINATION ${WORK}/tgz)
expect_same_tree(${WORK}/tgz/warpfold-${VERSION} ${PREFIX})

file(ARCHIVE_EXTRACT INPUT ${WORK}/libwarpfold-dev_${VERSION}_all.deb DESTINATION ${WORK}/deb)
foreach(part IN ITEMS control data)
  file(ARCHIVE_EXTRACT INPUT ${WORK}/deb/${part}.tar.gz DESTINATION ${WORK}/deb/${part})
endforeach()
expect_same_tree(${WORK}/deb/data/usr ${PREFIX})
file(READ ${WORK}/deb/control/control control)
foreach(line IN ITEMS "Package: libwarpfold-dev" "Version: ${VERSION}" "Architecture: all" "Section: libdevel")
  string(FIND "${control}" "${line}\n" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "'${line}' is not in the package's control file:\n${control}")
  endif()
endforeach()
