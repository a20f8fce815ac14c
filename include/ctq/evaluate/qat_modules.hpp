// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "ctq/core/result.hpp"
#include "ctq/core/semantics.hpp"
#include "ctq/core/shape.hpp"
#include "ctq/evaluate/float_ops/fold_batch_norm.hpp"
#include "ctq/evaluate/float_ops/training.hpp"
#include "ctq/observers/any_fake_quantize.hpp"
#include "ctq/ops/activations.hpp"
#include "ctq/spec/observer.hpp"

// Modules of quantization-aware training: a conv or linear whose weight is rounded as conversion
// will round it, perhaps with the batch norm and relu that will be fused into it.
//
// With a batch norm, what is rounded is the weight as it will be after folding, W * s with
// s = gamma / sqrt(running_var + eps); the output is divided by s again, so that the batch norm
// sees what it would see in the float model.
//
// Source  PyTorch torch.nn.qat, torch.nn.intrinsic.qat: _ConvBnNd, LinearBn1d

namespace ctq {

/// The batch norm of a module in training.
struct qat_norm {
  float_ops::tensor weight, bias;  // gamma, beta
  float_ops::tensor running_mean, running_var;
  std::int64_t num_batches_tracked{};
  double eps = 1e-5;
  double momentum = 0.1;
};

/// A conv if the weight has more than two axes, else a linear.
struct qat_parameters {
  float_ops::tensor weight;
  std::optional<float_ops::tensor> bias{};
  float_ops::convolution_options convolution{};  // of a conv
  std::optional<qat_norm> bn{};
  bool relu = false;

  [[nodiscard]] bool is_linear() const { return float_ops::rank(weight.shape) == 2; }
};

/// The gradients of the input and of all parameters.
struct qat_gradients {
  float_ops::tensor x, weight;
  std::optional<float_ops::tensor> bias{}, bn_weight{}, bn_bias{};
};

/// A module in training, with the fake quantize of its weight.
class module_in_training {
 public:
  module_in_training(qat_parameters p, const observer_record& weight_fake_quant, semantics s = {})
      : parameters_(std::move(p)), weight_fake_quant_(weight_fake_quant, s) {}

  /// The trainable parameters; the optimizer updates them.
  [[nodiscard]] qat_parameters& parameters() { return parameters_; }
  [[nodiscard]] const qat_parameters& parameters() const { return parameters_; }
  [[nodiscard]] observers::any_fake_quantize& weight_fake_quant() { return weight_fake_quant_; }

  /// The output in training: batch norm uses the statistics of the batch, and updates its own.
  /// The module keeps what backward needs.
  /// Errors  shapes that do not fit, only one element per channel, those of the fake quantize
  [[nodiscard]] result<float_ops::tensor> train(const float_ops::tensor& x) {
    auto y = trained(x);
    out_ = y ? *y : float_ops::tensor();
    return y;
  }

  /// The output in evaluation: batch norm uses its running statistics. As in PyTorch, an enabled
  /// observer still observes the weight.
  [[nodiscard]] result<float_ops::tensor> evaluate(const float_ops::tensor& x) {
    out_ = {};
    auto out = before_norm(x);
    if (!out || !parameters_.bn) return with_relu(std::move(out));
    const qat_norm& bn = *parameters_.bn;
    float_ops::for_each_channel_run(out->shape, [&](std::size_t c, std::size_t at, std::size_t n) {
      const double variance = static_cast<double>(bn.running_var.data[c]);
      float_ops::normalizing::apply(out->data.data() + at, n,
                                    static_cast<double>(bn.running_mean.data[c]),
                                    std::sqrt(variance + bn.eps), affine(c));
    });
    return with_relu(std::move(out));
  }

