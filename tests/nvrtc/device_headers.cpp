// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// device_headers HEADER... -OPTION...: NVRTC compiles each header by its defaults, and says nothing. Headers common to
// them are compiled once.
#include <nvrtc.h>

#include <cstdio>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  std::vector<const char*> headers, options{"-std=c++20", "-pch", "-pch-messages=false"};
  for (int i = 1; i < argc; ++i) (argv[i][0] == '-' ? options : headers).push_back(argv[i]);
  int wrong = 0;
  for (const char* header : headers) {
    const std::string source =
        "#include <warpfold/operator_traits.hpp>\n#pragma nv_hdrstop\n#include <" + std::string(header) + ">\n";
    nvrtcProgram program{};
    if (nvrtcCreateProgram(&program, source.c_str(), "header.cu", 0, nullptr, nullptr) != NVRTC_SUCCESS) return 2;
    const nvrtcResult result = nvrtcCompileProgram(program, static_cast<int>(options.size()), options.data());
    std::size_t bytes = 0;
    nvrtcGetProgramLogSize(program, &bytes);
    std::string log(bytes, '\0');
    nvrtcGetProgramLog(program, log.data());
    if (result != NVRTC_SUCCESS || bytes > 1) {
      std::printf("%s: %s\n%s\n", header, nvrtcGetErrorString(result), log.c_str());
      ++wrong;
    }
    nvrtcDestroyProgram(&program);
  }
  std::printf("%zu headers, %d of them wrong\n", headers.size(), wrong);
  return wrong != 0 || headers.empty();
}
