// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/evaluate/quantized_tensor.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/observers/any_fake_quantize.hpp"
#include "ctq/observers/observer.hpp"
#include "ctq/ops/backend_ops.hpp"

// The observers of a prepared model, or the fake quantizes of one in training, with their
// statistics. Nodes that share an observer have one here.

namespace ctq {

/// An observer or a fake quantize for tensors of any rank.
class tensor_observer {
 public:
  /// Requires  all observed tensors have this rank
  tensor_observer(observer_record record, int rank, semantics s)
      : axis_(record.args.ch_axis), state_(make(record, rank, s)) {}

  /// Turns the parts of a fake quantize on or off; an observer always observes.
  void enable(bool observer, bool fake_quant) {
    auto* fake = std::get_if<observers::any_fake_quantize>(&state_);
    if (fake == nullptr) return;
    fake->enable_observer(observer);
    fake->enable_fake_quant(fake_quant);
  }

  /// Requires  an observer, not a fake quantize
  void observe(const float_ops::tensor& x) {
    std::get_if<observers::any_observer>(&state_)->observe(x.data, shape_of(x.shape));
  }

  /// Observes the values and returns them; a fake quantize returns them quantized and dequantized.
  /// Errors  those of the fake quantize
  [[nodiscard]] result<float_ops::tensor> forward(const float_ops::tensor& x) {
    float_ops::tensor out = x;
    if (auto* fake = std::get_if<observers::any_fake_quantize>(&state_)) {
      const status done = fake->forward(x.data, shape_of(x.shape), out.data);
      if (!done) return unexpected{done.error()};
    } else {
      observe(x);
    }
    return out;
  }

  /// Whether it has seen any value but infinite ones. Always true of a fake quantize, whose error
  /// comes from qparams().
  [[nodiscard]] bool observed() const {
    const auto* const o = std::get_if<observers::any_observer>(&state_);
    return o == nullptr || o->observed();
  }
  /// Whether there were infinite values, which it leaves out.
  [[nodiscard]] bool ignored_infinity() const {
    const auto* const o = std::get_if<observers::any_observer>(&state_);
    return o != nullptr && o->ignored_infinity();
  }

  /// The qparams calculated from the observed values.
  /// Errors  those of the class; a class that collects nothing has no qparams
  [[nodiscard]] result<tensor_qparams> qparams() const {
    return std::visit(
        [this](const auto& o) -> result<tensor_qparams> {
          const dtype d = o.record().args.dtype;
          if (o.is_per_channel()) {
            auto p = o.calculate_per_channel_qparams();
            if (!p) return unexpected{p.error()};
            p->axis = axis_;
            return tensor_qparams_of(d, *p);
          }
          const auto p = o.calculate_qparams();
          if (!p) return unexpected{p.error()};
          return tensor_qparams_of(d, *p);
        },
        state_);
  }

 private:
  using state = std::variant<observers::any_observer, observers::any_fake_quantize>;

  /// Beyond the ranks that shape supports, the axes before the channels and those after them are
  /// one axis each.
  static bool is_folded(int rank) { return rank > static_cast<int>(max_rank); }

  static state make(observer_record record, int rank, semantics s) {
    if (is_folded(rank)) record.args.ch_axis = 1;
    if (record.fake_quantize != fake_quantize_class::none)
      return observers::any_fake_quantize(record, s);
    return observers::any_observer(record, s);
  }

  [[nodiscard]] shape shape_of(const float_ops::extents& extents) const {
    shape s;
    const int rank = float_ops::rank(extents);
    if (!is_folded(rank)) {
      s.rank = rank;
      for (int i = 0; i < rank; ++i) s[i] = extents[static_cast<std::size_t>(i)];
      return s;
    }
    s = shape(1, 1, 1);
    const int channel = axis_ < 0 ? axis_ + rank : axis_;
    for (int i = 0; i < rank; ++i)
      s[i < channel ? 0 : i == channel ? 1 : 2] *= extents[static_cast<std::size_t>(i)];
    return s;
  }

