// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/result.hpp"
#include "ctq/core/semantics.hpp"
#include "ctq/observers/any_fake_quantize.hpp"
#include "ctq/train/gradients/batch_norm.hpp"
#include "ctq/train/gradients/convolution.hpp"
#include "ctq/train/gradients/linear.hpp"
#include "ctq/train/trained_norm.hpp"
#include "ctq/train/trained_tensor.hpp"

// A layer in training: a convolution or linear layer whose weight is fake-quantized, perhaps with
// the batch norm and the relu that are fused into it.
//
// With a batch norm, what is rounded is the weight as it will be after folding, W * s with
// s = gamma / sqrt(running_var + eps); the output is divided by s again, so that the batch norm
// sees what it would see in the float model.
//
// Source  PyTorch torch.nn.qat, torch.nn.intrinsic.qat: _ConvBnNd, LinearBn1d

namespace ctq::training {

/// A convolution along two axes, or a linear layer.
template <class Isa>
class layer {
 public:
  /// What the layer is, apart from its tensors.
  struct description {
    std::string name;                             // of the module in the state_dict
    std::optional<conv2d_options> convolution{};  // else linear
    std::string batch_norm{};                     // the module that is fused into it; empty: none
    double eps = 1e-5;                            // of the batch norm
    bool relu = false;
    const observer_record* fake_quantize{};  // of the weight; null: it stays in float
    ctq::semantics semantics{};
  };

  /// Requires  w has its tensors, in the right shapes
  layer(description d, const weights& w)
      : description_(std::move(d)), weight_(w, description_.name + ".weight") {
    if (w.find(description_.name, "bias") != nullptr) bias_.emplace(w, description_.name + ".bias");
    if (!description_.batch_norm.empty())
      norm_.emplace(w, description_.batch_norm, description_.eps);
    if (description_.fake_quantize != nullptr)
      fake_quantize_.emplace(*description_.fake_quantize, description_.semantics);
  }

  [[nodiscard]] const std::string& name() const { return description_.name; }
  [[nodiscard]] trained_tensor& weight() { return weight_; }
  [[nodiscard]] std::optional<trained_tensor>& bias() { return bias_; }
  [[nodiscard]] std::optional<trained_norm>& norm() { return norm_; }
  [[nodiscard]] std::optional<observers::any_fake_quantize>& fake_quantize() {
    return fake_quantize_;
  }
  /// The gradients of the weight's fake quantize in the last backward, by channel, if it learns.
  [[nodiscard]] span<const observers::qparams_gradient> qparams_gradients() const {
    return qparams_gradients_;
  }

  /// Shapes  in, out: those of the node, contiguous
  ///   norm_of_batch  the batch norm trains
  /// Errors  as fake quantize and batch norm
  status forward(const shape& in_shape, const float* in, const shape& out_shape, float* out,
                 bool norm_of_batch, double momentum) {
    if (const status rounded = round_weight(); !rounded) return rounded;
    const float* const bias = bias_ && !norm_ ? bias_->value.data() : nullptr;
    if (description_.convolution)
      convolve<Isa>(geometry(in_shape, out_shape), in, rounded_.data(), bias, out, workspace_);
    else
      apply_linear<Isa>(linear(in_shape), in, rounded_.data(), bias, out);
    if (norm_) {
      unscaled_.resize(numel(out_shape));
      for_each_channel_run(out_shape, [&](std::size_t c, std::size_t at, std::size_t n) {
        const float scale = scale_[c], added = bias_ ? bias_->value[c] : 0.0F;
        for (std::size_t i = at; i < at + n; ++i) unscaled_[i] = out[i] / scale + added;
      });
      const status normed =
          norm_->forward(out_shape, unscaled_.data(), norm_of_batch, momentum, out);
      if (!normed) return normed;
    }
    if (description_.relu)
      for (std::size_t i = 0; i < numel(out_shape); ++i) out[i] = out[i] < 0.0F ? 0.0F : out[i];
    return done{};
  }

  /// Adds the gradients of the last forward to those of the tensors, and to grad_in unless it is
  /// null. Overwrites grad, that of out.
  status backward(const shape& in_shape, const float* in, const shape& out_shape, const float* out,
                  float* grad, float* grad_in) {
    if (description_.relu)
      for (std::size_t i = 0; i < numel(out_shape); ++i) grad[i] = out[i] > 0.0F ? grad[i] : 0.0F;
    std::vector<double> grad_scale(scale_.size());
    if (norm_) {
      norm_->backward(out_shape, unscaled_.data(), grad);
      if (bias_) add_channel_sums(out_shape, grad, bias_->gradient.data());
      gradient_of_unscaling(out_shape, grad, grad_scale);
    } else if (bias_) {
      add_bias_gradient(out_shape, grad);
    }
    grad_weight_.assign(weight_.value.size(), 0.0F);
    if (description_.convolution)
      add_convolution_gradient<Isa>(geometry(in_shape, out_shape), in, rounded_.data(), grad,
                                    grad_in, grad_weight_.data(), workspace_);
    else
      add_linear_gradient<Isa>(linear(in_shape), in, rounded_.data(), grad, grad_in,
                               grad_weight_.data());
    if (const status passed = gradient_of_rounding(); !passed) return passed;
    const std::size_t length = weight_.value.size() / outputs();
    for (std::size_t i = 0; i < grad_weight_.size(); ++i) {
      const std::size_t c = i / length;
      if (norm_)
        grad_scale[c] +=
            static_cast<double>(grad_weight_[i]) * static_cast<double>(weight_.value[i]);
      weight_.gradient[i] += norm_ ? grad_weight_[i] * scale_[c] : grad_weight_[i];
    }
    for (std::size_t c = 0; c < grad_scale.size(); ++c)
      norm_->gamma().gradient[c] +=
          static_cast<float>(grad_scale[c] / static_cast<double>(deviation_[c]));
    return done{};
  }

