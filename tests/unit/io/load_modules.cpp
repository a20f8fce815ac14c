// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/io/load_modules.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string_view>
#include <vector>

#include "ctq/io/read_fx.hpp"
#include "ctq/io/write_safetensors.hpp"

namespace {

using ctq::float_ops::list;
using ctq::float_ops::tensor;

constexpr std::string_view rows = R"([
  {"name": "x", "op": "placeholder", "target": "x", "args": []},
  {"name": "body_conv", "op": "call_module", "target": "body.conv", "args": [{"n": "x"}],
   "module": {"type": "nn.Conv2d", "kernel_size": [1, 3], "stride": 2, "bias": false,
              "padding_mode": "zeros"}},
  {"name": "offset", "op": "get_attr", "target": "body.offset", "args": []},
  {"name": "add", "op": "call_function", "target": "operator.add",
   "args": [{"n": "body_conv"}, {"n": "offset"}]},
  {"name": "output", "op": "output", "target": "output", "args": [{"n": "add"}]}])";

const std::vector<float> taps{1.0F, 2.0F, 3.0F};
const std::vector<double> offset{0.1};
const std::vector<std::int64_t> batches{7};

ctq::tensor_file in_memory(std::vector<ctq::stored_tensor> tensors) {
  return {nullptr, std::move(tensors), {}};
}

/// The value of that name among those of the convolution.
const ctq::float_ops::value* of_conv(const ctq::module_state& modules, std::string_view name) {
  static std::vector<ctq::float_ops::named_value> all;
  all = modules.attributes_of("body.conv");
  return ctq::find(all, name);
}

}  // namespace

TEST_CASE("an attribute of integers, which the file has as floats, is indices") {
  const auto model = ctq::read_fx(R"([
    {"name": "order", "op": "get_attr", "target": "order", "args": [], "dtype": "int64"},
    {"name": "scale", "op": "get_attr", "target": "scale", "args": [], "dtype": "float32"},
    {"name": "output", "op": "output", "target": "output", "args": [{"n": "order"}]}])");
  REQUIRE(model.has_value());
  CHECK(model->view()[0].dtype == ctq::i64);
  CHECK(model->view()[1].dtype == ctq::f32);
  const auto modules =
      ctq::modules_of(*model, in_memory({ctq::to_store<float>("order", {3}, taps),
                                         ctq::to_store<float>("scale", {3}, taps)}));
  REQUIRE(modules.has_value());
  CHECK(modules->find("order")->get_if<ctq::float_ops::index_tensor>()->data ==
        std::vector<std::int64_t>{1, 2, 3});
  CHECK(modules->find("scale")->is<tensor>());
}

TEST_CASE("an input of integers is no tensor of the file") {
  const auto model = ctq::read_fx(R"([
    {"name": "ids", "op": "placeholder", "target": "ids", "args": [], "dtype": "int64"},
    {"name": "output", "op": "output", "target": "output", "args": [{"n": "ids"}]}])");
  REQUIRE(model.has_value());
  CHECK(model->view()[0].dtype == ctq::i64);
  const auto modules = ctq::modules_of(*model, in_memory({}));
  REQUIRE(modules.has_value());
  CHECK(modules->find("ids") == nullptr);
}

TEST_CASE("modules have the options of their rows and the tensors of the file") {
  const auto model = ctq::read_fx(rows);
  REQUIRE(model.has_value());
  const auto modules = ctq::modules_of(
      *model, in_memory({ctq::to_store<float>("body.conv.weight", {1, 1, 1, 3}, taps),
                         ctq::to_store<std::int64_t>("body.bn.num_batches_tracked", {}, batches),
                         ctq::to_store<double>("body.offset", {1}, offset)}));
  REQUIRE(modules.has_value());
  const list& kernel = *of_conv(*modules, "kernel_size")->get_if<list>();
  REQUIRE(kernel.size() == 2);
  CHECK(kernel[1].is_same(3));
  CHECK(of_conv(*modules, "stride")->is_same(2));
  CHECK(of_conv(*modules, "bias")->is_same(false));
  CHECK(of_conv(*modules, "padding_mode")->is_same("zeros"));
  CHECK(of_conv(*modules, "weight")->get_if<tensor>()->data == taps);
  CHECK(modules->find("body.offset")->get_if<tensor>()->data[0] == 0.1F);
  const auto* counter =
      modules->find("body.bn.num_batches_tracked")->get_if<ctq::float_ops::index_tensor>();
  REQUIRE(counter != nullptr);
  CHECK(counter->shape.empty());
  CHECK(counter->data == batches);
}

