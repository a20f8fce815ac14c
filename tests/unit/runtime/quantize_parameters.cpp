// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/quantize_parameters.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "small_net.hpp"

namespace {

using namespace ctq;
using plan_of_net = plan<small::net, x86, small::int8>;

std::string names_of(const state_dict& d) {
  std::string all;
  for (const state_tensor& t : d.tensors()) all += t.name + " ";
  return all;
}

}  // namespace

TEST_CASE("layers have integers, scales and a bias; folded batch norms are gone") {
  const weights w = small::random_weights<small::net>(1);
  const auto d = quantize_parameters<plan_of_net>(w);
  REQUIRE(d);
  CHECK(names_of(*d) ==
        "conv1.bias conv1.weight conv1.weight_scale conv2.bias conv2.weight conv2.weight_scale "
        "fc.bias fc.weight fc.weight_scale ");
  const auto integers = d->integers("conv2.weight", {{10, 2, 1, 3}});
  const auto scale = d->floats("conv2.weight_scale", {{10}});
  REQUIRE(integers);
  REQUIRE(scale);
  const std::vector<float>& floats = w.find("conv2.weight")->values;
  for (std::size_t i = 0; i < floats.size(); ++i)
    CHECK(std::abs(static_cast<float>((*integers)[i]) * (*scale)[i / 6] - floats[i]) <=
          0.5001F * (*scale)[i / 6]);
}

TEST_CASE("a batch norm that no layer takes has a scale and a shift") {
  const weights w{{{"bn.weight", {2}, {2.0F, 1.0F}},
                   {"bn.bias", {2}, {10.0F, 0.5F}},
                   {"bn.running_mean", {2}, {3.0F, -1.0F}},
                   {"bn.running_var", {2}, {3.0F, 0.0F}}}};
  const node n{.name = "bn",
               .op = nn::batch_norm2d.id(),
               .attrs = attributes{batch_norm2d_options{.eps = 1.0F}}};
  state_dict d;
  quantizing::add_batch_norm(n, {.graph = {{}, {}}, .weights = &w, .backend = {}, .mapping = {}},
                             d);
  const auto scale = d.floats("bn.scale", {{2}});
  const auto shift = d.floats("bn.shift", {{2}});
  REQUIRE(scale);
  REQUIRE(shift);
  CHECK(std::vector(scale->begin(), scale->end()) == std::vector<float>{1.0F, 1.0F});
  CHECK(std::vector(shift->begin(), shift->end()) == std::vector<float>{7.0F, 1.5F});
}

TEST_CASE("a weight that is missing is an error with its name") {
  const auto d = quantize_parameters<plan_of_net>(weights{});
  REQUIRE_FALSE(d);
  CHECK(d.error().message() == "tensor conv1.weight: is missing");
}

TEST_CASE("a buffer that is an operand has the shape of the model") {
  const node n{.name = "pos", .op = nn::get_attr.id(), .shape = {2, 3}};
  const weights w{{{"pos", {6}, std::vector<float>(6)}, {"other", {5}, std::vector<float>(5)}}};
  const parameter_sources from{.graph = {{&n, 1}, {}}, .weights = &w, .backend = {}, .mapping = {}};
  CHECK(quantize_parameters({}, from));
  const node other{.name = "other", .op = nn::get_attr.id(), .shape = {2, 3}};
  const auto d = quantize_parameters(
      {}, {.graph = {{&other, 1}, {}}, .weights = &w, .backend = {}, .mapping = {}});
  REQUIRE_FALSE(d);
  CHECK(d.error().message() == "tensor other: has another shape than the model says");
}
