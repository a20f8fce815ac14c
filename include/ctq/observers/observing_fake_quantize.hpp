// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/result.hpp"
#include "ctq/core/semantics.hpp"
#include "ctq/core/shape.hpp"
#include "ctq/observers/choose_qparams.hpp"
#include "ctq/observers/fake_quantize.hpp"
#include "ctq/observers/observer.hpp"
#include "ctq/spec/observer.hpp"

// FakeQuantize, FusedMovingAvgObsFakeQuantize, FixedQParamsFakeQuantize: fake-quantize a tensor
// with the qparams of an observer. They differ in the formula for the qparams.

namespace ctq::observers {

/// The record with the default arguments of PyTorch's fake quantize classes.
[[nodiscard]] constexpr observer_record with_fake_quantize_defaults(observer_record r) {
  const bool has_range =
      r.fake_quantize == fake_quantize_class::fused_moving_avg_obs_fake_quantize ||
      r.fake_quantize == fake_quantize_class::learnable_fake_quantize;
  if (has_range && !has_custom_range(r.args)) {
    r.args.quant_min = 0;
    r.args.quant_max = 255;
  }
  return r;
}

/// A fake quantize of one of these classes. forward returns an error and writes nothing if the data
/// has no valid qparams (NaN, an infinite scale) or the arguments are inconsistent.
class observing_fake_quantize {
 public:
  explicit observing_fake_quantize(const observer_record& record, semantics s = {})
      : semantics_(s), observer_(with_fake_quantize_defaults(record), s) {
    const quant_range range = range_of(args());
    parameters_.scale = {1.0F};
    if (args().qscheme == qscheme::per_channel_affine_float_qparams)
      parameters_.float_zero_point = {0.0F};
    else
      parameters_.zero_point = {0};
    parameters_.quant_min = static_cast<std::int32_t>(range.min);
    parameters_.quant_max = static_cast<std::int32_t>(range.max);
    parameters_.axis = args().ch_axis;
    if (const auto* fixed = observer_.get_if<fixed_qparams>())
      if (const auto q = fixed->calculate_qparams()) set(*q);
  }

  [[nodiscard]] const observer_record& record() const { return observer_.record(); }
  [[nodiscard]] const any_observer& observer() const { return observer_; }

  void enable_observer(bool enabled = true) { observer_enabled_ = enabled; }
  void enable_fake_quant(bool enabled = true) { fake_quant_enabled_ = enabled; }
  [[nodiscard]] bool observer_enabled() const { return observer_enabled_; }
  [[nodiscard]] bool fake_quant_enabled() const { return fake_quant_enabled_; }

  /// Scale and zero point in use: one pair, or one per channel.
  [[nodiscard]] const per_channel_qparams& parameters() const { return parameters_; }

  /// Observes `in`, updates the parameters, and writes fake-quantized values to `out`; each if
  /// enabled. out may be in.
  ///
  /// Shapes  in, out: `shape`, contiguous in logical order
  template <class Isa = isa::native>
  [[nodiscard]] status forward(span<const float> in, const shape& shape, span<float> out) {
    if (const std::string_view cause = problem_inside(record()); !cause.empty())
      return fail(std::string(name_of(record().fake_quantize)), std::string(cause));
    if (observer_enabled_) observer_.observe<Isa>(in, shape);
    if (const status updated =
            uses_dynamic_formula() ? update_as_dynamic() : update_from_observer();
        !updated)
      return updated;
    if (!fake_quant_enabled_) {
      std::copy(in.begin(), in.end(), out.begin());
      return done{};
    }
    if (per_channel() && !fits(parameters_, shape)) return misfit();
    if (per_channel())
      fake_quantize(in, shape, parameters_, out);
    else
      fake_quantize(in, per_tensor(), out);
    return done{};
  }

  /// The gradient of the last forward, whose input was `in`.
  [[nodiscard]] status backward(span<const float> in, const shape& shape,
                                span<const float> grad_out, span<float> grad_in) const {
    if (!fake_quant_enabled_) {
      std::copy(grad_out.begin(), grad_out.end(), grad_in.begin());
      return done{};
    }
    if (per_channel() && !fits(parameters_, shape)) return misfit();
    if (per_channel())
      fake_quantize_gradient(in, shape, parameters_, grad_out, grad_in);
    else
      fake_quantize_gradient(in, per_tensor(), grad_out, grad_in);
    return done{};
  }

  /// The qparams for conversion: the observer's.
  [[nodiscard]] result<qparams> calculate_qparams() const { return observer_.calculate_qparams(); }
  [[nodiscard]] result<per_channel_qparams> calculate_per_channel_qparams() const {
    return observer_.calculate_per_channel_qparams();
  }

 private:
  [[nodiscard]] const observer_args& args() const { return observer_.record().args; }
  [[nodiscard]] bool per_channel() const { return observer_.is_per_channel(); }
  [[nodiscard]] qparams per_tensor() const {
    return {parameters_.scale[0], parameters_.zero_point[0], parameters_.quant_min,
            parameters_.quant_max};
  }
  [[nodiscard]] bool uses_dynamic_formula() const {
    return record().fake_quantize == fake_quantize_class::fused_moving_avg_obs_fake_quantize &&
           fused_fake_quantize_uses_dynamic_formula(semantics_);
  }
  static unexpected misfit() {
    return fail("fake quantize",
                "the number of channels of the tensor and of the parameters differ");
  }

  void set(const qparams& q) {
    parameters_.scale = {q.scale};
    parameters_.zero_point = {q.zero_point};
  }

  /// Updates the parameters from the observer, if it is enabled.
  status update_from_observer() {
    if (!observer_enabled_) return done{};
    if (per_channel()) {
      auto q = observer_.calculate_per_channel_qparams();
      if (!q) return unexpected{q.error()};
      parameters_ = *std::move(q);
    } else {
      const auto q = observer_.calculate_qparams();
      if (!q) return unexpected{q.error()};
      set(*q);
    }
    return done{};
  }

  /// Updates the parameters with the formula of dynamic quantization, if rounding is enabled.
  status update_as_dynamic() {
    if (!fake_quant_enabled_) return done{};
    if (!observer_.observed())
      return fail(std::string(name_of(record().fake_quantize)), "its observer has seen no data");
    const quant_range range = range_of(args());
    const auto chosen = [&](const extrema& e) {
      return choose_qparams(e.min, e.max, range, is_symmetric(args().qscheme));
    };
    if (const auto* o = observer_.get_if<moving_average_min_max>()) {
      const auto q = o->calculate_qparams();
      if (!q) return unexpected{q.error()};
      const dynamic_qparams c = chosen(o->seen());
      set({static_cast<float>(c.scale), c.zero_point});
    }
    if (const auto* o = observer_.get_if<moving_average_per_channel_min_max>()) {
      auto q = o->calculate_qparams();
      if (!q) return unexpected{q.error()};
      parameters_ = *std::move(q);
      for (std::size_t i = 0; i < o->seen().size(); ++i) {
        const dynamic_qparams c = chosen(o->seen()[i]);
        parameters_.scale[i] = static_cast<float>(c.scale);
        parameters_.zero_point[i] = c.zero_point;
      }
    }
    return done{};
  }

  semantics semantics_;
  any_observer observer_;
  per_channel_qparams parameters_;
  bool observer_enabled_ = true;
  bool fake_quant_enabled_ = true;
};

}  // namespace ctq::observers
