# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Install, export and archive: include/, and a package file that `find_package(warpfold)` reads.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # headers alone are installed: no need to build the tests first
set(package_directory ${CMAKE_INSTALL_DATADIR}/cmake)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} PATTERN "*.md" EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/warpfold)

# Two packages, so that find_package(cuda_emulator) works, too. The first needs the second.
install(TARGETS warpfold warpfold_emulator EXPORT warpfold INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS cuda_emulator EXPORT cuda_emulator INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(warpfold_modules warpfoldCuda20 warpfoldEmulate warpfoldRanks)
set(cuda_emulator_modules cudaEmulate)
foreach(package IN ITEMS warpfold cuda_emulator)
  set(destination ${package_directory}/${package})
  install(EXPORT ${package} NAMESPACE ${package}:: FILE ${package}Targets.cmake DESTINATION ${destination})
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/${package}Config.cmake.in ${package}Config.cmake
    INSTALL_DESTINATION ${destination} NO_SET_AND_CHECK_MACRO)
  write_basic_package_version_file(${package}ConfigVersion.cmake
    VERSION ${${package}_version} COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
  install(FILES ${PROJECT_BINARY_DIR}/${package}Config.cmake ${PROJECT_BINARY_DIR}/${package}ConfigVersion.cmake
    DESTINATION ${destination})
  foreach(module IN LISTS ${package}_modules)
    install(FILES ${PROJECT_SOURCE_DIR}/cmake/${module}.cmake DESTINATION ${destination})
  endforeach()
endforeach()

# pkg-config finds the headers from where its file lies, so the tree may be moved.
set(includedir_of_pc ${CMAKE_INSTALL_INCLUDEDIR})
if(NOT IS_ABSOLUTE ${includedir_of_pc})
  string(PREPEND includedir_of_pc "\${prefix}/")
endif()
set(pc_directory ${CMAKE_INSTALL_DATADIR}/pkgconfig)
cmake_path(ABSOLUTE_PATH pc_directory BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE full_pc_directory)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${full_pc_directory} OUTPUT_VARIABLE prefix_from_pc)
foreach(name IN ITEMS warpfold warpfold-emulator)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/packaging/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${pc_directory})
endforeach()

# The library as one file, for those who copy it: cmake --build <build> --target single_header, then -I <build>/single_header.
if(PROJECT_IS_TOP_LEVEL)
  set(single_header_script ${PROJECT_SOURCE_DIR}/cmake/packaging/single_header.cmake)
  add_custom_target(single_header VERBATIM
    COMMAND ${CMAKE_COMMAND} -D INCLUDE_DIRECTORY=${PROJECT_SOURCE_DIR}/include
      -D OUTPUT=${PROJECT_BINARY_DIR}/single_header/warpfold/warpfold.cuh -P ${single_header_script})
endif()

# Archives: a TGZ that unpacks anywhere, and a package of headers for Debian and Ubuntu.
set(CPACK_GENERATOR TGZ DEB)
set(CPACK_PACKAGE_FILE_NAME warpfold-${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR "The Warpfold authors")
set(CPACK_PACKAGE_CONTACT ${CPACK_PACKAGE_VENDOR})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_DEBIAN_PACKAGE_NAME libwarpfold-dev)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "cuda-toolkit-13-0 | cuda-toolkit-12-9 | nvidia-cuda-toolkit (>= 12.5), pkg-config")
include(CPack)
