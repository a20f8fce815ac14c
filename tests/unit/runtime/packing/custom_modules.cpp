// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/packing/custom_modules.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "death.hpp"
#include "gain_module.hpp"

using namespace ctq;
using namespace ctq::literals;
using namespace gain_module;

namespace {

static_assert(planned::prepared.nodes[find(planned::prepared.view(), "gain")].op ==
              observed_gain.id());
static_assert(planned::lowered.nodes[find(planned::lowered.view(), "gain")].op ==
              quantized_gain.id());

TEST_CASE("a custom module is observed, then runs on integers, with what its functions make") {
  std::vector<tensor<float, 1, 3>> floats;
  const auto observed = calibrated_model(floats);
  const auto int8 = convert(observed).value_or_exit();

  const auto& seen = gain_functions::seen;
  CHECK(seen.path == "gain");
  REQUIRE(seen.tensors.size() == 1);
  CHECK(seen.at("log2_gain").values[0] == 2.0F);
  REQUIRE((seen.inputs.size() == 1 && seen.outputs.size() == 1));
  const auto observer_of = [](const char* name) {
    return static_cast<std::size_t>(
        planned::lowered.nodes[find(planned::lowered.view(), name)].observer);
  };
  CHECK(seen.inputs[0].scale == int8.qparams()[observer_of("fc")].scale);
  CHECK(seen.outputs[0].scale == int8.qparams()[observer_of("gain")].scale);
  CHECK(seen.outputs[0].scale == doctest::Approx(4.0F * seen.inputs[0].scale));

  const float step = int8.qparams()[observer_of("last")].scale;
  for (int i = 0; i < 8; ++i) {
    const auto y = int8(sample(i));
    for (std::size_t c = 0; c < 3; ++c)
      CHECK(std::fabs(y[c] - floats[static_cast<std::size_t>(i)][c]) <= 4.0F * step);
  }
}

std::string names_of(const std::vector<weight_tensor>& all) {
  std::string names;
  for (const weight_tensor& t : all) names += t.name + " ";
  return names;
}

TEST_CASE("a module takes its tensors out of those of the model") {
  std::vector<weight_tensor> all{{"gain.a", {1}, {1.0F}},
                                 {"gain2.a", {1}, {2.0F}},
                                 {"fc.gain.a", {1}, {3.0F}},
                                 {"gain.cell.b", {1}, {4.0F}}};
  CHECK(names_of(custom_modules::take(all, "gain")) == "a cell.b ");
  CHECK(names_of(all) == "gain2.a fc.gain.a ");
}

TEST_CASE("the tensor of a name") {
  const custom_module_tensors m{
      "gain", {{"a", {1}, {1.0F}}, {"b", {1}, {2.0F}}, {"c", {1}, {3.0F}}}, {}, {}};
  CHECK(m.at("a").values[0] == 1.0F);
  CHECK(m.at("b").values[0] == 2.0F);
  CHECK(m.at("c").values[0] == 3.0F);
  const death d = death_of([&] { static_cast<void>(m.at("d")); });
  CHECK(d.signal == SIGABRT);
  CHECK(d.said.find("custom module gain has no tensor d") != std::string::npos);
}

TEST_CASE("a module is made once, from its tensors and the qparams of what is integers") {
  dynamic_graph<stage::lowered> g;
  const int x =
      g.add({.name = "x", .op = nn::placeholder.id(), .dtype = quint8, .observer = 2}, nullptr, 0);
  const int real = g.add({.name = "real", .op = nn::placeholder.id()}, nullptr, 0);
  const int fc = g.add({.name = "fc", .op = q::linear.id(), .dtype = quint8, .observer = 1}, x);
  const int args[] = {x, real, fc};
  const int first =
      g.add({.name = "gain", .op = gain.id(), .dtype = quint8, .observer = 0}, args, 3);
  g.add({.name = "gain#2", .op = gain.id(), .dtype = quint8, .observer = 0}, first);
  const qparams of_observers[] = {{0.5F}, {1.5F}, {2.5F}};

  std::vector<custom_module_tensors> made;
  const auto form = [&made](const custom_module_tensors& from) {
    made.push_back(from);
    return std::vector<weight_tensor>{{"made", {1}, {7.0F}}};
  };
  std::vector<weight_tensor> all{{"gain.gain", {1}, {1.0F}}, {"fc.weight", {1}, {2.0F}}};
  custom_modules::replace(g.view(), gain.id(), of_observers, all, form);
  REQUIRE(made.size() == 1);
  CHECK(made[0].path == "gain");
  CHECK(names_of(made[0].tensors) == "gain ");
  REQUIRE((made[0].inputs.size() == 2 && made[0].outputs.size() == 1));
  CHECK(made[0].inputs[0].scale == 2.5F);
  CHECK(made[0].inputs[1].scale == 1.5F);
  CHECK(made[0].outputs[0].scale == 0.5F);
  CHECK(names_of(all) == "fc.weight gain.made ");

  // Before convert there are no qparams.
  custom_modules::replace(g.view(), gain.id(), {}, all, form);
  REQUIRE(made.size() == 2);
  CHECK(names_of(made[1].tensors) == "made ");
  CHECK((made[1].inputs.empty() && made[1].outputs.empty()));
}

// A quantized class computes on integers.
struct without_run : plan_options {
  static constexpr custom_module classes[] = {
      {.float_class = gain.id(), .observed = gain.id(), .quantized = gain.id()}};
  static constexpr prepare_custom_config prepare{.custom_modules = {classes, 1}};
};
static_assert(plan_check<net, x86, ranges, unsupported::error, without_run>::found.message() ==
              "no kernel for node gain:\nown.Gain\nhas no run on quint8, which a\n"
              "quantized custom module needs");

// ctq quantizes no weight of a custom module.
struct op_weighted : module_op<op_weighted> {
  static constexpr std::string_view name = "own.Weighted";
  static constexpr op_parameters parameters(const no_options&) {
    return {op_parameter{"weight", {1}}};
  }
  static void apply(tensor_ref<const float> x, tensor_ref<float> y, const parameter_refs&) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[i];
  }
  static void run(tensor_ref<const std::uint8_t> x, tensor_ref<std::uint8_t> y,
                  const parameter_refs&) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[i];
  }
};
inline constexpr op_weighted weighted{};
inline constexpr auto with_weight =
    model("x"_n = nn::placeholder({1, 4}), "w"_n = weighted("x"_n), "out"_n = nn::output("w"_n));
struct same_class : plan_options {
  static constexpr custom_module classes[] = {
      {.float_class = weighted.id(), .observed = weighted.id(), .quantized = weighted.id()}};
  static constexpr prepare_custom_config prepare{.custom_modules = {classes, 1}};
};

TEST_CASE("a quantized class whose weight ctq would have to quantize is an error") {
  auto observed = prepare<with_weight, x86, ranges, unsupported::error, isa::of_models, same_class>(
      model_weights<with_weight>::check(small::uniform_weights<with_weight>(1)).value_or_exit());
  observed(tensor<float, 1, 4>{{1.0F, 2.0F, 3.0F, 4.0F}});
  CHECK(convert(observed).error().message() ==
        "tensor w.weight: of a custom module is not quantized by ctq: op_weights::in_float in its "
        "class");
}

}  // namespace