  /// The gradients of the last call of train, given that of its output.
  /// Errors  a gradient of another shape, no train since the last evaluate
  [[nodiscard]] result<qat_gradients> backward(const float_ops::tensor& grad_out) const {
    if (out_.shape.empty() || grad_out.shape != out_.shape)
      return fail("backward", "is for the output of train");
    float_ops::tensor grad = grad_out;
    if (parameters_.relu)
      for (std::size_t i = 0; i < grad.data.size(); ++i)
        if (!(out_.data[i] > 0.0F)) grad.data[i] = 0.0F;
    qat_gradients g{};
    if (parameters_.bn) {
      auto norm = float_ops::batch_norm_gradient(shifted_, statistics_, parameters_.bn->weight,
                                                 parameters_.bn->eps, grad);
      grad = std::move(norm.x);
      g.bn_weight = std::move(norm.gamma);
      g.bn_bias = std::move(norm.beta);
    }
    if (parameters_.bias) g.bias = sum_of_channels(grad);
    const float_ops::tensor grad_shifted = grad;
    if (parameters_.bn)
      for_each_output(grad.shape, [&](std::size_t c, std::size_t i) { grad.data[i] /= scale_[c]; });
    auto product =
        parameters_.is_linear()
            ? result<float_ops::product_gradient>(float_ops::linear_gradient(in_, rounded_, grad))
            : float_ops::convolution_gradient(in_, rounded_, grad, parameters_.convolution);
    if (!product) return unexpected{product.error()};
    g.x = std::move(product->in);
    g.weight = std::move(product->weight);
    if (const status passed =
            weight_fake_quant_.backward(scaled_.data, weight_shape(), g.weight.data, g.weight.data);
        !passed)
      return unexpected{passed.error()};
    if (parameters_.bn) add_gradient_of_scale(g, grad_shifted);
    return g;
  }

  /// The weight and bias of the float module: with the batch norm folded into them, unrounded.
  [[nodiscard]] result<float_ops::weight_and_bias> to_float() const {
    const float_ops::tensor* const bias = parameters_.bias ? &*parameters_.bias : nullptr;
    if (!parameters_.bn)
      return float_ops::weight_and_bias{parameters_.weight,
                                        bias == nullptr ? float_ops::tensor() : *bias};
    const qat_norm& bn = *parameters_.bn;
    return float_ops::fold(
        parameters_.weight, bias,
        {.gamma = &bn.weight,
         .beta = &bn.bias,
         .mean = &bn.running_mean,
         .variance = &bn.running_var,
         .eps = bn.eps},
        parameters_.is_linear() ? float_ops::foldable::linear : float_ops::foldable::conv);
  }

 private:
  result<float_ops::tensor> trained(const float_ops::tensor& x) {
    auto out = before_norm(x);
    if (!out || !parameters_.bn) return with_relu(std::move(out));
    if (out->data.size() <= static_cast<std::size_t>(out->shape[1]))
      return fail("batch norm", "cannot be trained on one element per channel");
    statistics_ = float_ops::statistics_of(*out);
    qat_norm& bn = *parameters_.bn;
    move_running_statistics(bn);
    float_ops::tensor y = *out;
    float_ops::for_each_channel_run(y.shape, [&](std::size_t c, std::size_t at, std::size_t n) {
      float_ops::normalizing::apply(y.data.data() + at, n, statistics_.mean[c],
                                    std::sqrt(statistics_.variance[c] + bn.eps), affine(c));
    });
    return with_relu(std::move(y));
  }

  /// Rows of outputs, as observers see them: their channel axis is the first.
  [[nodiscard]] shape weight_shape() const {
    const int outputs = parameters_.weight.shape[0];
    return {outputs, static_cast<int>(parameters_.weight.data.size()) / outputs};
  }

  [[nodiscard]] float_ops::normalizing::affine affine(std::size_t c) const {
    const qat_norm& bn = *parameters_.bn;
    return {static_cast<double>(bn.weight.data[c]), static_cast<double>(bn.bias.data[c])};
  }

  /// Calls visit(channel, element) for each element; channels are axis 1, or the last of a linear.
  template <class Visit>
  static void for_each_output(const float_ops::extents& shape, Visit visit) {
    float_ops::for_each_channel_run(shape, [&](std::size_t c, std::size_t at, std::size_t n) {
      for (std::size_t i = at; i < at + n; ++i) visit(c, i);
    });
  }

  template <class Visit>
  void for_each_weight(Visit visit) const {
    const std::size_t rows = static_cast<std::size_t>(parameters_.weight.shape[0]);
    const std::size_t count = parameters_.weight.data.size() / rows;
    for (std::size_t i = 0; i < rows * count; ++i) visit(i / count, i);
  }

  static float_ops::tensor sum_of_channels(const float_ops::tensor& t) {
    std::vector<double> sum(static_cast<std::size_t>(t.shape[1]));
    for_each_output(
        t.shape, [&](std::size_t c, std::size_t i) { sum[c] += static_cast<double>(t.data[i]); });
    return {{t.shape[1]}, {sum.begin(), sum.end()}};
  }

