// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model_tolerances.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "ctq/evaluate/channels_last.hpp"
#include "ctq/evaluate/lowered_call.hpp"
#include "ctq/ops/builtin_ops.hpp"

namespace golden {
namespace {

constexpr double dynamic_tolerance = 1e-5;  // kernels sum in another order
constexpr double few_steps = 8.01;
constexpr double recurrent_tolerance = 1e-2;  // PyTorch rounds the hidden state as well

/// QNNPACK's means round in fixed point.
bool is_average(const ctq::node& n) {
  const std::string_view name = n.op->name;
  return name.find("AvgPool") != std::string_view::npos || name.ends_with("mean") ||
         name.find("avg_pool") != std::string_view::npos;
}

/// Is the op one whose integers are QNNPACK's, by definition or since it only copies them?
bool is_exact(const ctq::node& n) {
  if (is_any_of(n.op, ctq::q::quantize_per_tensor, ctq::q::quantize_per_channel,
                ctq::q::dequantize))
    return true;
  const auto from = ctq::lowered::origin_of(n.op);
  if (from.op != nullptr)
    return from.op->descriptor->weights == ctq::op_weights::none ? n.arg_count == 1 : !from.dynamic;
  return n.op->descriptor->on_integers == ctq::on_integers::input_scale && !is_average(n);
}

}  // namespace

/// 4 ulp. A histogram of computed values: where a value lies on the border of two bins, its last
/// bits decide, and the search for the best range may stop a bin elsewhere at either end.
double scale_tolerance(const ctq::observer_record& r, const json& wanted, double scale) {
  const double ulp = std::ldexp(1.0, std::ilogb(scale) - 23);
  if (r.type != ctq::observer_class::histogram || !wanted.contains("min")) return 4 * ulp;
  const ctq::quant_range range = range_of(r.args);
  const double bin = (wanted.at("max").get<double>() - wanted.at("min").get<double>()) /
                     static_cast<double>(r.args.bins);
  return 4 * ulp + 2 * bin / static_cast<double>(range.max - range.min);
}

/// Linear layers, convolutions and what copies values are exact; of all else QNNPACK's fixed point
/// is a step off at times, which the layers behind it make a few of.
double allowed_steps(lowered_view g) {
  for (int i = 0; i < g.size(); ++i) {
    if (is_average(g[i])) return few_steps;
    if (is_quantized(g[i].dtype) && g[i].op->kind != ctq::op_kind::placeholder && !is_exact(g[i]))
      return few_steps;
  }
  return 0.0;
}

double lowered_tolerance(lowered_view g) {
  double tolerance = 0.0;
  for (int i = 0; i < g.size(); ++i) {
    const std::string_view name = g[i].op->name;
    const ctq::op_kind kind = g[i].op->kind;
    const bool linear = name.find("inear") != std::string_view::npos;
    if (name.find("dynamic") != std::string_view::npos)
      tolerance = std::max(tolerance, linear ? dynamic_tolerance : recurrent_tolerance);
    if (kind != ctq::op_kind::pass && kind != ctq::op_kind::placeholder &&
        kind != ctq::op_kind::output && !is_quantized(g[i].dtype))
      tolerance = std::max(tolerance, float_tolerance);
  }
  return tolerance;
}

bool clamps_channels_last(lowered_view g) {
  for (int i = 0; i < g.size(); ++i)
    if (ctq::clamps_channels_last(g, i)) return true;
  return false;
}

/// Of transposed convolutions PyTorch 1.13 knows no weights with a scale a channel.
bool has_transposed_per_channel(lowered_view g) {
  for (int i = 0; i < g.size(); ++i)
    if (g[i].weight != nullptr && is_per_channel(g[i].weight->type) &&
        g[i].op->name.find("ConvTranspose") != std::string_view::npos)
      return true;
  return false;
}

/// Functional convolutions whose stride is no list or whose arguments are not all given, and half
/// precision on QNNPACK: PyTorch's kernels refuse them, ctq's meaning of them stands.
bool pytorch_cannot_lower(lowered_view g) {
  for (int i = 0; i < g.size(); ++i) {
    const ctq::node& n = g[i];
    if (is_any_of(n.op, ctq::q::functional_conv1d, ctq::q::functional_conv2d,
                  ctq::q::functional_conv3d, ctq::q::functional_conv1d_relu,
                  ctq::q::functional_conv2d_relu, ctq::q::functional_conv3d_relu))
      return true;
    if (n.weight != nullptr && n.weight->args.dtype == ctq::f16) return true;
    if (n.observer_config != nullptr && n.observer_config->args.dtype == ctq::f16) return true;
  }
  return false;
}

}  // namespace golden
