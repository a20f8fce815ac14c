// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>

#include "ctq/core/shapes/row_shapes.hpp"
#include "ctq/ops/define_ops.hpp"

// Attention, composed of products of matrices and a softmax.

namespace ctq {

struct attention_options {
  flag attn_mask = false;  // there is none
  float dropout_p = 0.0F;  // 0 in inference
  flag is_causal = false;  // query i reads only the keys 0 to i
  float scale = 0.0F;      // of scores; 0: 1 / sqrt of the last axis
};

/// Functions of three tensors.
template <class Self, class Options = no_options>
struct ternary_op : function_op<Self, Options> {
  constexpr call<3> operator()(node_name a, node_name b, node_name c, const Options& o = {}) const {
    return {this->id(), attributes{o}, {a.text, b.text, c.text}};
  }
};

}  // namespace ctq

// clang-format off
#define CTQ_ATTENTION(OP) \
  OP(fn, ternary_op, scaled_dot_product_attention, "torch.nn.functional.scaled_dot_product_attention", attention_options, attention)
// clang-format on

CTQ_ATTENTION(CTQ_DECLARE_OP)

namespace ctq::descriptors {

/// 1 / sqrt(n), by Newton's method: a constant expression with all compilers.
constexpr float inverse_root(int n) {
  double root = n > 1 ? n : 1;
  for (int i = 0; i < 40; ++i) root = (root + n / root) / 2;
  return static_cast<float>(1 / root);
}

/// Queries [..., L, E], keys [..., S, E], values [..., S, V].
constexpr shape attention_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  using namespace shape_rules;
  if (!needs(d, in, 3, 0)) return {};
  auto o = a.as<attention_options>();
  const shape &q = in[0], &k = in[1], &v = in[2];
  const int last = q.rank - 1;
  bool fits = last >= 1 && k.rank == q.rank && v.rank == q.rank;
  for (int axis = 0; axis < last && fits; ++axis)
    fits = k[axis] == v[axis] && (axis == last - 1 || k[axis] == q[axis]);
  if (!fits || q[last] != k[last]) {
    complain(d, "queries, keys and values do not fit");
    for (const shape& s : in) show_input(d, s);
    return {};
  }
  if (o.attn_mask) complain(d, "has no attn_mask");
  if (o.dropout_p != 0.0F) complain(d, "dropout_p is 0 in inference");
  if (o.scale == 0.0F) o.scale = inverse_root(q[last]);
  a = attributes{o};
  shape out = q;
  out[last] = v[last];
  return out;
}

[[nodiscard]] constexpr attention_shape attention_sizes(const attributes& a, const shape& q,
                                                        const shape& k) {
  const auto o = a.as<attention_options>();
  const int queries = q[q.rank - 2];
  return {.rows = static_cast<int>(numel(q)) / q[q.rank - 1],
          .queries = queries,
          .keys = k[k.rank - 2],
          .causal = o.is_causal ? 1 : 0,
          .scale_bits = std::bit_cast<int>(o.scale)};
}

inline constexpr op_descriptor attention{.infer_shape = &attention_shape_rule,
                                         .schedule = {.how = schedule_as::attention}};

}  // namespace ctq::descriptors

CTQ_ATTENTION(CTQ_DESCRIBE_OP)
