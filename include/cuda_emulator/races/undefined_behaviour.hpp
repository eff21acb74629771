// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Misaligned addresses and indices outside of arrays. -fsanitize=bounds, and -fsanitize=alignment where it is given,
// have the compiler call these functions, in place of UndefinedBehaviorSanitizer's library.
#pragma once

#include <cuda_emulator/races/report.hpp>

#if defined(CUDA_EMULATOR_RACES)

namespace cuda_emulator::races::detail {

// As the compiler lays them out.
struct type_name {
  std::uint16_t is_other;  // 0: it is an integer
  std::uint16_t shape;     // of an integer: whether it is signed, and the logarithm of its bits
  char text[1];
};
struct code_place {
  const char* file;
  std::uint32_t line, column;
};
struct outside_of_array {
  code_place place;
  const type_name *array, *index;
};
struct type_mismatch {
  code_place place;
  const type_name* type;
  unsigned char log_alignment, access;
};

inline std::string text_of(const code_place& place) {
  const std::string file = place.file;
  return text("\n  at:      ", file.substr(file.find_last_of('/') + 1), ":", place.line);
}
inline std::string text_of(const type_name& type, const void* bits_of_value) {
  const unsigned bits = 1u << (type.shape >> 1), unused = bits < 64 ? 64 - bits : 0;
  const std::uint64_t value = reinterpret_cast<std::uintptr_t>(bits_of_value) << unused;
  return (type.shape & 1) != 0 ? std::to_string(static_cast<std::int64_t>(value) >> unused)
                               : std::to_string(value >> unused);
}
inline std::string misalignment(const void* address, std::size_t alignment_bytes) {
  return text(reinterpret_cast<std::uintptr_t>(address) % alignment_bytes, " bytes past a multiple of its alignment, ",
              alignment_bytes, " bytes");
}

// Of a plain access that the compiler announces.
[[gnu::noinline]] inline void misaligned(const void* address, std::size_t alignment_bytes, const void* place) {
  const undivided whole;
  if (current_scheduler->unwinding()) return;
  const std::uint32_t site = current->calls().child(current_thread->race.calls, place);
  current_scheduler->abandon(fault::misaligned, text("a plain access, ", misalignment(address, alignment_bytes),
                                                     race_report::at(*current, site)));
}
// Gives the thread up, since an array may be the emulator's neighbour. Host code goes on.
inline void misbehaves(fault kind, bool in_kernel, std::string message) {
  if (!in_kernel) std::fprintf(stderr, "cuda_emulator: %s, on the host: %s\n", fault_name(kind), message.c_str());
  else if (!current_scheduler->unwinding()) current_scheduler->abandon(kind, std::move(message));
}

}  // namespace cuda_emulator::races::detail

#define CUDA_EMULATOR_HOOK extern "C" [[gnu::used, gnu::no_sanitize("thread")]] inline
CUDA_EMULATOR_HOOK void __ubsan_handle_out_of_bounds(void* data, void* index) {
  using namespace cuda_emulator;
  const bool in_kernel = detail::in_kernel_code;
  const undivided whole;
  const auto& found = *static_cast<const races::detail::outside_of_array*>(data);
  races::detail::misbehaves(fault::out_of_bounds, in_kernel,
                            text("index ", races::detail::text_of(*found.index, index), " of ", found.array->text,
                                 races::detail::text_of(found.place)));
}
CUDA_EMULATOR_HOOK void __ubsan_handle_type_mismatch_v1(void* data, void* address) {
  using namespace cuda_emulator;
  const bool in_kernel = detail::in_kernel_code;
  const undivided whole;
  const auto& found = *static_cast<const races::detail::type_mismatch*>(data);
  const std::string past = races::detail::misalignment(address, std::size_t{1} << found.log_alignment);
  races::detail::misbehaves(fault::misaligned, in_kernel,
                            text("an access of ", found.type->text, ", ", past, races::detail::text_of(found.place)));
}
#undef CUDA_EMULATOR_HOOK
#endif
