# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""conan_stand_in.py RECIPE VERSION WORK: makes a package by Conan's recipe without Conan.

Stand-ins for the part of Conan's interface that the recipe uses run it: the sources come from the archive that conandata.yml
names, WORK/package is what package() makes, WORK/generators/warpfold-config.cmake what package_info() means to CMake.
"""
import fnmatch
import hashlib
import pathlib
import re
import shutil
import sys
import tarfile
import types


class Info:
    """cpp_info, or one of its components."""

    def __init__(self):
        self.properties = {}
        self.includedirs, self.libdirs, self.bindirs = ["include"], ["lib"], ["bin"]
        self.defines, self.requires, self.components = [], [], Components()

    def set_property(self, name, value):
        self.properties[name] = value


class Components(dict):
    def __missing__(self, name):
        self[name] = Info()
        return self[name]


class ConanFile:
    def __init__(self, version, data, work):
        self.version, self.conan_data, self.ref = version, data, f"{self.name}/{version}"
        self.source_folder, self.package_folder = str(work / "source"), str(work / "package")
        self.settings = types.SimpleNamespace(os="Linux", arch="x86_64", compiler="gcc", build_type="Release")
        self.info = types.SimpleNamespace(clear=lambda: None)
        self.cpp_info = Info()


def get(conanfile, url, sha256, strip_root):
    archive = pathlib.Path(url.removeprefix("file://"))
    assert strip_root and hashlib.sha256(archive.read_bytes()).hexdigest() == sha256, "another archive"
    with tarfile.open(archive) as tar:
        for member in tar.getmembers():
            member.name = member.name.partition("/")[2]
            if member.name:
                tar.extract(member, conanfile.source_folder)


def copy(conanfile, pattern, src, dst):
    files = [f for f in pathlib.Path(src).rglob("*") if fnmatch.fnmatch(f.relative_to(src).as_posix(), pattern)]
    assert files, f"nothing in {src} matches {pattern}"
    for file in files:
        target = dst / file.relative_to(src)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)


def save(conanfile, path, content):
    pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
    pathlib.Path(path).write_text(content)


def check_min_cppstd(conanfile, standard):
    assert standard == 20


def provide(name, **members):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__dict__.update(members)


def write_configuration(info, package, path):
    """A target for each component, then the recipe's own modules, as Conan's generator CMakeDeps does."""
    name = {component: i.properties["cmake_target_name"] for component, i in info.components.items()}
    lines = [f"add_library({target} INTERFACE IMPORTED)" for target in name.values()]
    for component, i in info.components.items():
        assert not i.libdirs and not i.bindirs, "a library of headers has neither"
        for kind, values in (("include_directories", [f"{package}/{directory}" for directory in i.includedirs]),
                             ("compile_definitions", i.defines), ("link_libraries", [name[r] for r in i.requires])):
            if values:
                lines.append(f"target_{kind}({name[component]} INTERFACE {' '.join(values)})")
    lines += [f'include("{package}/{module}")' for module in info.properties["cmake_build_modules"]]
    save(None, path, "\n".join(lines) + "\n")


def main(recipe, version, work):
    provide("conan", ConanFile=ConanFile)
    provide("conan.errors", ConanInvalidConfiguration=type("ConanInvalidConfiguration", (Exception,), {}))
    provide("conan.tools")
    provide("conan.tools.build", check_min_cppstd=check_min_cppstd)
    provide("conan.tools.files", copy=copy, get=get, save=save)
    provide("conan.tools.layout", basic_layout=lambda conanfile, src_folder: None)

    shutil.rmtree(work, ignore_errors=True)
    compile((recipe / "test_package/conanfile.py").read_text(), "test_package/conanfile.py", "exec")
    names = {}
    exec(compile((recipe / "conanfile.py").read_text(), "conanfile.py", "exec"), names)
    entry = re.search(rf'"{re.escape(version)}":\n +url: "(.*)"\n +sha256: "(.*)"', (recipe / "conandata.yml").read_text())
    package = names["WarpfoldConan"](version, {"sources": {version: {"url": entry[1], "sha256": entry[2]}}}, work)
    for step in ("layout", "validate", "source", "build", "package", "package_id", "package_info"):
        getattr(package, step)()
    write_configuration(package.cpp_info, work / "package", work / "generators/warpfold-config.cmake")


main(pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3]))
