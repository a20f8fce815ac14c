// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ctq/ops/attention.hpp"
#include "ctq/ops/define_ops.hpp"
#include "ctq/ops/in_float/along_axes.hpp"

// torch.index_select, torch.gather and x[:, index]: elements at given indices of an axis, which
// PyTorch's backends leave in float. Indices are floats, as a buffer of integers is in a model; the
// element at an index outside the axis is NaN.

namespace ctq {

struct indexed_axis_options {
  int dim{};
};

/// x[:, [2, 1, 0]]: indices that are constants.
struct select_each_options {
  int dim{};
  ctq::shape index{};  // negative from the end
};

}  // namespace ctq

// clang-format off
#define CTQ_INDEXING(OP) \
  OP(fn, binary_op, index_select, "torch.index_select", indexed_axis_options, index_select) \
  OP(method, binary_method, index_select, "index_select", indexed_axis_options, index_select) \
  OP(fn, binary_op, gather, "torch.gather", indexed_axis_options, gather_along) \
  OP(method, binary_method, gather, "gather", indexed_axis_options, gather_along) \
  OP(fn, binary_op, index_along, "ctq.index_along", indexed_axis_options, index_along) \
  OP(fn, ternary_op, index_pairs, "ctq.index_pairs", indexed_axis_options, index_pairs) \
  OP(fn, function_op, select_each, "ctq.select_each", select_each_options, select_each)
// clang-format on

CTQ_INDEXING(CTQ_DECLARE_OP)

namespace ctq::descriptors {

namespace functions {

/// Element `index` of an axis, whose first one is at `first`. Without elements x may be null.
template <class Index>
float element_at(const float* x, std::size_t first, Index index, const axis_of_tensor& a) noexcept {
  const bool is_there = index >= Index{} && index < static_cast<Index>(a.extent);
  return is_there ? x[first + static_cast<std::size_t>(index) * a.after] : __builtin_nanf("");
}

/// Counts a negative index from the end, as x[index] does.
inline float from_start(float index, std::size_t extent) noexcept {
  return index < 0.0F ? index + static_cast<float>(extent) : index;
}

/// The elements of an axis at `count` indices: index(0), index(1), …
template <class Index>
void take_along(const op_arguments<float>& x, const axis_of_tensor& a, std::size_t count,
                Index index) noexcept {
  float* out = x.out.data;
  for (std::size_t b = 0; b < a.before; ++b)
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t k = 0; k < a.after; ++k)
        *out++ = element_at(x.in[0].data, b * a.extent * a.after + k, index(i), a);
}

template <class Isa>
[[gnu::noinline]] void index_select(const op_arguments<float>& x, const attributes& o) noexcept {
  const axis_of_tensor a{x.in[0].shape, o.as<indexed_axis_options>().dim};
  take_along(x, a, x.in[1].size(), [&](std::size_t i) { return x.in[1][i]; });
}

template <class Isa>
[[gnu::noinline]] void index_along(const op_arguments<float>& x, const attributes& o) noexcept {
  const axis_of_tensor a{x.in[0].shape, o.as<indexed_axis_options>().dim};
  take_along(x, a, x.in[1].size(), [&](std::size_t i) { return from_start(x.in[1][i], a.extent); });
}

/// Two adjacent axes are read as one, of all their pairs of indices.
template <class Isa>
[[gnu::noinline]] void index_pairs(const op_arguments<float>& x, const attributes& o) noexcept {
  const int dim = o.as<indexed_axis_options>().dim;
  const shape& in = x.in[0].shape;
  const auto rows = static_cast<std::size_t>(in[dim]),
             columns = static_cast<std::size_t>(in[dim + 1]);
  axis_of_tensor a{in, dim};
  a.extent *= columns;
  a.after /= columns;
  take_along(x, a, x.in[1].size(), [&](std::size_t i) {
    const float row = from_start(x.in[1][i], rows), column = from_start(x.in[2][i], columns);
    const bool is_there = row >= 0.0F && row < static_cast<float>(rows) && column >= 0.0F &&
                          column < static_cast<float>(columns);
    // In integers, since floats may not hold the product.
    return is_there
               ? static_cast<std::int64_t>(row) * in[dim + 1] + static_cast<std::int64_t>(column)
               : std::int64_t{-1};
  });
}

template <class Isa>
[[gnu::noinline]] void select_each(const op_arguments<float>& x, const attributes& o) noexcept {
  const auto chosen = o.as<select_each_options>();
  const axis_of_tensor a{x.in[0].shape, chosen.dim};
  take_along(x, a, static_cast<std::size_t>(chosen.index.rank),
             [&](std::size_t i) { return chosen.index.extent[i]; });
}

/// The axes of the indices are those of the tensor, or shorter.
template <class Isa>
[[gnu::noinline]] void gather_along(const op_arguments<float>& x, const attributes& o) noexcept {
  const int dim = o.as<indexed_axis_options>().dim;
  const shape &in = x.in[0].shape, &index = x.in[1].shape;
  const axis_of_tensor a{in, dim};
  for (std::size_t i = 0; i < x.out.size(); ++i) {
    std::size_t rest = i, from = 0, stride = 1;
    for (int axis = in.rank; axis-- > 0;) {
      const auto extent = static_cast<std::size_t>(index[axis]);
      if (axis != dim) from += rest % extent * stride;
      stride *= static_cast<std::size_t>(in[axis]);
      rest /= extent;
    }
    x.out[i] = element_at(x.in[0].data, from, x.in[1][i], a);
  }
}

}  // namespace functions

