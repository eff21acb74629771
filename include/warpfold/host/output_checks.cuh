// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of an output, or of each of several (outputs.hpp). Messages name the output: "out", or "out 2 of 3".
#pragma once
#include <warpfold/host/argument_checks.cuh>

namespace warpfold::host_side {
inline namespace WARPFOLD_HIDDEN_V1 {

/// Calls visit(name, first, size) for each of the outputs that `out` stands for.
template <class Out, class Visit> void for_each_output(const char* argument, const Out& out, Visit visit) {
  if constexpr (requires { out.sizes; }) {
    constexpr std::size_t count = sizeof(out.sizes) / sizeof(out.sizes[0]);
    out.for_each([&](std::size_t k, const auto& first, std::int64_t size) {
      visit((std::string(argument) + " " + std::to_string(k + 1) + " of " + std::to_string(count)).c_str(), first,
            size);
    });
  } else visit(argument, out.first, out.size);
}

/// check_pointer for each output.
template <class Out> void check_output_pointers(const char* function, const char* argument, const Out& out) {
  for_each_output(argument, out,
                  [&](const char* name, const auto& first, std::int64_t) { check_pointer(function, name, first); });
}

/// Throws if an output of a scan has fewer items than the input.
template <class Out> void check_output_sizes(const char* function, const Out& out, std::int64_t count) {
  for_each_output("out", out, [&](const char* name, const auto&, std::int64_t size) {
    if (size >= 0 && size < count) reject(function, {name, " has ", size, " items, fewer than the input's ", count});
  });
}

/// Throws if several outputs, of which the first `count` items are written, share memory.
template <class Out>
void check_outputs_apart(const char* function, const char* argument, const Out& out, std::int64_t count) {
  if constexpr (requires { out.sizes; })
    out.for_each([&](std::size_t k, const auto& first, std::int64_t) {
      out.for_each([&](std::size_t other, const auto& second, std::int64_t) {
        const auto name = [&](std::size_t of) { return std::string(argument) + " " + std::to_string(of + 1); };
        if (k < other) check_apart(function, name(k).c_str(), first, count, name(other).c_str(), second, count);
      });
    });
}

/// Throws if ranges among several outputs differ in size: each result has one item in each.
template <class Out> void check_equal_sizes(const char* function, const char* argument, const Out& out) {
  for_each_output(argument, out, [&](const char* name, const auto&, std::int64_t size) {
    if (size >= 0 && size != out.size) reject(function, {name, " has ", size, " items, another output has ", out.size});
  });
}

/// check_apart of an input and each output.
template <class It, class Out>
void check_outputs_apart_from(const char* function, const char* in_argument, const It& first, std::int64_t count,
                              const char* out_argument, const Out& out, std::int64_t out_count) {
  for_each_output(out_argument, out, [&](const char* name, const auto& to, std::int64_t) {
    check_apart(function, in_argument, first, count, name, to, out_count);
  });
}

/// check_apart_or_in_place of an input and each output of a scan, and check_outputs_apart.
template <class It, class Out>
void check_outputs_apart_or_in_place(const char* function, const char* in_argument, const It& first,
                                     const char* out_argument, const Out& out, std::int64_t count) {
  check_outputs_apart(function, out_argument, out, count);
  for_each_output(out_argument, out, [&](const char* name, const auto& to, std::int64_t) {
    check_apart_or_in_place(function, in_argument, first, name, to, count);
  });
}

/// check_initial_apart of a pointer to an initial value and each output.
template <class A, class Out>
void check_outputs_apart_from(const char* function, const char* argument, const initial<A>& value,
                              const char* out_argument, const Out& out, std::int64_t out_count) {
  for_each_output(out_argument, out, [&](const char* name, const auto& to, std::int64_t) {
    check_initial_apart(function, argument, value, name, to, out_count);
  });
}

}  // namespace WARPFOLD_HIDDEN_V1
}  // namespace warpfold::host_side