  int axis_;
  state state_;
};

/// The qparams of a weight; nullopt for half precision.
[[nodiscard]] inline result<std::optional<tensor_qparams>> qparams_of_weight(
    const observer_record& record, const float_ops::tensor& weight, semantics s) {
  if (!is_quantized(record.args.dtype)) return std::optional<tensor_qparams>{};
  observer_record observer = record;
  observer.fake_quantize = fake_quantize_class::none;
  tensor_observer of_weight(observer, float_ops::rank(weight.shape), s);
  const auto seen = of_weight.forward(weight);
  if (!seen) return unexpected{seen.error()};
  const auto qparams = of_weight.qparams();
  if (!qparams) return unexpected{qparams.error()};
  return std::optional<tensor_qparams>{*qparams};
}

/// The observers or fake quantizes of a model: those of activations by number, those of the weights
/// of modules in training by path. Each is made when its first value is passed.
class observer_set {
 public:
  explicit observer_set(semantics s = {}) : semantics_(s) {}

  /// Passes a value to the observer with this number, and returns what it returns.
  /// Errors  as tensor_observer::forward
  [[nodiscard]] result<float_ops::tensor> forward(int number, const observer_record& record,
                                                  const float_ops::tensor& x) {
    return of(by_number_, number, record, x).forward(x);
  }

  /// The same for a record without fake quantize, which leaves the value as it is.
  void observe(int number, const observer_record& record, const float_ops::tensor& x) {
    of(by_number_, number, record, x).observe(x);
  }

  /// The same for the weight of a module in training.
  [[nodiscard]] result<float_ops::tensor> forward(const std::string& weight,
                                                  const observer_record& record,
                                                  const float_ops::tensor& x) {
    return of(by_weight_, weight, record, x).forward(x);
  }

  /// The observer with this number, or null if no value was passed to it.
  [[nodiscard]] const tensor_observer* find(int number) const {
    const auto found = by_number_.find(number);
    return found == by_number_.end() ? nullptr : &found->second;
  }

  /// The qparams of the observer with this number; nullopt if no value was passed to it, or if they
  /// cannot be calculated: after NaN, or if its class collects nothing.
  [[nodiscard]] std::optional<tensor_qparams> qparams(int number) const {
    return qparams(by_number_, number);
  }
  /// The same for the weight of a module in training, by its path.
  [[nodiscard]] std::optional<tensor_qparams> qparams(const std::string& weight) const {
    return qparams(by_weight_, weight);
  }

  /// Turns the parts of all fake quantizes on or off; observers always observe.
  void enable(bool observers, bool fake_quants) {
    observers_enabled_ = observers;
    fake_quants_enabled_ = fake_quants;
    for (auto& [number, o] : by_number_) o.enable(observers, fake_quants);
    for (auto& [weight, o] : by_weight_) o.enable(observers, fake_quants);
  }

 private:
  template <class Map>
  tensor_observer& of(Map& map, const typename Map::key_type& key, const observer_record& record,
                      const float_ops::tensor& x) {
    const auto [at, added] = map.try_emplace(key, record, float_ops::rank(x.shape), semantics_);
    if (added) at->second.enable(observers_enabled_, fake_quants_enabled_);
    return at->second;
  }

  template <class Map>
  [[nodiscard]] static std::optional<tensor_qparams> qparams(const Map& map,
                                                             const typename Map::key_type& key) {
    const auto found = map.find(key);
    if (found == map.end()) return {};
    const auto qparams = found->second.qparams();
    return qparams ? std::optional<tensor_qparams>{*qparams} : std::nullopt;
  }

  semantics semantics_;
  bool observers_enabled_ = true;
  bool fake_quants_enabled_ = true;
  std::map<int, tensor_observer> by_number_;
  std::map<std::string, tensor_observer> by_weight_;
};

}  // namespace ctq