TEST_CASE("an attribute that the file lacks is named with the node that reads it") {
  const auto model = ctq::read_fx(rows);
  const auto modules = ctq::modules_of(
      *model, in_memory({ctq::to_store<float>("body.conv.weight", {1, 1, 1, 3}, taps)}));
  REQUIRE(!modules.has_value());
  CHECK(modules.error().message() ==
        "node offset: reads body.offset, which is not among the tensors");
}

TEST_CASE("a weight that the file lacks is named with the node that needs it") {
  const auto model = ctq::read_fx(rows);
  const auto modules =
      ctq::modules_of(*model, in_memory({ctq::to_store<double>("body.offset", {1}, offset)}));
  REQUIRE(!modules.has_value());
  CHECK(modules.error().message() ==
        "node body_conv: needs body.conv.weight, which is not among the tensors");
}

TEST_CASE("a mask is numbers, 0 and 1, as comparisons give") {
  const std::vector<std::uint8_t> bytes{1, 0, 1};
  ctq::stored_tensor mask = ctq::to_store<std::uint8_t>("mask", {3}, bytes);
  mask.dtype = ctq::stored_dtype::boolean;
  const auto value = ctq::value_of(mask);
  REQUIRE(value.has_value());
  REQUIRE(value->is<tensor>());
  CHECK(value->get_if<tensor>()->shape == ctq::float_ops::extents{3});
  CHECK(value->get_if<tensor>()->data == std::vector<float>{1, 0, 1});
}

TEST_CASE("a tensor of another type is rejected by name") {
  ctq::stored_tensor half{"body.offset", ctq::stored_dtype::f16, {0}, {}};
  const auto model = ctq::read_fx(rows);
  const auto modules = ctq::modules_of(*model, in_memory({half}));
  REQUIRE(!modules.has_value());
  CHECK(modules.error().message() ==
        "tensor body.offset: holds F16; F32, F64, BOOL and integers can be evaluated");
}

TEST_CASE("a tensor without elements may still have an extent that is too large") {
  const ctq::stored_tensor empty{"body.offset", ctq::stored_dtype::f32, {3'000'000'000, 0}, {}};
  const auto model = ctq::read_fx(rows);
  const auto modules = ctq::modules_of(*model, in_memory({empty}));
  REQUIRE(!modules.has_value());
  CHECK(modules.error().message() == "tensor body.offset: an extent is larger than any model's");
}

TEST_CASE("a file is read whole, and errors name it") {
  const auto path = std::filesystem::temp_directory_path() / "ctq-test-load-modules.safetensors";
  std::vector<ctq::stored_tensor> tensors{
      ctq::to_store<double>("body.offset", {1}, offset),
      ctq::to_store<float>("body.conv.weight", {1, 1, 1, 3}, taps)};
  REQUIRE(ctq::write_safetensors(path, tensors).has_value());
  const auto model = ctq::read_fx(rows);
  CHECK(ctq::load_modules(*model, path).has_value());
  tensors[0].name = "offset";
  REQUIRE(ctq::write_safetensors(path, tensors).has_value());
  CHECK(ctq::load_modules(*model, path).error().message() ==
        "ctq-test-load-modules.safetensors: node offset: reads body.offset, which is not among the "
        "tensors");
  std::filesystem::remove(path);
}

TEST_CASE("a finite number beyond float32 is rejected") {
  const auto model = ctq::read_fx(rows);
  for (const double number : {1e300, -1e300}) {
    const std::vector<double> huge{number};
    const auto modules =
        ctq::modules_of(*model, in_memory({ctq::to_store<double>("body.offset", {1}, huge)}));
    REQUIRE(!modules.has_value());
    CHECK(modules.error().message() ==
          "tensor body.offset: holds a number that float32 does not reach");
  }
}
