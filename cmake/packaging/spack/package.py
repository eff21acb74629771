# Copyright Spack Project Developers. See COPYRIGHT file for details.
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Warpfold(CMakePackage):
    """Header-only CUDA C++20 library of reductions and scans over arrays, segments, runs of equal keys and axes, with any
    associative operator, in order and with the same bits everywhere. An emulator runs the same kernels on the CPU."""

    homepage = "https://github.com/warpfold/warpfold"
    url = "https://github.com/warpfold/warpfold/archive/refs/tags/v0.2.0.tar.gz"
    git = "https://github.com/warpfold/warpfold.git"

    license("Apache-2.0 WITH LLVM-exception")

    version("main", branch="main")
    version("0.2.0", sha256="0000000000000000000000000000000000000000000000000000000000000000")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("cuda@12.5:")

    conflicts("platform=darwin", msg="Warpfold supports Linux only")
    conflicts("platform=windows", msg="Warpfold supports Linux only")
    conflicts("%gcc@:11", msg="Warpfold is tested with GCC 12 and newer")

    def cmake_args(self):
        return [
            self.define("WARPFOLD_BUILD_TESTS", False),
            self.define("WARPFOLD_BUILD_EXAMPLES", False),
            self.define("WARPFOLD_BUILD_BENCH", False),
            self.define("WARPFOLD_INSTALL", True),
        ]
