// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/evaluator.hpp"

#include <doctest/doctest.h>

#include <type_traits>
#include <utility>
#include <vector>

#include "ctq/graph/model.hpp"
#include "linear_relu.hpp"

using namespace ctq;
using linear_relu::input;
using linear_relu::net;
using linear_relu::reference_graph;
using linear_relu::tensor_of;
using namespace ctq::literals;

// It keeps references, so it takes nothing that is about to go.
using kept = evaluator<stage::traced>;
static_assert(std::is_constructible_v<kept, graph_view<stage::traced>, const module_state&,
                                      evaluation_options>);
static_assert(!std::is_constructible_v<kept, decltype(dynamic_graph<stage::traced>{}.view()),
                                       const module_state&, evaluation_options>);
static_assert(
    !std::is_constructible_v<kept, graph_view<stage::traced>, module_state, evaluation_options>);
static_assert(!std::is_constructible_v<kept, decltype(dynamic_graph<stage::traced>{}.view()),
                                       module_state, evaluation_options>);
// A run remembers weights, so it is not const.
template <class E>
concept runs = requires(E e, std::vector<node_value> inputs) {
  e.run(inputs);
};
static_assert(runs<kept&> && !runs<const kept&>);

TEST_CASE("a float graph gives what its ops mean") {
  const module_state m = linear_relu::weights();
  const auto values = evaluator<stage::traced>(net.view(), m, {}).run(input());
  REQUIRE(values.has_value());
  CHECK(tensor_of(values->back()).data == std::vector<float>{5.25F, 0.0F});
}

TEST_CASE("a prepared graph shows its observers what passes by") {
  dynamic_graph<stage::prepared> g;
  g.add({.name = "x", .op = nn::placeholder.id()}, nullptr, 0);
  constexpr observer_record seen{observer_class::min_max, {}};
  node app{.name = "activation_post_process", .op = q::activation_post_process.id()};
  app.observer = 3;
  app.observer_config = &seen;
  g.add({.name = "out", .op = nn::output.id()}, g.add(app, 0));
  observer_set observers;
  const module_state none;
  const auto values =
      evaluator<stage::prepared>(g.view(), none, {.observers = &observers}).run(input());
  REQUIRE(values.has_value());
  CHECK(tensor_of(values->back()).data == std::vector<float>{1.0F, 2.0F});
  REQUIRE(observers.qparams(3).has_value());
  CHECK(observers.qparams(3)->scale[0] == doctest::Approx(2.0 / 255));
  CHECK_FALSE(observers.qparams(0).has_value());
}

TEST_CASE("a reference graph computes with rounded values and weights") {
  const module_state m = linear_relu::weights();
  const auto g = reference_graph();
  model_qparams qparams;
  qparams.activations[0] = {quint8, -1, {1.0}, {0}, {}};
  qparams.activations[1] = {quint8, -1, {0.5}, {0}, {}};
  evaluator<stage::reference> run(g.view(), m, {.qparams = &qparams});
  const auto values = run.run(input());
  REQUIRE(values.has_value());
  CHECK(tensor_of(values->back()).data == std::vector<float>{5.0F, 0.0F});
  const auto weight = run.weight_of(g.view()[3]);
  REQUIRE(weight.has_value());
  REQUIRE(weight->has_value());
  CHECK((*weight)->qparams.scale[0] == doctest::Approx(3.0 / 127.5));
}

TEST_CASE("several outputs are a list of them") {
  static constexpr auto two =
      model("x"_n = nn::placeholder({1, 2}), "y"_n = nn::placeholder({1, 2}),
            "sum"_n = op::add("x"_n, "y"_n), "out"_n = nn::output("sum"_n, "y"_n, "sum"_n));
  const module_state none;
  const auto values =
      evaluator<stage::traced>(two.view(), none, {})
          .run({float_ops::tensor{{1, 2}, {1.0F, 2.0F}}, float_ops::tensor{{1, 2}, {4.0F, 8.0F}}});
  REQUIRE(values.has_value());
  const float_ops::value returned = values->back().real();
  const auto* all = returned.get_if<float_ops::list>();
  REQUIRE((all != nullptr && all->size() == 3));
  CHECK((*all)[0].get_if<float_ops::tensor>()->data == std::vector<float>{5.0F, 10.0F});
  CHECK((*all)[1].get_if<float_ops::tensor>()->data == std::vector<float>{4.0F, 8.0F});
  CHECK((*all)[2].is_same((*all)[0]));
}

TEST_CASE(
    "forward gives the output alone, also where a value is read twice, by several nodes or never") {
  static constexpr auto reused =
      model("x"_n = nn::placeholder({1, 2}), "unread"_n = nn::placeholder({1, 2}),
            "twice"_n = op::add("x"_n, "x"_n), "sum"_n = op::add("twice"_n, "x"_n),
            "out"_n = nn::output("sum"_n, "x"_n, "twice"_n));
  const module_state none;
  evaluator<stage::traced> e(reused.view(), none, {});
  const float_ops::tensor x{{1, 2}, {1.0F, 2.0F}};
  for (int repeated = 0; repeated < 2; ++repeated) {
    const auto output = e.forward({x, x});
    REQUIRE(output.has_value());
    const float_ops::value returned = output->real();
    const auto* all = returned.get_if<float_ops::list>();
    REQUIRE((all != nullptr && all->size() == 3));
    CHECK((*all)[0].get_if<float_ops::tensor>()->data == std::vector<float>{3.0F, 6.0F});
    CHECK((*all)[1].get_if<float_ops::tensor>()->data == std::vector<float>{1.0F, 2.0F});
    CHECK((*all)[2].get_if<float_ops::tensor>()->data == std::vector<float>{2.0F, 4.0F});
  }
  const auto without = e.forward({x});
  REQUIRE_FALSE(without.has_value());
  CHECK(without.error().message() == "node unread: has no input");
}

TEST_CASE("what cannot be evaluated is an error that names the node") {
  const module_state none;
  const auto values = evaluator<stage::traced>(net.view(), none, {}).run(input());
  REQUIRE_FALSE(values.has_value());
  CHECK(values.error().place == "node fc");
  const auto without = evaluator<stage::traced>(net.view(), none, {}).run({});
  REQUIRE_FALSE(without.has_value());
  CHECK(without.error().message() == "node x: has no input");
  const auto relu = sequential({1, 2}, nn::relu());
  const quantized_tensor part{{}, float_ops::byte_tensor{{1, 2}, {7}}};
  const auto partly = evaluator<stage::traced>(relu.view(), none, {}).run({part});
  REQUIRE_FALSE(partly.has_value());
  CHECK(partly.error().message() ==
        "node input: its input has a shape that does not match its data");
  const float_ops::tensor x{{1, 2}, {1.0F, 2.0F}};
  const auto twice = evaluator<stage::traced>(relu.view(), none, {}).run({x, x});
  REQUIRE_FALSE(twice.has_value());
  CHECK(twice.error().message() == "inputs: 2 are given, the graph has 1");
}
