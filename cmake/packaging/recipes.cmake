# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -D ARCHIVE=<.tar.gz of a release> -D OUTPUT=<directory> [-D URL=<where the archive is>] -P recipes.cmake
# Writes the recipes with the archive's hashes, ready for their registries. In the repository they hold zeros, because a
# release cannot hold its own hash.
cmake_minimum_required(VERSION 3.25)
file(SHA256 ${ARCHIVE} sha256)
file(SHA512 ${ARCHIVE} sha512)
foreach(registry IN ITEMS vcpkg conan spack)
  file(COPY ${CMAKE_CURRENT_LIST_DIR}/${registry} DESTINATION ${OUTPUT})
endforeach()
foreach(recipe IN ITEMS vcpkg/warpfold/portfile.cmake conan/all/conandata.yml spack/package.py)
  file(READ ${OUTPUT}/${recipe} text)
  set(before "${text}")
  string(REPEAT "0" 64 zeros)
  string(REPLACE "${zeros}" "${sha256}" text "${text}")
  string(REPLACE "SHA512 0\n" "SHA512 ${sha512}\n" text "${text}")
  if(text STREQUAL before)
    message(FATAL_ERROR "${recipe} has no place for a hash")
  endif()
  if(URL)
    string(REGEX REPLACE "https://[^\"\n]*[.]tar[.]gz" "${URL}" text "${text}")
  endif()
  file(WRITE ${OUTPUT}/${recipe} "${text}")
endforeach()
