// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "ctq/backends/x86.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/passes/plan.hpp"
#include "ctq/runtime/convert.hpp"
#include "ctq/runtime/packing/custom_modules.hpp"
#include "ctq/runtime/quantized_model.hpp"
#include "train/small_models.hpp"

// A model with a custom module that owns another tensor in each form.

namespace gain_module {

using namespace ctq;
using namespace ctq::literals;

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
inline model_weights<net> some_weights() {
  std::vector<weight_tensor> all = small::uniform_weights<net>(1).tensors();
  for (weight_tensor& t : all)
    if (t.name == "gain.gain") t.values = {4.0F};
  return model_weights<net>::check(weights{std::move(all)}).value_or_exit();
}

inline tensor<float, 1, 6> sample(int i) {
  static const std::vector<float> data = small::random_values(6 * 8, 2);
  tensor<float, 1, 6> x;
  std::copy_n(data.begin() + 6 * i, 6, x.begin());
  return x;
}

/// Calibrated with the samples 0 to 7, whose outputs follow in floats.
inline auto calibrated_model(std::vector<tensor<float, 1, 3>>& floats) {
  auto observed =
      prepare<net, x86, ranges, unsupported::error, isa::of_models, told>(some_weights());
  for (int i = 0; i < 8; ++i) floats.push_back(observed(sample(i)));
  return observed;
}

}  // namespace gain_module
