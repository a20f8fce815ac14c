// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "ctq/core/result.hpp"

// Losses with the gradients that training starts from, averaged over the batch as in PyTorch.

namespace ctq {

struct loss_and_gradient {
  double loss{};
  std::vector<float> gradient;  // with respect to the model's output, in its order
};

struct cross_entropy_options {
  float label_smoothing = 0.0F;  // 0 to 1
};

/// -log softmax(logits)[label], the mean of all samples. With label smoothing s the target is
/// 1 - s for the label, plus s / classes for every class.
///
/// Shapes  logits [samples, classes] · labels [samples], 0 to classes - 1
/// Errors  no labels; logits that do not fit them; a label that is no class
/// Source  PyTorch torch.nn.CrossEntropyLoss
[[nodiscard]] inline result<loss_and_gradient> cross_entropy(std::span<const float> logits,
                                                             std::span<const int> labels,
                                                             cross_entropy_options o = {}) {
  if (labels.empty() || logits.empty() || logits.size() % labels.size() != 0)
    return fail("cross_entropy", std::to_string(logits.size()) + " logits do not fit " +
                                     std::to_string(labels.size()) + " labels");
  const std::size_t classes = logits.size() / labels.size();
  const auto samples = static_cast<double>(labels.size());
  const double smooth = static_cast<double>(o.label_smoothing);
  loss_and_gradient out{0.0, std::vector<float>(logits.size())};
  for (std::size_t n = 0; n < labels.size(); ++n) {
    if (labels[n] < 0 || static_cast<std::size_t>(labels[n]) >= classes)
      return fail("cross_entropy", "label " + std::to_string(labels[n]) + " of sample " +
                                       std::to_string(n) + " is none of " +
                                       std::to_string(classes) + " classes");
    const std::span<const float> x = logits.subspan(n * classes, classes);
    const auto largest = static_cast<double>(*std::max_element(x.begin(), x.end()));
    double sum = 0;
    for (const float v : x) sum += std::exp(static_cast<double>(v) - largest);
    const double log_sum = largest + std::log(sum);
    const auto label = static_cast<std::size_t>(labels[n]);
    for (std::size_t c = 0; c < classes; ++c) {
      const double log_p = static_cast<double>(x[c]) - log_sum;
      const double target =
          (c == label ? 1.0 - smooth : 0.0) + smooth / static_cast<double>(classes);
      out.loss -= target * log_p / samples;
      out.gradient[n * classes + c] = static_cast<float>((std::exp(log_p) - target) / samples);
    }
  }
  return out;
}

/// (output - target)², the mean of all elements.
/// Errors  different numbers of elements, or none
/// Source  PyTorch torch.nn.MSELoss
[[nodiscard]] inline result<loss_and_gradient> mean_squared_error(std::span<const float> output,
                                                                  std::span<const float> target) {
  if (output.size() != target.size() || output.empty())
    return fail("mean_squared_error", std::to_string(output.size()) + " outputs do not fit " +
                                          std::to_string(target.size()) + " targets");
  const auto count = static_cast<double>(output.size());
  loss_and_gradient out{0.0, std::vector<float>(output.size())};
  for (std::size_t i = 0; i < output.size(); ++i) {
    const double d = static_cast<double>(output[i]) - static_cast<double>(target[i]);
    out.loss += d * d / count;
    out.gradient[i] = static_cast<float>(2.0 * d / count);
  }
  return out;
}

}  // namespace ctq
