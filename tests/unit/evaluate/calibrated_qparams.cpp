// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/calibrated_qparams.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "../runtime/small_net.hpp"
#include "ctq/evaluate/evaluator.hpp"
#include "ctq/runtime/convert.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr float inf = std::numeric_limits<float>::infinity();

/// NaN enters at x, or appears after the division of 0 by 0.
constexpr auto net =
    model("x"_n = nn::placeholder({1, 4}), "y"_n = nn::placeholder({1, 4}),
          "ratio"_n = op::truediv("x"_n, "y"_n), "sum"_n = op::add("x"_n, "ratio"_n),
          "twice"_n = op::add("sum"_n, "sum"_n), "out"_n = nn::output("twice"_n));

template <class Observer>
struct everywhere : qconfig_mapping<global<qconfig<Observer, per_channel_min_max_observer<>>>,
                                    allow_float<"ratio">> {};

using row = std::vector<float>;

/// What calibration with these inputs leads to in an evaluator: the error, or an empty string.
template <class Mapping>
std::string evaluator_says(const row& x, const row& y) {
  const auto fused = fuse(net.view(), backend_v<x86>);
  const auto prepared = prepare_graph(fused.view(), backend_v<x86>, mapping_v<Mapping>);
  const module_state none;
  observer_set observers;
  evaluator<stage::prepared> calibrate(prepared.view(), none, {.observers = &observers});
  if (!x.empty())
    REQUIRE(calibrate.forward({float_ops::tensor{{1, 4}, x}, float_ops::tensor{{1, 4}, y}}));
  const auto qparams = calibrated_qparams(prepared.view(), observers);
  return qparams ? "" : qparams.error().message();
}

/// The same of the compiled model.
template <class Mapping>
std::string compiled_says(const row& x, const row& y) {
  auto observed = prepare<net, x86, Mapping>(
      model_weights<net>::check(weights{std::vector<weight_tensor>{}}).value_or_exit());
  if (!x.empty()) {
    tensor<float, 1, 4> in[2];
    std::ranges::copy(x, in[0].begin());
    std::ranges::copy(y, in[1].begin());
    observed(in[0], in[1]);
  }
  const auto int8 = convert(observed);
  return int8 ? "" : int8.error().message();
}

using min_max = everywhere<min_max_observer<>>;
using histograms = everywhere<histogram_observer<>>;

}  // namespace

TEST_CASE("qparams are those of the observers, by number") {
  const auto fused = fuse(net.view(), backend_v<x86>);
  const auto prepared = prepare_graph(fused.view(), backend_v<x86>, mapping_v<min_max>);
  const module_state none;
  observer_set observers;
  evaluator<stage::prepared> calibrate(prepared.view(), none, {.observers = &observers});
  const float_ops::tensor x{{1, 4}, {0, 1, 2, 255}};
  REQUIRE(calibrate.forward({x, float_ops::tensor{{1, 4}, {1, 1, 1, 1}}}));
  const auto qparams = calibrated_qparams(prepared.view(), observers);
  REQUIRE(qparams);
  CHECK(qparams->activations.size() == static_cast<std::size_t>(prepared.observers));
  CHECK(qparams->activations.at(0) == *observers.qparams(0));
  CHECK(qparams->activations.at(0).scale == std::vector<double>{1.0});
}

TEST_CASE("the first node of which an observer saw NaN is named, as in compiled models") {
  const row ones{1, 1, 1, 1}, zeros{0, 0, 0, 0};
  CHECK(evaluator_says<min_max>(ones, ones).empty());
  const std::string nan_seen = ", calibration data: the observed values include NaN";
  CHECK(evaluator_says<min_max>({1, not_a_number, 1, 1}, ones) == "node x" + nan_seen);
  CHECK(evaluator_says<min_max>({1, 0, 1, 1}, {1, 0, 1, 1}) == "node ratio" + nan_seen);
  CHECK(evaluator_says<histograms>({1, 0, 1, 1}, {1, 0, 1, 1}) == "node ratio" + nan_seen);
  CHECK(compiled_says<min_max>({1, 0, 1, 1}, {1, 0, 1, 1}) == "node ratio" + nan_seen);
  CHECK(compiled_says<histograms>({1, not_a_number, 1, 1}, ones) == "node x" + nan_seen);
}

TEST_CASE("so is one whose observer has seen nothing that has a range") {
  const std::string missing = "node x: its observer has seen no data: calibrate first";
  CHECK(evaluator_says<min_max>({}, {}) == missing);
  CHECK(compiled_says<min_max>({}, {}) == missing);
  const row all{inf, inf, inf, inf}, ones{1, 1, 1, 1};
  const std::string only_infinite =
      "node x: its observer has seen infinite values alone, which have no range";
  CHECK(evaluator_says<histograms>(all, ones) == only_infinite);
  CHECK(compiled_says<histograms>(all, ones) == only_infinite);
}

TEST_CASE("observers whose qparams are computed in each run, or that have none, need no data") {
  constexpr observer_record dynamic{observer_class::placeholder,
                                    {.dtype = quint8, .is_dynamic = true}};
  constexpr observer_record half{observer_class::placeholder, {.dtype = f16}};
  for (const observer_record* record : {&dynamic, &half}) {
    dynamic_graph<stage::prepared> g;
    const int x = g.add({.name = "x", .op = nn::placeholder.id()}, nullptr, 0);
    node observer{.name = "observer", .op = q::activation_post_process.id()};
    observer.observer = 0;
    observer.observer_config = record;
    g.add({.name = "out", .op = nn::output.id()}, g.add(observer, x));
    const auto qparams = calibrated_qparams(g.view(), observer_set{});
    REQUIRE(qparams);
    CHECK(qparams->activations.empty());
  }
}
