// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#include "ctq/core/elementwise_ops.hpp"
#include "ctq/core/ops.hpp"
#include "ctq/graph/shape_checks.hpp"

// The shape of what each op gives, one rule an op. A rule also completes the op's options: channels
// that were left to be found, a stride that defaults to the kernel size.

namespace ctq {

namespace shape_rules {

constexpr void conv2d(node& n, inputs in, diagnostic& d) {
  if (!needs(d, n, in, 1, 4)) return;
  const shape& x = in.shapes[0];
  auto o = n.attrs.as<conv2d_options>();
  if (!settle(d, n, "in_channels", o.in_channels, x.extent[1], x)) return;
  if (o.out_channels < 1) return complain(d, n, "out_channels is ", o.out_channels);
  if (o.groups < 1 || o.in_channels % o.groups != 0 || o.out_channels % o.groups != 0)
    return complain(d, n, "groups ", o.groups, " must divide\nin_channels ", o.in_channels,
                    " and out_channels ", o.out_channels);
  if (!valid_window(d, n, x, o.kernel_size, o.stride, o.padding, o.dilation)) return;
  if (!countable_weight(
          d, n, {o.out_channels, o.in_channels / o.groups, o.kernel_size.h, o.kernel_size.w}))
    return;
  n.attrs = attributes{o};
  n.shape.rank = 4;
  n.shape.extent[0] = x.extent[0];
  n.shape.extent[1] = o.out_channels;
  n.shape.extent[2] =
      windows(x.extent[2], o.kernel_size.h, o.stride.h, o.padding.h, o.dilation.h, false);
  n.shape.extent[3] =
      windows(x.extent[3], o.kernel_size.w, o.stride.w, o.padding.w, o.dilation.w, false);
}

constexpr void linear(node& n, inputs in, diagnostic& d) {
  if (!needs(d, n, in, 1, 0)) return;
  if (in[0].rank < 1) return complain(d, n, "wants an input with features");
  auto o = n.attrs.as<linear_options>();
  const int last = in[0].rank - 1;
  if (!settle(d, n, "in_features", o.in_features, in[0][last], in[0])) return;
  if (o.out_features < 1) return complain(d, n, "out_features is ", o.out_features);
  if (!countable_weight(d, n, {o.out_features, o.in_features})) return;
  n.attrs = attributes{o};
  n.shape = in[0];
  n.shape[last] = o.out_features;
}

constexpr void batch_norm2d(node& n, inputs in, diagnostic& d) {
  if (!needs(d, n, in, 1, 4)) return;
  auto o = n.attrs.as<batch_norm2d_options>();
  const shape& x = in.shapes[0];
  if (!settle(d, n, "num_features", o.num_features, x.extent[1], x)) return;
  n.attrs = attributes{o};
  n.shape = x;
}

template <class Options>
constexpr void pool2d(node& n, inputs in, diagnostic& d) {
  if (!needs(d, n, in, 1, 4)) return;
  auto o = n.attrs.as<Options>();
  if (o.stride.h == 0 && o.stride.w == 0) o.stride = o.kernel_size;
  extent2d dilation = 1;
  if constexpr (requires { o.dilation; }) dilation = o.dilation;
  if (!valid_window(d, n, in[0], o.kernel_size, o.stride, o.padding, dilation)) return;
  if (2 * o.padding.h > o.kernel_size.h || 2 * o.padding.w > o.kernel_size.w)
    return complain(d, n, "padding exceeds half of kernel_size");
  n.attrs = attributes{o};
  n.shape = {in[0][0], in[0][1],
             windows(in[0][2], o.kernel_size.h, o.stride.h, o.padding.h, dilation.h, o.ceil_mode),
             windows(in[0][3], o.kernel_size.w, o.stride.w, o.padding.w, dilation.w, o.ceil_mode)};
}

constexpr void adaptive_avg_pool2d(node& n, inputs in, diagnostic& d) {
  if (!needs(d, n, in, 1, 4)) return;
  const auto o = n.attrs.as<adaptive_avg_pool2d_options>();
  if (o.output_size.h < 1 || o.output_size.w < 1) return complain(d, n, "output_size is 1 or more");
  n.shape = {in[0][0], in[0][1], o.output_size.h, o.output_size.w};
}

template <class Options>
constexpr void flatten(node& n, inputs in, diagnostic& d) {
  if (!needs(d, n, in, 1, 0)) return;
  const auto o = n.attrs.as<Options>();
  const int rank = in[0].rank;
  const int first = o.start_dim < 0 ? o.start_dim + rank : o.start_dim;
  const int last = o.end_dim < 0 ? o.end_dim + rank : o.end_dim;
  if (first < 0 || last >= rank || first > last)
    return complain(d, n, "start_dim ", o.start_dim, ", end_dim ", o.end_dim, " of ", rank,
                    " axes");
  shape out;
  for (int axis = 0; axis < rank; ++axis) {
    if (axis <= first || axis > last) {
      out[out.rank++] = in[0][axis];
    } else {
      out[out.rank - 1] *= in[0][axis];
    }
  }
  n.shape = out;
}

/// The one op whose shape is given, not found.
constexpr void placeholder(node& n, inputs in, diagnostic& d) {
  if (!needs(d, n, in, 0, 0)) return;
  bool positive = n.shape.rank > 0;
  for (int axis = 0; axis < n.shape.rank; ++axis) positive = positive && n.shape[axis] > 0;
  if (positive) return;
  complain(d, n, "a shape has axes, each 1 or more");
  show_input(d, n.shape);
}

constexpr void same(node& n, inputs in, diagnostic& d) {
  if (needs(d, n, in, 1, 0)) n.shape = in.shapes[0];
}

constexpr void add(node& n, inputs in, diagnostic& d) {
  if (!needs(d, n, in, 2, 0)) return;
  n.shape = in.shapes[0];
  if (in.shapes[0] == in.shapes[1]) return;
  complain(d, n, "adds tensors of different shapes");
  show_input(d, in[0]);
  show_input(d, in[1]);
}

constexpr void cat(node& n, inputs in, diagnostic& d) {
  if (in.count < 1) return complain(d, n, "takes 1 input or more");
  const int rank = in[0].rank;
  auto o = n.attrs.as<cat_options>();
  if (o.dim < -rank || o.dim >= rank) return complain(d, n, "dim ", o.dim, " of ", rank, " axes");
  if (o.dim < 0) o.dim += rank;
  n.attrs = attributes{o};
  n.shape = in[0];
  for (int i = 1; i < in.count; ++i) {
    shape expected = in[0];
    expected[o.dim] = in[i].rank == rank ? in[i][o.dim] : 0;
    if (in[i] != expected) {
      complain(d, n, "input ", i, " differs from the first\noutside dim ", o.dim);
      show_input(d, in[0]);
      show_input(d, in[i]);
      return;
    }
    if (!countable(std::int64_t{n.shape[o.dim]} + in[i][o.dim]))
      return complain(d, n, "more than 2^31 - 1 elements\nalong dim ", o.dim);
    n.shape[o.dim] += in[i][o.dim];
  }
}

constexpr void elementwise(node& n, inputs in, int tensors, diagnostic& d) {
  if (!needs(d, n, in, tensors, 0)) return;
  n.shape = in[0];
  if (tensors == 1 || in[0] == in[1]) return;
  complain(d, n, "reads tensors of different shapes");
  show_input(d, in[0]);
  show_input(d, in[1]);
}

constexpr void unary_elementwise(node& n, inputs in, diagnostic& d) { elementwise(n, in, 1, d); }
constexpr void binary_elementwise(node& n, inputs in, diagnostic& d) { elementwise(n, in, 2, d); }

/// An op of the user's own, by what it says itself.
constexpr void own(node& n, inputs in, diagnostic& d) {
  const op_hooks& hooks = *n.op->hooks;
  if (!hooks.problem.empty()) {
    complain(d, n, n.op->name, ":");
    d.line(hooks.problem);
    return;
  }
  if (hooks.tensors > 0 && !needs(d, n, in, hooks.tensors, 0)) return;
  if (hooks.infer_shape != nullptr) {
    diagnostic said;
    n.shape = hooks.infer_shape({in.shapes, in.count}, n.attrs, said);
    if (said.any()) return complain(d, n, said.message());
    bool valid = n.shape.rank >= 0 && n.shape.rank <= static_cast<int>(max_rank);
    for (int axis = 0; axis < n.shape.rank && valid; ++axis) valid = n.shape[axis] > 0;
    if (!valid) return complain(d, n, "infer_shape gives axes that are empty\nor too many");
    for (std::size_t axis = 0; axis < max_rank; ++axis)  // equal shapes have equal extents
      if (static_cast<int>(axis) >= n.shape.rank) n.shape.extent[axis] = 0;
    return;
  }
  if (in.count == 0) return complain(d, n, "takes 1 input or more");
  n.shape = in[0];
  for (int i = 1; i < in.count; ++i) {
    if (in[i] == in[0]) continue;
    complain(d, n, "reads tensors of different shapes");
    show_input(d, in[0]);
    show_input(d, in[i]);
    return;
  }
}

struct entry {
  op_id op;
  void (*apply)(node&, inputs, diagnostic&);
};

inline constexpr entry table[] = {
    {nn::placeholder.id(), placeholder},
    {nn::conv2d.id(), conv2d},
    {nn::linear.id(), linear},
    {nn::batch_norm2d.id(), batch_norm2d},
    {nn::relu.id(), same},
    {nn::max_pool2d.id(), pool2d<max_pool2d_options>},
    {nn::avg_pool2d.id(), pool2d<avg_pool2d_options>},
    {nn::adaptive_avg_pool2d.id(), adaptive_avg_pool2d},
    {nn::flatten.id(), flatten<nn_flatten_options>},
    {fn::relu.id(), same},
    {fn::max_pool2d.id(), pool2d<max_pool2d_options>},
    {fn::avg_pool2d.id(), pool2d<avg_pool2d_options>},
    {fn::adaptive_avg_pool2d.id(), adaptive_avg_pool2d},
    {fn::flatten.id(), flatten<flatten_options>},
    {fn::add.id(), add},
    {fn::cat.id(), cat},
    {fn::mul.id(), binary_elementwise},
    {op::add.id(), add},
    {op::mul.id(), binary_elementwise},
    {fn::torch_relu.id(), same},
    {method::relu.id(), same},
    {nn::identity.id(), same},
    {method::contiguous.id(), same},
    {method::detach.id(), same},
    {nn::output.id(), same},
};

using rule = void (*)(node&, inputs, diagnostic&);

constexpr void unknown(node& n, inputs, diagnostic& d) {
  complain(d, n, "no shape rule for ", n.op->name);
  d.line("an op of your own defines").line("static float apply(float)");
}

[[nodiscard]] constexpr rule rule_of(op_id op) {
  for (std::size_t i = 0; i < sizeof(table) / sizeof(table[0]); ++i)
    if (table[i].op == op) return table[i].apply;
  if (op->hooks != nullptr) return own;
  const int tensors = elementwise_tensors(op);
  return tensors == 0 ? unknown : tensors == 1 ? unary_elementwise : binary_elementwise;
}

/// Fills in the shape of n and completes its options, or says what is wrong.
///   apply  the rule of n's op
constexpr void infer(node& n, inputs in, diagnostic& d, rule apply) {
  apply(n, in, d);
  countable_elements(d, n, n.shape, "the output");
}
constexpr void infer(node& n, inputs in, diagnostic& d) { infer(n, in, d, rule_of(n.op)); }

}  // namespace shape_rules

}  // namespace ctq
