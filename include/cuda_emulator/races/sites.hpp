// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where in the program an access is made: a node of the tree of calls. The compiler announces each call of a function.
#pragma once

#include <cuda_emulator/races/clock.hpp>
#include <cuda_emulator/symbols.hpp>

#include <unordered_map>

namespace cuda_emulator::races {

class call_tree {
 public:
  // The node for the instruction `place` in the function call `parent`.
  CUDA_EMULATOR_INLINE std::uint32_t child(std::uint32_t parent, const void* place) {
    const auto address = reinterpret_cast<std::uintptr_t>(place);
    known_node& recent = recent_[(address * 31 + parent * 0x9e3779b1u) % recent_nodes];
    if (recent.place == address && recent.parent == parent) return recent.id;
    return add(parent, address, recent);
  }
  CUDA_EMULATOR_INLINE std::uint32_t parent(std::uint32_t node) const { return node == 0 ? 0 : first_[node].parent; }
  // From the access outwards.
  CUDA_EMULATOR_UNSEEN std::vector<std::uintptr_t> places(std::uint32_t node) const {
    std::vector<std::uintptr_t> result;
    for (; node != 0; node = nodes_[node].parent) result.push_back(nodes_[node].place);
    return result;
  }

 private:
  struct known_node {
    std::uintptr_t place = 0;
    std::uint32_t parent = 0, id = 0;
  };
  static constexpr std::size_t recent_nodes = 4096, most_nodes = std::size_t{1} << 22;

  CUDA_EMULATOR_UNSEEN std::uint32_t add(std::uint32_t parent, std::uintptr_t place, known_node& recent) {
    if (nodes_.empty()) nodes_.push_back({});
    if (nodes_.size() == most_nodes) return parent;
    auto& children = ids_[place];
    std::uint32_t id = 0;
    for (const auto& [of, number] : children)
      if (of == parent) id = number;
    if (id == 0) {
      id = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back({place, parent, id});
      children.emplace_back(parent, id);
    }
    first_ = nodes_.data();
    recent = {place, parent, id};
    return id;
  }

  std::vector<known_node> nodes_;
  const known_node* first_ = nullptr;  // of these
  std::unordered_map<std::uintptr_t, std::vector<std::pair<std::uint32_t, std::uint32_t>>> ids_;
  known_node recent_[recent_nodes];
};

namespace detail {

// The answer of addr2line for each offset: function and file:line in turn, inlined functions first. Empty without it.
inline std::vector<std::vector<std::string>> ask_addr2line(const std::string& path,
                                                           const std::vector<std::uintptr_t>& offsets) {
  std::string program = path;
  if (path == "/proc/self/exe") {
    char name[4096];
    const auto bytes = readlink("/proc/self/exe", name, sizeof name);
    if (bytes > 0) program.assign(name, static_cast<std::size_t>(bytes));
  }
  if (program.find('\'') != std::string::npos) return {};
  std::string command = "addr2line -a -i -f -C -e '" + program + "'";
  for (const std::uintptr_t offset : offsets) {
    char number[24];
    std::snprintf(number, sizeof number, " 0x%lx", static_cast<unsigned long>(offset));
    command += number;
  }
  std::vector<std::vector<std::string>> result;
  FILE* const answer = popen((command + " 2>/dev/null").c_str(), "r");
  if (answer == nullptr) return {};
  std::string line;
  for (int c = std::fgetc(answer); c != EOF; c = std::fgetc(answer)) {
    if (c != '\n') line += static_cast<char>(c);
    else if (line.starts_with("0x")) result.emplace_back(), line.clear();
    else if (!result.empty()) result.back().push_back(std::exchange(line, {}));
  }
  pclose(answer);
  return result;
}

// The function that holds the instruction, by the symbol table.
inline std::string function_around(const module& home, std::uintptr_t offset) {
  for (const symbol& s : read_symbols(home.path))
    if (s.type == STT_FUNC && s.value <= offset && offset < s.value + s.bytes) return demangled(s.name);
  return {};
}

inline bool is_of_emulator(const std::string& function) {
  for (const char* const part :
       {"cuda_emulator::", "std::", "void std::", "decltype(auto) std::", "__tsan", "__syncwarp"})
    if (function.starts_with(part)) return true;
  return false;
}

}  // namespace detail

// For each list of places, a line for each function that is being executed, from the access outwards, without the
// emulator's own.
inline std::vector<std::vector<std::string>> describe_sites(const std::vector<std::vector<std::uintptr_t>>& sites) {
  std::vector<std::uintptr_t> offsets;
  module home;  // all kernels of a program are in one module, as a rule
  for (const auto& places : sites)
    for (const std::uintptr_t place : places) {
      if (!home.found) home = module_of(reinterpret_cast<const void*>(place));
      offsets.push_back(place - 1 - home.bias);  // in the call, not after it
    }
  const auto answers = detail::ask_addr2line(home.path, offsets);
  std::vector<std::vector<std::string>> result;
  std::size_t number = 0;
  for (const auto& places : sites) {
    auto& lines = result.emplace_back();
    std::string last;
    const auto add = [&](const std::string& function, std::string file) {
      file = file.starts_with("??") ? "" : file.substr(0, file.find(" (discriminator"));
      const bool is_told = function == last ||  // a __shared__ variable's wrapper has its function's name
                           detail::is_of_emulator(function) || file.find("include/cuda_emulator/") != file.npos;
      if (is_told || lines.size() == 12) return;
      last = function;
      file = file.substr(file.find_last_of('/') + 1);
      std::string name = function.substr(0, 160);
      if (name.size() < function.size()) name += "...";
      lines.push_back(file.empty() ? name : file + ", " + name);
    };
    for (std::size_t p = 0; p < places.size(); ++p, ++number)
      if (number < answers.size() && answers[number].size() >= 2 && answers[number][0] != "??")
        for (std::size_t i = 0; i + 1 < answers[number].size(); i += 2) add(answers[number][i], answers[number][i + 1]);
      else add(detail::function_around(home, offsets[number]), "");
  }
  return result;
}

}  // namespace cuda_emulator::races
