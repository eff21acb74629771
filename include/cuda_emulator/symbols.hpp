// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the program's own symbol tables: names of kernels, and thread-local variables of functions.
#pragma once

#include <cxxabi.h>
#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cuda_emulator {

struct symbol {
  std::string name;  // mangled
  std::uintptr_t value;
  std::size_t bytes;
  unsigned char type;
};

struct module {  // the loaded program or a shared library
  std::string path;
  std::uintptr_t bias = 0;
  std::byte* tls = nullptr;  // the thread-local variables of the calling host thread
  bool found = false;
};

namespace detail {

struct module_search {
  std::uintptr_t address;
  module result;
};

inline int match_module(dl_phdr_info* info, std::size_t, void* data) {
  auto& search = *static_cast<module_search*>(data);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    const std::uintptr_t first = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || search.address < first || search.address >= first + segment.p_memsz) continue;
    const bool program = info->dlpi_name == nullptr || info->dlpi_name[0] == '\0';
    search.result = {program ? "/proc/self/exe" : info->dlpi_name, info->dlpi_addr,
                     static_cast<std::byte*>(info->dlpi_tls_data), true};
    return 1;
  }
  return 0;
}

}  // namespace detail

// The module whose code or data holds `address`.
inline module module_of(const void* address) {
  detail::module_search search{reinterpret_cast<std::uintptr_t>(address), {}};
  dl_iterate_phdr(&detail::match_module, &search);
  return search.result;
}

struct memory_range {
  std::byte* first;
  std::size_t bytes;
};

// The variables of the module whose code or data holds `address`.
inline std::vector<memory_range> variables_of_module(const void* address) {
  struct search {
    std::uintptr_t bias;
    std::vector<memory_range> result;
  } found{module_of(address).bias, {}};
  const auto take_writable = [](dl_phdr_info* info, std::size_t, void* data) {
    auto& into = *static_cast<search*>(data);
    if (info->dlpi_addr != into.bias) return 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const ElfW(Phdr)& segment = info->dlpi_phdr[i];
      if (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) != 0)
        into.result.push_back({reinterpret_cast<std::byte*>(info->dlpi_addr + segment.p_vaddr), segment.p_memsz});
    }
    return 1;
  };
  dl_iterate_phdr(take_writable, &found);
  return found.result;
}

// Empty if the file is stripped or cannot be read.
inline std::vector<symbol> read_symbols(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  ElfW(Ehdr) header{};
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return {};
  const auto read = [&](auto& items, std::uint64_t offset, std::uint64_t bytes) {
    items.resize(bytes / sizeof items[0]);
    file.seekg(static_cast<std::streamoff>(offset));
    file.read(reinterpret_cast<char*>(items.data()), static_cast<std::streamsize>(bytes));
    return static_cast<bool>(file);
  };
  std::vector<ElfW(Shdr)> sections;
  if (!read(sections, header.e_shoff, std::uint64_t{header.e_shnum} * sizeof(ElfW(Shdr)))) return {};
  std::vector<symbol> result;
  for (const auto& section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
    std::vector<ElfW(Sym)> entries;
    std::vector<char> names;
    const auto& strings = sections[section.sh_link];
    if (!read(entries, section.sh_offset, section.sh_size) || !read(names, strings.sh_offset, strings.sh_size))
      return {};
    for (const auto& entry : entries)
      if (entry.st_shndx != SHN_UNDEF && entry.st_name < names.size())
        result.push_back({&names[entry.st_name], entry.st_value, entry.st_size,
                          static_cast<unsigned char>(ELF64_ST_TYPE(entry.st_info))});
  }
  return result;
}

inline std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  return status == 0 ? text.get() : name;
}

// The symbol of a function, or an empty name if there is none.
inline std::string symbol_of(const void* function) {
  const module home = module_of(function);
  const std::uintptr_t value = reinterpret_cast<std::uintptr_t>(function) - home.bias;
  if (home.found)
    for (const symbol& s : read_symbols(home.path))
      if (s.type == STT_FUNC && s.value == value) return s.name;
  return {};
}

// The kernel's name for error reports, or its address if there is no symbol.
inline std::string function_name(const void* function) {
  const std::string name = symbol_of(function);
  if (!name.empty()) return demangled(name);
  char address[32];
  std::snprintf(address, sizeof address, "at %p", function);
  return address;
}

}  // namespace cuda_emulator
