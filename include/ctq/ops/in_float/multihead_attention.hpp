// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#include "ctq/core/no_contract.hpp"
#include "ctq/ops/attention.hpp"
#include "ctq/ops/define_ops.hpp"
#include "ctq/ops/in_float/pointwise.hpp"
#include "ctq/ops/rows/dot_products.hpp"
#include "ctq/ops/rows/exponential_functions.hpp"

// nn.MultiheadAttention: queries, keys and values are projected, each head computes
// softmax(q kᵀ / sqrt(d)) v of its own d elements, and the results are projected again. PyTorch's
// backends leave the whole module in float. It returns a tuple, the output and the weights, from
// which op::getitem selects.

namespace ctq {

struct multihead_attention_options {
  int embed_dim = 0;  // 0: as many as the query has
  int num_heads{};
  float dropout = 0.0F;  // without effect: of training alone
  flag bias = true;
  int kdim = 0;  // of keys and values: embed_dim, which 0 means, too
  int vdim = 0;
  flag batch_first = false;
  flag need_weights = true;          // of the call
  flag average_attn_weights = true;  // of the call; false: the weights of each head
  int source_length = 0;             // 0: as many as there are keys
  int target_length = 0;             // 0: as many as there are queries
  flag mask = false;                 // (L, S) are added to the scores: a parameter of this name
};

/// Modules of two tensors.
template <class Self, class Options = no_options>
struct binary_module : module_op<Self, Options> {
  constexpr call<2> operator()(node_name a, node_name b, const Options& o = {}) const {
    return {this->id(), attributes{o}, {a.text, b.text}};
  }
};

/// Modules of three tensors.
template <class Self, class Options = no_options>
struct ternary_module : module_op<Self, Options> {
  constexpr call<3> operator()(node_name a, node_name b, node_name c, const Options& o = {}) const {
    return {this->id(), attributes{o}, {a.text, b.text, c.text}};
  }
};

}  // namespace ctq

// clang-format off
#define CTQ_MULTIHEAD_ATTENTION(OP) \
  OP(nn, ternary_module, multihead_attention, "torch.nn.MultiheadAttention", multihead_attention_options, multihead_attention)
// clang-format on

CTQ_MULTIHEAD_ATTENTION(CTQ_DECLARE_OP)

namespace ctq::descriptors {

/// The extents of a call.
struct multihead_sizes {
  int batch = 1, targets{}, sources{}, embed{}, heads{};
  bool batch_first = true;  // or there is one sequence alone
  bool has_batch = false;
  int weights_of = 0;  // how many matrices of weights a sequence gives: 0, 1, or as many as heads

