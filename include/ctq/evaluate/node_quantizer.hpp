// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/evaluate/decomposed_call.hpp"
#include "ctq/evaluate/evaluation_options.hpp"
#include "ctq/evaluate/kernels/kernel_calls.hpp"
#include "ctq/evaluate/node_value.hpp"
#include "ctq/evaluate/observer_set.hpp"
#include "ctq/evaluate/quantized_tensor.hpp"
#include "ctq/graph/node.hpp"
#include "ctq/graph/place_of.hpp"
#include "ctq/observers/observer.hpp"

// The nodes that passes insert between float and integer ops: observers, quantize, dequantize, and
// their decomposed forms.

namespace ctq {

/// Computes these nodes.
/// Integers and masks become floats, as they are in compiled models; PyTorch's quantize_per_tensor
/// fails for them.
/// Errors  a value that is not a tensor, an observer without scale and zero point
class node_quantizer {
 public:
  node_quantizer(const kernel_functions& kernels, evaluation_options options)
      : options_(std::move(options)), kernels_(kernels) {}

  [[nodiscard]] const evaluation_options& options() const { return options_; }
  [[nodiscard]] kernel_calls& kernels() { return kernels_; }

  /// Passes a value to the observer of the node; a fake quantize rounds it.
  ///   of  the node that computes the value
  [[nodiscard]] result<node_value> observe(const node& n, const node& of,
                                           const node_value& in) const {
    const float_ops::value v = in_floats(in.real());
    const auto* x = v.get_if<float_ops::tensor>();
    if (x == nullptr || options_.observers == nullptr) return in;
    if (of.op->kind == op_kind::get_attr &&
        std::ranges::any_of(x->data, [](float y) { return std::isinf(y); }))
      return fail(place_of(of), observers::infinite_operand);
    if (n.observer_config->fake_quantize == fake_quantize_class::none) {
      options_.observers->observe(n.observer, *n.observer_config, *x);
      return node_value(v);
    }
    auto seen = options_.observers->forward(n.observer, *n.observer_config, *x);
    if (!seen) return unexpected{seen.error()};
    return node_value(*std::move(seen));
  }

  /// The qparams of the observer with this number.
  /// Errors  none are given, or invalid ones; those per channel are checked with a tensor
  [[nodiscard]] result<tensor_qparams> qparams_of_observer(int observer) {
    const auto found = given_qparams(observer);
    if (!found) return unexpected{found.error()};
    return **found;
  }

  [[nodiscard]] result<node_value> quantized(const float_ops::value& v, int observer) {
    if (!v.is<float_ops::tensor>() && !v.is<float_ops::index_tensor>()) return no_tensor();
    const auto qparams = given_qparams(observer);
    if (!qparams) return unexpected{qparams.error()};
    return quantized(v, **qparams);
  }
  [[nodiscard]] result<node_value> quantized(const float_ops::value& given,
                                             const tensor_qparams& qparams) {
    const float_ops::value v = in_floats(given);
    const auto* x = v.get_if<float_ops::tensor>();
    if (x == nullptr) return no_tensor();
    if (qparams.is_per_channel())
      if (std::string problem = problem_with(qparams, x->shape); !problem.empty())
        return fail({}, std::move(problem));
    return node_value(kernels_.quantize(*x, qparams));
  }

  /// An attribute of the model, such as the weight of a function, quantized with the qparams of
  /// this observer. It is quantized once: later calls return the same integers, by which kernels
  /// find the weights that they have packed.
  [[nodiscard]] result<node_value> quantized_attribute(const float_ops::value& v, int observer) {
    const auto qparams = qparams_of_observer(observer);
    if (!qparams) return unexpected{qparams.error()};
    rounded_attribute& kept = attributes_[observer];
    const bool holds = kept.integers.integers() != nullptr && kept.attribute.is_same(v);
    if (holds && kept.qparams == *qparams) return kept.integers;
    auto now = quantized(v, *qparams);
    if (now) kept = {v, *qparams, *now, {}};
    return now;
  }

