// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "ctq/evaluate/module_state.hpp"
#include "ctq/evaluate/node_value.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/graph/model.hpp"

// A linear layer and a relu: the model, its weights, an input, and the graph that convert makes.

namespace linear_relu {

using namespace ctq::literals;

inline constexpr auto net = ctq::model(
    "x"_n = ctq::nn::placeholder({1, 2}), "fc"_n = ctq::nn::linear("x"_n, {.out_features = 2}),
    "relu"_n = ctq::nn::relu("fc"_n), "out"_n = ctq::nn::output("relu"_n));

inline std::vector<ctq::node_value> input() {
  return {ctq::float_ops::tensor{{1, 2}, {1.0F, 2.0F}}};
}

inline ctq::float_ops::tensor tensor_of(const ctq::node_value& v) {
  const ctq::float_ops::value real = v.real();
  return *real.get_if<ctq::float_ops::tensor>();
}

inline ctq::module_state weights() {
  ctq::module_state m;
  m.set_tensor("fc.weight", ctq::float_ops::tensor{{2, 2}, {1.0F, 2.0F, -3.0F, 0.5F}});
  m.set_tensor("fc.bias", ctq::float_ops::tensor{{2}, {0.25F, -0.5F}});
  return m;
}

inline constexpr ctq::observer_record weight_observer{
    ctq::observer_class::min_max,
    {.dtype = ctq::qint8, .qscheme = ctq::qscheme::per_tensor_symmetric}};

/// x -> quantize -> dequantize -> fc, its weight rounded -> relu -> quantize -> dequantize
inline ctq::dynamic_graph<ctq::stage::reference> reference_graph() {
  using namespace ctq;
  dynamic_graph<stage::reference> g;
  const auto pass = [&g](op_id op, int arg, int observer) {
    node n{.name = op->name, .op = op};
    n.dtype = is_any_of(op, q::dequantize) ? f32 : quint8;
    n.observer = observer;
    return g.add(n, arg);
  };
  g.add({.name = "x", .op = nn::placeholder.id()}, nullptr, 0);
  const int in = pass(q::dequantize.id(), pass(q::quantize_per_tensor.id(), 0, 0), 0);
  node fc{.name = "fc", .op = nn::linear.id()};
  fc.weight = &weight_observer;
  const int relu = g.add({.name = "relu", .op = nn::relu.id()}, g.add(fc, in));
  const int out = pass(q::dequantize.id(), pass(q::quantize_per_tensor.id(), relu, 1), 1);
  g.add({.name = "out", .op = nn::output.id()}, out);
  return g;
}

}  // namespace linear_relu
