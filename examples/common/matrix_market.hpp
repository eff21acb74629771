// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads sparse matrices from Matrix Market files (https://math.nist.gov/MatrixMarket/formats.html). Plain C++.
//
//   %%MatrixMarket matrix coordinate real general
//   % comments
//   3 4 2          rows, columns, entries
//   1 4 0.5        row and column from 1, value
//   3 1 -2
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "text.hpp"

namespace examples {

/// An entry; row and column count from 0.
struct matrix_entry {
  std::int32_t row, column;
  double value;
};

/// A sparse matrix as a list of entries, in the order of the file. If it is symmetric, both halves are listed.
struct coordinate_matrix {
  std::int32_t rows = 0, columns = 0;
  std::string field, symmetry;  // as the file's first line has them
  std::vector<matrix_entry> entries;
};

/// Decodes the text of a .mtx file. Its errors say in which line what is wrong.
class matrix_market_reader {
 public:
  explicit matrix_market_reader(std::string_view text) : rest_(text) {}

  /// Throws file_error for a file that is malformed, or of a kind other than coordinate matrices that are real, integer
  /// or pattern, and general or symmetric. The entries of a pattern are 1.
  coordinate_matrix read() {
    read_banner();
    read_sizes();
    for (std::int64_t count = 0; next_line(); ++count) {
      if (count == announced_) fail("there are more than the " + std::to_string(announced_) + " entries announced");
      read_entry();
      stored_ = count + 1;
    }
    if (stored_ < announced_) {
      fail("the file ends after " + std::to_string(stored_) + " of " + std::to_string(announced_) + " entries");
    }
    return matrix_;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw file_error("line " + std::to_string(line_) + ": " + what);
  }
  static std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

  void take_words() {
    words_.clear();
    ++line_;
    for (std::string_view line = take_line(rest_); !line.empty();) {
      const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
      line.remove_prefix(begin);
      const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
      if (end > 0) words_.push_back(line.substr(0, end));
      line.remove_prefix(end);
    }
  }
  bool next_line() {  // skips blank lines
    while (!rest_.empty()) {
      take_words();
      if (!words_.empty()) return true;
    }
    return false;
  }

  // The words of the first line are the same in capitals.
  std::string banner_word(std::size_t index, const char* what,
                          std::initializer_list<std::string_view> supported) const {
    std::string word(words_[index]), list;
    std::transform(word.begin(), word.end(), word.begin(),
                   [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    if (std::find(supported.begin(), supported.end(), word) != supported.end()) return word;
    for (const std::string_view name : supported) list += (list.empty() ? "" : ", ") + std::string(name);
    fail(std::string("unsupported ") + what + " " + quoted(word) + ": it must be one of " + list);
  }
  void read_banner() {
    take_words();
    if (words_.size() != 5 || words_[0] != "%%MatrixMarket") {
      fail("not a Matrix Market file: it must begin with '%%MatrixMarket matrix coordinate', a field and a symmetry");
    }
    banner_word(1, "object", {"matrix"});
    banner_word(2, "format", {"coordinate"});
    matrix_.field = banner_word(3, "field", {"real", "integer", "pattern"});
    matrix_.symmetry = banner_word(4, "symmetry", {"general", "symmetric"});
  }

  template <class Number> bool parse(std::string_view word, Number& number) const {
    if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    return error == std::errc{} && end == word.data() + word.size();
  }
  std::int64_t whole(const char* what, std::string_view word, std::int64_t least, std::int64_t most) const {
    std::int64_t number = 0;
    if (!parse(word, number)) fail(std::string(what) + " " + quoted(word) + " is not a whole number of 64 bits");
    if (number < least || number > most) {
      fail(std::string(what) + " " + quoted(word) + " is not in " + std::to_string(least) + " to " +
           std::to_string(most));
    }
    return number;
  }

  void read_sizes() {
    do {
      if (!next_line()) fail("the file ends before the numbers of rows, columns and entries");
    } while (words_[0].starts_with('%'));
    if (words_.size() != 3) fail("expected the numbers of rows, columns and entries, not " + found());
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    matrix_.rows = static_cast<std::int32_t>(whole("number of rows", words_[0], 1, most));
    matrix_.columns = static_cast<std::int32_t>(whole("number of columns", words_[1], 1, most));
    announced_ = whole("number of entries", words_[2], 0, std::numeric_limits<std::int64_t>::max());
    if (is_symmetric() && matrix_.rows != matrix_.columns) fail("a symmetric matrix must be square");
    constexpr std::size_t least_entry_bytes = 4;  // "1 1\n": do not believe more than the file can hold
    matrix_.entries.reserve(std::min(static_cast<std::size_t>(announced_), rest_.size() / least_entry_bytes + 1));
  }

  void read_entry() {
    const bool has_value = matrix_.field != "pattern";
    if (words_.size() != (has_value ? 3 : 2)) {
      fail(std::string("expected row") + (has_value ? ", column and value" : " and column") + ", not " + found());
    }
    const auto row = static_cast<std::int32_t>(whole("row", words_[0], 1, matrix_.rows) - 1);
    const auto column = static_cast<std::int32_t>(whole("column", words_[1], 1, matrix_.columns) - 1);
    const double value = has_value ? read_value(words_[2]) : 1;
    if (is_symmetric() && column > row) {
      fail("an entry above the diagonal: of a symmetric matrix only those below are listed");
    }
    matrix_.entries.push_back({row, column, value});
    if (is_symmetric() && column < row) matrix_.entries.push_back({column, row, value});
  }
  double read_value(std::string_view word) const {
    if (matrix_.field == "integer") {
      constexpr std::int64_t exact = std::int64_t{1} << 53;  // whole numbers up to here are doubles
      return static_cast<double>(whole("value", word, -exact, exact));
    }
    double value = 0;
    if (!parse(word, value) || !(std::abs(value) <= std::numeric_limits<double>::max())) {
      fail("value " + quoted(word) + " is not a finite number of double precision");
    }
    return value;
  }

  std::string found() const { return std::to_string(words_.size()) + (words_.size() == 1 ? " word" : " words"); }
  bool is_symmetric() const { return matrix_.symmetry == "symmetric"; }

  std::string_view rest_;
  std::int64_t line_ = 0;
  std::vector<std::string_view> words_;  // of that line
  coordinate_matrix matrix_;
  std::int64_t announced_ = 0, stored_ = 0;  // entries
};

/// Reads a .mtx file. Throws file_error, its message beginning with the file's name.
inline coordinate_matrix read_matrix_market(const std::filesystem::path& path) try {
  return matrix_market_reader(read_text(path)).read();
} catch (const file_error& error) {
  throw file_error(path.string() + ": " + error.what());
}

}  // namespace examples
