// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/io/load_quantized.hpp"

#include <doctest/doctest.h>

#include "../runtime/packing/gain_module.hpp"
#include "quantized_net.hpp"

using namespace ctq;
using namespace quantized_net;

namespace {

std::string error_in(const std::string& path) {
  const auto loaded = load_quantized<net_plan>(path);
  return loaded ? "" : loaded.error().message();
}

}  // namespace

TEST_CASE("a loaded model gives the bytes of the one that was saved") {
  const temporary_file path;
  REQUIRE(example().model.save(path.name()));
  const auto loaded = load_quantized<net_plan>(path.name());
  REQUIRE(loaded);
  CHECK(std::ranges::equal(loaded->qparams(), example().model.qparams()));
  CHECK((*loaded)(example().input).values == example().model(example().input).values);
}

TEST_CASE("a custom module is saved and loaded in its quantized form") {
  std::vector<tensor<float, 1, 3>> floats;
  const auto int8 = convert(gain_module::calibrated_model(floats)).value_or_exit();
  const temporary_file path;
  REQUIRE(int8.save(path.name()));
  const auto file = read_safetensors(path.name());
  REQUIRE(file);
  CHECK(file->find("gain.gain") == nullptr);
  CHECK(file->find("gain.log2_gain") == nullptr);
  const stored_tensor* const factor = file->find("gain.factor");
  REQUIRE(factor != nullptr);
  const custom_module_tensors made_from = gain_module::gain_functions::seen;
  CHECK(values_of<float>(*factor).value_or_exit() ==
        std::vector<float>{4.0F * made_from.inputs[0].scale / made_from.outputs[0].scale});

  // Loading calls no function of the user.
  gain_module::gain_functions::seen = {};
  const auto loaded = load_quantized<gain_module::planned>(path.name());
  REQUIRE(loaded);
  CHECK(gain_module::gain_functions::seen.path.empty());
  CHECK(std::ranges::equal(loaded->qparams(), int8.qparams()));
  for (int i = 0; i < 8; ++i)
    CHECK((*loaded)(gain_module::sample(i)).values == int8(gain_module::sample(i)).values);
}

TEST_CASE("a file that is part of the program is loaded from memory") {
  const temporary_file path;
  REQUIRE(example().model.save(path.name()));
  std::vector<char> bytes = bytes_of(path.name());
  bytes.insert(bytes.begin(), 'x');  // floats need not be aligned
  const auto file = std::as_bytes(std::span<const char>(bytes)).subspan(1);
  const auto loaded = load_quantized<net_plan>(file);
  REQUIRE(loaded);
  CHECK((*loaded)(example().input).values == example().model(example().input).values);
}

TEST_CASE("qparams whose integers do not fill the dtype's range come back") {
  auto state = example().model.state();
  for (qparams& q : state.qparams) q = {q.scale, 60, 0, 127};
  const auto narrow = quantized_model<net_plan>::make(state);
  REQUIRE(narrow);
  const temporary_file path;
  REQUIRE(narrow->save(path.name()));
  const auto loaded = load_quantized<net_plan>(path.name());
  REQUIRE(loaded);
  CHECK(std::ranges::equal(loaded->qparams(), state.qparams));
}

TEST_CASE("a file that is cut off anywhere is an error") {
  const temporary_file path;
  REQUIRE(example<mlp_plan>().model.save(path.name()));
  const std::vector<char> whole = bytes_of(path.name());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto file = std::as_bytes(std::span<const char>(whole)).first(size);
    CAPTURE(size);
    REQUIRE_FALSE(load_quantized<mlp_plan>(file));
  }
}

TEST_CASE("a flipped bit anywhere is an error") {
  const temporary_file path;
  REQUIRE(example<mlp_plan>().model.save(path.name()));
  std::vector<char> bytes = bytes_of(path.name());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      const char before = bytes[i];
      bytes[i] = static_cast<char>(bytes[i] ^ (1 << bit));
      const auto loaded = load_quantized<mlp_plan>(std::as_bytes(std::span<const char>(bytes)));
      bytes[i] = before;
      CAPTURE(i);
      CAPTURE(bit);
      REQUIRE_FALSE(loaded);
      REQUIRE(loaded.error().place.starts_with("embedded model"));
    }
  }
  bytes.back() = static_cast<char>(bytes.back() ^ 1);  // the data come last
  CHECK(load_quantized<mlp_plan>(std::as_bytes(std::span<const char>(bytes))).error().message() ==
        "embedded model: checksum: does not match the contents: the file was changed or damaged");
}

TEST_CASE("a tensor without elements may still have an extent that is too large") {
  const stored_tensor empty{"fc.weight", stored_dtype::f32, {3'000'000'000, 0}, {}};
  CHECK(quantized_file::state_tensor_of(empty, nullptr).error().message() ==
        "tensor fc.weight: an extent is larger than any model's");
}

TEST_CASE("a file of another plan says what differs") {
  const temporary_file path;
  REQUIRE(example().model.save(path.name()));
  struct edge : backend_config<"edge", x86::config_list> {};
  const auto backend = load_quantized<plan<small::net, edge, small::int8>>(path.name());
  REQUIRE_FALSE(backend);
  CHECK(backend.error().place == path.name() + ": metadata \"ctq.backend\"");
  CHECK(backend.error().cause ==
        "the file is of another plan: line 1 is \"x86\" in the file, \"edge\" in the plan");
  const auto mapping = load_quantized<plan<small::net, x86, small::per_tensor>>(path.name());
  REQUIRE_FALSE(mapping);
  CHECK(mapping.error().place == path.name() + ": metadata \"ctq.qconfig_mapping\"");
  const auto network = load_quantized<plan<small::mlp, x86, small::int8>>(path.name());
  REQUIRE_FALSE(network);
  CHECK(network.error().place == path.name() + ": metadata \"ctq.steps\"");
  CHECK(network.error().cause.find("in the file, \"0: quantize") == std::string::npos);
  const auto sums = load_quantized<net_plan>(path.name(), add_within_one_step);
  REQUIRE_FALSE(sums);
  CHECK(sums.error().cause.find("add_within_one_step") != std::string::npos);
}

TEST_CASE("what is no int8 model is an error that says so") {
  const temporary_file path;
  const float one = 1.0F;
  const stored_tensor tensors[] = {to_store<float>("w", {}, {&one, 1})};
  REQUIRE(write_safetensors(path.name(), tensors, {{"format", "pt"}}));
  CHECK(error_in(path.name()) ==
        path.name() +
            ": metadata \"format\": is \"pt\", not \"ctq int8 model 1\": no int8 model that this "
            "release of ctq saves");
  CHECK(error_in("/nonexistent/model.safetensors").find("cannot be opened") != std::string::npos);
}

TEST_CASE("a tensor that is missing is named, also if the checksum is right") {
  const temporary_file path;
  REQUIRE(example().model.save(path.name()));
  const auto file = read_safetensors(path.name());
  REQUIRE(file);
  for (const std::string name : {"conv1.weight", "fc.bias", "x.output_scale"}) {
    std::vector<stored_tensor> rest;
    for (const stored_tensor& t : file->tensors)
      if (t.name != name) rest.push_back(t);
    metadata_map metadata = file->metadata;
    metadata["ctq.checksum"] = quantized_file::checksum_of(rest, metadata);
    REQUIRE(write_safetensors(path.name(), rest, metadata));
    CHECK(error_in(path.name()) == path.name() + ": tensor " + name + ": is missing");
  }
}
