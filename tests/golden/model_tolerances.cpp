// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model_tolerances.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctq/evaluate/channels_last.hpp"
#include "ctq/evaluate/float_ops/norms.hpp"
#include "ctq/evaluate/lowered_call.hpp"
#include "ctq/ops/builtin_ops.hpp"
#include "ctq/ops/norm_shapes.hpp"
#include "model_values.hpp"

namespace golden {
namespace {

using ctq::stage;

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

double magnitude_of_all(const std::vector<ctq::float_ops::tensor>& tensors) {
  double largest = 0.0;
  for (const auto& t : tensors) largest = std::max(largest, magnitude(t.data));
  return largest;
}

/// The largest sum of the absolute weights of one output.
double largest_row_sum(const ctq::float_ops::tensor& weight) {
  const auto rows = static_cast<std::size_t>(weight.shape[0]);
  const std::size_t terms = weight.data.size() / rows;
  double largest = 0.0;
  for (std::size_t r = 0; r < rows; ++r) {
    double sum = 0.0;
    for (std::size_t k = 0; k < terms; ++k) sum += std::abs(double{weight.data[r * terms + k]});
    largest = std::max(largest, sum);
  }
  return largest;
}

/// The largest 1 / sqrt(variance + eps) of the rows of so many elements.
double largest_inverse_deviation(const std::vector<ctq::float_ops::tensor>& inputs,
                                 std::size_t count) {
  double largest = 0.0;
  for (const auto& t : inputs)
    for (std::size_t first = 0; first + count <= t.data.size(); first += count) {
      const double variance =
          ctq::float_ops::normalizing::moments_of(t.data.data() + first, count).variance;
      largest =
          std::max(largest, 1.0 / std::sqrt(variance + double{ctq::layer_norm_options{}.eps}));
    }
  return largest;
}

/// By node of a prepared graph, how far its float32 output may be from PyTorch's: the rounding
/// errors of sums in another order, amplified by later layers.
class rounding_bounds {
 public:
  rounding_bounds(model_stages& stages, const ctq::module_state& modules,
                  const std::vector<model_stages::values>& shown)
      : stages_(stages), modules_(modules), shown_(shown) {
    for (int i = 0; i < stages.prepared().size(); ++i) bounds_.push_back(bound_of(i));
  }

  [[nodiscard]] double at(int i) const { return bounds_[static_cast<std::size_t>(i)]; }

 private:
  [[nodiscard]] double bound_of(int i) {
    const auto g = stages_.prepared();
    double of_inputs = 0.0;
    for (const int a : g.args_of(i)) of_inputs += at(a);
    const ctq::float_ops::tensor* const w = weight_of(i);
    if (w == nullptr) return of_inputs;
    std::vector<ctq::float_ops::tensor> inputs;
    for (const auto& values : shown_)
      for (ctq::float_ops::tensor& t : stages_.shown_to(g.arg(i, 0).observer, values))
        inputs.push_back(std::move(t));
    const double factor =
        is_norm(g[i]) ? magnitude(w->data) * largest_inverse_deviation(inputs, w->data.size())
                      : largest_row_sum(*w);
    return factor * (of_inputs + 4 * 0x1p-23 * magnitude_of_all(inputs));
  }

  static bool is_norm(const ctq::node& n) { return is_any_of(n.op, ctq::nn::layer_norm); }

  /// Null if the node is no layer whose input is observed.
  [[nodiscard]] const ctq::float_ops::tensor* weight_of(int i) const {
    const auto g = stages_.prepared();
    if (g[i].arg_count == 0 || g.arg(i, 0).observer_config == nullptr) return nullptr;
    std::string path;
    if (g[i].op->kind == ctq::op_kind::module) {
      path = std::string(path_of(g[i])) + ".weight";
    } else if (const int position = g[i].op->descriptor->weight_position;
               position > 0 && position < g[i].arg_count) {
      int weight = g.args_of(i)[position];
      while (g[weight].observer_config != nullptr) weight = g.args_of(weight)[0];
      path = std::string(path_of(g[weight]));
    }
    const auto* const w = tensor_at(modules_, path);
    const bool fits = w != nullptr && !w->data.empty() &&
                      (is_norm(g[i]) ? !w->shape.empty() : w->shape.size() >= 2);
    return fits ? w : nullptr;
  }

  model_stages& stages_;
  const ctq::module_state& modules_;
  const std::vector<model_stages::values>& shown_;
  std::vector<double> bounds_;  // by node
};

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

double lost_in_sums(model_stages& stages, const ctq::module_state& modules,
                    const std::vector<model_stages::values>& shown, int i) {
  const auto g = stages.prepared();
  const rounding_bounds bounds(stages, modules, shown);
  double most = 0.0;
  for (int k = 0; k < g.size(); ++k)
    if (g[k].observer_config != nullptr && g[k].observer == g[i].observer)
      most = std::max(most, bounds.at(g.args_of(k)[0]));
  const ctq::quant_range range = range_of(g[i].observer_config->args);
  return most / static_cast<double>(range.max - range.min);
}

double lost_by_elu(ctq::graph_view<stage::prepared> g, int i) {
  if (!is_any_of(g.arg(i, 0).op, ctq::nn::elu, ctq::fn::elu)) return 0.0;
  const ctq::quant_range range = range_of(g[i].observer_config->args);
  return 0x1p-23 / static_cast<double>(range.max - range.min);
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
