// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/equalization/equalizer.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <span>

#include "ctq/passes/prepare.hpp"
#include "equalization_models.hpp"

using namespace ctq;
using equalization::cases;
using equalization::fused_model;
using equalization::modules_of;
using equalization::named_tensor;
using equalization::plain_conv;
using equalization::torch_case;

namespace {

constexpr equalize_options as_torch{.semantics = semantics::torch_1_13, .multiply = true};

std::vector<layer_equalization> calibrate(graph_view<stage::fused> g, const torch_case& c,
                                          const equalize_options& o) {
  const module_state modules = modules_of(c);
  equalizer columns(g, modules, o);
  for (const named_tensor& x : c.data) columns({x.tensor()});
  const auto layers = columns.calculate();
  REQUIRE(layers.has_value());
  return *layers;
}

std::vector<float> run(graph_view<stage::fused> g, const module_state& modules,
                       float_ops::tensor x) {
  const auto values = evaluator<stage::fused>(g, modules, {}).run({std::move(x)});
  REQUIRE(values.has_value());
  const float_ops::value out = values->back().real();
  return out.get_if<float_ops::tensor>()->data;
}

/// Within so many times the distance of floats near 1.
void check_close(const std::vector<float>& a, const std::vector<float>& b, float steps) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    CHECK(std::abs(a[i] - b[i]) <=
          steps * std::numeric_limits<float>::epsilon() * std::max(1.0F, std::abs(a[i])));
}

/// A batch norm's sums depend on their order; all others are exact, and so are the answers.
float qparams_of(const torch_case& c) { return c.model == "norms" ? 8.0F : 0.0F; }

const torch_case& case_of(std::string_view model) {
  for (const torch_case& c : cases)
    if (c.model == model) return c;
  FAIL("no such case");
  return cases.front();
}

}  // namespace

TEST_CASE("the factors are those of PyTorch, to the bit") {
  for (const torch_case& c : cases) {
    CAPTURE(c.model);
    const auto g = fused_model(c.model);
    const auto layers = calibrate(g.view(), c, as_torch);
    REQUIRE(layers.size() == c.scales.size());
    for (std::size_t i = 0; i < layers.size(); ++i) {
      CHECK(g.nodes[layers[i].at.layer.node].name == c.scales[i].name);
      check_close(layers[i].scale, c.scales[i].values, qparams_of(c));
    }
  }
}

TEST_CASE("the weights are those of PyTorch, to the bit but for batch norms") {
  for (const torch_case& c : cases) {
    CAPTURE(c.model);
    const auto g = fused_model(c.model);
    const auto layers = calibrate(g.view(), c, as_torch);
    const auto modules = equalize(g.view(), modules_of(c), layers);
    REQUIRE(modules.has_value());
    for (const named_tensor& after : c.after) {
      CAPTURE(after.name);
      const std::size_t dot = after.name.find('.');
      const int at = find(g.view(), std::string_view(after.name).substr(0, dot));
      REQUIRE(at >= 0);
      if (g.nodes[at].batch_norm.empty()) {
        check_close(equalizing::tensor_at(*modules, after.name)->data, after.values, qparams_of(c));
      } else {
        auto folded = folded_attributes(g.nodes[at], *modules);
        REQUIRE(folded.has_value());
        const auto* t = find(*folded, after.name.substr(dot + 1))->get_if<float_ops::tensor>();
        check_close(t->data, after.values, qparams_of(c));
      }
    }
  }
}

TEST_CASE("an observer of multiplied data finds what PyTorch writes into that of the input") {
  for (const torch_case& c : cases) {
    CAPTURE(c.model);
    const auto g = fused_model(c.model);
    const auto layers = calibrate(g.view(), c, as_torch);
    observers::extrema seen;
    for (const named_tensor& x : c.data)
      seen.merge(observers::aminmax(scaled_input(g.view(), layers, 0, x.tensor()).data));
    CHECK(seen.min == c.min);
    CHECK(seen.max == c.max);
  }
}

TEST_CASE("an equalized model computes what it did") {
  for (const torch_case& c : cases) {
    for (const bool multiply : {false, true}) {
      CAPTURE(c.model);
      const auto g = fused_model(c.model);
      const auto layers = calibrate(g.view(), c, {.multiply = multiply});
      auto modules = equalize(g.view(), modules_of(c), layers);
      REQUIRE(modules.has_value());
      const float_ops::tensor x = c.data[0].tensor();
      const auto expected = run(g.view(), modules_of(c), x);
      const multiplying_graph multiplying(g.view(), layers);
      multiplying.add_factors(*modules);
      check_close(run(multiplying.view(), *modules, x), expected, 64);
      if (!multiply)
        check_close(run(g.view(), *modules, scaled_input(g.view(), layers, 0, x)), expected, 64);
    }
  }
}

