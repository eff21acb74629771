# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Defines warpfold_emulator, in Warpfold's own build.
add_library(warpfold_emulator INTERFACE)
add_library(warpfold::emulator ALIAS warpfold_emulator)
set_target_properties(warpfold_emulator PROPERTIES EXPORT_NAME emulator)
target_compile_definitions(warpfold_emulator INTERFACE WARPFOLD_EMULATOR)
target_include_directories(warpfold_emulator SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS})
foreach(directory IN LISTS CUDAToolkit_INCLUDE_DIRS)
  if(EXISTS ${directory}/cccl)
    target_include_directories(warpfold_emulator SYSTEM INTERFACE ${directory}/cccl)
  endif()
endforeach()
target_link_libraries(warpfold_emulator INTERFACE warpfold::warpfold Threads::Threads)