  /// The distance from one vector of a sequence to the next, and from one sequence to the next.
  [[nodiscard]] constexpr int step() const { return batch_first ? embed : batch * embed; }
  [[nodiscard]] constexpr int next_sequence(int vectors) const {
    return batch_first ? vectors * embed : embed;
  }
  [[nodiscard]] constexpr int weight_count() const {
    return batch * weights_of * targets * sources;
  }
  /// How many elements the output, the weights and the workspace have. The workspace holds queries,
  /// keys, values and scores of a sequence.
  [[nodiscard]] constexpr std::int64_t elements() const {
    const std::int64_t one = 1;
    return one * batch * targets * embed + weight_count() + one * targets * embed +
           one * 2 * sources * embed + one * targets * sources;
  }
};

/// From options that the shape rule has completed and the shape of the query or the output.
constexpr multihead_sizes multihead_sizes_of(const attributes& a, const shape& query) {
  const auto o = a.as<multihead_attention_options>();
  multihead_sizes s{.targets = query[query.rank == 2 || !o.batch_first ? 0 : 1],
                    .sources = o.source_length,
                    .embed = query[query.rank - 1],
                    .heads = o.num_heads,
                    .has_batch = query.rank == 3};
  if (s.has_batch) {
    s.batch_first = o.batch_first;
    s.batch = query[o.batch_first ? 0 : 1];
  }
  if (o.need_weights) s.weights_of = o.average_attn_weights ? 1 : o.num_heads;
  return s;
}

/// Queries (L, E), (L, N, E) or, with batch_first, (N, L, E); keys and values the same with S for
/// L.
constexpr shape multihead_shape_rule(ctq::view<shape> in, attributes& a, diagnostic& d) {
  using namespace shape_rules;
  if (!needs(d, in, 3, 0)) return {};
  auto o = a.as<multihead_attention_options>();
  const shape &q = in[0], &k = in[1];
  const int axis = q.rank == 3 && o.batch_first ? 1 : 0;  // of the vectors of a sequence
  shape fitting = q;
  if (k.rank == q.rank) fitting[axis] = k[axis];
  if (q.rank < 2 || q.rank > 3 || k != fitting || in[2] != k) {
    complain(d, "queries, keys and values do not fit");
    for (const shape& s : in) show_input(d, s);
    return {};
  }
  const int embed = q[q.rank - 1];
  if (!settle(d, "embed_dim", o.embed_dim, embed, q) ||
      !settle(d, "source_length", o.source_length, k[axis], k) ||
      !settle(d, "target_length", o.target_length, q[axis], q))
    return {};
  if ((o.kdim != 0 && o.kdim != embed) || (o.vdim != 0 && o.vdim != embed)) {
    complain(d, "kdim and vdim are ", o.kdim, " and ", o.vdim, ";\nthey equal embed_dim, ", embed);
    return {};
  }
  if (o.num_heads < 1 || embed % o.num_heads != 0) {
    complain(d, "num_heads is ", o.num_heads, ";\nit divides embed_dim, ", embed);
    return {};
  }
  a = attributes{o};
  const multihead_sizes s = multihead_sizes_of(a, q);
  if (!countable_weight(d, {3 * embed, embed})) return {};
  if (!countable(s.batch, s.heads, s.targets, s.sources) || s.elements() > INT32_MAX) {
    complain(d, "more than 2^31 - 1 elements in");
    d.line("queries, keys, values and scores");
    return {};
  }
  return q;
}

/// The output, or the weights, which follow it in memory.
constexpr strided_view multihead_item(const attributes& a, const strided_view& first, int item) {
  if (item < 0) item += 2;
  if (item == 0) return contiguous_view(first.shape, layout::nchw);
  const multihead_sizes s = multihead_sizes_of(a, first.shape);
  if (item != 1 || s.weights_of == 0) return {};
  shape weights;
  if (s.has_batch) weights[weights.rank++] = s.batch;
  if (!a.as<multihead_attention_options>().average_attn_weights) weights[weights.rank++] = s.heads;
  weights[weights.rank++] = s.targets;
  weights[weights.rank++] = s.sources;
  strided_view v = contiguous_view(weights, layout::nchw);
  v.offset = static_cast<int>(numel(first.shape));
  return v;
}

/// The elements of the value: the output, the weights, and the workspace.
constexpr kernel_signature::sizes multihead_elements(attributes a, shape, shape out) {
  return of_elements(multihead_sizes_of(a, out).elements());
}

constexpr op_parameters multihead_parameters(const attributes& a) {
  const auto o = a.as<multihead_attention_options>();
  const int n = o.embed_dim;
  op_parameters all{op_parameter{"in_proj_weight", {3 * n, n}}};
  if (o.bias) all.item[all.count++] = {"in_proj_bias", {3 * n}};
  all.item[all.count++] = {"out_proj.weight", {n, n}};
  if (o.bias) all.item[all.count++] = {"out_proj.bias", {n}};
  if (o.mask) all.item[all.count++] = {"mask", {o.target_length, o.source_length}};
  return all;
}

namespace functions {

/// Computes softmax(scores * factor + mask), in place.
///   mask  null: nothing is added
template <class Isa>
void scaled_softmax(float* scores, std::size_t count, float factor,
                    const float* mask = nullptr) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    scores[i] = no_contract(scores[i] * factor);
    if (mask != nullptr) scores[i] += mask[i];
  }
  float most = scores[0];
  for (std::size_t i = 1; i < count; ++i)
    if (scores[i] > most) most = scores[i];
  float sum = 0.0F;
  double_lanes::for_row<Isa>(scores, count, scores, double_lanes::exp_from{most});
  for (std::size_t i = 0; i < count; ++i) sum += scores[i];
  for (std::size_t i = 0; i < count; ++i) scores[i] /= sum;
}

/// The parameters of nn.MultiheadAttention; biases that it does not have are null.
struct projections {
  const float *in_weight, *in_bias, *out_weight, *out_bias;

  /// From parameters in their order.
  projections(const parameter_refs& p, int first, bool has_bias)
      : in_weight(p[first].floats),
        in_bias(has_bias ? p[first + 1].floats : nullptr),
        out_weight(p[first + (has_bias ? 2 : 1)].floats),
        out_bias(has_bias ? p[first + 3].floats : nullptr) {}
};