TEST_CASE("between layers the factors move through pools, in front of others they are multiplied") {
  const auto pools = fused_model("pools");
  auto layers = calibrate(pools.view(), case_of("pools"), {});
  REQUIRE(layers.size() == 2);
  CHECK(layers[1].at.producer.node == layers[0].at.layer.node);
  CHECK(layers[1].scale == case_of("pools").scales[1].values);
  layers = calibrate(pools.view(), case_of("pools"), as_torch);
  REQUIRE(layers.size() == 2);
  CHECK(layers[1].at.needs_multiplication());
  CHECK(calibrate(fused_model("branches").view(), case_of("branches"), {}).empty());
}

TEST_CASE("the multiplications stay in float when the model is prepared") {
  using mapping = qconfig_mapping<
      global<qconfig<min_max_observer<>, per_channel_min_max_observer<{.dtype = qint8}>>>>;
  const auto g = fused_model("pools");
  const auto layers = calibrate(g.view(), case_of("pools"), as_torch);
  const multiplying_graph multiplying(g.view(), layers);
  const auto entries = resolve_qconfigs(g.view(), mapping_v<mapping>);
  const auto prepared = prepare_graph(multiplying.view(), backend_v<native>, mapping_v<mapping>,
                                      multiplying.qconfigs(entries), {});
  REQUIRE(!prepared.problem.any());
  std::string nodes;
  for (const node& n : prepared.nodes) nodes += std::string(n.name) + " ";
  CHECK(nodes ==
        "x conv1_equalization_scale conv1_equalization activation_post_process conv1 "
        "activation_post_process pool activation_post_process conv2_equalization_scale "
        "conv2_equalization activation_post_process conv2 activation_post_process output ");
}

TEST_CASE("groups share factors with the channels they read") {
  equalization::tracer t;
  const int conv1 = t("conv1", nn::conv1d, {t.x}, plain_conv);
  const auto traced = std::move(t).output(t("conv2", nn::conv1d, {conv1}, plain_conv));
  const auto g = fuse(traced.view(), backend_v<native>);
  module_state modules;
  modules.set_tensor("conv1.weight", float_ops::tensor{{4, 1, 1}, {1, 2, 4, 8}});
  modules.set_tensor("conv2.weight", float_ops::tensor{{2, 2, 2}, {1, -1, 2, -2, 3, -3, 4, -4}});
  modules.set_option("conv2", "groups", 2);
  const float_ops::tensor x{{1, 1, 3}, {1, -1, 2}};
  equalizer columns(g.view(), modules);
  columns({x});
  const auto layers = columns.calculate();
  REQUIRE(layers.has_value());
  REQUIRE(layers->size() == 2);
  const auto factor = [](float w, float x) { return std::sqrt(w / x); };
  CHECK((*layers)[1].scale ==
        std::vector<float>{factor(2, 3), factor(4, 6), factor(6, 12), factor(8, 24)});
  const auto equal = equalize(g.view(), modules, *layers);
  REQUIRE(equal.has_value());
  check_close(run(g.view(), *equal, scaled_input(g.view(), *layers, 0, x)),
              run(g.view(), modules, x), 64);
}

TEST_CASE("linear layers have their channels on the last axis, however many there are") {
  const auto g = fused_model("linears");
  const torch_case& c = case_of("linears");
  const module_state modules = modules_of(c);
  float_ops::tensor flat = c.data[0].tensor();
  float_ops::tensor deep = flat;
  deep.shape = {2, 2, 3};
  equalizer of_flat(g.view(), modules), of_deep(g.view(), modules);
  of_flat({flat});
  of_deep({deep});
  const auto expected = of_flat.calculate(), layers = of_deep.calculate();
  REQUIRE(expected.has_value());
  REQUIRE(layers.has_value());
  for (std::size_t i = 0; i < layers->size(); ++i)
    CHECK((*layers)[i].scale == (*expected)[i].scale);
  CHECK(scaled_input(g.view(), *layers, 0, deep).data ==
        scaled_input(g.view(), *layers, 0, flat).data);
}

TEST_CASE("what is wrong with data and weights is said with the node") {
  const auto g = fused_model("linears");
  const torch_case& c = case_of("linears");
  module_state modules = modules_of(c);
  equalizer none(g.view(), modules);
  REQUIRE(!none.calculate());
  CHECK(none.calculate().error().message() ==
        "node fc1, calibration data: is missing: calibrate first");

  equalizer nan(g.view(), modules);
  nan({float_ops::tensor{{1, 3}, {1, std::nanf(""), 2}}});
  REQUIRE(!nan.calculate());
  CHECK(nan.calculate().error().message() == "node fc1, calibration data: channel 1 has NaN");

  equalizer wrong(g.view(), modules);
  wrong({float_ops::tensor{{1, 2}, {1, 2}}});
  wrong({c.data[0].tensor()});
  REQUIRE(!wrong.calculate());
  CHECK(wrong.calculate().error().place.starts_with("node fc1"));

  const auto layers = calibrate(g.view(), c, {});
  const auto missing = equalize(g.view(), module_state{}, layers);
  REQUIRE(!missing);
  CHECK(missing.error().message() == "tensor fc1.weight: is missing");
  modules.set_tensor("fc1.bias", float_ops::filled({1}));
  CHECK(equalize(g.view(), modules, layers).error().message() ==
        "tensor fc1.bias: does not fit the layer after it");
}
