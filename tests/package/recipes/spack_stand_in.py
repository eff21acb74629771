# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""spack_stand_in.py RECIPE VERSION ARCHIVE: prints the arguments that Spack's recipe has CMake called with, one per line.

The recipe runs with stand-ins for the part of Spack's interface that it uses. Fails unless it knows VERSION, by ARCHIVE's hash.
"""
import hashlib
import pathlib
import sys
import types

DIRECTIVES = {name: [] for name in ("license", "version", "depends_on", "conflicts")}


class CMakePackage:
    @staticmethod
    def define(name, value):
        return f"-D{name}:BOOL={'ON' if value else 'OFF'}"


def directive(name):
    return lambda *arguments, **options: DIRECTIVES[name].append((arguments, options))


def provide(name, **members):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__dict__.update(members)


def main(recipe, version, archive):
    for package in ("spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
        provide(package)
    provide("spack_repo.builtin.build_systems.cmake", CMakePackage=CMakePackage)
    provide("spack.package", **{name: directive(name) for name in DIRECTIVES})
    names = {}
    exec(compile(pathlib.Path(recipe).read_text(), recipe, "exec"), names)
    package = names["Warpfold"]
    sha256 = hashlib.sha256(pathlib.Path(archive).read_bytes()).hexdigest()
    assert ((version,), {"sha256": sha256}) in DIRECTIVES["version"], DIRECTIVES["version"]
    assert package.__doc__ and package.homepage and package.url.endswith(".tar.gz") and DIRECTIVES["license"]
    assert {arguments[0].partition("@")[0] for arguments, _ in DIRECTIVES["depends_on"]} == {"cxx", "cmake", "cuda"}
    print("\n".join(package().cmake_args()))


main(*sys.argv[1:])
