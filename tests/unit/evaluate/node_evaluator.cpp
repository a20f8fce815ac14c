// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/node_evaluator.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "ctq/backends/default_qconfig_mappings.hpp"
#include "ctq/backends/x86.hpp"
#include "ctq/evaluate/calibrated_qparams.hpp"
#include "ctq/evaluate/evaluator.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/passes/convert.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/lower/lower.hpp"
#include "ctq/passes/prepare.hpp"
#include "linear_relu.hpp"

using namespace ctq;
using linear_relu::input;
using linear_relu::net;
using linear_relu::reference_graph;
using linear_relu::tensor_of;
using namespace ctq::literals;

namespace {

struct in_int8 : default_qconfig_mapping<x86> {};

}  // namespace

TEST_CASE("weights are worked out again when the modules have others") {
  module_state m = linear_relu::weights();
  const auto g = reference_graph();
  model_qparams qparams;
  qparams.activations[0] = {quint8, -1, {1.0}, {0}, {}};
  qparams.activations[1] = {quint8, -1, {0.5}, {0}, {}};
  evaluator<stage::reference> run(g.view(), m, {.qparams = &qparams});
  REQUIRE(run.run(input()).has_value());
  m.set_tensor("fc.weight", float_ops::tensor{{2, 2}, {2.0F, 4.0F, -6.0F, 1.0F}});
  const auto values = run.run(input());
  REQUIRE(values.has_value());
  CHECK(tensor_of(values->back()).data == std::vector<float>{10.0F, 0.0F});
}

TEST_CASE("a layer on integers is made ready once for an input of a shape, a scale and weights") {
  module_state m = linear_relu::weights();
  const auto fused = fuse(net.view(), backend_v<x86>);
  const auto prepared = prepare_graph(fused.view(), backend_v<x86>, mapping_v<in_int8>);
  const auto reference = convert_graph(prepared.view(), backend_v<x86>, mapping_v<in_int8>);
  const auto g = lower(reference.view());
  REQUIRE(is_any_of(g.view()[2].op, q::linear_relu));
  model_qparams qparams;
  qparams.activations[0] = {quint8, -1, {1.0}, {0}, {}};
  qparams.activations[1] = {quint8, -1, {0.5}, {0}, {}};
  evaluator<stage::lowered, fast_kernels> run(g.view(), m, {.qparams = &qparams});
  const auto as_anew = [&](const std::vector<node_value>& x) {
    const auto values = run.run(x);
    evaluator<stage::lowered, fast_kernels> other(g.view(), m, {.qparams = &qparams});
    const auto wanted = other.run(x);
    REQUIRE(values.has_value());
    REQUIRE(wanted.has_value());
    CHECK(tensor_of(values->back()).shape == tensor_of(wanted->back()).shape);
    CHECK(tensor_of(values->back()).data == tensor_of(wanted->back()).data);
    return tensor_of(values->back()).data;
  };
  const node_value rows(float_ops::tensor{{2, 2}, {1.0F, 2.0F, 3.0F, 0.0F}});
  CHECK(as_anew(input()) == std::vector<float>{5.0F, 0.0F});
  CHECK(as_anew(input()) == std::vector<float>{5.0F, 0.0F});
  CHECK(as_anew({rows}).size() == 4);
  CHECK(as_anew(input()) == std::vector<float>{5.0F, 0.0F});
  m.set_tensor("fc.weight", float_ops::tensor{{2, 2}, {2.0F, 4.0F, -6.0F, 1.0F}});
  CHECK(as_anew(input()) == std::vector<float>{10.0F, 0.0F});
  qparams.activations[1].scale = {3.0};
  CHECK(as_anew(input()) == std::vector<float>{9.0F, 0.0F});
  qparams.activations[0].scale = {0.5};
  CHECK(as_anew(input()) == std::vector<float>{9.0F, 0.0F});
}

