// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/packing/custom_modules.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "ctq/backends/x86.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/passes/plan.hpp"
#include "ctq/runtime/convert.hpp"
#include "ctq/runtime/quantized_model.hpp"
#include "train/small_models.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

// y = x * gain. The observed form has the gain's logarithm, the quantized one the factor of
// integers.
struct op_gain : module_op<op_gain> {
  static constexpr std::string_view name = "own.Gain";
  static constexpr op_parameters parameters(const no_options&) {
    return {op_parameter{"gain", {1}}};
  }
  static void apply(tensor_ref<const float> x, tensor_ref<float> y, const parameter_refs& p) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[i] * p[0].floats[0];
  }
};
inline constexpr op_gain gain{};

struct op_observed_gain : module_op<op_observed_gain> {
  static constexpr std::string_view name = "own.ObservedGain";
  static constexpr op_parameters parameters(const no_options&) {
    return {op_parameter{"log2_gain", {1}}};
  }
  static void apply(tensor_ref<const float> x, tensor_ref<float> y, const parameter_refs& p) {
    const float by = std::exp2(p[0].floats[0]);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[i] * by;
  }
};
inline constexpr op_observed_gain observed_gain{};

struct op_quantized_gain : module_op<op_quantized_gain> {
  static constexpr std::string_view name = "own.QuantizedGain";
  static constexpr op_parameters parameters(const no_options&) {
    return {op_parameter{"factor", {1}}};
  }
  static void apply(tensor_ref<const float> x, tensor_ref<float> y, const parameter_refs&) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[i];
  }
  static void run(tensor_ref<const std::uint8_t> x, tensor_ref<std::uint8_t> y,
                  const parameter_refs& p) {
    for (std::size_t i = 0; i < y.size(); ++i) {
      const auto steps = static_cast<float>(x[i] - x.qparams.zero_point);
      const float q =
          std::nearbyint(steps * p[0].floats[0]) + static_cast<float>(y.qparams.zero_point);
      y[i] = static_cast<std::uint8_t>(std::clamp(q, 0.0F, 255.0F));
    }
  }
};
inline constexpr op_quantized_gain quantized_gain{};

inline constexpr auto net =
    model("x"_n = nn::placeholder({1, 6}), "fc"_n = nn::linear("x"_n, {.out_features = 5}),
          "gain"_n = gain("fc"_n), "last"_n = nn::linear("gain"_n, {.out_features = 3}),
          "out"_n = nn::output("last"_n));

struct ranges
    : qconfig_mapping<global<qconfig<min_max_observer<>, per_channel_min_max_observer<>>>> {};

struct gain_functions {
  static constexpr op_id observed_class = observed_gain.id();
  static constexpr op_id quantized_class = quantized_gain.id();
  static inline custom_module_tensors seen{};

  static std::vector<weight_tensor> from_float(const custom_module_tensors& m) {
    return {{"log2_gain", {1}, {std::log2(m.at("gain").values[0])}}};
  }
  static std::vector<weight_tensor> from_observed(const custom_module_tensors& m) {
    seen = m;
    const float by = std::exp2(m.at("log2_gain").values[0]);
    return {{"factor", {1}, {by * m.inputs[0].scale / m.outputs[0].scale}}};
  }
};

struct told : plan_options {
  static constexpr custom_module classes[] = {
      {.float_class = gain.id(), .observed = observed_gain.id(), .quantized = quantized_gain.id()}};
  static constexpr prepare_custom_config prepare{.custom_modules = {classes, 1}};
  using custom_functions = ctq::custom_functions<gain_functions>;
};
using planned = plan<net, x86, ranges, unsupported::error, told>;
static_assert(planned::prepared.nodes[find(planned::prepared.view(), "gain")].op ==
              observed_gain.id());
static_assert(planned::lowered.nodes[find(planned::lowered.view(), "gain")].op ==
              quantized_gain.id());

model_weights<net> some_weights() {
  std::vector<weight_tensor> all = small::random_weights<net>(1).tensors();
  for (weight_tensor& t : all)
    if (t.name == "gain.gain") t.values = {4.0F};
  return model_weights<net>::check(weights{std::move(all)}).value_or_exit();
}

TEST_CASE("a custom module is observed, then runs on integers, with what its functions make") {
  auto observed =
      prepare<net, x86, ranges, unsupported::error, isa::of_models, told>(some_weights());
  const std::vector<float> data = small::random_values(6 * 8, 2);
  const auto sample = [&](int i) {
    tensor<float, 1, 6> x;
    std::copy_n(data.begin() + 6 * i, 6, x.begin());
    return x;
  };
  std::vector<tensor<float, 1, 3>> floats;
  for (int i = 0; i < 8; ++i) floats.push_back(observed(sample(i)));
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
      model_weights<with_weight>::check(small::random_weights<with_weight>(1)).value_or_exit());
  observed(tensor<float, 1, 4>{{1.0F, 2.0F, 3.0F, 4.0F}});
  CHECK(convert(observed).error().message() ==
        "tensor w.weight: of a custom module is not quantized by ctq: op_weights::in_float in its "
        "class");
}

}  // namespace
