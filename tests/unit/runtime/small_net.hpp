// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ctq/backends/x86.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/passes/plan.hpp"
#include "ctq/runtime/quantize_parameters.hpp"
#include "ctq/runtime/state_dict.hpp"
#include "ctq/runtime/tensor.hpp"
#include "ctq/runtime/weights.hpp"

// Two networks for the tests of the runtime: one of linear layers, cheap to compile, and one with
// every kind of step in it.

namespace small {

namespace nn = ctq::nn;
namespace fn = ctq::fn;
namespace op = ctq::op;
using namespace ctq::literals;

inline constexpr auto mlp = ctq::sequential({3, 21}, nn::linear({.out_features = 17}), nn::relu(),
                                            nn::linear({.out_features = 5, .bias = false}));

inline constexpr auto net = ctq::model(
    "x"_n = nn::placeholder({1, 3, 9, 11}),
    "conv1"_n = nn::conv2d("x"_n, {.out_channels = 10, .kernel_size = 3, .padding = 1}),
    "bn1"_n = nn::batch_norm2d("conv1"_n), "relu1"_n = nn::relu("bn1"_n),
    "conv2"_n = nn::conv2d(
        "relu1"_n, {.out_channels = 10, .kernel_size = {1, 3}, .padding = {0, 1}, .groups = 5}),
    "add"_n = op::add("conv2"_n, "relu1"_n), "relu2"_n = fn::relu("add"_n),
    "plus"_n = fn::add("relu2"_n, "conv2"_n), "alone"_n = nn::relu("plus"_n),
    "cat"_n = fn::cat({"alone"_n, "conv2"_n}, {.dim = 1}),
    "max"_n = nn::max_pool2d("cat"_n, {.kernel_size = 2}),
    "avg"_n = nn::avg_pool2d("max"_n, {.kernel_size = 3, .stride = 1, .padding = 1}),
    "flat"_n = fn::flatten("avg"_n, {.start_dim = 1}),
    "fc"_n = nn::linear("flat"_n, {.out_features = 7}), "out"_n = nn::output("fc"_n));

struct int8
    : ctq::qconfig_mapping<
          ctq::global<ctq::qconfig<ctq::min_max_observer<>, ctq::per_channel_min_max_observer<>>>> {
};

struct per_tensor
    : ctq::qconfig_mapping<ctq::global<
          ctq::qconfig<ctq::moving_average_min_max_observer<>,
                       ctq::min_max_observer<{.dtype = ctq::qint8,
                                              .qscheme = ctq::qscheme::per_tensor_symmetric}>>>> {};

/// Weights of the right names and shapes, normally distributed; variances are positive.
template <const auto& Model>
ctq::weights random_weights(unsigned seed) {
  std::mt19937 random{seed};
  std::normal_distribution<float> normal;
  std::vector<ctq::weight_tensor> tensors;
  for (int i = 0; i < Model.view().size(); ++i) {
    for (const ctq::parameter& p : ctq::parameters_of(Model.view()[i])) {
      std::size_t count = 1;
      for (const int extent : p.shape) count *= static_cast<std::size_t>(extent);
      ctq::weight_tensor t{p.name, p.shape, std::vector<float>(count)};
      for (float& v : t.values)
        v = p.name.ends_with("running_var") ? 1.0F + std::abs(normal(random))
                                            : 0.3F * normal(random);
      tensors.push_back(std::move(t));
    }
  }
  return ctq::weights{std::move(tensors)};
}

template <const auto& Model>
ctq::model_weights<Model> checked_weights(unsigned seed) {
  return *ctq::model_weights<Model>::check(random_weights<Model>(seed));
}

/// What an int8 model with these qparams is made from.
template <class Plan>
ctq::quantized_state state_of(const ctq::weights& w, std::vector<ctq::qparams> qparams) {
  return {*ctq::quantize_parameters<Plan>(w), std::move(qparams)};
}

template <class Tensor>
void fill(Tensor& t, std::mt19937& random) {
  std::normal_distribution<float> normal;
  for (float& v : t.values) v = normal(random);
}

}  // namespace small
