// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/result.hpp"

// Losses with the gradients that training starts from, averaged over the batch as in PyTorch.

namespace ctq {

/// A loss, and where backward starts.
struct loss_and_gradient {
  double loss{};
  std::vector<float> gradient;  // with respect to the model's output, in its order
};

struct cross_entropy_options {
  float label_smoothing = 0.0F;  // 0 to 1
};

namespace training {

/// The mean over all samples of -Σ_c target(sample, c) * log softmax(logits)[c].
template <class Target>
[[nodiscard]] loss_and_gradient soft_cross_entropy(span<const float> logits, std::size_t classes,
                                                   cross_entropy_options o, Target target) {
  const std::size_t count = logits.size() / classes;
  const auto samples = static_cast<double>(count);
  const double smooth = static_cast<double>(o.label_smoothing);
  loss_and_gradient out{0.0, std::vector<float>(logits.size())};
  for (std::size_t n = 0; n < count; ++n) {
    const span<const float> x = logits.subspan(n * classes, classes);
    const auto largest = static_cast<double>(*std::max_element(x.begin(), x.end()));
    double sum = 0, all = 0;
    for (const float v : x) sum += std::exp(static_cast<double>(v) - largest);
    const auto smoothed = [&](std::size_t c) {
      return (1.0 - smooth) * target(n, c) + smooth / static_cast<double>(classes);
    };
    for (std::size_t c = 0; c < classes; ++c) all += smoothed(c);
    const double log_sum = largest + std::log(sum);
    for (std::size_t c = 0; c < classes; ++c) {
      const double log_p = static_cast<double>(x[c]) - log_sum;
      const double wanted = smoothed(c);
      out.loss -= wanted * log_p / samples;
      out.gradient[n * classes + c] =
          static_cast<float>((all * std::exp(log_p) - wanted) / samples);
    }
  }
  return out;
}

/// The probabilities of logits, exp(logit) / Σ_c exp(logit[c]).
/// Shapes    logits and the result [samples, classes]
/// Requires  classes > 0 divides the number of logits
[[nodiscard]] inline std::vector<float> softmax(span<const float> logits, std::size_t classes) {
  std::vector<float> all(logits.begin(), logits.end());
  for (std::size_t first = 0; first < all.size(); first += classes) {
    const span<float> x = span(all).subspan(first, classes);
    const float largest = *std::max_element(x.begin(), x.end());
    double sum = 0;
    for (float& v : x) sum += static_cast<double>(v = std::exp(v - largest));
    for (float& v : x) v = static_cast<float>(static_cast<double>(v) / sum);
  }
  return all;
}

}  // namespace training

/// -log softmax(logits)[label], the mean of all samples. With label smoothing s the target is
/// 1 - s for the label, plus s / classes for every class.
///
/// Shapes  logits [samples, classes] · labels [samples], 0 to classes - 1
/// Errors  no labels; logits that do not fit them; a label that is not a class
/// Source  PyTorch torch.nn.CrossEntropyLoss
[[nodiscard]] inline result<loss_and_gradient> cross_entropy(span<const float> logits,
                                                             span<const int> labels,
                                                             cross_entropy_options o = {}) {
  if (labels.empty() || logits.empty() || logits.size() % labels.size() != 0)
    return fail("cross_entropy", std::to_string(logits.size()) + " logits do not fit " +
                                     std::to_string(labels.size()) + " labels");
  const std::size_t classes = logits.size() / labels.size();
  for (std::size_t n = 0; n < labels.size(); ++n)
    if (labels[n] < 0 || static_cast<std::size_t>(labels[n]) >= classes)
      return fail("cross_entropy", "label " + std::to_string(labels[n]) + " of sample " +
                                       std::to_string(n) + " is none of " +
                                       std::to_string(classes) + " classes");
  return training::soft_cross_entropy(logits, classes, o, [&](std::size_t n, std::size_t c) {
    return static_cast<std::size_t>(labels[n]) == c ? 1.0 : 0.0;
  });
}

/// The same for targets that are probabilities of all classes, such as the outputs of another
/// model: -Σ_c probability[c] * log softmax(logits)[c].
///
/// Shapes  logits, probabilities [samples, classes]
/// Errors  no classes; different numbers of logits and probabilities, or not whole samples
/// Source  PyTorch torch.nn.CrossEntropyLoss
[[nodiscard]] inline result<loss_and_gradient> cross_entropy(span<const float> logits,
                                                             span<const float> probabilities,
                                                             std::size_t classes,
                                                             cross_entropy_options o = {}) {
  if (classes == 0 || logits.empty() || logits.size() != probabilities.size() ||
      logits.size() % classes != 0)
    return fail("cross_entropy", std::to_string(probabilities.size()) +
                                     " probabilities do not fit " + std::to_string(logits.size()) +
                                     " logits of " + std::to_string(classes) + " classes");
  return training::soft_cross_entropy(logits, classes, o, [&](std::size_t n, std::size_t c) {
    return static_cast<double>(probabilities[n * classes + c]);
  });
}

/// (output - target)², the mean of all elements.
/// Errors  different numbers of elements, or none
/// Source  PyTorch torch.nn.MSELoss
[[nodiscard]] inline result<loss_and_gradient> mean_squared_error(span<const float> output,
                                                                  span<const float> target) {
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
