// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <variant>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/result.hpp"
#include "ctq/core/shape.hpp"
#include "ctq/observers/learnable_fake_quantize.hpp"
#include "ctq/observers/observing_fake_quantize.hpp"
#include "ctq/spec/observer.hpp"

// A fake quantize of the class given by a record at run time.

namespace ctq::observers {

/// Contains a fake quantize of that class.
class any_fake_quantize {
 public:
  /// Requires  record.fake_quantize is not none
  explicit any_fake_quantize(const observer_record& record, semantics s = {})
      : state_(make(record, s)) {}

  [[nodiscard]] const observer_record& record() const {
    return std::visit([](const auto& f) -> const observer_record& { return f.record(); }, state_);
  }
  [[nodiscard]] const any_observer& observer() const {
    return std::visit([](const auto& f) -> const any_observer& { return f.observer(); }, state_);
  }
  [[nodiscard]] bool is_per_channel() const { return observer().is_per_channel(); }

  void enable_observer(bool enabled = true) {
    std::visit([&](auto& f) { f.enable_observer(enabled); }, state_);
  }
  void disable_observer() { enable_observer(false); }
  void enable_fake_quant(bool enabled = true) {
    std::visit([&](auto& f) { f.enable_fake_quant(enabled); }, state_);
  }
  void disable_fake_quant() { enable_fake_quant(false); }
  [[nodiscard]] bool observer_enabled() const {
    return std::visit([](const auto& f) { return f.observer_enabled(); }, state_);
  }
  [[nodiscard]] bool fake_quant_enabled() const {
    return std::visit([](const auto& f) { return f.fake_quant_enabled(); }, state_);
  }

  /// Observes `in` and writes fake-quantized values to `out`, each if enabled. out may be in.
  ///
  /// Shapes  in, out: `shape`, contiguous in logical order (NCHW, OIHW)
  /// Errors  those of the observer; a number of channels that differs from earlier calls
  template <class Isa = isa::native>
  [[nodiscard]] status forward(span<const float> in, const shape& shape, span<float> out) {
    return std::visit([&](auto& f) { return f.template forward<Isa>(in, shape, out); }, state_);
  }

  /// The gradient with respect to `in`, the input of the last forward.
  [[nodiscard]] status backward(span<const float> in, const shape& shape,
                                span<const float> grad_out, span<float> grad_in) const {
    return std::visit(
        [&](const auto& f) -> status {
          const auto g = f.backward(in, shape, grad_out, grad_in);
          if (!g) return unexpected{g.error()};
          return done{};
        },
        state_);
  }

  /// The qparams for conversion.
  [[nodiscard]] result<qparams> calculate_qparams() const {
    return std::visit([](const auto& f) { return f.calculate_qparams(); }, state_);
  }
  [[nodiscard]] result<per_channel_qparams> calculate_per_channel_qparams() const {
    return std::visit([](const auto& f) { return f.calculate_per_channel_qparams(); }, state_);
  }

  /// The contained fake quantize, or null if it has another class.
  template <class FakeQuantize>
  [[nodiscard]] FakeQuantize* get_if() {
    return std::get_if<FakeQuantize>(&state_);
  }
  template <class FakeQuantize>
  [[nodiscard]] const FakeQuantize* get_if() const {
    return std::get_if<FakeQuantize>(&state_);
  }

 private:
  using state = std::variant<observing_fake_quantize, learnable_fake_quantize>;

  static state make(const observer_record& record, semantics s) {
    if (record.fake_quantize == fake_quantize_class::learnable_fake_quantize)
      return learnable_fake_quantize(record, s);
    return observing_fake_quantize(record, s);
  }

  state state_;
};

}  // namespace ctq::observers
