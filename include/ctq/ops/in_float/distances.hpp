// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/no_contract.hpp"
#include "ctq/ops/broadcast.hpp"
#include "ctq/ops/define_ops.hpp"
#include "ctq/ops/in_float/along_axes.hpp"
#include "ctq/ops/in_float/broadcasting.hpp"
#include "ctq/ops/view_strides.hpp"

// Distances and angles of vectors in two tensors, which PyTorch's backends leave in float.

namespace ctq {

struct cosine_similarity_options {
  int dim = 1;        // of both tensors, broadcast
  float eps = 1e-8F;  // the smallest length
};

/// The distance between vectors along the last axis.
struct pairwise_distance_options {
  float p = 2.0F;     // of the norm: 1 or 2
  float eps = 1e-6F;  // is added to each difference
  flag keepdim = false;
};

struct cdist_options {
  float p = 2.0F;  // 1 or 2
};

}  // namespace ctq

// clang-format off
#define CTQ_DISTANCES(OP) \
  OP(nn, one_or_two_inputs, cosine_similarity, "torch.nn.CosineSimilarity", cosine_similarity_options, cosine_similarity) \
  OP(fn, binary_op, cosine_similarity, "torch.nn.functional.cosine_similarity", cosine_similarity_options, cosine_similarity) \
  OP(nn, one_or_two_inputs, pairwise_distance, "torch.nn.PairwiseDistance", pairwise_distance_options, pairwise_distance) \
  OP(fn, binary_op, pairwise_distance, "torch.nn.functional.pairwise_distance", pairwise_distance_options, pairwise_distance) \
  OP(fn, binary_op, cdist, "torch.cdist", cdist_options, cdist)
// clang-format on

CTQ_DISTANCES(CTQ_DECLARE_OP)

namespace ctq::descriptors {

namespace functions {

/// Calls f(i, a, b) with the vectors along an axis of two tensors that broadcast, for each index i
/// of the other axes.
template <class F>
void for_each_pair_of_vectors(const tensor_ref<const float>& a, const tensor_ref<const float>& b,
                              int axis, F f) noexcept {
  const int rank = a.shape.rank > b.shape.rank ? a.shape.rank : b.shape.rank;
  const shape of_a = with_axes(a.shape, rank), of_b = with_axes(b.shape, rank);
  shape both = of_a;
  for (int k = 0; k < rank; ++k)
    if (both[k] == 1) both[k] = of_b[k];
  const auto count = static_cast<std::size_t>(both[axis]);
  both[axis] = 1;
  const auto step_of = [&](const shape& s) {
    return s[axis] == 1 ? std::size_t{0} : axis_of_tensor(s, axis).after;
  };
  const std::size_t step_a = step_of(of_a), step_b = step_of(of_b);
  for_each_broadcast(
      both,
      [&](std::size_t i, std::size_t at_a, std::size_t at_b) {
        f(i, strided_elements{a.data + at_a, count, step_a},
          strided_elements{b.data + at_b, count, step_b});
      },
      of_a, of_b);
}

inline float length_of(const strided_elements& e) noexcept {
  float squares = 0.0F;
  for (std::size_t k = 0; k < e.count; ++k) squares += no_contract(e[k] * e[k]);
  return __builtin_sqrtf(squares);
}

/// The norm of the difference, after eps is added to each of its elements.
inline float distance(const strided_elements& a, const strided_elements& b, float p,
                      float eps) noexcept {
  float sum = 0.0F;
  for (std::size_t k = 0; k < a.count; ++k) {
    const float off = a[k] - b[k] + eps;
    sum += p == 1.0F ? __builtin_fabsf(off) : no_contract(off * off);
  }
  return p == 1.0F ? sum : __builtin_sqrtf(sum);
}

template <class Isa>
[[gnu::noinline]] void cosine_similarity(const op_arguments<float>& x,
                                         const attributes& options) noexcept {
  const auto o = options.as<cosine_similarity_options>();
  for_each_pair_of_vectors(x.in[0], x.in[1], o.dim,
                           [&](std::size_t i, strided_elements a, strided_elements b) {
                             const float length_a = length_of(a), length_b = length_of(b);
                             const float by_a = length_a < o.eps ? o.eps : length_a;
                             const float by_b = length_b < o.eps ? o.eps : length_b;
                             float sum = 0.0F;
                             for (std::size_t k = 0; k < a.count; ++k)
                               sum += no_contract(a[k] / by_a * (b[k] / by_b));
                             x.out[i] = sum;
                           });
}

template <class Isa>
[[gnu::noinline]] void pairwise_distance(const op_arguments<float>& x,
                                         const attributes& options) noexcept {
  const auto o = options.as<pairwise_distance_options>();
  const int rank =
      x.in[0].shape.rank > x.in[1].shape.rank ? x.in[0].shape.rank : x.in[1].shape.rank;
  for_each_pair_of_vectors(x.in[0], x.in[1], rank - 1,
                           [&](std::size_t i, strided_elements a, strided_elements b) {
                             x.out[i] = distance(a, b, o.p, o.eps);
                           });
}

/// The rows of each matrix are an axis along which the other one is broadcast.
template <class Isa>
[[gnu::noinline]] void cdist(const op_arguments<float>& x, const attributes& options) noexcept {
  const float p = options.as<cdist_options>().p;
  tensor_ref<const float> a = x.in[0], b = x.in[1];
  a.shape = {};
  b.shape = {};
  const auto append = [](shape& s, int extent) { s[s.rank++] = extent; };
  const shape &rows_a = x.in[0].shape, &rows_b = x.in[1].shape;
  for (int k = 0; k < rows_a.rank - 1; ++k) append(a.shape, rows_a[k]);
  append(a.shape, 1);
  append(a.shape, rows_a[rows_a.rank - 1]);
  for (int k = 0; k < rows_b.rank - 2; ++k) append(b.shape, rows_b[k]);
  append(b.shape, 1);
  for (int k = rows_b.rank - 2; k < rows_b.rank; ++k) append(b.shape, rows_b[k]);
  const int rank = a.shape.rank > b.shape.rank ? a.shape.rank : b.shape.rank;
  for_each_pair_of_vectors(a, b, rank - 1,
                           [&](std::size_t i, strided_elements row, strided_elements other) {
                             x.out[i] = distance(row, other, p, 0.0F);
                           });
}

}  // namespace functions

constexpr shape cosine_similarity_rule(ctq::view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 2, 0)) return {};
  auto o = a.as<cosine_similarity_options>();
  const shape both = shape_rules::broadcast(in[0], in[1], d);
  if (d.any() || !shape_rules::settle_axis(d, "dim", o.dim, both.rank)) return {};
  a = attributes{o};
  return without_axis({.shape = both}, o.dim).shape;
}
inline constexpr op_descriptor cosine_similarity =
    of_two_tensors(&cosine_similarity_rule, &functions::cosine_similarity<isa::native>);

