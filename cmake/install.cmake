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
set(warpfold_modules warpfoldCuda20 warpfoldEmulate)
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

set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_FILE_NAME warpfold-${PROJECT_VERSION})
include(CPack)
