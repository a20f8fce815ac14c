// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/result.hpp"
#include "ctq/core/shape.hpp"
#include "ctq/observers/fake_quantize.hpp"
#include "ctq/observers/learnable_gradient.hpp"
#include "ctq/observers/observer.hpp"
#include "ctq/observers/observing_fake_quantize.hpp"
#include "ctq/spec/observer.hpp"

// _LearnableFakeQuantize: a fake quantize whose scale and zero point are trained by an optimizer,
// starting from the observer's.

namespace ctq::observers {

/// Errors are returned as values, as by the other fake quantizes.
class learnable_fake_quantize {
 public:
  explicit learnable_fake_quantize(const observer_record& record, semantics s = {})
      : observer_(with_fake_quantize_defaults(record), s),
        scale_{args().scale},
        zero_point_{static_cast<float>(args().zero_point)} {}

  [[nodiscard]] const observer_record& record() const { return observer_.record(); }
  [[nodiscard]] const any_observer& observer() const { return observer_; }

  /// The observer sets the parameters. Initially enabled, without learning.
  void enable_observer(bool enabled = true) { observer_enabled_ = enabled; }
  void enable_fake_quant(bool enabled = true) { fake_quant_enabled_ = enabled; }
  [[nodiscard]] bool observer_enabled() const { return observer_enabled_; }
  [[nodiscard]] bool learning_enabled() const { return learning_enabled_; }
  [[nodiscard]] bool fake_quant_enabled() const { return fake_quant_enabled_; }

  /// From now on the optimizer sets the parameters.
  void enable_param_learning() { enable(false, true, true); }
  /// From now on the observer sets the parameters.
  void enable_static_estimate() { enable(true, false, true); }
  /// From now on the observer sets the parameters, and values are not rounded.
  void enable_static_observation() { enable(true, false, false); }

  /// The trained parameters: one pair, or one per channel. The optimizer writes here.
  [[nodiscard]] span<float> scale() { return scale_; }
  [[nodiscard]] span<float> zero_point() { return zero_point_; }
  [[nodiscard]] span<const float> scale() const { return scale_; }
  [[nodiscard]] span<const float> zero_point() const { return zero_point_; }

  /// As the other fake quantizes; while the observer is disabled, scales are at least 2⁻²³.
  template <class Isa = isa::native>
  [[nodiscard]] status forward(span<const float> in, const shape& shape, span<float> out) {
    if (const std::string_view cause = problem_inside(record()); !cause.empty())
      return fail(std::string(name_of(record().fake_quantize)), std::string(cause));
    if (observer_enabled_) {
      observer_.observe<Isa>(in, shape);
      if (const status asked = update_from_observer(); !asked) return asked;
    } else if (std::string cause = observers::problem_with(args()); !cause.empty()) {
      return fail("observer arguments", std::move(cause));
    } else {
      if (!resize(shape)) return misfit();
      for (float& s : scale_) s = std::max(s, smallest_scale);
    }
    if (!fake_quant_enabled_) {
      std::copy(in.begin(), in.end(), out.begin());
      return done{};
    }
    if (is_symmetric(args().qscheme)) std::fill(zero_point_.begin(), zero_point_.end(), 0.0F);
    if (!resize(shape)) return misfit();
    if (per_channel())
      fake_quantize(in, shape, rounded_channels(), out);
    else
      fake_quantize(in, rounded(learnable(0)), out);
    return done{};
  }

  /// The gradients of the last forward, whose input was `in`: with respect to the input in grad_in,
  /// and returned for each scale and zero point (empty while learning is disabled).
  [[nodiscard]] result<std::vector<qparams_gradient>> backward(span<const float> in,
                                                               const shape& shape,
                                                               span<const float> grad_out,
                                                               span<float> grad_in) const {
    std::vector<qparams_gradient> g;
    if (!fake_quant_enabled_) {
      std::copy(grad_out.begin(), grad_out.end(), grad_in.begin());
      if (learning_enabled_) g.resize(scale_.size());
      return g;
    }
    if (per_channel()) {
      if (!fits(rounded_channels(), shape)) return misfit();
      std::vector<learnable_qparams> channels;
      for (std::size_t i = 0; i < scale_.size(); ++i) channels.push_back(learnable(i));
      g = learnable_gradient(in, shape, args().ch_axis, channels, grad_factor(in.size()), grad_out,
                             grad_in);
    } else {
      g = {learnable_gradient(in, learnable(0), grad_factor(in.size()), grad_out, grad_in)};
    }
    if (!learning_enabled_) g.clear();
    return g;
  }