constexpr shape pairwise_distance_rule(ctq::view<shape> in, attributes& a, diagnostic& d) {
  const auto o = a.as<pairwise_distance_options>();
  if (!shape_rules::needs(d, in, 2, 0) || !is_known_norm(o.p, d)) return {};
  shape out = shape_rules::broadcast(in[0], in[1], d);
  if (d.any()) return {};
  if (out.rank == 0) return shape_rules::wrong_input(d, out, "requires vectors");
  if (o.keepdim) out[out.rank - 1] = 1;
  return o.keepdim ? out : without_axis({.shape = out}, out.rank - 1).shape;
}
inline constexpr op_descriptor pairwise_distance =
    of_two_tensors(&pairwise_distance_rule, &functions::pairwise_distance<isa::native>);

/// (…, P, M) and (…, R, M) give (…, P, R).
constexpr shape cdist_rule(ctq::view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 2, 0) || !is_known_norm(a.as<cdist_options>().p, d)) return {};
  constexpr int most = static_cast<int>(max_rank) - 1;  // its rows are two axes in between
  shape first = in[0], second = in[1];
  const bool fit = first.rank >= 2 && second.rank >= 2 && first.rank <= most &&
                   second.rank <= most && first[first.rank - 1] == second[second.rank - 1];
  if (!fit) {
    shape_rules::complain(d, "requires rows of one length, of\n2 to ", most, " axes");
    shape_rules::show_input(d, in[0]);
    shape_rules::show_input(d, in[1]);
    return {};
  }
  first[first.rank - 1] = 1;
  second[second.rank - 1] = second[second.rank - 2];
  second[second.rank - 2] = 1;
  return shape_rules::broadcast(first, second, d);
}
inline constexpr op_descriptor cdist = of_two_tensors(&cdist_rule, &functions::cdist<isa::native>);

}  // namespace ctq::descriptors

CTQ_DISTANCES(CTQ_DESCRIBE_OP)
