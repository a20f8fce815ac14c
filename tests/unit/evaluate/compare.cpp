// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/compare.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "linear_relu.hpp"

using namespace ctq;
using linear_relu::reference_graph;
using linear_relu::weights;

namespace {

std::vector<std::vector<node_value>> data() { return {{float_ops::tensor{{1, 2}, {1.0F, 2.0F}}}}; }

/// x -> fc -> relu
dynamic_graph<stage::traced> float_graph() {
  dynamic_graph<stage::traced> g;
  g.add({.name = "x", .op = nn::placeholder.id()}, nullptr, 0);
  const int fc = g.add({.name = "fc", .op = nn::linear.id()}, 0);
  const int relu = g.add({.name = "relu", .op = nn::relu.id()}, fc);
  g.add({.name = "out", .op = nn::output.id()}, relu);
  return g;
}

}  // namespace

TEST_CASE("compare tells layer by layer what rounding costs") {
  const module_state m = weights();
  const auto real_graph = float_graph();
  const auto g = reference_graph();
  model_qparams qparams;
  qparams.activations[0] = {quint8, -1, {0.01}, {0}, {}};
  qparams.activations[1] = {quint8, -1, {0.5}, {0}, {}};
  evaluator<stage::traced> real(real_graph.view(), m, {});
  evaluator<stage::reference> rounded(g.view(), m, {.qparams = &qparams});
  const auto layers = compare(real, rounded, data());
  REQUIRE(layers.has_value());
  REQUIRE(layers->size() == 3);
  CHECK((*layers)[0].name == "fc");
  CHECK((*layers)[0].sqnr > 30.0);
  CHECK((*layers)[1].name == "relu");
  CHECK((*layers)[2].name == "out");
  CHECK((*layers)[2].largest == doctest::Approx(0.25));
  CHECK((*layers)[1].largest_in_steps < 0.1);
  // In decibels: ten times the logarithm of the quotient of the squares.
  const auto out_of = [](auto& run) {
    return run.run(data()[0])->back().real().template get_if<float_ops::tensor>()->data;
  };
  const std::vector<float> wanted = out_of(real);
  const std::vector<float> got = out_of(rounded);
  double signal = 0.0, noise = 0.0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double error = static_cast<double>(got[i]) - static_cast<double>(wanted[i]);
    signal += static_cast<double>(wanted[i]) * static_cast<double>(wanted[i]);
    noise += error * error;
  }
  CHECK((*layers)[2].sqnr == doctest::Approx(10.0 * std::log10(signal / noise)));
}

TEST_CASE("an op that has taken up a relu is compared with the relu") {
  dynamic_graph<stage::traced> g;
  g.add({.name = "x", .op = nn::placeholder.id()}, nullptr, 0);
  const int two[]{0, 0};
  const int add = g.add({.name = "add", .op = op::add.id()}, two, 2);
  const int relu = g.add({.name = "relu", .op = fn::relu.id()}, add);
  g.add({.name = "out", .op = nn::output.id()}, relu);
  dynamic_graph<stage::lowered> l;
  l.add({.name = "x", .op = nn::placeholder.id()}, nullptr, 0);
  const auto quantized = [](std::string_view name, op_id op, int observer) {
    node n{.name = name, .op = op};
    n.dtype = quint8;
    n.observer = observer;
    return n;
  };
  const int in = l.add(quantized("x_0", q::quantize_per_tensor.id(), 0), 0);
  const int twice[]{in, in};
  const int sum = l.add(quantized("add", q::add_relu.id(), 1), twice, 2);
  l.add({.name = "out", .op = nn::output.id()}, sum);
  model_qparams qparams;
  qparams.activations[0] = {quint8, -1, {0.5}, {128}, {}};
  qparams.activations[1] = {quint8, -1, {0.5}, {0}, {}};
  const module_state none;
  evaluator<stage::traced> real(g.view(), none, {});
  evaluator<stage::lowered> integers(l.view(), none, {.qparams = &qparams});
  const std::vector<std::vector<node_value>> both_signs{{float_ops::tensor{{1, 2}, {1.0F, -2.0F}}}};
  const auto layers = compare(real, integers, both_signs);
  REQUIRE(layers.has_value());
  REQUIRE(layers->size() == 2);
  CHECK((*layers)[0].name == "add");
  CHECK((*layers)[0].largest == 0.0);
}

TEST_CASE("a model compared with itself does not differ, and has no noise") {
  const module_state m = weights();
  const auto g = float_graph();
  evaluator<stage::traced> run(g.view(), m, {});
  const auto layers = compare(run, run, data());
  REQUIRE(layers.has_value());
  for (const layer_difference& d : *layers) {
    CHECK(d.largest == 0.0);
    CHECK(d.sqnr == std::numeric_limits<double>::infinity());
    CHECK(d.largest_in_steps == 0.0);
  }
}

TEST_CASE("what cannot be evaluated is the evaluator's error") {
  const auto g = float_graph();
  const module_state none;
  const module_state m = weights();
  evaluator<stage::traced> run(g.view(), m, {});
  evaluator<stage::traced> without(g.view(), none, {});
  const auto layers = compare(run, without, data());
  REQUIRE_FALSE(layers.has_value());
  CHECK(layers.error().place == "node fc");
}
