// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/io/convert_trained.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "ctq/io/load_weights.hpp"
#include "qat_network.hpp"

using namespace ctq;
using namespace qat_network;

namespace {

struct qnnpack_qat : default_qat_qconfig_mapping<qnnpack> {};
struct fbgemm_qat : default_qat_qconfig_mapping<fbgemm> {};

/// How many integers of the weights, and outputs, differ from those of PyTorch's convert_fx.
template <class Backend, class Mapping>
int differences(const torch_qat::trained& from) {
  const written weights(from.weights);
  const written qparams(from.qparams);
  const auto w = load_weights<net>(weights.path()).value_or_exit();
  const auto model =
      convert_trained<net, Backend, Mapping>(w, load_qparams(qparams.path()).value_or_exit())
          .value_or_exit();
  int different = 0;
  for (std::size_t i = 0; i < std::size(paths); ++i)
    for (const state_tensor& t : model.state().tensors.tensors())
      if (t.name == std::string(paths[i]) + ".weight") {
        REQUIRE(t.size() == from.layers[i].size());
        for (std::size_t k = 0; k < t.size(); ++k)
          different += t.integers.get()[k] != from.layers[i][k] ? 1 : 0;
      }
  tensor<float, 1, 3, 6, 6> x;
  std::ranges::copy(from.input, x.begin());
  const auto y = model(x);
  REQUIRE(y.size == from.output.size());
  for (std::size_t k = 0; k < y.size; ++k) different += y[k] != from.output[k] ? 1 : 0;
  return different;
}

template <class Mapping>
std::string error_with(const named_qparams& given) {
  const written weights(torch_qat::per_tensor.weights);
  const auto w = load_weights<net>(weights.path()).value_or_exit();
  const auto model = convert_trained<net, qnnpack, Mapping>(w, given);
  return model ? "" : model.error().message();
}

}  // namespace

TEST_CASE("a network that PyTorch has trained gives the integers of convert_fx") {
  CHECK(differences<fbgemm, fbgemm_qat>(torch_qat::per_channel) == 0);
  CHECK(differences<qnnpack, qnnpack_qat>(torch_qat::per_tensor) == 0);
}

TEST_CASE("so does one whose scales were learned") {
  CHECK(differences<qnnpack, learned>(torch_qat::learned) == 0);
}

TEST_CASE("what the file of qparams does not have is named") {
  const written file(torch_qat::per_tensor.qparams);
  const auto whole = load_qparams(file.path()).value_or_exit();
  CHECK(error_with<qnnpack_qat>(whole) == "");
  auto less = whole;
  less.values.erase("conv");
  CHECK(error_with<qnnpack_qat>(less) ==
        "node conv: the file of qparams has no scale and zero point of it");
  less = whole;
  less.weights.erase("head.0");
  CHECK(error_with<qnnpack_qat>(less) ==
        "node head.0, weight: the file of qparams has no weight_scale of it");
}

TEST_CASE("invalid scales and zero points are errors with the place") {
  const written file(torch_qat::per_tensor.qparams);
  const auto whole = load_qparams(file.path()).value_or_exit();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float infinite = std::numeric_limits<float>::infinity();
  for (const float scale : {0.0F, -1.0F, nan, infinite}) {
    auto of_value = whole;
    of_value.values["conv"].scale = scale;
    CHECK(error_with<qnnpack_qat>(of_value).starts_with(
        "node conv: in the file of qparams the scale "));
    auto of_weight = whole;
    of_weight.weights["head.0"].scale[0] = scale;
    CHECK(error_with<qnnpack_qat>(of_weight).find("head.0, weight: the scale ") !=
          std::string::npos);
  }
  auto shifted = whole;
  shifted.values["conv"].zero_point = 256;
  CHECK(error_with<qnnpack_qat>(shifted) ==
        "node conv: in the file of qparams the zero point 256 is not in [0, 255]");
}
