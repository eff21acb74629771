# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Install, export and archive: include/, and a package file that `find_package(warpfold)` reads.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # headers alone are installed: no need to build the tests first
set(package_directory ${CMAKE_INSTALL_DATADIR}/cmake/warpfold)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/warpfold)
install(TARGETS warpfold warpfold_emulator EXPORT warpfold INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT warpfold NAMESPACE warpfold:: FILE warpfoldTargets.cmake DESTINATION ${package_directory})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/warpfoldConfig.cmake.in warpfoldConfig.cmake
  INSTALL_DESTINATION ${package_directory} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(warpfoldConfigVersion.cmake COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(
  FILES
    ${PROJECT_BINARY_DIR}/warpfoldConfig.cmake
    ${PROJECT_BINARY_DIR}/warpfoldConfigVersion.cmake
    ${PROJECT_SOURCE_DIR}/cmake/warpfoldCuda20.cmake
  DESTINATION ${package_directory})

set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_FILE_NAME warpfold-${PROJECT_VERSION})
include(CPack)