  /// The qparams for conversion: the learned ones, rounded.
  [[nodiscard]] result<qparams> calculate_qparams() const {
    if (per_channel()) return observer_.calculate_qparams();  // returns the error
    qparams q = rounded(learnable(0));
    q.scale = std::max(q.scale, smallest_scale);
    return q;
  }
  [[nodiscard]] result<per_channel_qparams> calculate_per_channel_qparams() const {
    if (!per_channel()) return observer_.calculate_per_channel_qparams();
    per_channel_qparams q = rounded_channels();
    for (float& s : q.scale) s = std::max(s, smallest_scale);
    return q;
  }

 private:
  static constexpr float smallest_scale = 0x1p-23F;  // regardless of the observer's eps

  [[nodiscard]] const observer_args& args() const { return observer_.record().args; }
  [[nodiscard]] bool per_channel() const { return observer_.is_per_channel(); }
  static unexpected misfit() {
    return fail("_LearnableFakeQuantize",
                "the number of channels of the tensor and of the parameters differ");
  }

  void enable(bool observer, bool learning, bool fake_quant) {
    observer_enabled_ = observer;
    learning_enabled_ = learning;
    fake_quant_enabled_ = fake_quant;
  }

  [[nodiscard]] learnable_qparams learnable(std::size_t i) const {
    return {scale_[i], zero_point_[i], range_of(args())};
  }

  /// 1 / sqrt(elements * quant_max): balances the updates of scale and zero point with those of the
  /// weights, since their gradients are sums over all elements.
  [[nodiscard]] double grad_factor(std::size_t elements) const {
    if (!args().use_grad_scaling) return 1.0;
    const auto product = static_cast<double>(elements) * static_cast<double>(range_of(args()).max);
    return 1.0 / std::sqrt(product);
  }

  /// One pair per channel, allocated for the first tensor; PyTorch requires channel_len beforehand.
  bool resize(const shape& shape) {
    if (!per_channel()) return true;
    const int axis = axis_index(shape, args().ch_axis);
    if (axis < 0) return false;
    const auto channels = static_cast<std::size_t>(shape[axis]);
    if (scale_.size() == 1) {
      scale_.resize(channels, scale_[0]);
      zero_point_.resize(channels, zero_point_[0]);
    }
    return scale_.size() == channels;
  }

  status update_from_observer() {
    if (per_channel()) {
      const auto q = observer_.calculate_per_channel_qparams();
      if (!q) return unexpected{q.error()};
      scale_ = q->scale;
      zero_point_.assign(q->zero_point.begin(), q->zero_point.end());
    } else {
      const auto q = observer_.calculate_qparams();
      if (!q) return unexpected{q.error()};
      scale_ = {q->scale};
      zero_point_ = {static_cast<float>(q->zero_point)};
    }
    return done{};
  }

  [[nodiscard]] per_channel_qparams rounded_channels() const {
    per_channel_qparams p;
    for (std::size_t i = 0; i < scale_.size(); ++i) {
      const qparams q = rounded(learnable(i));
      p.scale.push_back(q.scale);
      p.zero_point.push_back(q.zero_point);
      p.quant_min = q.quant_min;
      p.quant_max = q.quant_max;
    }
    p.axis = args().ch_axis;
    return p;
  }

  any_observer observer_;
  std::vector<float> scale_;
  std::vector<float> zero_point_;
  bool observer_enabled_ = true;
  bool learning_enabled_ = false;
  bool fake_quant_enabled_ = true;
};

}  // namespace ctq::observers
