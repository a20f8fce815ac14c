// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/io/save_quantized.hpp"

#include <doctest/doctest.h>

#include "quantized_net.hpp"

using namespace ctq;
using namespace quantized_net;

TEST_CASE("a file has the parameters in PyTorch's layouts, qparams and what it is of") {
  const temporary_file path;
  REQUIRE(example().model.save(path.name()));
  const auto file = read_safetensors(path.name());
  REQUIRE(file);
  std::string names;
  for (const stored_tensor& t : file->tensors) names += t.name + " ";
  CHECK(names.starts_with("conv1.bias conv1.output_scale conv1.output_zero_point conv1.weight "));
  const stored_tensor& weight = *file->find("conv2.weight");
  CHECK(weight.dtype == stored_dtype::i8);
  CHECK(weight.shape == std::vector<std::int64_t>{10, 2, 1, 3});
  CHECK(file->find("x.output_scale") != nullptr);
  CHECK(file->metadata.at("format") == "ctq int8 model 1");
  CHECK(file->metadata.at("ctq.version") == version);
  CHECK(file->metadata.at("ctq.backend") == "x86");
  CHECK(file->metadata.at("ctq.semantics") == "torch_2_1");
  CHECK(file->metadata.at("ctq.qconfig_mapping")
            .starts_with("global: MinMaxObserver(), weight PerChannel"));
  CHECK(file->metadata.at("ctq.steps").find("\nconv1: conv2d+relu, ") != std::string::npos);
}

TEST_CASE("every instruction set saves the same bytes") {
  const temporary_file native, scalar;
  REQUIRE(example().model.save(native.name()));
  const auto portable = quantized_model<net_plan, isa::scalar>::make(example().model.state());
  REQUIRE(portable);
  REQUIRE(portable->save(scalar.name()));
  CHECK(bytes_of(native.name()) == bytes_of(scalar.name()));
}

TEST_CASE("a model that was loaded has no parameters to save") {
  const temporary_file path;
  REQUIRE(example().model.save(path.name()));
  const auto loaded = load_quantized<net_plan>(path.name());
  REQUIRE(loaded);
  const status saved = loaded->save(path.name() + ".copy");
  REQUIRE_FALSE(saved);
  CHECK(saved.error().cause == "this model was loaded: copy the file that it was loaded from");
}