  /// Rows of outputs, as observers see them: their channel axis is the first.
  [[nodiscard]] shape weight_rows() const {
    return {static_cast<int>(outputs()), static_cast<int>(weight_.value.size() / outputs())};
  }

 private:
  [[nodiscard]] std::size_t outputs() const { return static_cast<std::size_t>(weight_.shape[0]); }
  [[nodiscard]] convolution_geometry geometry(const shape& in, const shape& out) const {
    return {*description_.convolution, in, out};
  }
  [[nodiscard]] linear_geometry linear(const shape& in) const {
    const auto inputs = static_cast<std::size_t>(weight_.shape[1]);
    return {numel(in) / inputs, inputs, outputs()};
  }

  /// Computes W * s, and rounds it.
  status round_weight() {
    scaled_ = weight_.value;
    const std::size_t length = weight_.value.size() / outputs();
    if (norm_) {
      const std::vector<float>& variance = norm_->running_variance().value;
      const auto eps = static_cast<float>(norm_->eps());
      deviation_.resize(outputs());
      scale_.resize(outputs());
      for (std::size_t c = 0; c < outputs(); ++c) {
        deviation_[c] = std::sqrt(variance[c] + eps);
        scale_[c] = norm_->gamma().value[c] / deviation_[c];
      }
      for (std::size_t i = 0; i < scaled_.size(); ++i) scaled_[i] *= scale_[i / length];
    }
    rounded_ = scaled_;
    if (!fake_quantize_) return done{};
    const status rounded = fake_quantize_->template forward<Isa>(scaled_, weight_rows(), rounded_);
    if (!rounded) return fail("weight, " + rounded.error().place, rounded.error().cause);
    return done{};
  }

  /// Converts the gradient of the batch norm's input to that of the product, in place; adds the
  /// gradient of s to grad_scale.
  void gradient_of_unscaling(const shape& out_shape, float* grad, std::vector<double>& grad_scale) {
    for_each_channel_run(out_shape, [&](std::size_t c, std::size_t at, std::size_t n) {
      const float scale = scale_[c], added = bias_ ? bias_->value[c] : 0.0F;
      // unscaled = out / s + bias, so its derivative is -(unscaled - bias) / s.
      grad_scale[c] -=
          sum_of<float>(n,
                        [&](std::size_t i) { return grad[at + i] * (unscaled_[at + i] - added); }) /
          static_cast<double>(scale);
      const float inverse = 1.0F / scale;
      for (std::size_t i = at; i < at + n; ++i) grad[i] *= inverse;
    });
  }

  /// Converts the gradient of the rounded weight to that of W * s, in place.
  status gradient_of_rounding() {
    if (!fake_quantize_) return done{};
    if (const auto* const learning = fake_quantize_->get_if<observers::learnable_fake_quantize>()) {
      auto g = learning->backward(scaled_, weight_rows(), grad_weight_, grad_weight_);
      if (!g) return unexpected{g.error()};
      qparams_gradients_ = *std::move(g);
      return done{};
    }
    return fake_quantize_->backward(scaled_, weight_rows(), grad_weight_, grad_weight_);
  }

  void add_bias_gradient(const shape& s, const float* grad) {
    if (description_.convolution) return add_channel_sums(s, grad, bias_->gradient.data());
    for (std::size_t i = 0; i < numel(s); ++i) bias_->gradient[i % outputs()] += grad[i];
  }

  description description_;
  trained_tensor weight_;
  std::optional<trained_tensor> bias_;
  std::optional<trained_norm> norm_;
  std::optional<observers::any_fake_quantize> fake_quantize_;
  std::vector<observers::qparams_gradient> qparams_gradients_;
  // Of the last forward: W * s, W * s rounded, the input of the batch norm; s and
  // sqrt(running_var + eps), as they were then.
  std::vector<float> scaled_, rounded_, unscaled_, scale_, deviation_;
  std::vector<float> grad_weight_;
  convolution_workspace<float> workspace_;
};

}  // namespace ctq::training
