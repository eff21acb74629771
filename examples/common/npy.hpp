// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads arrays from NumPy's .npy files and from files of raw numbers. Plain C++: knows nothing of CUDA.
#pragma once

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace examples {

/// The item types that NumPy can write and that have an order and a mean: its real numbers and bool.
enum class item_type { int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64, boolean };

struct item_type_description {
  item_type type;
  std::string_view name;        // as NumPy spells it
  std::string_view descriptor;  // in a .npy header, without the byte order
  std::size_t bytes;
};

inline constexpr item_type_description item_types[] = {
    {item_type::int8, "int8", "i1", 1},       {item_type::int16, "int16", "i2", 2},
    {item_type::int32, "int32", "i4", 4},     {item_type::int64, "int64", "i8", 8},
    {item_type::uint8, "uint8", "u1", 1},     {item_type::uint16, "uint16", "u2", 2},
    {item_type::uint32, "uint32", "u4", 4},   {item_type::uint64, "uint64", "u8", 8},
    {item_type::float16, "float16", "f2", 2}, {item_type::float32, "float32", "f4", 4},
    {item_type::float64, "float64", "f8", 8}, {item_type::boolean, "bool", "b1", 1},
};

constexpr const item_type_description& describe(item_type type) { return item_types[static_cast<int>(type)]; }

/// An array as the file holds it: `shape` items of `type`, in C order, little-endian.
struct array_file {
  item_type type{};
  std::vector<std::size_t> shape;
  std::vector<std::byte> bytes;

  std::size_t count() const { return bytes.size() / describe(type).bytes; }

  /// The items as values of a type of the same size, copied into an aligned array.
  template <class T> std::vector<T> items_as() const {
    std::vector<T> items(bytes.size() / sizeof(T));
    if (!items.empty()) std::memcpy(items.data(), bytes.data(), items.size() * sizeof(T));
    return items;
  }
};

/// Says in words what is wrong with a file's contents; `read_npy` and `read_raw` put the file's name before it.
struct file_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The type that NumPy calls `name`, if there is one.
inline std::optional<item_type> item_type_named(std::string_view name) {
  for (const item_type_description& known : item_types) {
    if (known.name == name) return known.type;
  }
  return std::nullopt;
}

/// A shape as Python writes it: "(200000,)", "(22998, 3)", "()".
inline std::string shape_text(const std::vector<std::size_t>& shape) {
  std::string text = "(";
  for (std::size_t axis = 0; axis < shape.size(); ++axis) text += (axis ? ", " : "") + std::to_string(shape[axis]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

/// The header of a .npy file: a Python dictionary such as
/// {'descr': '<i2', 'fortran_order': False, 'shape': (200000,), }
class npy_header {
 public:
  std::string descriptor;
  bool fortran_order = false;
  std::vector<std::size_t> shape;

  explicit npy_header(std::string_view text) : rest_(text), length_(text.size()) {
    bool seen[3] = {};
    expect('{');
    while (!skip('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr") {
        descriptor = read_descriptor();
        seen[0] = true;
      } else if (key == "fortran_order") {
        fortran_order = read_bool();
        seen[1] = true;
      } else if (key == "shape") {
        shape = read_shape();
        seen[2] = true;
      } else {
        fail("a key of the format, not '" + key + "'");
      }
      if (!skip(',')) {
        expect('}');
        break;
      }
    }
    if (!seen[0] || !seen[1] || !seen[2]) fail("the keys 'descr', 'fortran_order' and 'shape'");
  }

 private:
  [[noreturn]] void fail(const std::string& expected) const {
    throw file_error("damaged .npy header: expected " + expected + " at character " +
                     std::to_string(length_ - rest_.size()));
  }
  void skip_spaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n"), rest_.size())); }
  bool skip(std::string_view token) {
    skip_spaces();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  bool skip(char token) { return skip(std::string_view(&token, 1)); }
  void expect(char token) {
    if (!skip(token)) fail(std::string("'") + token + "'");
  }

  std::string quoted() {
    const char quote = skip('"') ? '"' : '\'';
    if (quote == '\'') expect('\'');
    const std::size_t end = rest_.find(quote);
    if (end == rest_.npos) fail("a closing quote");
    const std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return text;
  }
  std::string read_descriptor() {
    if (skip('[')) throw file_error("unsupported items: records with named fields, not plain numbers");
    return quoted();
  }
  bool read_bool() {
    if (skip("True")) return true;
    if (!skip("False")) fail("True or False");
    return false;
  }
  std::vector<std::size_t> read_shape() {
    std::vector<std::size_t> sizes;
    expect('(');
    while (!skip(')')) {
      std::size_t size = 0;
      skip_spaces();
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      if (error != std::errc{}) fail("a size that fits in 64 bits");
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      skip('L');  // Python 2 wrote large sizes so
      sizes.push_back(size);
      if (!skip(',')) {
        expect(')');
        break;
      }
    }
    return sizes;
  }

  std::string_view rest_;
  std::size_t length_;
};

/// The type behind a descriptor such as "<i2" or "|u1". The first character is the byte order.
inline item_type item_type_of(const std::string& descriptor) {
  const std::string_view kind = std::string_view(descriptor).substr(std::min<std::size_t>(1, descriptor.size()));
  for (const item_type_description& known : item_types) {
    if (known.descriptor != kind) continue;
    if (descriptor[0] == '>') {
      throw file_error("big-endian items ('" + descriptor + "'): write the array with array.astype('<" +
                       std::string(kind) + "')");
    }
    if (descriptor[0] == '<' || (descriptor[0] == '|' && known.bytes == 1)) return known.type;
  }
  throw file_error("unsupported item type '" + descriptor +
                   "': use bool, integers of 8 to 64 bits or floats of 16, 32 or 64 bits");
}

/// The bytes that `shape` items take. Throws file_error if that number does not fit in 64 bits.
inline std::size_t bytes_of(const std::vector<std::size_t>& shape, item_type type) {
  std::size_t bytes = describe(type).bytes;
  for (const std::size_t size : shape) {
    if (__builtin_mul_overflow(bytes, size, &bytes)) throw file_error("impossible shape " + shape_text(shape));
  }
  return bytes;
}

/// Decodes the bytes of a .npy file, versions 1.0 to 3.0. Like NumPy, it ignores bytes after the array. Throws
/// file_error if the bytes are not .npy, truncated, big-endian, Fortran-ordered or of an unsupported type.
inline array_file parse_npy(std::span<const std::byte> file) {
  const auto byte_at = [&](std::size_t i) { return static_cast<std::size_t>(file[i]); };
  constexpr std::string_view magic = "\x93NUMPY";
  if (file.size() < magic.size() || std::memcmp(file.data(), magic.data(), magic.size()) != 0) {
    throw file_error("not a .npy file: it does not begin with \\x93NUMPY");
  }
  if (file.size() < 8) throw file_error("truncated: it ends inside the .npy header");
  const std::size_t version = byte_at(6);
  if (version < 1 || version > 3) throw file_error("unsupported .npy version " + std::to_string(version));

  // Version 1 keeps the header's length in two bytes, later ones in four.
  const std::size_t length_bytes = version == 1 ? 2 : 4, header_begin = 8 + length_bytes;
  if (file.size() < header_begin) throw file_error("truncated: it ends inside the .npy header");
  std::size_t header_bytes = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) header_bytes |= byte_at(8 + i) << (8 * i);
  if (file.size() - header_begin < header_bytes) throw file_error("truncated: it ends inside the .npy header");

  const npy_header header({reinterpret_cast<const char*>(file.data()) + header_begin, header_bytes});
  const item_type type = item_type_of(header.descriptor);
  if (header.fortran_order) {
    throw file_error("Fortran-ordered array: write it with numpy.ascontiguousarray(array)");
  }
  const std::size_t wanted = bytes_of(header.shape, type);
  const std::span<const std::byte> items = file.subspan(header_begin + header_bytes);
  if (items.size() < wanted) {
    throw file_error("truncated: shape " + shape_text(header.shape) + " of " + std::string(describe(type).name) +
                     " takes " + std::to_string(wanted) + " bytes, " + std::to_string(items.size()) + " are there");
  }
  return {type, header.shape, {items.begin(), items.begin() + static_cast<std::ptrdiff_t>(wanted)}};
}

/// The whole of a file. Throws file_error without the file's name.
inline std::vector<std::byte> read_bytes(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) throw file_error("cannot be read: " + error.message());
  std::vector<std::byte> bytes(size);
  std::ifstream stream(path, std::ios::binary);
  if (!stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size))) {
    throw file_error("cannot be read: " + std::generic_category().message(errno));
  }
  return bytes;
}

