// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/io/write_safetensors.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <filesystem>
#include <random>
#include <span>

#include "ctq/io/read_safetensors.hpp"

namespace {

using namespace std::string_literals;

std::string text_of(const std::vector<std::byte>& bytes) {
  std::string text(bytes.size(), '\0');
  if (!bytes.empty()) std::memcpy(text.data(), bytes.data(), bytes.size());
  return text;
}

TEST_CASE("the bytes are those of huggingface/safetensors") {
  const std::vector<float> values{0, 1, 2, 3, 4, 5};
  const ctq::stored_tensor attn[] = {ctq::to_store<float>("attn0", {1, 1, 2, 3}, values)};
  const auto content = ctq::serialize_safetensors(attn);
  REQUIRE(content);
  const std::string header =
      R"({"attn0":{"dtype":"F32","shape":[1,1,2,3],"data_offsets":[0,24]}}       )";
  REQUIRE(header.size() == 72);
  CHECK(text_of(*content).substr(0, 80) == "\x48\0\0\0\0\0\0\0"s + header);
  CHECK(std::ranges::equal(std::span{*content}.subspan(80), attn[0].data));

  const auto empty = ctq::serialize_safetensors({});
  REQUIRE(empty);
  CHECK(text_of(*empty) == "\x08\0\0\0\0\0\0\0{}      "s);

  const auto metadata = ctq::serialize_safetensors({}, {{"framework", "pt"}});
  REQUIRE(metadata);
  CHECK(text_of(*metadata) == "\x28\0\0\0\0\0\0\0{\"__metadata__\":{\"framework\":\"pt\"}}     "s);
}

TEST_CASE("what is written is read back equal, whatever the order") {
  const std::vector<double> wide{1.0 / 3, -0.0};
  const std::vector<std::int8_t> narrow{-128, 0, 127};
  const std::vector<std::int64_t> steps{42};
  const std::vector<ctq::stored_tensor> tensors = {
      ctq::to_store<std::int8_t>("fc.weight", {3, 1}, narrow),
      ctq::to_store<double>("scale", {2}, wide),
      ctq::to_store<std::int64_t>("steps", {}, steps),
      ctq::to_store<float>("none", {4, 0}, {}),
  };
  const ctq::metadata_map metadata = {{"plan", "\"\\\n\x01\x7F"}, {"\xF0\x9F\x98\x80", ""}};
  const auto content = ctq::serialize_safetensors(tensors, metadata);
  REQUIRE(content);
  const auto file = ctq::parse_safetensors(*content, "f");
  REQUIRE(file);
  CHECK(file->metadata == metadata);
  REQUIRE(file->tensors.size() == tensors.size());
  for (const ctq::stored_tensor& t : tensors) {
    REQUIRE(file->find(t.name) != nullptr);
    CHECK(*file->find(t.name) == t);
  }

  const std::vector<ctq::stored_tensor> reversed(tensors.rbegin(), tensors.rend());
  CHECK(*ctq::serialize_safetensors(reversed, metadata) == *content);
}

TEST_CASE("every tensor is aligned to its elements, in the file and in memory") {
  const std::vector<std::uint8_t> one{1};
  const std::vector<std::uint16_t> two{2};
  const std::vector<double> eight{8};
  const ctq::stored_tensor tensors[] = {ctq::to_store<std::uint8_t>("a", {1}, one),
                                        ctq::to_store<std::uint16_t>("b", {1}, two),
                                        ctq::to_store<double>("c", {1}, eight)};
  for (std::size_t extra = 0; extra < 8; ++extra) {
    const auto content = ctq::serialize_safetensors(tensors, {{"pad", std::string(extra, '-')}});
    REQUIRE(content);
    const std::size_t data = content->size() - 11;
    CHECK(data % 8 == 0);
    const auto file = ctq::parse_safetensors(*content, "f");
    REQUIRE(file);
    for (const ctq::stored_tensor& t : file->tensors)
      CHECK(std::bit_cast<std::uintptr_t>(t.data.data()) % ctq::size_of(t.dtype) == 0);
  }
}

TEST_CASE("names of any characters survive") {
  std::mt19937 random{7};
  for (int round = 0; round < 500; ++round) {
    std::string name;
    for (auto n = random() % 20; n > 0; --n) {
      const std::uint32_t most[] = {0x20, 0x80, 0x800, 0x110000};
      const auto c = static_cast<std::uint32_t>(random() % most[random() % 4]);
      ctq::json::append_utf8(name, c >= 0xD800 && c < 0xE000 ? 'x' : c);
    }
    const ctq::stored_tensor tensors[] = {{name, ctq::stored_dtype::u8, {0}, {}}};
    const auto content = ctq::serialize_safetensors(tensors, {{name, name}});
    REQUIRE(content);
    const auto file = ctq::parse_safetensors(*content, "f");
    REQUIRE(file);
    CHECK(file->tensors.at(0).name == name);
    CHECK(file->metadata.at(name) == name);
  }
}

TEST_CASE("what the format cannot hold is rejected") {
  using ctq::stored_dtype;
  const std::vector<std::byte> data(8);
  struct rejected_tensors {
    std::vector<ctq::stored_tensor> tensors;
    std::string message;
  };
  const rejected_tensors cases[] = {
      {{{"w", stored_dtype::f32, {3}, data}},
       "tensor w: shape [3] of F32 needs 12 bytes, the data have 8"},
      {{{"w", stored_dtype::f32, {1}, data}},
       "tensor w: shape [1] of F32 needs 4 bytes, the data have 8"},
      {{{"w", stored_dtype::u8, {-8}, data}},
       "tensor w: shape [-8] is negative or does not fit into 63 bits"},
      {{{"w", stored_dtype::u8, {INT64_MAX, 2}, data}}, "is negative or does not fit"},
      {{{"w", stored_dtype::u8, {8}, data}, {"w", stored_dtype::f64, {}, data}},
       "tensor w: duplicate name"},
      {{{"__metadata__", stored_dtype::u8, {8}, data}},
       "tensor __metadata__: the name is reserved by the format"},
      {{{"\xFF", stored_dtype::u8, {8}, data}}, R"(tensor \xff: the name is not UTF-8)"},
  };
  for (const auto& [tensors, message] : cases) {
    CAPTURE(message);
    const auto content = ctq::serialize_safetensors(tensors);
    REQUIRE(!content);
    const std::string said = content.error().message();
    CAPTURE(said);
    CHECK(said.find(message) != said.npos);
  }
  const auto key = ctq::serialize_safetensors({}, {{"k", "\xC3"}});
  REQUIRE(!key);
  CHECK(key.error().message() == "metadata k: is not UTF-8");
}

TEST_CASE("a file on disk is read back, and kept when the new one cannot be written") {
  const auto path = std::filesystem::temp_directory_path() / "ctq-write.safetensors";
  const std::vector<float> values{1, 2};
  const ctq::stored_tensor good[] = {ctq::to_store<float>("w", {2}, values)};
  REQUIRE(ctq::write_safetensors(path, good, {{"k", "v"}}));

  const ctq::stored_tensor bad[] = {ctq::to_store<float>("w", {3}, values)};
  const auto refused = ctq::write_safetensors(path, bad);
  REQUIRE(!refused);
  CHECK(refused.error().place == path.string() + ": tensor w");

  const auto file = ctq::read_safetensors(path);
  REQUIRE(file);
  CHECK(file->tensors.size() == 1);
  CHECK(*file->find("w") == good[0]);
  CHECK(file->metadata.at("k") == "v");

  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  const auto cut = ctq::read_safetensors(path);
  REQUIRE(!cut);
  CHECK(cut.error().message() ==
        path.string() + ": tensor w: data_offsets [0, 8] reach past the data, 7 bytes");
  std::filesystem::remove(path);
}

TEST_CASE("a file that cannot be written says why") {
  const auto missing = std::filesystem::temp_directory_path() / "ctq-no-such-folder" / "w";
  const auto nowhere = ctq::write_safetensors(missing, {});
  REQUIRE(!nowhere);
  CHECK(nowhere.error().message() ==
        missing.string() + ": cannot be opened: No such file or directory");

  if (std::filesystem::exists("/dev/full")) {
    const auto full = ctq::write_safetensors("/dev/full", {});
    REQUIRE(!full);
    CHECK(full.error().message() == "/dev/full: cannot be written: No space left on device");
  }
}

}  // namespace