  /// The value in floats, which for such an attribute is computed once.
  [[nodiscard]] float_ops::value dequantized(const node_value& in) {
    const quantized_tensor* const integers = in.integers();
    const auto found = std::ranges::find_if(
        attributes_, [&](const auto& e) { return e.second.integers.integers() == integers; });
    if (integers == nullptr || found == attributes_.end()) return in.real();
    float_ops::value& real = found->second.real;
    if (!real.is<float_ops::tensor>()) real = in.real();
    return real;
  }

  /// The values quantized with their own range, or rounded to half precision.
  ///   observer_config  has the dtype; null: quint8
  [[nodiscard]] result<node_value> dynamically_quantized(const observer_record* observer_config,
                                                         const node_value& in) {
    const float_ops::value v = in_floats(in.real());
    const auto* x = v.get_if<float_ops::tensor>();
    if (x == nullptr) return no_tensor();
    const dtype d = observer_config == nullptr ? quint8 : observer_config->args.dtype;
    if (!is_quantized(d)) return node_value(rounded_to_float16(*x));
    return node_value(kernels_.quantize(*x, dynamic_qparams(*x, d, options_.halve_dynamic_range)));
  }

  /// Calculates the qparams of a value, or quantizes it: with the calculated ones, else with those
  /// of its observer.
  [[nodiscard]] result<node_value> decomposed(const node& n, const std::vector<node_value>& reads) {
    const float_ops::value v = in_floats(reads[0].real());
    const auto* x = v.get_if<float_ops::tensor>();
    if (x == nullptr) return no_tensor();
    if (n.observer_config == nullptr) return fail({}, "has no observer");
    const observer_args& args = n.observer_config->args;
    if (is_any_of(n.op, q::choose_qparams)) {
      auto found = ctq::decomposed::choose_qparams(*x, args, options_.semantics);
      if (!found) return unexpected{found.error()};
      return node_value(float_ops::value(*std::move(found)));
    }
    const auto qparams = reads.size() > 1 ? ctq::decomposed::qparams_from(reads[1], args.dtype)
                                          : qparams_of_observer(n.observer);
    if (!qparams) return unexpected{qparams.error()};
    return node_value(ctq::decomposed::quantize(*x, *qparams, range_of(args)));
  }

 private:
  /// As qparams_of_observer, without a copy. Checked again only if they have changed: a check takes
  /// as long as quantizing a few hundred values.
  [[nodiscard]] result<const tensor_qparams*> given_qparams(int observer) {
    if (options_.qparams == nullptr) return fail({}, no_qparams);
    const auto given = options_.qparams->activations.find(observer);
    if (given == options_.qparams->activations.end()) return fail({}, no_qparams);
    const tensor_qparams& qparams = given->second;
    if (qparams.is_per_channel()) return &qparams;
    const auto checked = checked_.find(observer);
    if (checked != checked_.end() && checked->second == qparams) return &qparams;
    std::string problem = problem_with(qparams, {});
    if (!problem.empty()) return fail({}, std::move(problem));
    checked_[observer] = qparams;
    return &qparams;
  }

  static constexpr const char* no_qparams =
      "has no scale and zero point: none are given, or its observer saw no values, or some that "
      "are "
      "NaN or infinite";
  static unexpected no_tensor() { return fail({}, "requires a tensor"); }

  [[nodiscard]] static float_ops::value in_floats(float_ops::value v) {
    const auto* const integers = v.get_if<float_ops::index_tensor>();
    return integers == nullptr ? std::move(v) : float_ops::value(as_floats(*integers));
  }

  struct rounded_attribute {
    float_ops::value attribute{};
    tensor_qparams qparams{};
    node_value integers{};
    float_ops::value real{};
  };

  evaluation_options options_;
  kernel_calls kernels_;
  std::map<int, tensor_qparams> checked_{};        // by observer
  std::map<int, rounded_attribute> attributes_{};  // by observer
};

}  // namespace ctq
