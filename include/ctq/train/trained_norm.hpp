// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>

#include "ctq/core/result.hpp"
#include "ctq/train/gradients/batch_norm.hpp"
#include "ctq/train/trained_tensor.hpp"

// A batch norm in training.

namespace ctq::training {

/// A batch norm that is trained: alone, or as part of a layer.
class trained_norm {
 public:
  trained_norm(const weights& w, const std::string& name, double eps)
      : gamma_(w, name + ".weight"),
        beta_(w, name + ".bias"),
        mean_(w, name + ".running_mean"),
        variance_(w, name + ".running_var"),
        eps_(eps) {}

  [[nodiscard]] trained_tensor& gamma() { return gamma_; }
  [[nodiscard]] trained_tensor& beta() { return beta_; }
  [[nodiscard]] trained_tensor& running_mean() { return mean_; }
  [[nodiscard]] trained_tensor& running_variance() { return variance_; }
  [[nodiscard]] double eps() const { return eps_; }

  /// out = x, normalized; out may be x.
  ///   of_batch  normalizes with the statistics of the batch, and moves the running ones
  /// Errors  one element per channel, which has no variance
  status forward(const shape& s, const float* x, bool of_batch, double momentum, float* out) {
    const std::size_t channels = gamma_.value.size();
    if (of_batch && numel(s) <= channels)
      return fail("batch norm " + gamma_.name, "cannot be trained on one element per channel");
    statistics_ =
        of_batch ? statistics_of_batch(s, x, eps_)
                 : running_statistics(channels, mean_.value.data(), variance_.value.data(), eps_);
    if (of_batch)
      move_running_statistics(statistics_, momentum, mean_.value.data(), variance_.value.data());
    normalize(s, statistics_, gamma_.value.data(), beta_.value.data(), x, out);
    return done{};
  }

  /// Replaces the gradient of the last forward's output by that of x, its input.
  void backward(const shape& s, const float* x, float* grad) {
    normalize_gradient(s, statistics_, gamma_.value.data(), x, grad, gamma_.gradient.data(),
                       beta_.gradient.data());
  }

 private:
  trained_tensor gamma_, beta_, mean_, variance_;
  double eps_;
  norm_statistics statistics_;
};

}  // namespace ctq::training