constexpr shape index_select_rule(ctq::view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 2, 0)) return {};
  auto o = a.as<indexed_axis_options>();
  if (!shape_rules::settle_axis(d, "dim", o.dim, in[0].rank)) return {};
  if (in[1].rank != 1) return shape_rules::wrong_input(d, in[1], "index has one axis");
  a = attributes{o};
  shape out = in[0];
  out[o.dim] = in[1][0];
  return out;
}

/// The shape of x[:, index] along `axes` axes from dim on; index is any tensor.
constexpr shape indexed_shape(ctq::view<shape> in, attributes& a, int axes, diagnostic& d) {
  auto o = a.as<indexed_axis_options>();
  if (!shape_rules::settle_axis(d, "dim", o.dim, in[0].rank)) return {};
  if (o.dim + axes > in[0].rank) return shape_rules::wrong_input(d, in[0], "dim is the last axis");
  if (in[0].rank - axes + in[1].rank > int{max_rank})
    return shape_rules::wrong_input(d, in[1], "the output has more than ", max_rank, " axes");
  a = attributes{o};
  shape out;
  for (int k = 0; k < o.dim; ++k) out[out.rank++] = in[0][k];
  for (int k = 0; k < in[1].rank; ++k) out[out.rank++] = in[1][k];
  for (int k = o.dim + axes; k < in[0].rank; ++k) out[out.rank++] = in[0][k];
  return out;
}
constexpr shape index_along_rule(ctq::view<shape> in, attributes& a, diagnostic& d) {
  return shape_rules::needs(d, in, 2, 0) ? indexed_shape(in, a, 1, d) : shape{};
}
constexpr shape index_pairs_rule(ctq::view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 3, 0)) return {};
  if (in[1] != in[2])
    return shape_rules::wrong_input(d, in[2], "the indices of two axes have one shape");
  return indexed_shape(in, a, 2, d);
}

constexpr shape gather_rule(ctq::view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 2, 0)) return {};
  auto o = a.as<indexed_axis_options>();
  if (!shape_rules::settle_axis(d, "dim", o.dim, in[0].rank)) return {};
  bool fits = in[1].rank == in[0].rank;
  for (int axis = 0; axis < in[0].rank && fits; ++axis)
    fits = axis == o.dim || in[1][axis] <= in[0][axis];
  if (!fits) {
    shape_rules::complain(d, "index has other axes than the tensor,\nor longer ones");
    shape_rules::show_input(d, in[0]);
    shape_rules::show_input(d, in[1]);
    return {};
  }
  a = attributes{o};
  return in[1];
}

constexpr shape select_each_rule(ctq::view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0)) return {};
  auto o = a.as<select_each_options>();
  if (!shape_rules::settle_axis(d, "dim", o.dim, in[0].rank)) return {};
  const int extent = in[0][o.dim];
  for (int i = 0; i < o.index.rank; ++i) {
    int& index = o.index[i];
    if (index < -extent || index >= extent)
      return shape_rules::wrong_input(d, in[0], "index ", index, " is outside dim ", o.dim);
    if (index < 0) index += extent;
  }
  if (o.index.rank == 0) shape_rules::complain(d, "index has no elements");
  a = attributes{o};
  shape out = in[0];
  out[o.dim] = o.index.rank;
  return out;
}

inline constexpr op_descriptor index_select =
    keeping_integers(of_two_tensors(&index_select_rule, &functions::index_select<isa::native>),
                     integers_if::first_is);
inline constexpr op_descriptor index_along = keeping_integers(
    of_two_tensors(&index_along_rule, &functions::index_along<isa::native>), integers_if::first_is);
inline constexpr op_descriptor index_pairs = with(index_along, [](op_descriptor& d) {
  d.infer_shape = &index_pairs_rule;
  d.functions.tensors = 3;
  d.functions.apply = &functions::index_pairs<isa::native>;
});
inline constexpr op_descriptor gather_along = keeping_integers(
    of_two_tensors(&gather_rule, &functions::gather_along<isa::native>), integers_if::first_is);
inline constexpr op_descriptor select_each =
    keeping_integers(of_tensor(&select_each_rule, &functions::select_each<isa::native>));

}  // namespace ctq::descriptors

CTQ_INDEXING(CTQ_DESCRIBE_OP)

namespace ctq {

/// The name of the tensor after the axis, as in torch.gather(x, 1, index). Empty if there is none.
[[nodiscard]] constexpr std::string_view name_of_indices(op_id op) {
  for (const op_id known :
       {fn::index_select.id(), method::index_select.id(), fn::gather.id(), method::gather.id()})
    if (op == known) return "index";
  return {};
}

}  // namespace ctq