TEST_CASE("the weight of a function is rounded once, and anew when the model has another") {
  constexpr auto functional =
      model("x"_n = nn::placeholder({1, 2}), "w"_n = nn::get_attr({2, 2}),
            "fc"_n = fn::linear("x"_n, "w"_n), "out"_n = nn::output("fc"_n));
  module_state m;
  m.set_tensor("w", float_ops::tensor{{2, 2}, {1.0F, 2.0F, -3.0F, 0.5F}});
  const auto fused = fuse(functional.view(), backend_v<x86>);
  const auto prepared = prepare_graph(fused.view(), backend_v<x86>, mapping_v<in_int8>);
  const auto reference = convert_graph(prepared.view(), backend_v<x86>, mapping_v<in_int8>);
  const auto lowered = lower(reference.view());
  observer_set observers;
  evaluator<stage::prepared> calibrate(prepared.view(), m, {.observers = &observers});
  REQUIRE(calibrate.run(input()).has_value());
  const model_qparams qparams = calibrated_qparams(prepared.view(), observers).value_or_exit();

  const auto check = [&](auto& run, int floats) {
    const auto first = run.run(input());
    const auto second = run.run(input());
    REQUIRE(first.has_value());
    REQUIRE(second.has_value());
    int same_integers = 0;
    int same_floats = 0;
    for (std::size_t i = 0; i < first->size(); ++i) {
      const quantized_tensor* const found = (*first)[i].integers();
      same_integers += static_cast<int>(found != nullptr && found == (*second)[i].integers());
      same_floats += static_cast<int>((*first)[i].real().is_same((*second)[i].real()));
    }
    CHECK(same_integers == 1);
    CHECK(same_floats == floats);
    m.set_tensor("w", float_ops::tensor{{2, 2}, {0.5F, 0.0F, 0.0F, 0.0F}});
    const auto other = run.run(input());
    REQUIRE(other.has_value());
    CHECK(tensor_of(other->back()).data != tensor_of(first->back()).data);
    m.set_tensor("w", float_ops::tensor{{2, 2}, {1.0F, 2.0F, -3.0F, 0.5F}});
  };
  evaluator<stage::lowered, fast_kernels> integers(lowered.view(), m, {.qparams = &qparams});
  check(integers, 1);  // the attribute
  evaluator<stage::reference, fast_kernels> rounded(reference.view(), m, {.qparams = &qparams});
  check(rounded, 2);  // and its rounded values
}

TEST_CASE("a quantize rounds halves to even") {
  dynamic_graph<stage::reference> g;
  g.add({.name = "x", .op = nn::placeholder.id()}, nullptr, 0);
  node quantize{.name = "q", .op = q::quantize_per_tensor.id()};
  quantize.observer = 0;
  g.add({.name = "out", .op = nn::output.id()}, g.add(quantize, 0));
  model_qparams qparams;
  qparams.activations[0] = {quint8, -1, {2.0}, {11}, {}};
  const module_state none;
  const float_ops::tensor x{{6}, {1.0F, 3.0F, 5.0F, -1.0F, -3.0F, 3.5F}};
  const auto values = evaluator<stage::reference>(g.view(), none, {.qparams = &qparams}).run({x});
  REQUIRE(values.has_value());
  REQUIRE(values->back().integers() != nullptr);
  CHECK(values->back().integers()->int_repr() == std::vector<std::int32_t>{11, 13, 13, 11, 9, 13});
}

namespace {

/// What an op on integers gives: scale 0.5 and zero point 3 in, 0.25 and 5 out.
std::vector<std::int32_t> integers_of(op_id op, int inputs, const std::vector<std::int32_t>& x) {
  const auto count = static_cast<int>(x.size());
  const quantized_tensor in{{quint8, -1, {0.5}, {3}, {}}, {count}, x};
  dynamic_graph<stage::lowered> g;
  node n{.name = "y", .op = op, .dtype = quint8};
  n.observer = 0;
  const int args[] = {0, 1};
  for (int i = 0; i < inputs; ++i)
    g.add({.name = "x", .op = nn::placeholder.id(), .dtype = quint8}, nullptr, 0);
  g.add({.name = "out", .op = nn::output.id()}, g.add(n, args, inputs));
  model_qparams qparams;
  qparams.activations[0] = {quint8, -1, {0.25}, {5}, {}};
  const module_state none;
  std::vector<node_value> given(static_cast<std::size_t>(inputs), in);
  const auto values =
      evaluator<stage::lowered>(g.view(), none, {.qparams = &qparams}).run(std::move(given));
  if (!values || values->back().integers() == nullptr) return {};
  return values->back().integers()->int_repr();
}

}  // namespace

TEST_CASE("sums and products of two integer tensors are exact") {
  // x + x = 4 (q - 3) + 5 in units of the output, x * x = (q - 3)^2 + 5.
  CHECK(integers_of(q::add.id(), 2, {3, 4, 10, 1, 60}) ==
        std::vector<std::int32_t>{5, 9, 33, 0, 233});
  CHECK(integers_of(q::add_relu.id(), 2, {3, 4, 1, 250}) ==
        std::vector<std::int32_t>{5, 9, 5, 255});
  CHECK(integers_of(q::mul.id(), 2, {3, 4, 10, 1}) == std::vector<std::int32_t>{5, 6, 54, 9});
}

TEST_CASE("a sum with a tensor of floats keeps what is negative, unless a relu follows") {
  const auto sum = [](op_id op) {
    const quantized_tensor in{{quint8, -1, {0.5}, {3}, {}}, {2}, {1, 5}};  // -1, 1
    dynamic_graph<stage::lowered> g;
    g.add({.name = "x", .op = nn::placeholder.id(), .dtype = quint8}, nullptr, 0);
    g.add({.name = "y", .op = nn::placeholder.id()}, nullptr, 0);
    const int both[] = {0, 1};
    node n{.name = "sum", .op = op, .dtype = quint8};
    n.observer = 0;
    g.add({.name = "out", .op = nn::output.id()}, g.add(n, both, 2));
    model_qparams qparams;
    qparams.activations[0] = {quint8, -1, {0.25}, {5}, {}};
    const module_state none;
    const auto values = evaluator<stage::lowered>(g.view(), none, {.qparams = &qparams})
                            .run({in, float_ops::tensor{{2}, {0.25F, 0.5F}}});
    REQUIRE(values.has_value());
    REQUIRE(values->back().integers() != nullptr);
    return values->back().integers()->int_repr();
  };
  CHECK(sum(q::add.id()) == std::vector<std::int32_t>{2, 11});
  CHECK(sum(q::add_relu.id()) == std::vector<std::int32_t>{5, 11});
}

