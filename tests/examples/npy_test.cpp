// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The examples' reader of NumPy's format, fed from memory: right files of each kind, and each way to be wrong.
#include "../../examples/common/npy.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

using examples::item_type;

// A .npy file: `header` without padding, as a person would write it, then `payload`.
std::vector<std::byte> npy_file(const std::string& header, const std::string& payload, int version = 1) {
  std::string file = "\x93NUMPY";
  file += {static_cast<char>(version), 0};
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) file += static_cast<char>((header.size() >> (8 * i)) & 0xff);
  file += header + payload;
  const auto* bytes = reinterpret_cast<const std::byte*>(file.data());
  return {bytes, bytes + file.size()};
}

std::string bytes_of(const auto&... items) {
  std::string bytes;
  (bytes.append(reinterpret_cast<const char*>(&items), sizeof items), ...);
  return bytes;
}

std::string header_of(const std::string& descriptor, const std::string& shape, const std::string& order = "False") {
  return "{'descr': '" + descriptor + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

// What parse_npy says of a file that it must refuse.
std::string error_of(const std::vector<std::byte>& file) {
  try {
    examples::parse_npy(file);
  } catch (const examples::file_error& error) {
    return error.what();
  }
  return "no error";
}

std::string error_of(const std::string& header, const std::string& payload = {}) {
  return error_of(npy_file(header, payload));
}

TEST(npy, reads_items_in_order) {
  const auto file = npy_file(header_of("<i2", "(3,)"), bytes_of(std::int16_t{-5}, std::int16_t{0}, std::int16_t{700}));
  const examples::array_file array = examples::parse_npy(file);
  EXPECT_EQ(array.type, item_type::int16);
  EXPECT_EQ(array.shape, std::vector<std::size_t>{3});
  EXPECT_EQ(array.count(), 3u);
  EXPECT_EQ(array.items_as<std::int16_t>(), (std::vector<std::int16_t>{-5, 0, 700}));
}

TEST(npy, reads_every_type) {
  for (const examples::item_type_description& known : examples::item_types) {
    const std::string order = known.bytes == 1 ? "|" : "<";
    const auto file =
        npy_file(header_of(order + std::string(known.descriptor), "(2,)"), std::string(2 * known.bytes, 1));
    const examples::array_file array = examples::parse_npy(file);
    EXPECT_EQ(array.type, known.type) << known.name;
    EXPECT_EQ(array.bytes.size(), 2 * known.bytes) << known.name;
    EXPECT_EQ(examples::describe(known.type).name, known.name);
    EXPECT_EQ(examples::item_type_named(known.name), known.type);
  }
  EXPECT_EQ(examples::item_type_named("float128"), std::nullopt);
}

TEST(npy, reads_every_version) {
  for (const int version : {1, 2, 3}) {
    const examples::array_file array = examples::parse_npy(npy_file(header_of("<f4", "(1,)"), bytes_of(2.5f), version));
    EXPECT_EQ(array.items_as<float>(), std::vector<float>{2.5f}) << version;
  }
}

TEST(npy, reads_every_shape) {
  const auto shape_read = [](const std::string& shape, std::size_t items) {
    return examples::parse_npy(npy_file(header_of("|u1", shape), std::string(items, 7))).shape;
  };
  EXPECT_EQ(shape_read("()", 1), std::vector<std::size_t>{});
  EXPECT_EQ(shape_read("(0,)", 0), std::vector<std::size_t>{0});
  EXPECT_EQ(shape_read("(2, 3)", 6), (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(shape_read("(2L, 3L,)", 6), (std::vector<std::size_t>{2, 3}));
}

TEST(npy, accepts_any_key_order_quotes_and_spaces) {
  const std::string header = "{ \"shape\":(1,),'fortran_order' :False,  'descr':\"|i1\"}   \n";
  EXPECT_EQ(examples::parse_npy(npy_file(header, bytes_of(std::int8_t{-1}))).items_as<std::int8_t>()[0], -1);
}

TEST(npy, ignores_what_follows_the_array) {
  const examples::array_file array = examples::parse_npy(npy_file(header_of("|u1", "(2,)"), "abcdef"));
  EXPECT_EQ(array.items_as<char>(), (std::vector<char>{'a', 'b'}));
}

TEST(npy, refuses_what_is_not_npy) {
  const std::string expected = "not a .npy file: it does not begin with \\x93NUMPY";
  const std::string text = "delay,distance\n";
  EXPECT_EQ(error_of(std::vector<std::byte>{}), expected);
  EXPECT_EQ(error_of(std::vector<std::byte>(reinterpret_cast<const std::byte*>(text.data()),
                                            reinterpret_cast<const std::byte*>(text.data()) + text.size())),
            expected);
}

TEST(npy, refuses_every_truncation) {
  const auto whole = npy_file(header_of("<i4", "(2,)"), bytes_of(1, 2));
  EXPECT_EQ(error_of(whole), "no error");
  for (std::size_t size = 6; size < whole.size(); ++size) {
    const std::vector<std::byte> part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(error_of(part).substr(0, 10), "truncated:") << size;
  }
  EXPECT_EQ(error_of(header_of("<i4", "(2,)"), "1234567"), "truncated: shape (2,) of int32 takes 8 bytes, 7 are there");
}

TEST(npy, refuses_big_endian) {
  EXPECT_EQ(error_of(header_of(">f4", "(1,)"), "1234"),
            "big-endian items ('>f4'): write the array with array.astype('<f4')");
}

TEST(npy, refuses_fortran_order) {
  EXPECT_EQ(error_of(header_of("<f4", "(1, 1)", "True"), "1234"),
            "Fortran-ordered array: write it with numpy.ascontiguousarray(array)");
}

TEST(npy, refuses_other_types) {
  for (const char* descriptor : {"<c8", "<f16", "|S4", "<U3", "|O", "<M8[ns]", "<i3", "", "<", "i4", "=i4"}) {
    EXPECT_EQ(error_of(header_of(descriptor, "(1,)"), std::string(64, 0)).substr(0, 23), "unsupported item type '")
        << descriptor;
  }
  EXPECT_EQ(error_of("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,), }", "1234"),
            "unsupported items: records with named fields, not plain numbers");
}

TEST(npy, refuses_other_versions) {
  EXPECT_EQ(error_of(npy_file(header_of("|u1", "(1,)"), "a", 4)), "unsupported .npy version 4");
  EXPECT_EQ(error_of(npy_file(header_of("|u1", "(1,)"), "a", 0)), "unsupported .npy version 0");
}

TEST(npy, refuses_damaged_headers) {
  for (const char* header : {"", "{", "{}", "{'descr'}", "{'descr: '<f4'", "{'descr': '<f4', 'shape': (1,)}",
                             "'descr': '<f4'", "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': 1}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}"}) {
    EXPECT_EQ(error_of(header, "1234").substr(0, 30), "damaged .npy header: expected ") << header;
  }
}

TEST(npy, refuses_shapes_past_64_bits) {
  EXPECT_EQ(error_of(header_of("<f8", "(4294967296, 4294967296)")), "impossible shape (4294967296, 4294967296)");
  EXPECT_EQ(error_of(header_of("<f8", "(2305843009213693952,)")), "impossible shape (2305843009213693952,)");
}

TEST(npy, names_the_file_in_errors) {
  EXPECT_THROW(
      {
        try {
          examples::read_npy("no/such/file.npy");
        } catch (const examples::file_error& error) {
          EXPECT_STREQ(error.what(), "no/such/file.npy: cannot be read: No such file or directory");
          throw;
        }
      },
      examples::file_error);
}

TEST(npy, reads_raw_numbers) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "warpfold_npy_test_raw.bin";
  std::ofstream(path, std::ios::binary) << bytes_of(1.5f, -2.0f);
  EXPECT_EQ(examples::read_raw(path, item_type::float32).items_as<float>(), (std::vector<float>{1.5f, -2.0f}));
  EXPECT_EQ(examples::read_raw(path, item_type::uint8).shape, std::vector<std::size_t>{8});
  std::ofstream(path, std::ios::binary | std::ios::app) << "x";
  EXPECT_THROW(examples::read_raw(path, item_type::float32), examples::file_error);
  std::filesystem::remove(path);
}

TEST(npy, writes_shapes_as_python_does) {
  EXPECT_EQ(examples::shape_text({}), "()");
  EXPECT_EQ(examples::shape_text({3}), "(3,)");
  EXPECT_EQ(examples::shape_text({2, 3}), "(2, 3)");
}

}  // namespace