  [[nodiscard]] status check(const float_ops::tensor& x) const {
    const qat_parameters& p = parameters_;
    const std::size_t axes = p.weight.shape.size();
    if (axes < 2 || p.weight.data.empty()) return fail("weight", "has fewer than two axes");
    if (x.shape.size() != axes) return fail("input", "has other axes than the weight");
    const auto outputs = static_cast<std::size_t>(p.weight.shape[0]);
    if (p.bias && p.bias->data.size() != outputs) return fail("bias", "does not fit the weight");
    if (!p.bn) return done{};
    for (const float_ops::tensor* t :
         {&p.bn->weight, &p.bn->bias, &p.bn->running_mean, &p.bn->running_var})
      if (t->data.size() != outputs) return fail("batch norm", "does not fit the weight");
    return done{};
  }

  /// The output of the conv or linear with the rounded weight, divided by s again.
  result<float_ops::tensor> before_norm(const float_ops::tensor& x) {
    const qat_parameters& p = parameters_;
    if (const status fits = check(x); !fits) return unexpected{fits.error()};
    in_ = x;
    scaled_ = p.weight;
    if (p.bn) {
      const auto eps = static_cast<float>(p.bn->eps);
      deviation_ = p.bn->running_var.data;
      scale_ = p.bn->weight.data;
      for (std::size_t c = 0; c < scale_.size(); ++c) {
        deviation_[c] = std::sqrt(deviation_[c] + eps);
        scale_[c] /= deviation_[c];
      }
      for_each_weight([&](std::size_t c, std::size_t i) { scaled_.data[i] *= scale_[c]; });
    }
    rounded_ = scaled_;
    if (const status done = weight_fake_quant_.forward(scaled_.data, weight_shape(), rounded_.data);
        !done)
      return unexpected{done.error()};
    const float_ops::tensor* const bias = p.bias && !p.bn ? &*p.bias : nullptr;
    auto out = p.is_linear() ? float_ops::linear(x, rounded_, bias)
                             : float_ops::convolution(x, rounded_, bias, p.convolution);
    if (!out || !p.bn) return out;
    scaled_out_ = *out;
    for_each_output(out->shape, [&](std::size_t c, std::size_t i) {
      out->data[i] /= scale_[c];
      if (p.bias) out->data[i] += p.bias->data[c];
    });
    shifted_ = *out;
    return out;
  }

  [[nodiscard]] result<float_ops::tensor> with_relu(result<float_ops::tensor> out) const {
    if (!out || !parameters_.relu) return out;
    for (float& y : out->data) y = descriptors::functions::relu(y);
    return out;
  }

  /// running = (1 - momentum) * running + momentum * batch; the variance is that of a sample.
  void move_running_statistics(qat_norm& bn) const {
    const auto count = static_cast<double>(statistics_.count);
    const auto move = [&](float& running, double batch) {
      running = static_cast<float>(no_contract(bn.momentum * batch) +
                                   no_contract((1.0 - bn.momentum) * static_cast<double>(running)));
    };
    for (std::size_t c = 0; c < statistics_.mean.size(); ++c) {
      move(bn.running_mean.data[c], statistics_.mean[c]);
      move(bn.running_var.data[c], statistics_.variance[c] * count / (count - 1.0));
    }
    ++bn.num_batches_tracked;
  }

  /// Adds the gradient by way of s, which depends on gamma, multiplies the weight and divides the
  /// output.
  void add_gradient_of_scale(qat_gradients& g, const float_ops::tensor& grad_shifted) const {
    std::vector<double> grad_scale(scale_.size());
    for_each_output(grad_shifted.shape, [&](std::size_t c, std::size_t i) {
      const auto s = static_cast<double>(scale_[c]);
      grad_scale[c] -= no_contract(static_cast<double>(grad_shifted.data[i]) *
                                   static_cast<double>(scaled_out_.data[i]) / (s * s));
    });
    for_each_weight([&](std::size_t c, std::size_t i) {
      grad_scale[c] += no_contract(static_cast<double>(g.weight.data[i]) *
                                   static_cast<double>(parameters_.weight.data[i]));
      g.weight.data[i] *= scale_[c];
    });
    for (std::size_t c = 0; c < grad_scale.size(); ++c)
      g.bn_weight->data[c] +=
          static_cast<float>(grad_scale[c] / static_cast<double>(deviation_[c]));
  }

  qat_parameters parameters_;
  observers::any_fake_quantize weight_fake_quant_;
  // Of the last forward: the input, W * s, W * s rounded, the output of the conv, the input of the
  // batch norm, the output; s and sqrt(running_var + eps), as they were then.
  float_ops::tensor in_, scaled_, rounded_, scaled_out_, shifted_, out_;
  std::vector<float> scale_, deviation_;
  float_ops::batch_statistics statistics_{};
};

}  // namespace ctq
