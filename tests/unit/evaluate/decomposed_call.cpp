// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/decomposed_call.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "ctq/evaluate/evaluator.hpp"

using namespace ctq;

namespace {

constexpr observer_record half_range{observer_class::min_max, {.reduce_range = true}};
constexpr observer_record dynamic{observer_class::placeholder,
                                  {.dtype = qint8, .is_dynamic = true}};

node row_of(op_id op, const observer_record& app) {
  node n{.name = op->name, .op = op};
  n.observer_config = &app;
  n.observer = 0;
  n.dtype = app.args.dtype;
  return n;
}

std::vector<node_value> input(std::vector<float> x) {
  return {float_ops::tensor{{static_cast<int>(x.size())}, std::move(x)}};
}

}  // namespace

TEST_CASE("integers are clamped to the observer's range, not to the dtype's") {
  dynamic_graph<stage::reference> g;
  g.add({.name = "x", .op = nn::placeholder.id()}, nullptr, 0);
  const int q = g.add(row_of(q::decomposed_quantize_per_tensor.id(), half_range), 0);
  g.add({.name = "out", .op = nn::output.id()},
        g.add({.name = "dequantize", .op = q::decomposed_dequantize_per_tensor.id()}, q));
  model_qparams qparams;
  qparams.activations[0] = {quint8, -1, {0.5}, {10}, {}};
  const module_state none;
  evaluator<stage::reference> run(g.view(), none, {.qparams = &qparams});
  const auto values = run.run(input({-100.0F, 1.0F, 100.0F}));
  REQUIRE(values.has_value());
  CHECK((*values)[1].integers()->int_repr() == std::vector<std::int32_t>{0, 12, 127});
  const float_ops::value out = values->back().real();
  CHECK(out.get_if<float_ops::tensor>()->data == std::vector<float>{-5.0F, 1.0F, 58.5F});
}

TEST_CASE("a value that is quantized as it comes has the scale its observer would give") {
  dynamic_graph<stage::reference> g;
  g.add({.name = "x", .op = nn::placeholder.id()}, nullptr, 0);
  const int qparams = g.add(row_of(q::choose_qparams.id(), dynamic), 0);
  const int reads[] = {0, qparams};
  const int q = g.add(row_of(q::decomposed_quantize_per_tensor.id(), dynamic), reads, 2);
  const int again[] = {q, qparams};
  g.add({.name = "out", .op = nn::output.id()},
        g.add({.name = "dequantize", .op = q::decomposed_dequantize_per_tensor.id()}, again, 2));
  const module_state none;
  evaluator<stage::reference> run(g.view(), none, {});
  auto values = run.run(input({0.0F, 1.0F, 255.0F}));
  REQUIRE(values.has_value());
  CHECK((*values)[2].integers()->int_repr() == std::vector<std::int32_t>{-128, -127, 127});
  // Smaller than what dynamic quantization of quantized tensors goes down to, 6.1e-5.
  values = run.run(input({0.0F, 1e-6F}));
  REQUIRE(values.has_value());
  CHECK((*values)[2].integers()->qparams.scale[0] == static_cast<double>(dynamic.args.eps));
}

TEST_CASE("one scale is inverted in double, many in float32") {
  const float_ops::tensor x{{1, 2}, {2.5F, 3.5F}};
  const quant_range range{-128, 127};
  CHECK(decomposed::quantize(x, {qint8, -1, {1.0}, {1}, {}}, range).int_repr() ==
        std::vector<std::int32_t>{3, 5});
  CHECK(decomposed::quantize(x, {qint8, 1, {1.0, 0.5}, {0, 0}, {}}, range).int_repr() ==
        std::vector<std::int32_t>{2, 7});
}

TEST_CASE("without a scale there is nothing to quantize with") {
  CHECK(decomposed::qparams_from(float_ops::value(1.0), quint8).error().cause ==
        "reads no scale and zero point");
  CHECK_FALSE(decomposed::qparams_from(float_ops::value(float_ops::list{1.0}), quint8).has_value());
  CHECK(
      decomposed::qparams_from(float_ops::value(float_ops::list{0.5, 3}), quint8)->zero_point[0] ==
      3);
}
