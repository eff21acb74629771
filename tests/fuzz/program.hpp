// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A failure as a program to paste, which needs the public headers alone.
#pragma once
#include <fstream>
#include <ostream>

#include "fuzz/execute.hpp"

namespace wf_fuzz {

inline const char* model_types(const std::string& name) {
  const auto ends = [&](const char* with) {
    const std::string end(with);
    return name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
  };
  if (ends("hash")) return "using T = tree_hash;\nusing op = hash_nodes;\n";
  if (ends("small")) return "using T = small_affine;\nusing op = compose_small;\n";
  if (ends("affine")) return "using T = affine;\nusing op = compose;\n";
  if (ends("interval")) return "using T = interval;\nusing op = join;\n";
  return ends("int") ? "using T = int;\nusing op = warpfold::plus;\n"
                     : "using T = float;\nusing op = warpfold::plus;\n";
}

/// The items and operators stand in the program as they stand in items.cuh.
inline void print_program(std::ostream& to, const fuzz_case& c) {
  const std::unique_ptr<job> j = find_entry(c.entry).make(c);
  j->fill(static_cast<std::uint64_t>(c[data]));
  const shown_call shown = j->show();
  if (shown.call.empty()) {
    to << "// This entry has no program; --case repeats it.\n";
    return;
  }
  const std::string here = __FILE__;
  std::ifstream definitions(here.substr(0, here.find_last_of('/')) + "/items.cuh");
  for (std::string line; std::getline(definitions, line);)
    if (line != "#pragma once") to << line << '\n';
  to << "\n#include <cstdio>\n#include <cstring>\n#include <span>\n#include <vector>\n\n"
     << model_types(c.entry) << R"(
template <class U> struct array {
  std::vector<unsigned char> bytes;
  std::int64_t offset, count;
  U* memory;
  array(std::int64_t offset_items, bool is_output, std::vector<unsigned char> given)
      : bytes(given), offset(offset_items), count(static_cast<std::int64_t>(given.size() / sizeof(U))) {
    (void)cudaMalloc(reinterpret_cast<void**>(&memory), offset * sizeof(U) + bytes.size() + 1);
    (void)cudaMemset(memory, 0xA5, offset * sizeof(U) + bytes.size() + 1);
    if (!is_output) (void)cudaMemcpy(memory + offset, bytes.data(), bytes.size(), cudaMemcpyHostToDevice);
  }
  U* data() const { return memory + offset; }
  std::span<U> range() const { return {data(), static_cast<std::size_t>(count)}; }
  U value() const {
    U first;
    std::memcpy(&first, bytes.data(), sizeof(U));
    return first;
  }
  bool is_right(const char* name) const {
    std::vector<unsigned char> read(bytes.size());
    (void)cudaMemcpy(read.data(), memory + offset, read.size(), cudaMemcpyDeviceToHost);
    for (std::size_t i = 0; i < read.size(); ++i)
      if (read[i] != bytes[i]) {
        std::printf("%s[%zu] differs\n", name, i / sizeof(U));
        return false;
      }
    return true;
  }
};

int main() {
)";
  std::string results;
  for (const shown_array& a : shown.arrays) {
    to << "  array<" << a.type << "> " << a.name << "_array(" << a.offset << ", " << (a.is_output ? "true" : "false")
       << ", {";
    for (std::size_t i = 0; i < a.bytes.size(); ++i)
      to << (i ? "," : "") << (i % 40 == 39 ? "\n   " : "") << int{a.bytes[i]};
    to << "});\n  [[maybe_unused]] " << a.type << "* " << a.name << " = " << a.name << "_array.data();\n";
    if (a.is_output) results += (results.empty() ? "" : " & ") + a.name + "_array.is_right(\"" + a.name + "\")";
  }
  std::string options = "{";
  const bool has_stream = c[way] % ways_count != default_stream;
  if (has_stream) {
    to << "  cudaStream_t stream;\n  (void)cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);\n";
    options += ".stream = stream";
  }
  const auto add = [&](const std::string& member) { options += (options == "{" ? "" : ", ") + member; };
  if (!shown.init.empty()) add(shown.init);
  if (c[own_workspace] != 0) {
    to << "  const warpfold::workspace scratch;\n";
    add(".workspace = scratch");
  }
  if (c[max_blocks] != 0) add(".max_blocks = " + std::to_string(c[max_blocks]));
  std::string call = shown.call;
  call.replace(call.find("OPTIONS"), 7, options + "}");
  const bool recorded = c[way] % ways_count == in_graph;
  if (recorded) to << "  (void)cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);\n";
  to << "  " << call << ";\n";
  if (recorded)
    to << "  cudaGraph_t graph;\n  cudaGraphExec_t ready;\n  (void)cudaStreamEndCapture(stream, &graph);\n"
          "  (void)cudaGraphInstantiate(&ready, graph, 0);\n  (void)cudaGraphLaunch(ready, stream);\n";
  to << "  (void)cudaDeviceSynchronize();\n  const bool right = " << results
     << ";\n  std::puts(right ? \"right\" : \"wrong\");\n  return right ? 0 : 1;\n}\n";
  if (c[fault] != no_fault) to << "// The failure follows a fault, which only --case repeats.\n";
  if (c[way] % ways_count == host_threads)
    to << "// The failure was one of three host threads, which only --case repeats.\n";
}

}  // namespace wf_fuzz