TEST_CASE("views and dropout change no integer, whatever the scale and the dtype") {
  for (const dtype d : {quint8, qint8, qint32}) {
    // As floats, these are rounded: the scale is subnormal, and 2^24 + 1 is no float.
    const std::int32_t last = d == qint32 ? (1 << 24) + 1 : 101;
    const quantized_tensor in{{d, -1, {0x1p-140}, {3}, {}}, {2, 2}, {1, 5, 100, last}};
    dynamic_graph<stage::lowered> g;
    g.add({.name = "x", .op = nn::placeholder.id(), .dtype = d}, nullptr, 0);
    node n{
        .name = "flat", .op = fn::flatten.id(), .attrs = attributes{flatten_options{}}, .dtype = d};
    node dropout{.name = "dropout", .op = nn::dropout.id(), .dtype = d};
    n.observer = dropout.observer = 0;
    g.add({.name = "out", .op = nn::output.id()}, g.add(dropout, g.add(n, 0)));
    model_qparams qparams;
    qparams.activations[0] = in.qparams;
    const module_state none;
    const auto values = evaluator<stage::lowered>(g.view(), none, {.qparams = &qparams}).run({in});
    REQUIRE(values.has_value());
    REQUIRE(values->back().integers() != nullptr);
    CHECK(values->back().integers()->shape() == float_ops::extents{4});
    CHECK(values->back().integers()->int_repr() == in.int_repr());
    CHECK(values->back().integers()->qparams == in.qparams);
  }
}

TEST_CASE("in PyTorch 1.13 what copies integers has the scale that they have") {
  const auto scale_behind = [](op_id op, semantics s) {
    const quantized_tensor in{{quint8, -1, {0.5}, {3}, {}}, {2}, {1, 5}};
    dynamic_graph<stage::lowered> g;
    g.add({.name = "x", .op = nn::placeholder.id(), .dtype = quint8}, nullptr, 0);
    node n{.name = "copy", .op = op, .dtype = quint8};
    n.observer = 0;
    g.add({.name = "out", .op = nn::output.id()}, g.add(n, 0));
    model_qparams qparams;
    qparams.activations[0] = {quint8, -1, {0.25}, {5}, {}};
    const module_state none;
    const auto values =
        evaluator<stage::lowered>(g.view(), none, {.semantics = s, .qparams = &qparams}).run({in});
    REQUIRE(values.has_value());
    REQUIRE(values->back().integers() != nullptr);
    return values->back().integers()->qparams.scale[0];
  };
  for (const op_id op : {nn::relu.id(), nn::dropout.id()}) {
    CHECK(scale_behind(op, semantics::torch_1_13) == 0.5);
    CHECK(scale_behind(op, semantics::torch_2_1) == 0.25);
  }
}

TEST_CASE("a dynamic layer for which there is no kernel is computed in float, as its op says") {
  const auto linear = [](op_id op, bool halved) {
    const module_state m = linear_relu::weights();
    dynamic_graph<stage::lowered> g;
    g.add({.name = "x", .op = nn::placeholder.id()}, nullptr, 0);
    node n{.name = "fc", .op = op};
    n.weight = &linear_relu::weight_observer;
    constexpr static observer_record in{observer_class::placeholder,
                                        {.dtype = quint8, .is_dynamic = true}};
    n.observer_config = &in;
    g.add({.name = "out", .op = nn::output.id()}, g.add(n, 0));
    const auto values =
        evaluator<stage::lowered>(g.view(), m, {.halve_dynamic_range = halved}).run(input());
    REQUIRE(values.has_value());
    return tensor_of(values->back()).data;
  };
  for (const bool halved : {false, true}) {
    const std::vector<float> y = linear(q::linear_dynamic.id(), halved);
    CHECK(y[0] == doctest::Approx(5.25).epsilon(0.02));
    CHECK(y[1] == doctest::Approx(-2.5).epsilon(0.02));
    CHECK(linear(q::linear_relu_dynamic.id(), halved)[1] == 0.0F);
  }
}

TEST_CASE("relu6 on integers ends at 0 and at 6") {
  const std::vector<std::int32_t> x{0, 3, 14, 15, 16, 255};
  CHECK(integers_of(nn::relu6.id(), 1, x) == std::vector<std::int32_t>{5, 5, 27, 29, 29, 29});
}
