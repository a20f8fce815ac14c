// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model_tolerances.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "ctq/evaluate/channels_last.hpp"
#include "ctq/evaluate/lowered_call.hpp"
#include "ctq/ops/builtin_ops.hpp"

namespace golden {
namespace {

constexpr double dynamic_tolerance = 1e-5;  // kernels sum in another order
// PyTorch quantizes the hidden state before each step, with its range: a state near the middle of
// two integers goes either way, which is half a unit of 2/255 a step, times the weights of the
// state.
constexpr double recurrent_tolerance = 3e-3;
constexpr double bag_tolerance = 1e-6;  // the rows of a bag are added in any order

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

/// Linear layers, convolutions and what copies values are exact; of all else QNNPACK's fixed point
/// is off by one at times.
bool may_be_off_by_one(const ctq::node& n) {
  return is_average(n) ||
         (is_quantized(n.dtype) && n.op->kind != ctq::op_kind::placeholder && !is_exact(n));
}

double lowered_tolerance(lowered_view g) {
  double tolerance = 0.0;
  for (int i = 0; i < g.size(); ++i) {
    const std::string_view name = g[i].op->name;
    const ctq::op_kind kind = g[i].op->kind;
    const bool linear = name.find("inear") != std::string_view::npos;
    if (name.find("dynamic") != std::string_view::npos)
      tolerance = std::max(tolerance, linear ? dynamic_tolerance : recurrent_tolerance);
    if (name.find("embedding_bag") != std::string_view::npos ||
        name.find("EmbeddingBag") != std::string_view::npos)
      tolerance = std::max(tolerance, bag_tolerance);
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

/// Functional convolutions whose stride is no list or whose arguments are not all given, and half
/// precision on QNNPACK: PyTorch's kernels refuse them, ctq's meaning of them stands.
std::string lowering_error(lowered_view g) {
  for (int i = 0; i < g.size(); ++i) {
    const ctq::node& n = g[i];
    if (is_any_of(n.op, ctq::q::functional_conv1d, ctq::q::functional_conv2d,
                  ctq::q::functional_conv3d, ctq::q::functional_conv1d_relu,
                  ctq::q::functional_conv2d_relu, ctq::q::functional_conv3d_relu))
      return "kernel_rejects_arguments";
    const bool half = (n.weight != nullptr && n.weight->args.dtype == ctq::f16) ||
                      (n.observer_config != nullptr && n.observer_config->args.dtype == ctq::f16);
    if (half) return "kernel_missing_in_engine";
  }
  return {};
}

}  // namespace golden
