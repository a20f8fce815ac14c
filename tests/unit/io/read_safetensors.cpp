// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/io/read_safetensors.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <cstdio>
#include <filesystem>
#include <random>
#include <span>

#include "../death.hpp"
#include "../sanitized.hpp"
#include "ctq/io/write_safetensors.hpp"

namespace {

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto view = std::as_bytes(std::span{text});
  return {view.begin(), view.end()};
}

/// A file with this JSON, followed by data_bytes bytes 0, 1, 2 ...
std::vector<std::byte> file_with(std::string_view json, std::size_t data_bytes) {
  const std::uint64_t length = json.size();
  std::string text(sizeof(length), '\0');
  std::memcpy(text.data(), &length, sizeof(length));
  text += json;
  for (std::size_t i = 0; i < data_bytes; ++i) text += static_cast<char>(i);
  return bytes_of(text);
}

/// "name": {...} of bytes begin to end.
std::string tensor(std::string_view name, std::string_view shape, int begin, int end) {
  return ctq::sentence("\"", name, R"(":{"dtype":"U8","shape":)", shape, R"(,"data_offsets":[)",
                       begin, ",", end, "]}");
}

std::vector<std::byte> valid_file() {
  return file_with(R"({"__metadata__":{"k\u00e9":"\ud83d\ude00"},)"
                   R"("w":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
                   R"("e":{"dtype":"I64","shape":[0,3],"data_offsets":[8,8]},)"
                   R"("s":{"dtype":"U8","shape":[],"data_offsets":[8,9]}}  )",
                   9);
}

TEST_CASE("a file gives its tensors by name") {
  const auto file = ctq::parse_safetensors(valid_file(), "f");
  REQUIRE(file);
  REQUIRE(file->tensors.size() == 3);
  CHECK(file->tensors[0].name == "e");
  CHECK(file->tensors[0].data.empty());
  CHECK(file->find("s")->shape.empty());
  CHECK(file->find("s")->data[0] == std::byte{8});
  CHECK(file->find("w")->dtype == ctq::stored_dtype::f32);
  CHECK(file->find("w")->data[0] == std::byte{0});  // the data begin with it
  CHECK(file->metadata.at("k\xC3\xA9") == "\xF0\x9F\x98\x80");
}

TEST_CASE("tensors keep their data when the file moves") {
  auto first = ctq::parse_safetensors(valid_file(), "f");
  REQUIRE(first);
  const ctq::tensor_file second = std::move(*first);
  CHECK(second.find("s")->data[0] == std::byte{8});
}

TEST_CASE("the header may list tensors in any order") {
  const auto file = ctq::parse_safetensors(
      file_with("{" + tensor("b", "[2]", 3, 5) + "," + tensor("a", "[3]", 0, 3) + "}", 5), "f");
  REQUIRE(file);
  CHECK(file->find("b")->data[0] == std::byte{3});
}

TEST_CASE("a file without tensors is a file") {
  CHECK(ctq::parse_safetensors(file_with("{}", 0), "f"));
}

struct rejected_file {
  std::vector<std::byte> content;
  std::string message;
};

TEST_CASE("a file whose parts disagree is rejected with its place") {
  using namespace std::string_view_literals;
  const std::string two = "{" + tensor("a", "[4]", 0, 4) + "," + tensor("b", "[4]", 4, 8) + "}";
  const rejected_file cases[] = {
      // The length of the header.
      {{}, "f: is empty"},
      {bytes_of("\2\0\0"sv), "f: has 3 bytes, the length of the header takes 8"},
      {bytes_of("\0\0\0\0\0\0\0\0"sv), "f: header byte 0: expected '{', found the end of the"},
      {bytes_of("\3\0\0\0\0\0\0\0{}"sv),
       "f: header of 3 bytes reaches past the end of the file, 10 bytes"},
      {bytes_of("\1\341\365\5\0\0\0\0{}"sv),
       "f: header of 100000001 bytes, at most 100000000 are allowed"},
      {bytes_of("\377\377\377\377\377\377\377\377{}"sv),
       "f: header of 18446744073709551615 bytes, at most 100000000 are allowed"},
      {bytes_of("{\"not\": \"safetensors, but plain JSON\"}"), "bytes, at most 100000000"},
      {file_with("{}x", 0), "f: header byte 2: expected only spaces after the object"},

      // Shapes against offsets.
      {file_with(R"({"fc.weight":{"dtype":"F32","shape":[10,64],"data_offsets":[0,2000]}})", 2000),
       "f: tensor fc.weight: shape [10, 64] of F32 needs 2560 bytes, data_offsets give 2000"},
      {file_with("{" + tensor("a", "[]", 0, 0) + "}", 0),
       "f: tensor a: shape [] of U8 needs 1 bytes, data_offsets give 0"},
      {file_with("{" + tensor("a", "[0]", 0, 1) + "}", 1),
       "f: tensor a: shape [0] of U8 needs 0 bytes, data_offsets give 1"},
      {file_with("{" + tensor("a", "[4294967296,4294967296,4294967296]", 0, 0) + "}", 0),
       "shape [4294967296, 4294967296, 4294967296] of U8 does not fit into 63 bits"},
      {file_with(R"({"a":{"dtype":"F64","shape":[2305843009213693952],"data_offsets":[0,0]}})", 0),
       "shape [2305843009213693952] of F64 does not fit into 63 bits"},
      {file_with("{" + tensor("a", "[1,1,1,1,1,1,1,1,2]", 0, 1) + "}", 1),
       "shape [1, 1, 1, 1, 1, 1, 1, 1, ...] of U8 needs 2 bytes"},

      // Offsets against the data.
      {file_with(two, 7), "f: tensor b: data_offsets [4, 8] reach past the data, 7 bytes"},
      {file_with(R"({"a":{"dtype":"U8","shape":[],"data_offsets":[0,9223372036854775807]}})", 1),
       "data_offsets [0, 9223372036854775807] reach past the data, 1 bytes"},
      {file_with("{" + tensor("a", "[0]", 5, 5) + "}", 4), "[5, 5] reach past the data, 4 bytes"},
      {file_with("{" + tensor("a", "[2]", 3, 1) + "}", 4),
       "f: tensor a: data_offsets [3, 1] end before they begin"},
      {file_with(two, 9), "f: bytes 8 to 9 of the data belong to no tensor"},
      {file_with("{}", 4), "f: bytes 0 to 4 of the data belong to no tensor"},
      {file_with("{" + tensor("a", "[2]", 2, 4) + "}", 4),
       "f: tensor a: bytes 0 to 2 of the data belong to no tensor"},
      {file_with("{" + tensor("a", "[2]", 0, 2) + "," + tensor("b", "[1]", 3, 4) + "}", 4),
       "f: tensor b: bytes 2 to 3 of the data belong to no tensor"},
      {file_with("{" + tensor("a", "[3]", 0, 3) + "," + tensor("b", "[2]", 2, 4) + "}", 4),
       "f: tensor b: data_offsets [2, 4] overlap the tensor before"},
      {file_with("{" + tensor("a", "[4]", 0, 4) + "," + tensor("b", "[4]", 0, 4) + "}", 4),
       "data_offsets [0, 4] overlap the tensor before"},
      {file_with("{" + tensor("a", "[4]", 0, 4) + "," + tensor("b", "[0]", 2, 2) + "}", 4),
       "f: tensor b: data_offsets [2, 2] overlap the tensor before"},

      // Names.
      {file_with("{" + tensor("a", "[2]", 0, 2) + "," + tensor("a", "[2]", 2, 4) + "}", 4),
       "f: tensor a: duplicate name"},
      {file_with("{" + tensor("a", "[2]", 0, 2) + "," + tensor("\\u0061", "[2]", 2, 4) + "}", 4),
       "f: tensor a: duplicate name"},
  };
  for (const auto& [content, message] : cases) {
    CAPTURE(message);
    const auto file = ctq::parse_safetensors(content, "f");
    REQUIRE(!file);
    const std::string said = file.error().message();
    CAPTURE(said);
    CHECK(said.find(message) != said.npos);
  }
}

TEST_CASE("a file that is cut off at any byte is rejected") {
  const std::vector<std::byte> whole = valid_file();
  REQUIRE(ctq::parse_safetensors(whole, "f"));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    // A copy of the exact size, so that a sanitizer sees each byte read past the end.
    const std::vector<std::byte> cut(whole.data(), whole.data() + size);
    CHECK(!ctq::parse_safetensors(cut, "f"));
  }
}

