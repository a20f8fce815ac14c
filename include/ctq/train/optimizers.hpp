// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "ctq/train/parameter_view.hpp"

// Optimizers with PyTorch's formulas and defaults:
//
//   sgd optimizer({.learning_rate = 0.01F, .momentum = 0.9F});
//   optimizer.step(model.parameters());
//
// Each keeps state by position: always pass the parameters of the same model, in the same order. If
// the number of elements of a parameter changes, its state is reset.

namespace ctq {

struct sgd_options {
  float learning_rate = 0.01F;
  float momentum = 0.0F;
  float dampening = 0.0F;
  float weight_decay = 0.0F;
  bool nesterov = false;
};

/// Stochastic gradient descent:
///
///   g += weight_decay * p
///   buffer = momentum * buffer + (1 - dampening) * g; in the first step g
///   p -= learning_rate * buffer; with nesterov learning_rate * (g + momentum * buffer)
///
/// Source  PyTorch torch.optim.SGD
class sgd {
 public:
  explicit sgd(const sgd_options& o = {}) : options_(o) {}

  void set_learning_rate(float r) { options_.learning_rate = r; }
  [[nodiscard]] const sgd_options& options() const { return options_; }

  /// One step for all parameters: the same ones, in the same order, in each call.
  void step(const std::vector<training::parameter_view>& parameters) {
    buffers_.resize(parameters.size());
    const sgd_options& o = options_;
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      const training::parameter_view& p = parameters[k];
      std::vector<float>& buffer = buffers_[k];
      const bool is_first = buffer.size() != p.value.size();
      if (o.momentum != 0.0F) buffer.resize(p.value.size());
      for (std::size_t i = 0; i < p.value.size(); ++i) {
        float g = p.gradient[i] + o.weight_decay * p.value[i];
        if (o.momentum != 0.0F) {
          buffer[i] = is_first ? g : o.momentum * buffer[i] + (1.0F - o.dampening) * g;
          g = o.nesterov ? g + o.momentum * buffer[i] : buffer[i];
        }
        p.value[i] -= o.learning_rate * g;
      }
    }
  }

 private:
  sgd_options options_;
  std::vector<std::vector<float>> buffers_;
};

struct adam_options {
  float learning_rate = 1e-3F;
  float beta1 = 0.9F;
  float beta2 = 0.999F;
  float eps = 1e-8F;
  float weight_decay = 0.0F;  // added to the gradient, as an L2 penalty
};

/// Adam, in step t:
///
///   g += weight_decay * p
///   m = beta1 * m + (1 - beta1) * g
///   v = beta2 * v + (1 - beta2) * g²
///   p -= learning_rate / (1 - beta1^t) * m / (sqrt(v / (1 - beta2^t)) + eps)
///
/// Source  PyTorch torch.optim.Adam
class adam {
 public:
  explicit adam(const adam_options& o = {}) : options_(o) {}

  void set_learning_rate(float r) { options_.learning_rate = r; }
  [[nodiscard]] const adam_options& options() const { return options_; }

  /// One step for all parameters: the same ones, in the same order, in each call.
  void step(const std::vector<training::parameter_view>& parameters) {
    moments_.resize(parameters.size());
    const adam_options& o = options_;
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      const training::parameter_view& p = parameters[k];
      moments& m = moments_[k];
      if (m.first.size() != p.value.size())
        m = {std::vector<float>(p.value.size()), std::vector<float>(p.value.size()), 0};
      ++m.steps;
      const double bias1 = 1.0 - std::pow(static_cast<double>(o.beta1), m.steps);
      const double bias2 = 1.0 - std::pow(static_cast<double>(o.beta2), m.steps);
      const auto rate = static_cast<float>(static_cast<double>(o.learning_rate) / bias1);
      const auto root = static_cast<float>(std::sqrt(bias2));
      for (std::size_t i = 0; i < p.value.size(); ++i) {
        const float g = p.gradient[i] + o.weight_decay * p.value[i];
        m.first[i] = o.beta1 * m.first[i] + (1.0F - o.beta1) * g;
        m.second[i] = o.beta2 * m.second[i] + (1.0F - o.beta2) * g * g;
        p.value[i] -= rate * m.first[i] / (std::sqrt(m.second[i]) / root + o.eps);
      }
    }
  }

 private:
  struct moments {
    std::vector<float> first, second;
    int steps{};
  };

  adam_options options_;
  std::vector<moments> moments_;
};

}  // namespace ctq
