set(VCPKG_BUILD_TYPE release) # header-only

vcpkg_from_github(
    OUT_SOURCE_PATH SOURCE_PATH
    REPO warpfold/warpfold
    REF "v${VERSION}"
    SHA512 0
    HEAD_REF main
)

vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        -DWARPFOLD_BUILD_TESTS=OFF
        -DWARPFOLD_BUILD_EXAMPLES=OFF
        -DWARPFOLD_BUILD_BENCH=OFF
        -DWARPFOLD_INSTALL=ON
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(
    PACKAGE_NAME cuda_emulator
    CONFIG_PATH share/cmake/cuda_emulator
    DO_NOT_DELETE_PARENT_CONFIG_PATH
)
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/warpfold)
vcpkg_fixup_pkgconfig()

file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
file(REMOVE "${CURRENT_PACKAGES_DIR}/share/${PORT}/LICENSE")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
