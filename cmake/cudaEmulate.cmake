# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs a target's CUDA sources on the CPU:
#
#   cuda_emulate(target [SPLIT_ACCESSES | RACES])       links cuda_emulator::cuda_emulator
#   warpfold_emulate(target [SPLIT_ACCESSES | RACES])   links warpfold::emulator
#
# SPLIT_ACCESSES: threads also switch between plain accesses, with GCC. RACES: accesses that race are found, with GCC. All
# targets of a program take one of them, or none. CUDA_EMULATOR_RACES=ON has all targets take RACES.
#
# Both compile the target's CUDA sources as C++, in projects that enable CUDA and in those that do not. The call may
# stand before or after target_sources() in the directory that adds the target; in another directory it must stand after.
# Paths may be relative, absolute, generated or inside generator expressions. Other targets may compile the same sources for
# a GPU: CMake has one language for a source, not one for each target, so the emulated target compiles files that consist of
# one #include.

# A property of one of the target's sources.
function(_cuda_emulate_property target source property result)
  if(IS_ABSOLUTE "${source}")
    get_source_file_property(value "${source}" TARGET_DIRECTORY ${target} ${property})
  else()  # the name that the caller gave, which may stand for a file in either directory
    get_source_file_property(value "${source}" ${property})
  endif()
  set(${result} "${value}" PARENT_SCOPE)
endfunction()

# Writes a file that includes `source`, with the properties of `source` that g++ understands. Returns `source` itself if nvcc
# would not compile it, or if it does not exist: CMake then says so in plain words.
function(_cuda_emulate_wrap target source result)
  set(${result} "${source}" PARENT_SCOPE)
  _cuda_emulate_property(${target} "${source}" LANGUAGE language)
  if(NOT (language STREQUAL "CUDA" OR (NOT language AND source MATCHES "[.]cu$")))
    return()
  endif()
  get_target_property(source_directory ${target} SOURCE_DIR)
  get_target_property(binary_directory ${target} BINARY_DIR)
  _cuda_emulate_property(${target} "${source}" GENERATED generated)
  cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${source_directory} NORMALIZE OUTPUT_VARIABLE path)
  if(NOT EXISTS "${path}")
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${binary_directory} NORMALIZE OUTPUT_VARIABLE path)
    if(NOT EXISTS "${path}" AND NOT generated)
      return()
    endif()
  endif()

  cmake_path(GET path FILENAME name)
  string(SHA1 hash "${path}")
  string(SUBSTRING ${hash} 0 8 hash)  # two sources may have one name
  set(wrapper ${binary_directory}/cuda_emulate/${target}/${hash}_${name}.cpp)
  file(CONFIGURE OUTPUT ${wrapper} CONTENT "#include \"@path@\"\n" @ONLY)
  foreach(property IN ITEMS COMPILE_DEFINITIONS INCLUDE_DIRECTORIES OBJECT_DEPENDS)
    _cuda_emulate_property(${target} "${source}" ${property} value)
    if(value)
      set_property(SOURCE ${wrapper} TARGET_DIRECTORY ${target} PROPERTY ${property} "${value}")
    endif()
  endforeach()
  if(generated)
    set_property(SOURCE ${wrapper} TARGET_DIRECTORY ${target} APPEND PROPERTY OBJECT_DEPENDS "${path}")
  endif()
  set(${result} ${wrapper} PARENT_SCOPE)
endfunction()

# Replaces the target's CUDA sources.
function(_cuda_emulate_sources target)
  get_target_property(sources ${target} SOURCES)
  set(emulated "")
  foreach(source IN LISTS sources)
    if(source MATCHES "[$]<")
      string(REGEX MATCHALL "[^$<>:,;]+[.]cu" paths "${source}")
      foreach(path IN LISTS paths)
        _cuda_emulate_wrap(${target} "${path}" wrapper)
        string(REPLACE "${path}" "${wrapper}" source "${source}")
      endforeach()
    else()
      _cuda_emulate_wrap(${target} "${source}" source)
    endif()
    list(APPEND emulated "${source}")
  endforeach()
  set_property(TARGET ${target} PROPERTY SOURCES ${emulated})
endfunction()

option(CUDA_EMULATOR_RACES "Find accesses that race, in all emulated targets; needs GCC" OFF)

# ThreadSanitizer's calls are the emulator's own, so the linker is not told.
function(_cuda_emulate_see_accesses target definition)
  set_property(TARGET ${target} APPEND PROPERTY COMPILE_DEFINITIONS ${definition})
  foreach(option IN ITEMS -fsanitize=thread -Wno-tsan ${ARGN})
    set_property(TARGET ${target} APPEND PROPERTY COMPILE_OPTIONS "$<$<COMPILE_LANGUAGE:CXX>:${option}>")
  endforeach()
endfunction()
function(_cuda_emulate_split_accesses target)
  _cuda_emulate_see_accesses(${target} CUDA_EMULATOR_SPLIT_ACCESSES)
endfunction()
# Line numbers are for reports, and bounds are those of arrays. Calls of these functions stay calls, which the emulator sees.
function(_cuda_emulate_races target)
  _cuda_emulate_see_accesses(${target} CUDA_EMULATOR_RACES -fsanitize=bounds -g1 --param=tsan-distinguish-volatile=1
    -fno-builtin-memcpy -fno-builtin-memmove -fno-builtin-memset)
endfunction()

function(_cuda_emulate_with library target)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "${library}: there is no target '${target}' to emulate")
  endif()
  if("${ARGN}" STREQUAL SPLIT_ACCESSES)
    _cuda_emulate_split_accesses(${target})
  elseif("${ARGN}" STREQUAL RACES OR (CUDA_EMULATOR_RACES AND NOT ARGN))
    _cuda_emulate_races(${target})
  elseif(ARGN)
    message(FATAL_ERROR "${library}: '${ARGN}' is no way to emulate '${target}'; SPLIT_ACCESSES or RACES is")
  endif()
  # Unlike target_link_libraries(), this goes with the caller's own calls with and without PRIVATE.
  set_property(TARGET ${target} APPEND PROPERTY LINK_LIBRARIES ${library})
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    set_property(TARGET ${target} APPEND PROPERTY INTERFACE_LINK_LIBRARIES $<LINK_ONLY:${library}>)
  endif()
  get_target_property(already ${target} CUDA_EMULATED)
  if(already)
    return()
  endif()
  set_target_properties(${target} PROPERTIES CUDA_EMULATED TRUE)
  get_target_property(source_directory ${target} SOURCE_DIR)
  if(source_directory STREQUAL CMAKE_CURRENT_SOURCE_DIR)  # at its end, when all sources are known
    cmake_language(EVAL CODE "cmake_language(DEFER CALL _cuda_emulate_sources [[${target}]])")
  else()
    _cuda_emulate_sources(${target})
  endif()
endfunction()

function(cuda_emulate target)
  _cuda_emulate_with(cuda_emulator::cuda_emulator ${target} ${ARGN})
endfunction()
