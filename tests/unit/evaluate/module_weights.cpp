// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/module_weights.hpp"

#include <doctest/doctest.h>

using namespace ctq;

namespace {

constexpr observer_record in_int8{observer_class::min_max,
                                  {.dtype = qint8, .qscheme = qscheme::per_tensor_symmetric}};
constexpr observer_record in_half{observer_class::placeholder, {.dtype = f16}};

node conv(const observer_record* weight = nullptr) {
  node n{.name = "conv", .op = nn::conv2d.id()};
  n.weight = weight;
  return n;
}

module_state modules() {
  module_state m;
  m.set_tensor("conv.weight", float_ops::tensor{{1, 1, 1, 2}, {127.5F, 3.0F}});
  m.set_tensor("bn.running_mean", float_ops::tensor{{1}, {0.0F}});
  m.set_tensor("bn.running_var", float_ops::tensor{{1}, {0.25F}});
  m.set_option("bn", "eps", 0.0);
  return m;
}

const float_ops::tensor& weight_in(std::vector<float_ops::named_value>& attributes) {
  return *find(attributes, "weight")->get_if<float_ops::tensor>();
}

}  // namespace

TEST_CASE("a batch norm is folded once, and again when the module has another weight") {
  module_state m = modules();
  module_weights all(m, nullptr, {});
  node n = conv();
  n.batch_norm = "bn";
  auto first = all.folded(n);
  REQUIRE(first.has_value());
  CHECK(weight_in(*first).data == std::vector<float>{255.0F, 6.0F});
  auto second = all.folded(n);
  REQUIRE(second.has_value());
  CHECK(&weight_in(*second) == &weight_in(*first));
  m.set_tensor("conv.weight", float_ops::tensor{{1, 1, 1, 2}, {1.0F, 2.0F}});
  auto third = all.folded(n);
  REQUIRE(third.has_value());
  CHECK(weight_in(*third).data == std::vector<float>{2.0F, 4.0F});
}

TEST_CASE("what cannot be folded is an error every time") {
  module_state m;
  m.set_tensor("conv.weight", float_ops::tensor{{1, 1, 1, 1}, {1.0F}});
  module_weights all(m, nullptr, {});
  node n = conv();
  n.batch_norm = "bn";
  CHECK_FALSE(all.folded(n).has_value());
  CHECK_FALSE(all.folded(n).has_value());
}

TEST_CASE("a weight is rounded as its observer says, once") {
  const module_state m = modules();
  module_weights all(m, nullptr, {});
  const node n = conv(&in_int8);
  const float_ops::value weight = *m.find("conv.weight");
  const auto q = all.quantized(n, "weight", weight);
  REQUIRE(q.has_value());
  REQUIRE(q->integers() != nullptr);
  CHECK(q->integers()->int_repr() == std::vector<std::int32_t>{127, 3});
  CHECK(all.quantized(n, "weight", weight)->integers() == q->integers());
  const auto real = all.rounded(n, "weight", weight);
  REQUIRE(real.has_value());
  CHECK(real->get_if<float_ops::tensor>()->data == std::vector<float>{127.0F, 3.0F});
  CHECK(all.rounded(n, "weight", weight)->is_same(*real));
}

TEST_CASE("qparams that are given for the path come before the observer's, at once") {
  const module_state m = modules();
  model_qparams qparams;
  module_weights all(m, &qparams, {});
  const node n = conv(&in_int8);
  const float_ops::value weight = *m.find("conv.weight");
  CHECK(all.quantized(n, "weight", weight)->integers()->int_repr()[1] == 3);
  qparams.weights["conv.weight"] = {qint8, -1, {1.5}, {0}, {}};
  CHECK(all.quantized(n, "weight", weight)->integers()->int_repr()[1] == 2);
  qparams.weights.clear();
  CHECK(all.quantized(n, "weight", weight)->integers()->int_repr()[1] == 3);
}

TEST_CASE("qparams that do not fit the weight are an error") {
  const module_state m = modules();
  const node n = conv(&in_int8);
  const float_ops::value weight = *m.find("conv.weight");
  const auto error_with = [&](tensor_qparams given) {
    const model_qparams qparams{{}, {{"conv.weight", std::move(given)}}};
    module_weights all(m, &qparams, {});
    return all.quantized(n, "weight", weight).error().message();
  };
  CHECK(error_with({qint8, 0, {1.0, 1.0}, {0, 0}, {}}) ==
        "weight: the number of scales is 2, that of zero points 2; both must be 1");
  CHECK(error_with({qint8, 3, {1.0}, {0}, {}}) ==
        "weight: the number of scales is 1, that of zero points 1; both must be 2");
  CHECK(error_with({qint8, 4, {1.0}, {0}, {}}) == "weight: there is no axis 4 for the scales");
  CHECK(error_with({qint8, -1, {}, {}, {}}) ==
        "weight: the number of scales is 0, that of zero points 0; both must be 1");
  CHECK(error_with({qint8, -1, {1.0}, {}, {}}) ==
        "weight: the number of scales is 1, that of zero points 0; both must be 1");
  CHECK(error_with({qint8, -1, {1.0}, {200}, {}}) ==
        "weight: the zero point 200 is not in [-128, 127]");
  CHECK(error_with({qint8, -1, {0.0}, {0}, {}}) == "weight: the scale 0 is not positive");
  CHECK(error_with({ctq::dtype::float16, -1, {1.0}, {0}, {}}) ==
        "weight: float16 is no dtype of integers");
}

TEST_CASE("half precision has no integers and leaves the weight") {
  const module_state m = modules();
  module_weights all(m, nullptr, {});
  const node n = conv(&in_half);
  const float_ops::value weight = *m.find("conv.weight");
  CHECK(all.quantized(n, "weight", weight)->integers() == nullptr);
  CHECK(all.rounded(n, "weight", weight)->is_same(weight));
}

TEST_CASE("lowered layers in half precision have rounded weights, the same in each call") {
  const module_state m = modules();
  module_weights all(m, nullptr, {});
  const node n = conv(&in_half);
  const float_ops::value weight = float_ops::tensor{{3}, {1.0001F, -1e6F, 0.1F}};
  const float_ops::value half = all.in_half(n, "weight", weight);
  CHECK(half.get_if<float_ops::tensor>()->data == std::vector{1.0F, -65504.0F, 0x1.998p-4F});
  CHECK(all.in_half(n, "weight", weight).is_same(half));
  module_weights::attributes attributes{{"weight", weight}, {"bias", weight}};
  REQUIRE(all.round_to_half(n, attributes).has_value());
  CHECK(attributes[0].given.is_same(half));
  CHECK(attributes[1].given.is_same(weight));
  const float_ops::value other = float_ops::tensor{{1}, {2.0F}};
  CHECK(all.in_half(n, "weight", other).get_if<float_ops::tensor>()->data == std::vector{2.0F});
}