TEST_CASE("changed bytes give a file or an error, and what is accepted can be written again") {
  constexpr int rounds = 20'000;
  const std::vector<std::byte> whole = valid_file();
  std::mt19937 random{20'240'601};
  int accepted = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::byte> changed = whole;
    for (auto n = 1 + random() % 3; n > 0; --n) {
      std::byte& at = changed[random() % changed.size()];
      at = random() % 2 == 0 ? at ^ std::byte(1U << random() % 8) : std::byte(random() % 256);
    }
    const auto file = ctq::parse_safetensors(changed, "f");
    if (!file) continue;
    ++accepted;
    const auto again = ctq::serialize_safetensors(file->tensors, file->metadata);
    REQUIRE(again);
    const auto same = ctq::parse_safetensors(*again, "again");
    REQUIRE(same);
    CHECK(same->tensors == file->tensors);
    CHECK(same->metadata == file->metadata);
  }
  CHECK(accepted > 0);  // bytes of data and of names may change
  CHECK(accepted < rounds);
}

TEST_CASE("what cannot be opened says why") {
  const auto here = std::filesystem::temp_directory_path();
  const auto directory = ctq::read_safetensors(here);
  REQUIRE(!directory);
  CHECK(directory.error().place == here.string());
  CHECK(directory.error().cause == "cannot be opened: Is a directory");

  const auto missing = ctq::read_safetensors(here / "ctq-no-such-file.safetensors");
  REQUIRE(!missing);
  CHECK(missing.error().cause == "cannot be opened: No such file or directory");

  CHECK(!ctq::read_safetensors(""));
  CHECK(!ctq::read_safetensors("/dev/zero"));  // not a regular file: it has no end
}

