// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model_deviations.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <stdexcept>
#include <utility>

#include "ctq/ops/builtin_ops.hpp"
#include "model_tolerances.hpp"

namespace golden {
namespace {

using ctq::node_value;
using ctq::stage;

/// Of two tensors of one shape, or lists of them.
double largest_difference(const ctq::float_ops::value& x, const ctq::float_ops::value& y) {
  double largest = 0.0;
  if (const auto* a = x.get_if<ctq::float_ops::tensor>()) {
    const auto& b = *y.get_if<ctq::float_ops::tensor>();
    for (std::size_t i = 0; i < a->data.size(); ++i)
      largest = std::max(largest, std::abs(static_cast<double>(b.data[i]) - a->data[i]));
  } else if (const auto* all = x.get_if<ctq::float_ops::list>()) {
    for (std::size_t i = 0; i < all->size(); ++i)
      largest =
          std::max(largest, largest_difference((*all)[i], (*y.get_if<ctq::float_ops::list>())[i]));
  }
  return largest;
}

/// The integers, each this many more or less, within their range.
ctq::quantized_tensor off_by(int steps, const ctq::quantized_tensor& q, std::mt19937& random) {
  const ctq::quant_range range = ctq::range_of(q.qparams.dtype);
  std::vector<std::int32_t> integers = q.int_repr();
  for (std::int32_t& x : integers) {
    const std::int64_t moved = x + (random() % 2 == 0 ? steps : -steps);
    x = static_cast<std::int32_t>(std::clamp<std::int64_t>(moved, range.min, range.max));
  }
  return {q.qparams, q.shape(), integers};
}

/// A value, each element by so much more or less.
node_value off_by(double distance, const node_value& v, std::mt19937& random) {
  if (const auto* q = v.integers(); q != nullptr && !q->qparams.is_per_channel())
    return off_by(static_cast<int>(std::lround(distance / q->qparams.scale[0])), *q, random);
  const auto moved = [&](auto& self, const ctq::float_ops::value& x) -> ctq::float_ops::value {
    if (const auto* t = x.get_if<ctq::float_ops::tensor>()) {
      ctq::float_ops::tensor out = *t;
      for (float& e : out.data) e += static_cast<float>(random() % 2 == 0 ? distance : -distance);
      return out;
    }
    const auto* all = x.get_if<ctq::float_ops::list>();
    if (all == nullptr) return x;
    ctq::float_ops::list out;
    for (const ctq::float_ops::value& one : *all) out.push_back(self(self, one));
    return out;
  };
  return moved(moved, v.real());
}

/// The largest difference of the output if node i has that value instead.
template <stage Stage>
double effect_of(ctq::evaluator<Stage>& run, const std::vector<node_value>& values, int i,
                 node_value instead) {
  std::vector<node_value> moved = values;
  std::vector<bool> is_moved(values.size(), false);
  moved[static_cast<std::size_t>(i)] = std::move(instead);
  is_moved[static_cast<std::size_t>(i)] = true;
  for (int k = i + 1; k < run.graph().size(); ++k) {
    std::vector<node_value> reads;
    bool reads_moved = false;
    for (const int a : run.graph().args_of(k)) {
      reads.push_back(moved[static_cast<std::size_t>(a)]);
      reads_moved = reads_moved || is_moved[static_cast<std::size_t>(a)];
    }
    if (!reads_moved) continue;
    auto v = run.run_node(k, reads);
    if (!v) throw std::runtime_error(std::string(v.error().message()));
    moved[static_cast<std::size_t>(k)] = *std::move(v);
    is_moved[static_cast<std::size_t>(k)] = true;
  }
  return largest_difference(values.back().real(), moved.back().real());
}

/// The result of a quantize if all ties, floats that are halfway between two integers up to
/// rounding errors, are rounded to the other integer; nothing if there are no ties.
std::optional<ctq::quantized_tensor> with_ties_rounded_otherwise(const ctq::float_ops::tensor& x,
                                                                 const ctq::quantized_tensor& q,
                                                                 const ctq::quant_range& range) {
  const double scale = q.qparams.scale[0];
  std::vector<std::int32_t> integers = q.int_repr();
  bool any = false;
  for (std::size_t e = 0; e < x.data.size(); ++e) {
    const double steps = double{x.data[e]} / scale;
    if (std::abs(std::abs(steps - std::nearbyint(steps)) - 0.5) > 0x1p-20 * std::abs(steps))
      continue;
    const double both = std::floor(steps) + std::ceil(steps) + 2.0 * q.qparams.zero_point[0];
    const auto moved = static_cast<std::int64_t>(both) - integers[e];
    if (moved < range.min || moved > range.max) continue;
    integers[e] = static_cast<std::int32_t>(moved);
    any = true;
  }
  if (!any) return {};
  return ctq::quantized_tensor{q.qparams, q.shape(), integers};
}

/// What node i reads, if that is one tensor of floats.
template <stage Stage>
std::optional<ctq::float_ops::tensor> floats_read_by(const ctq::evaluator<Stage>& run,
                                                     const std::vector<node_value>& values, int i) {
  const int from = run.graph().args_of(i)[0];
  const ctq::float_ops::value read = values[static_cast<std::size_t>(from)].real();
  const auto* x = read.get_if<ctq::float_ops::tensor>();
  return x == nullptr ? std::nullopt : std::optional(*x);
}

}  // namespace

double deviation_of_integers(ctq::evaluator<stage::lowered>& run,
                             const std::vector<node_value>& values,
                             const std::map<std::string, double>& inside) {
  constexpr int ways = 8;
  const ctq::graph_view<stage::lowered> g = run.graph();
  std::mt19937 random(1);
  double sum = 0.0;
  for (int i = 0; i < g.size(); ++i) {
    const node_value& value = values[static_cast<std::size_t>(i)];
    const auto* q = value.integers();
    const auto alone = g[i].op->kind == ctq::op_kind::module
                           ? inside.find(std::string(path_of(g[i])))
                           : inside.end();
    if (alone == inside.end() && (q == nullptr || !may_be_off_by_one(g[i]))) continue;
    double most = 0.0;
    for (int way = 0; way < ways; ++way)
      most =
          std::max(most, effect_of(run, values, i,
                                   alone == inside.end() ? node_value(off_by(1, *q, random))
                                                         : off_by(alone->second, value, random)));
    sum += most;
  }
  return sum;
}

double deviation_of_ties(ctq::evaluator<stage::reference>& run,
                         const std::vector<node_value>& values) {
  const ctq::graph_view<stage::reference> g = run.graph();
  double sum = 0.0;
  for (int i = 0; i < g.size(); ++i) {
    const auto* q = values[static_cast<std::size_t>(i)].integers();
    if (!is_any_of(g[i].op, ctq::q::quantize_per_tensor) || q == nullptr) continue;
    const auto x = floats_read_by(run, values, i);
    if (!x) continue;
    if (auto other = with_ties_rounded_otherwise(*x, *q, ctq::range_of(q->qparams.dtype)))
      sum += effect_of(run, values, i, node_value(*std::move(other)));
  }
  return sum;
}

double deviation_of_ties(ctq::evaluator<stage::prepared>& run,
                         const std::vector<node_value>& values,
                         const ctq::observer_set& observers) {
  const ctq::graph_view<stage::prepared> g = run.graph();
  double sum = 0.0;
  for (int i = 0; i < g.size(); ++i) {
    if (g[i].observer_config == nullptr ||
        g[i].observer_config->fake_quantize == ctq::fake_quantize_class::none)
      continue;
    const auto x = floats_read_by(run, values, i);
    const auto qparams = observers.qparams(g[i].observer);
    if (!x || !qparams || qparams->is_per_channel()) continue;
    const auto other = with_ties_rounded_otherwise(*x, ctq::quantize(*x, *qparams),
                                                   ctq::range_of(g[i].observer_config->args));
    if (other) sum += effect_of(run, values, i, node_value(ctq::dequantize(*other)));
  }
  return sum;
}

}  // namespace golden
