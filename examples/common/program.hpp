// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by the examples' main functions: --help, errors and exit codes, and numbers that are easy to read.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace examples {

/// A wrong command line: exit code 2, where any other exception gives 1.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Runs `body(arguments)` as a main function. Prints `help` for --help; prints exceptions on the error stream, after
/// the program's name. Returns the exit code: 0 also means that all output was written.
template <class Body> int run_program(int argc, char** argv, const char* help, Body body) {
  const std::string name = std::filesystem::path(argc > 0 ? argv[0] : "example").filename().string();
  const std::vector<std::string_view> arguments(argv + std::min(argc, 1), argv + argc);
  int exit_code = 0;
  try {
    const auto is_help = [](std::string_view argument) { return argument == "--help" || argument == "-h"; };
    if (std::any_of(arguments.begin(), arguments.end(), is_help)) {
      std::fputs(help, stdout);
    } else {
      body(arguments);
    }
  } catch (const usage_error& error) {
    std::fprintf(stderr, "%s: %s\nTry '%s --help'.\n", name.c_str(), error.what(), name.c_str());
    exit_code = 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), error.what());
    exit_code = 1;
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
    std::fprintf(stderr, "%s: the output could not be written\n", name.c_str());
    exit_code = 1;
  }
  return exit_code;
}

/// The value of `option`, a whole number of 1 or more.
inline int positive_number(std::string_view option, std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 1) {
    throw usage_error(std::string(option) + " needs a positive number, not '" + std::string(text) + "'");
  }
  return number;
}

/// An option such as "--runs 20", and the variable that takes its number.
struct number_option {
  std::string_view name;
  int* number;
};

/// Reads options, each with a positive number. Returns the other arguments: at most `most_files` files.
inline std::vector<std::string_view> read_options(const std::vector<std::string_view>& arguments,
                                                  std::initializer_list<number_option> options,
                                                  std::size_t most_files) {
  std::vector<std::string_view> files;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string argument(arguments[i]);
    const auto named = [&](const number_option& option) { return option.name == argument; };
    if (const auto option = std::find_if(options.begin(), options.end(), named); option != options.end()) {
      if (i + 1 == arguments.size()) throw usage_error(argument + " needs a value");
      *option->number = positive_number(argument, arguments[++i]);
    } else if (argument.starts_with("--")) {
      throw usage_error("unknown option " + argument);
    } else if (files.size() == most_files) {
      throw usage_error("unexpected argument '" + argument + "'");
    } else {
      files.push_back(arguments[i]);
    }
  }
  return files;
}

/// A file in examples/data, wherever the program is started from.
inline std::filesystem::path bundled_data(const char* name) {
  return std::filesystem::path(__FILE__).parent_path().parent_path() / "data" / name;
}

/// A whole number with its digits in groups of three: "200 000", "-9 223 372 036 854 775 808".
inline std::string format_whole(std::integral auto value) {
  std::string digits = std::to_string(value);
  const std::ptrdiff_t sign = digits[0] == '-';
  for (std::ptrdiff_t i = std::ssize(digits) - 3; i > sign; i -= 3) digits.insert(static_cast<std::size_t>(i), 1, ' ');
  return digits;
}

/// A real number, rounded at the tenth significant digit of `scale`, the largest magnitude that went into it: digits
/// beyond that would be rounding noise. Trailing zeros are left out.
inline std::string format_real(double value, double scale) {
  char text[64];
  if (std::isnan(value)) return "nan";  // its sign says nothing
  if (!std::isfinite(value) || value == 0) {
    std::snprintf(text, sizeof text, "%g", value);
    return text;
  }
  constexpr int significant_digits = 10;
  const auto exponent = [](double x) { return static_cast<int>(std::floor(std::log10(std::abs(x)))); };
  scale = std::max(std::abs(scale), std::abs(value));
  const int decimals = significant_digits - 1 - exponent(scale);
  if (decimals < 0 || decimals > 15) {
    std::snprintf(text, sizeof text, "%.*e", std::max(0, decimals + exponent(value)), value);
    return text;
  }
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  std::string trimmed = text;
  if (trimmed.find('.') != trimmed.npos) {
    trimmed.erase(trimmed.find_last_not_of('0') + 1);
    if (trimmed.back() == '.') trimmed.pop_back();
  }
  return trimmed == "-0" ? "0" : trimmed;
}

/// Four significant digits and a unit: format_quantity(2.5e-6, "s") is "2.5 µs".
inline std::string format_quantity(double value, const char* unit) {
  static constexpr const char* prefixes[] = {"n", "µ", "m", "", "k", "M", "G", "T"};
  int prefix = 3;
  while (std::abs(value) >= 1000 && prefix < 7) value /= 1000, ++prefix;
  while (std::abs(value) < 1 && value != 0 && prefix > 0) value *= 1000, --prefix;
  char text[64];
  std::snprintf(text, sizeof text, "%.4g %s%s", value, prefixes[prefix], unit);
  return text;
}

/// The spaces that fill `text` up to `columns`; "µ" is two bytes and one column.
inline std::string spaces_beside(const std::string& text, std::ptrdiff_t columns) {
  const auto is_continuation = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  const std::ptrdiff_t used = std::ssize(text) - std::count_if(text.begin(), text.end(), is_continuation);
  return std::string(static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, columns - used)), ' ');
}
inline std::string right_aligned(const std::string& text, std::ptrdiff_t columns) {
  return spaces_beside(text, columns) + text;
}
inline std::string left_aligned(const std::string& text, std::ptrdiff_t columns) {
  return text + spaces_beside(text, columns);
}

/// One aligned line of a table: two spaces, the name, the value at the right.
inline void print_row(const std::string& name, const std::string& value) {
  std::printf("  %-32s%s\n", name.c_str(), right_aligned(value, 26).c_str());
}

}  // namespace examples
