from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy, get, save
from conan.tools.layout import basic_layout
import os

required_conan_version = ">=2.0"

# Conan makes the targets from package_info(); this adds to them the CUDA toolkit of the machine, which is no package of
# Conan's, and the functions warpfold_emulate() and cuda_emulate().
TARGETS = """\
include("${CMAKE_CURRENT_LIST_DIR}/warpfoldCuda20.cmake")
target_compile_features(warpfold::warpfold INTERFACE cxx_std_20 $<$<BOOL:$<CUDA_COMPILER_ID>>:cuda_std_20>)

include(CMakeFindDependencyMacro)
find_dependency(CUDAToolkit 12.5)
find_dependency(Threads)
target_link_libraries(cuda_emulator::cuda_emulator INTERFACE CUDA::toolkit Threads::Threads)
foreach(directory IN LISTS CUDAToolkit_INCLUDE_DIRS)  # CUDA 13 keeps libcu++ in a folder that only nvcc knows
  if(EXISTS "${directory}/cccl")
    target_include_directories(cuda_emulator::cuda_emulator SYSTEM INTERFACE "${directory}/cccl")
  endif()
endforeach()
include("${CMAKE_CURRENT_LIST_DIR}/cudaEmulate.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/warpfoldEmulate.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/warpfoldRanks.cmake")
"""


class WarpfoldConan(ConanFile):
    name = "warpfold"
    description = (
        "Reductions and scans for NVIDIA GPUs with any associative operator, in order and with the same bits everywhere"
    )
    license = "Apache-2.0 WITH LLVM-exception"
    url = "https://github.com/conan-io/conan-center-index"
    homepage = "https://github.com/warpfold/warpfold"
    topics = ("cuda", "gpu", "reduction", "scan", "segmented-reduction", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    no_copy_source = True

    @property
    def _module_folder(self):
        return os.path.join("lib", "cmake", "warpfold")

    def layout(self):
        basic_layout(self, src_folder="src")

    def package_id(self):
        self.info.clear()

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration(f"{self.ref} supports Linux only")
        check_min_cppstd(self, 20)

    def source(self):
        get(self, **self.conan_data["sources"][self.version], strip_root=True)

    def build(self):
        pass

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        for pattern in ("*.hpp", "*.cuh"):
            copy(self, pattern, os.path.join(self.source_folder, "include"), os.path.join(self.package_folder, "include"))
        modules = os.path.join(self.package_folder, self._module_folder)
        for module in ("cudaEmulate", "warpfoldEmulate", "warpfoldCuda20", "warpfoldRanks"):
            copy(self, f"{module}.cmake", os.path.join(self.source_folder, "cmake"), modules)
        save(self, os.path.join(modules, "conan-official-warpfold-targets.cmake"), TARGETS)

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "warpfold")
        self.cpp_info.set_property("cmake_target_name", "warpfold::all")
        module = os.path.join(self._module_folder, "conan-official-warpfold-targets.cmake")
        self.cpp_info.set_property("cmake_build_modules", [module])
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []

        headers = self.cpp_info.components["warpfold"]
        headers.set_property("cmake_target_name", "warpfold::warpfold")
        headers.set_property("pkg_config_name", "warpfold")

        cuda_emulator = self.cpp_info.components["cuda_emulator"]
        cuda_emulator.set_property("cmake_target_name", "cuda_emulator::cuda_emulator")

        emulator = self.cpp_info.components["emulator"]
        emulator.set_property("cmake_target_name", "warpfold::emulator")
        emulator.defines = ["WARPFOLD_EMULATOR"]
        emulator.requires = ["warpfold", "cuda_emulator"]

        for component in (headers, cuda_emulator, emulator):
            component.bindirs = []
            component.libdirs = []