/// Reads a .npy file. Throws file_error, its message beginning with the file's name.
inline array_file read_npy(const std::filesystem::path& path) try {
  return parse_npy(read_bytes(path));
} catch (const file_error& error) {
  throw file_error(path.string() + ": " + error.what());
}

/// The items of a .npy file that must hold `what`: an array of `type` and of shape (n,) or, with columns, (n, columns).
/// A T is an item, or a row. Throws file_error as read_npy does.
template <class T>
std::vector<T> read_items(const std::filesystem::path& path, const std::string& what, item_type type,
                          std::size_t columns = 0) {
  const array_file file = read_npy(path);
  if (file.type != type || file.shape.size() != (columns ? 2 : 1) || (columns && file.shape[1] != columns)) {
    throw file_error(path.string() + ": " + what + " are " + std::string(describe(type).name) + " of shape " +
                     (columns ? "(n, " + std::to_string(columns) + ")" : "(n,)") + ", this is " +
                     std::string(describe(file.type).name) + " " + shape_text(file.shape));
  }
  if (file.count() == 0) throw file_error(path.string() + ": there are no " + what);
  return file.items_as<T>();
}

/// Reads a file that holds nothing but numbers of `type`, little-endian. Throws file_error as read_npy does.
inline array_file read_raw(const std::filesystem::path& path, item_type type) try {
  std::vector<std::byte> bytes = read_bytes(path);
  const std::size_t item_bytes = describe(type).bytes;
  if (bytes.size() % item_bytes != 0) {
    throw file_error("truncated: " + std::to_string(bytes.size()) + " bytes are not a whole number of " +
                     std::string(describe(type).name) + " items");
  }
  return {type, {bytes.size() / item_bytes}, std::move(bytes)};
} catch (const file_error& error) {
  throw file_error(path.string() + ": " + error.what());
}

}  // namespace examples