TEST_CASE("a file that is shorter than the system says is an error") {
  const std::string path = "/sys/devices/system/cpu/online";  // "4096 bytes"
  if (!std::filesystem::exists(path)) return;
  CHECK(ctq::read_safetensors(path).error().message() == path + ": cannot be read to its end");
}

#if !CTQ_TEST_SANITIZED  // sanitizers take memory of their own
TEST_CASE("a file for which there is no memory is an error") {
  constexpr std::size_t size = std::size_t{1} << 32;
  const auto path = std::filesystem::temp_directory_path() / "ctq-large.safetensors";
  REQUIRE(ctq::write_safetensors(path, {}));
  std::filesystem::resize_file(path, size);  // without blocks on the disk
  const death d = death_of([&] {
    const rlimit limit{size / 2, RLIM_INFINITY};
    if (::setrlimit(RLIMIT_AS, &limit) != 0) return;
    std::fputs(ctq::read_safetensors(path).error().cause.c_str(), stderr);
  });
  std::filesystem::remove(path);
  CHECK(d.said == "no memory for 4294967296 bytes");
}
#endif

TEST_CASE("a file that may not be read says so") {
  const auto path = std::filesystem::temp_directory_path() / "ctq-unreadable.safetensors";
  REQUIRE(ctq::write_safetensors(path, {}));
  std::filesystem::permissions(path, std::filesystem::perms::none);
  const auto file = ctq::read_safetensors(path);
  std::filesystem::remove(path);
  // The superuser reads it all the same.
  if (!file) CHECK(file.error().cause == "cannot be opened: Permission denied");
}

}  // namespace
