// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Static `__shared__` variables. The keyword makes them thread-local variables of the host thread, so that all CUDA
// threads of a launch see them at one address. Their contents are swapped whenever another block runs. Their addresses
// and sizes come from the program's symbol table, since no language feature tells them.
#pragma once

#include <cuda_emulator/error.hpp>
#include <cuda_emulator/shared_block.hpp>
#include <cuda_emulator/symbols.hpp>
#include <cuda_emulator/undivided.hpp>

#include <map>
#include <mutex>
#include <typeinfo>

namespace cuda_emulator {

struct static_variable {
  std::byte* address;
  std::size_t bytes;
};
using static_variables = std::vector<static_variable>;  // of one function, in the calling host thread

// One block's contents of the static shared variables of all functions that it has entered.
class static_images {
 public:
  bool empty() const { return images_.empty(); }
  void clear() { images_.clear(); }
  bool has(const static_variables& variables) const {
    for (const image& i : images_)
      if (i.variables == &variables) return true;
    return false;
  }

  // The block uses these variables for the first time.
  void enter(const static_variables& variables, bool poison) {
    std::size_t bytes = 0;
    for (const static_variable& v : variables) {
      if (poison) fill_poison(v.address, v.bytes);
      bytes += v.bytes;
    }
    images_.push_back({&variables, std::vector<std::byte>(bytes)});
  }
  void save() {
    for (image& i : images_) {
      std::byte* place = i.contents.data();
      for (const static_variable& v : *i.variables) {
        std::memcpy(place, v.address, v.bytes);
        place += v.bytes;
      }
    }
  }
  // Calls visit(first byte, bytes): in the variables if this is the block that runs, in its images if not.
  template <class Visit> void visit(bool runs, Visit visit) const {
    for (const image& i : images_)
      if (runs)
        for (const static_variable& v : *i.variables) visit(v.address, v.bytes);
      else visit(i.contents.data(), i.contents.size());
  }
  void load() const {
    for (const image& i : images_) {
      const std::byte* place = i.contents.data();
      for (const static_variable& v : *i.variables) {
        std::memcpy(v.address, place, v.bytes);
        place += v.bytes;
      }
    }
  }

 private:
  struct image {
    const static_variables* variables;
    std::vector<std::byte> contents;
  };
  std::vector<image> images_;
};

namespace detail {

// `__shared__` leaves a lambda in the function. Its mangled name holds the function's, as in "Z<function>E<lambda>",
// and so do those of the function's variables, "_ZZ<function>E<variable>".
inline std::string function_prefix(const char* marker_name) {
  const std::string name = marker_name;
  std::size_t end = name.rfind("EUl");                   // E, then an unnamed lambda type
  if (end == std::string::npos) end = name.rfind("$_");  // clang, in functions that are not inline
  if (end != std::string::npos && name[end] == '$') end = name.find_last_not_of("0123456789", end - 1);
  return end == std::string::npos ? std::string() : "_Z" + name.substr(0, end + 1);
}

inline const std::vector<symbol>& thread_local_symbols(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, std::vector<symbol>> known;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto [entry, fresh] = known.try_emplace(path);
  if (fresh)
    for (symbol& s : read_symbols(path))
      if (s.type == STT_TLS && s.bytes > 0) entry->second.push_back(std::move(s));
  return entry->second;
}

inline static_variables find_static_variables(const std::type_info& marker) {
  const undivided whole;
  const std::string prefix = function_prefix(marker.name());
  const module home = module_of(&marker);
  const std::vector<symbol>& symbols = thread_local_symbols(home.path);
  if (symbols.empty() || home.tls == nullptr || prefix.empty())
    throw error(fault::usage,
                text("static __shared__ variables are found through the symbol table, which ",
                     home.found ? home.path : "this program", " lacks: do not strip it, or use dynamic shared memory"));
  static_variables result;  // the compiler drops unused variables, which are missing here
  for (const symbol& s : symbols)
    if (s.name.starts_with(prefix)) result.push_back({home.tls + s.value, s.bytes});
  return result;
}

void enter_static_variables(const static_variables& variables);

}  // namespace detail

template <class Marker> void static_shared_variable_extern_is_not_supported(Marker) {
  static thread_local const static_variables variables = detail::find_static_variables(typeid(Marker));
  detail::enter_static_variables(variables);
}

}  // namespace cuda_emulator