/// Attention for one sequence of a batch.
///   q, k, v    those of the sequence; vectors are `step` apart, as in out
///   mask       (L, S), or null
///   weights    the weights of this sequence are added to these; null: not wanted
///   workspace  the elements that follow the weights
template <class Isa>
void attend(const multihead_sizes& s, const float* q, const float* k, const float* v,
            const projections& p, const float* mask, float* out, float* weights,
            float* workspace) noexcept {
  const auto embed = static_cast<std::size_t>(s.embed);
  const auto targets = static_cast<std::size_t>(s.targets);
  const auto sources = static_cast<std::size_t>(s.sources);
  const auto step = static_cast<std::size_t>(s.step());
  const std::size_t depth = embed / static_cast<std::size_t>(s.heads);
  const auto part = [&](std::size_t which) {
    return float_vectors{p.in_weight + which * embed * embed, embed, embed};
  };
  const auto bias_of = [&](std::size_t which) {
    return p.in_bias == nullptr ? nullptr : p.in_bias + which * embed;
  };

  float* const queries = workspace;                // (L, E), later the results of the heads
  float* const keys = queries + targets * embed;   // (S, E)
  float* const values = keys + sources * embed;    // (E, S)
  float* const scores = values + sources * embed;  // (L, S)
  dot_products<Isa>({q, targets, step}, part(0), embed, {queries, embed, 1});
  add_to_columns(queries, targets, embed, bias_of(0));
  dot_products<Isa>({k, sources, step}, part(1), embed, {keys, embed, 1});
  add_to_columns(keys, sources, embed, bias_of(1));
  dot_products<Isa>({v, sources, step}, part(2), embed, {values, 1, sources});
  add_to_rows(values, embed, sources, bias_of(2));
  const float factor = inverse_root(static_cast<int>(depth));
  for (std::size_t h = 0; h < embed; h += depth) {
    dot_products<Isa>({queries + h, targets, embed}, {keys + h, sources, embed}, depth,
                      {scores, sources, 1});
    for (std::size_t i = 0; i < targets; ++i)
      scaled_softmax<Isa>(scores + i * sources, sources, factor,
                          mask == nullptr ? nullptr : mask + i * sources);
    if (weights != nullptr) {
      for (std::size_t i = 0; i < targets * sources; ++i) weights[i] += scores[i];
      if (s.weights_of > 1) weights += targets * sources;
    }
    dot_products<Isa>({scores, targets, sources}, {values + h * sources, depth, sources}, sources,
                      {queries + h, embed, 1});
  }
  dot_products<Isa>({queries, targets, embed}, {p.out_weight, embed, embed}, embed, {out, step, 1});
  for (std::size_t i = 0; i < targets; ++i) add_to_columns(out + i * step, 1, embed, p.out_bias);
}

template <class Isa>
[[gnu::noinline]] void multihead_attention(const op_arguments<float>& x,
                                           const attributes& a) noexcept {
  const multihead_sizes s = multihead_sizes_of(a, x.out.shape);
  float* const weights = x.out.data + x.out.size();
  const auto count = static_cast<std::size_t>(s.weight_count());
  for (std::size_t i = 0; i < count; ++i) weights[i] = 0.0F;
  const std::size_t of_each = count / static_cast<std::size_t>(s.batch);
  const auto o = a.as<multihead_attention_options>();
  const projections own{x.parameters, 0, o.bias};
  const float* const mask = o.mask ? x.parameters[o.bias ? 4 : 2].floats : nullptr;
  for (int n = 0; n < s.batch; ++n) {
    const int target = n * s.next_sequence(s.targets), source = n * s.next_sequence(s.sources);
    attend<Isa>(s, x.in[0].data + target, x.in[1].data + source, x.in[2].data + source, own, mask,
                x.out.data + target,
                count == 0 ? nullptr : weights + static_cast<std::size_t>(n) * of_each,
                weights + count);
  }
  // Those of all heads were added.
  if (s.weights_of == 1)
    for (std::size_t i = 0; i < count; ++i) weights[i] /= static_cast<float>(s.heads);
}

}  // namespace functions

inline constexpr op_descriptor multihead_attention{
    .returns_tuple = true,
    .infer_shape = &multihead_shape_rule,
    .tuple_item = &multihead_item,
    .functions = {.tensors = 3, .apply = &functions::multihead_attention<isa::native>},
    .parameters = &multihead_parameters,
    .schedule = {.how = schedule_as::function, .sizes = &multihead_elements}};

}  // namespace ctq::descriptors

CTQ_MULTIHEAD_ATTENTION(CTQ_DESCRIBE_OP)
