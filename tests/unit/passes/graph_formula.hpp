// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ctq/graph/graph.hpp"
#include "ctq/ops/builtin_ops.hpp"

// What each node of a graph computes, as a hash of the formula: two stages of a model mean the same
// if their outputs have the same hash. Formulae are written in float, as the reference model: an
// integer op is quantize(op(dequantize(x)...)), a fused one the chain of its parts.

namespace graph_formula {

using namespace ctq;

using formula = std::uint64_t;

inline formula mix(formula h, formula x) {
  h = (h ^ x) * 0x9E3779B97F4A7C15U;
  return h ^ (h >> 29);
}
inline formula mix(formula h, std::string_view s) {
  for (const char c : s) h = mix(h, static_cast<unsigned char>(c));
  return h;
}

inline formula dequantized(formula x) { return mix(mix(1, "dequantize"), x); }
inline formula quantized(formula x, int observer) {
  return mix(mix(mix(1, "quantize"), x), static_cast<formula>(observer));
}
inline formula relu(formula x) { return mix(mix(1, "relu"), x); }

template <stage Stage>
class reader {
 public:
  explicit reader(graph_view<Stage> g) : g_(g) {
    for (int i = 0; i < g.size(); ++i) formulae_.push_back(of(i));
  }

  [[nodiscard]] formula output() const { return formulae_.back(); }

 private:
  [[nodiscard]] formula at(int i) const { return formulae_[static_cast<std::size_t>(i)]; }

  /// An argument as a real number. Ops that only move steps do so before and after a requantize
  /// alike, so one in front of them is no part of the formula.
  [[nodiscard]] formula argument(int i, int a) const {
    int from = g_.args_of(i)[a];
    if (!is_quantized(g_[from].dtype)) return at(from);
    if (is_any_of(g_[from].op, q::requantize)) from = g_.args_of(from)[0];
    return dequantized(at(from));
  }

  [[nodiscard]] formula of(int i) const {
    const node& n = g_[i];
    if (n.op->kind == op_kind::placeholder) return mix(1, n.name);
    if (n.op->kind == op_kind::output || is_any_of(n.op, q::activation_post_process, q::requantize))
      return at(g_.args_of(i)[0]);
    if (is_any_of(n.op, q::quantize_per_tensor)) return quantized(at(g_.args_of(i)[0]), n.observer);
    if (is_any_of(n.op, q::dequantize)) return dequantized(at(g_.args_of(i)[0]));
    const formula result = in_float(i);
    return is_quantized(n.dtype) ? quantized(result, n.observer) : result;
  }

  [[nodiscard]] formula in_float(int i) const {
    const node& n = g_[i];
    if (n.op->descriptor->is_relu) return relu(argument(i, 0));
    const bool sum = is_any_of(n.op, op::add, fn::add, q::add, q::add_relu);
    formula h = sum ? mix(1, "add") : mix(1, path_of(n));
    for (int a = 0; a < n.arg_count; ++a) h = mix(h, argument(i, a));
    if (!n.batch_norm.empty()) h = mix(mix(1, n.batch_norm), h);
    const bool with_relu =
        is_any_of(n.op, nni::conv_relu1d, nni::conv_relu2d, nni::linear_relu, nni::bn_relu2d,
                  q::conv_relu1d, q::conv_relu2d, q::linear_relu, q::add_relu, q::mul_relu);
    return with_relu ? relu(h) : h;
  }

  graph_view<Stage> g_;
  std::vector<formula> formulae_;
};

template <stage Stage>
formula of(graph_view<Stage> g) {
  return reader<Stage>{g}.output();
}

}  // namespace graph_formula
