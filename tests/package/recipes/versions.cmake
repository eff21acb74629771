# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -D SOURCE=<project> -D VERSION=<version> -P versions.cmake
# Each file that names the version names this one, and the workflow runs the README's commands.
cmake_minimum_required(VERSION 3.25)
set(packaging cmake/packaging)
set(places
  "${packaging}/vcpkg/warpfold/vcpkg.json|\"version\": \"@\""
  "${packaging}/conan/config.yml|\n  \"@\":\n"
  "${packaging}/conan/all/conandata.yml|\n  \"@\":\n"
  "${packaging}/conan/all/conandata.yml|/v@.tar.gz\""
  "${packaging}/spack/package.py|version(\"@\", sha256"
  "${packaging}/README.md|GIT_TAG v@"
  "${packaging}/README.md|warpfold@@\")"
  ".github/CITATION.cff|\nversion: @\n")
file(READ ${SOURCE}/README.md readme)
string(REGEX MATCHALL "\ncmake --workflow --preset [a-z]+" commands "${readme}")
list(LENGTH commands count)
if(count LESS 2)
  message(FATAL_ERROR "the README has ${count} commands of its own")
endif()
foreach(command IN LISTS commands)
  string(STRIP "${command}" command)
  list(APPEND places ".github/workflows/readme.yml|run: ${command}\n")
endforeach()
foreach(place IN LISTS places)
  string(REGEX MATCH "^([^|]+)[|](.*)$" _ "${place}")
  set(file ${CMAKE_MATCH_1})
  string(REGEX REPLACE "@([^@]|$)" "${VERSION}\\1" text "${CMAKE_MATCH_2}")
  file(READ ${SOURCE}/${file} content)
  string(FIND "${content}" "${text}" position)
  if(position EQUAL -1)
    message(SEND_ERROR "${file} does not have: ${text}")
  endif()
endforeach()
