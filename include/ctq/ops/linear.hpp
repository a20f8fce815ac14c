// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/shapes/matrix_shapes.hpp"
#include "ctq/ops/activations.hpp"
#include "ctq/ops/convolutions.hpp"
#include "ctq/ops/define_ops.hpp"
#include "ctq/ops/norms.hpp"

// Linear layers, plain, fused with other ops, trained, and on integers; products of matrices.

namespace ctq {

struct linear_options {
  int in_features = 0;  // 0: as many as the input has
  int out_features{};
  flag bias = true;
};

}  // namespace ctq

// clang-format off
#define CTQ_LINEAR_OPS(OP) \
  OP(nn, module_op, linear, "torch.nn.Linear", linear_options, linear) \
  OP(fn, weighted_function, linear, "torch.nn.functional.linear", no_options, functional_linear) \
  OP(fn, binary_op, matmul, "torch.matmul", no_options, matmul) \
  OP(fn, binary_op, bmm, "torch.bmm", no_options, bmm) \
  OP(op, binary_op, matmul, "_operator.matmul", no_options, product) \
  OP(fn, binary_op, mm, "torch.mm", no_options, product) \
  OP(method, binary_method, mm, "mm", no_options, product) \
  OP(method, binary_method, bmm, "bmm", no_options, method_bmm) \
  OP(method, binary_method, matmul, "matmul", no_options, method_matmul) \
  OP(nni, module_op, linear_relu, "torch.ao.nn.intrinsic.LinearReLU", linear_options, linear_relu) \
  OP(nni, module_op, linear_bn1d, "torch.ao.nn.intrinsic.LinearBn1d", no_options, linear_bn1d) \
  OP(nni, module_op, linear_leaky_relu, "torch.ao.nn.intrinsic.LinearLeakyReLU", linear_options, linear_leaky_relu) \
  OP(nni, module_op, linear_tanh, "torch.ao.nn.intrinsic.LinearTanh", linear_options, linear_tanh) \
  OP(nnqat, module_op, linear, "torch.ao.nn.qat.Linear", no_options, qat_linear) \
  OP(nniqat, module_op, linear_relu, "torch.ao.nn.intrinsic.qat.LinearReLU", no_options, qat_linear_relu) \
  OP(nniqat, module_op, linear_bn1d, "torch.ao.nn.intrinsic.qat.LinearBn1d", no_options, qat_linear) \
  OP(nnqr, module_op, linear, "torch.ao.nn.quantized.reference.Linear", no_options, none) \
  OP(q, pass_op, linear, "torch.ao.nn.quantized.Linear", linear_options, q_linear) \
  OP(q, pass_op, linear_relu, "torch.ao.nn.intrinsic.quantized.LinearReLU", linear_options, q_linear_relu) \
  OP(q, pass_op, linear_dynamic, "torch.ao.nn.quantized.dynamic.Linear", no_options, q_linear_dynamic) \
  OP(q, pass_op, linear_relu_dynamic, "torch.ao.nn.intrinsic.quantized.dynamic.LinearReLU", no_options, q_linear_relu_dynamic) \
  OP(q, pass_op, linear_leaky_relu, "torch.ao.nn.intrinsic.quantized.LinearLeakyReLU", linear_options, q_linear_leaky_relu) \
  OP(q, pass_op, linear_tanh, "torch.ao.nn.intrinsic.quantized.LinearTanh", linear_options, q_linear_tanh) \
  OP(q, pass_op, linear_leaky_relu_dynamic, "torch.ao.nn.intrinsic.quantized.dynamic.LinearLeakyReLU", linear_options, q_linear_leaky_relu_dynamic) \
  OP(q, pass_op, linear_tanh_dynamic, "torch.ao.nn.intrinsic.quantized.dynamic.LinearTanh", linear_options, q_linear_tanh_dynamic) \
  OP(q, pass_op, functional_linear_leaky_relu, "torch.ops.quantized.linear_leaky_relu", no_options, q_functional_linear_leaky_relu) \
  OP(q, pass_op, functional_linear_tanh, "torch.ops.quantized.linear_tanh", no_options, q_functional_linear_tanh) \
  OP(q, pass_op, linear_weight_only, "torch.ops.aten._weight_int8pack_mm", linear_options, q_linear_weight_only) \
  OP(q, pass_op, functional_linear, "torch.ops.quantized.linear", no_options, q_functional_linear) \
  OP(q, pass_op, functional_linear_relu, "torch.ops.quantized.linear_relu", no_options, q_functional_linear_relu) \
  OP(q, pass_op, functional_linear_dynamic, "torch.ops.quantized.linear_dynamic", no_options, q_functional_linear_dynamic) \
  OP(q, pass_op, functional_linear_relu_dynamic, "torch.ops.quantized.linear_relu_dynamic", no_options, q_functional_linear_relu_dynamic) \
  OP(q, pass_op, matmul, "torch.ops.quantized.matmul", no_options, q_matmul)
// clang-format on

CTQ_LINEAR_OPS(CTQ_DECLARE_OP)

namespace ctq::descriptors {

constexpr shape linear_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  using namespace shape_rules;
  if (!needs(d, in, 1, 0)) return {};
  if (in[0].rank < 1) {
    complain(d, "requires an input with features");
    return {};
  }
  auto o = a.as<linear_options>();
  const int last = in[0].rank - 1;
  if (!settle(d, "in_features", o.in_features, in[0][last], in[0])) return {};
  if (o.out_features < 1) {
    complain(d, "out_features is ", o.out_features);
    return {};
  }
  if (!countable_weight(d, {o.out_features, o.in_features})) return {};
  a = attributes{o};
  shape out = in[0];
  out[last] = o.out_features;
  return out;
}

/// The inputs are x, the weight (out, in), and the bias, if there is one. The options are those of
/// the module.
constexpr shape functional_linear_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::has_parameters(d, in, 2)) return {};
  a = attributes{linear_options{in[1][1], in[1][0], in.count == 3}};
  const shape out = linear_shape_rule({in.items, 1}, a, d);
  return shape_rules::fits_bias(d, in, in[1][0]) ? out : shape{};
}

constexpr op_parameters linear_parameters(const attributes& a) {
  const auto o = a.as<linear_options>();
  const op_parameter weight{"weight", {o.out_features, o.in_features}};
  if (!o.bias) return {weight};
  return {weight, op_parameter{"bias", {o.out_features}}};
}

constexpr kernel_signature::sizes linear_sizes(attributes a, shape, shape out) {
  const auto o = a.as<linear_options>();
  return to_block<kernel_signature::sizes>(
      linear_shape{static_cast<int>(numel(out)) / o.out_features, o.in_features, o.out_features});
}

constexpr op_schedule linear_step(kernel_id kernel, bool relu) {
  return in_order(kernel_layout::nchw, kernel, &linear_sizes, relu);
}

inline constexpr op_descriptor linear{.infer_shape = &linear_shape_rule,
                                      .layer_axes = 0,
                                      .weights = op_weights::quantizable,
                                      .parameters = &linear_parameters,
                                      .integer_form = &q::info_linear,
                                      .integer_relu_form = &q::info_linear_relu,
                                      .dynamic_form = &q::info_linear_dynamic,
                                      .weight_only_form = &q::info_linear_weight_only,
                                      .gradient = gradient_rule::layer,
                                      .schedule = linear_step(kernel::linear, false)};
inline constexpr op_descriptor linear_relu{.layer_axes = 0,
                                           .weights = op_weights::quantizable,
                                           .parameters = &linear_parameters,
                                           .integer_form = &q::info_linear_relu,
                                           .dynamic_form = &q::info_linear_relu_dynamic,
                                           .fused_of = {&nn::info_linear, &nn::info_relu},
                                           .gradient = gradient_rule::layer,
                                           .schedule = linear_step(kernel::linear, true)};
inline constexpr op_descriptor functional_linear{
    .infer_shape = &functional_linear_shape_rule,
    .layer_axes = 0,
    .weights = op_weights::quantizable,
    .weight_position = 1,
    .integer_form = &q::info_functional_linear,
    .integer_relu_form = &q::info_functional_linear_relu,
    .integer_forms_then = {&q::info_functional_linear_leaky_relu, &q::info_functional_linear_tanh},
    .dynamic_form = &q::info_functional_linear_dynamic,
    .dynamic_relu_form = &q::info_functional_linear_relu_dynamic,
    .schedule = linear_step(kernel::linear, false)};

inline constexpr op_descriptor linear_bn1d =
    with_batch_norm({{&nn::info_linear, &nn::info_batch_norm1d}}, linear);

/// A linear layer whose sums an op follows in float.
constexpr op_schedule linear_then(kernel_id layer, op_id op) {
  return with(linear_step(layer, false), [op](op_schedule& s) {
    s.how = schedule_as::layer;
    s.then = op;
    if (op == &nn::info_tanh) s.then_by = kernel::tanh;
  });
}
constexpr op_descriptor linear_and(op_id op, op_id integer_form, op_id dynamic_form) {
  return {.layer_axes = 0,
          .weights = op_weights::quantizable,
          .parameters = &linear_parameters,
          .integer_form = integer_form,
          .dynamic_form = dynamic_form,
          .fused_of = {&nn::info_linear, op},
          .schedule = linear_then(kernel::linear, op)};
}
constexpr op_descriptor integer_linear_and(op_id op, kernel_id layer, int weight_position = 0) {
  return {.weight_position = weight_position, .schedule = linear_then(layer, op)};
}
inline constexpr op_descriptor linear_leaky_relu = linear_and(
    &nn::info_leaky_relu, &q::info_linear_leaky_relu, &q::info_linear_leaky_relu_dynamic);
inline constexpr op_descriptor linear_tanh =
    linear_and(&nn::info_tanh, &q::info_linear_tanh, &q::info_linear_tanh_dynamic);
inline constexpr op_descriptor q_linear_leaky_relu =
    integer_linear_and(&nn::info_leaky_relu, kernel::linear);
inline constexpr op_descriptor q_linear_tanh = integer_linear_and(&nn::info_tanh, kernel::linear);
inline constexpr op_descriptor q_linear_leaky_relu_dynamic =
    integer_linear_and(&nn::info_leaky_relu, kernel::linear_dynamic);
inline constexpr op_descriptor q_linear_tanh_dynamic =
    integer_linear_and(&nn::info_tanh, kernel::linear_dynamic);
inline constexpr op_descriptor q_functional_linear_leaky_relu =
    integer_linear_and(&nn::info_leaky_relu, kernel::linear, 1);
inline constexpr op_descriptor q_functional_linear_tanh =
    integer_linear_and(&nn::info_tanh, kernel::linear, 1);
inline constexpr op_descriptor qat_linear = trained(&nn::info_linear, linear);
inline constexpr op_descriptor qat_linear_relu = trained(&nni::info_linear_relu, linear_relu);

inline constexpr op_descriptor q_linear{.schedule = linear.schedule};
inline constexpr op_descriptor q_linear_relu{.schedule = linear_relu.schedule};
inline constexpr op_descriptor q_linear_dynamic{.schedule =
                                                    linear_step(kernel::linear_dynamic, false)};
inline constexpr op_descriptor q_linear_relu_dynamic{.schedule =
                                                         linear_step(kernel::linear_dynamic, true)};

/// A linear layer as a function, on integers.
constexpr op_descriptor integer_functional_linear(kernel_id kernel, bool relu) {
  return {.weight_position = 1, .schedule = linear_step(kernel, relu)};
}
inline constexpr op_descriptor q_functional_linear =
    integer_functional_linear(kernel::linear, false);
inline constexpr op_descriptor q_functional_linear_relu =
    integer_functional_linear(kernel::linear, true);
inline constexpr op_descriptor q_functional_linear_dynamic =
    integer_functional_linear(kernel::linear_dynamic, false);
inline constexpr op_descriptor q_functional_linear_relu_dynamic =
    integer_functional_linear(kernel::linear_dynamic, true);

inline constexpr op_descriptor q_linear_weight_only{
    .schedule = linear_step(kernel::linear_weight_int8, false)};

/// A vector as a matrix: the first of a product is a row, the second a column.
constexpr shape as_matrix(const shape& s, bool is_first) {
  if (s.rank != 1) return s;
  return is_first ? shape{1, s[0]} : shape{s[0], 1};
}

/// The last two axes are matrices; a vector has only one. One of the tensors may have a single
/// matrix.
constexpr shape matmul_shape_rule(view<shape> in, attributes&, diagnostic& d) {
  if (!shape_rules::needs(d, in, 2, 0)) return {};
  const shape a = as_matrix(in[0], true);
  const shape b = as_matrix(in[1], false);
  const auto wrong = [&](const char* what) {
    shape_rules::complain(d, what);
    shape_rules::show_input(d, in[0]);
    shape_rules::show_input(d, in[1]);
    return shape{};
  };
  if (a.rank < 2 || b.rank < 2) return wrong("requires inputs of 1 axis or more");
  if (a[a.rank - 1] != b[b.rank - 2]) return wrong("the rows of one matrix do not fit the\nother");
  const shape& longer = a.rank >= b.rank ? a : b;
  shape out = longer;
  std::size_t batch = 1;
  std::size_t of[2] = {1, 1};
  for (int axis = 0; axis < out.rank - 2; ++axis) {
    const int in_a = axis - (out.rank - a.rank);
    const int in_b = axis - (out.rank - b.rank);
    const int left = in_a < 0 ? 1 : a[in_a];
    const int right = in_b < 0 ? 1 : b[in_b];
    if (left != right && left != 1 && right != 1) return wrong("the matrices do not broadcast");
    out[axis] = left == 1 ? right : left;
    batch *= static_cast<std::size_t>(out[axis]);
    of[0] *= static_cast<std::size_t>(left);
    of[1] *= static_cast<std::size_t>(right);
  }
  for (const std::size_t matrices : of)
    if (matrices != 1 && matrices != batch)
      return wrong("broadcasts some axes of the matrices;\nexpand them before");
  // Removes the axis of one element that a vector did not have.
  out[--out.rank] = 0;
  out[--out.rank] = 0;
  if (in[0].rank > 1) out[out.rank++] = a[a.rank - 2];
  if (in[1].rank > 1) out[out.rank++] = b[b.rank - 1];
  return out;
}

/// Both tensors have the same number of matrices.
constexpr shape bmm_shape_rule(view<shape> in, attributes& options, diagnostic& d) {
  if (!shape_rules::needs(d, in, 2, 3)) return {};
  const shape out = matmul_shape_rule(in, options, d);
  if (in[1].rank == 3 && in[0][0] == in[1][0]) return out;
  shape_rules::complain(d, "needs two batches of as many matrices");
  shape_rules::show_input(d, in[0]);
  shape_rules::show_input(d, in[1]);
  return {};
}

[[nodiscard]] constexpr matmul_shape matmul_sizes(const shape& a, const shape& b, const shape& out,
                                                  bool transposed) {
  matmul_shape s{.batch = 1,
                 .m = a.rank > 1 ? a[a.rank - 2] : 1,
                 .n = b.rank > 1 ? b[b.rank - 1] : 1,
                 .k = a[a.rank - 1],
                 .matrices = {1, 1},
                 .transposed = transposed ? 1 : 0};
  const int matrix_axes = (a.rank > 1 ? 1 : 0) + (b.rank > 1 ? 1 : 0);
  for (int axis = 0; axis < out.rank - matrix_axes; ++axis) s.batch *= out[axis];
  for (int axis = 0; axis < a.rank - 2; ++axis) s.matrices[0] *= a[axis];
  for (int axis = 0; axis < b.rank - 2; ++axis) s.matrices[1] *= b[axis];
  return s;
}

inline constexpr op_descriptor product{.infer_shape = &matmul_shape_rule,
                                       .is_arithmetic = true,
                                       .schedule = {.how = schedule_as::matmul}};
inline constexpr op_descriptor matmul{.infer_shape = &matmul_shape_rule,
                                      .is_arithmetic = true,
                                      .integer_form = &q::info_matmul,
                                      .schedule = product.schedule};
inline constexpr op_descriptor bmm = by_rule(product, &bmm_shape_rule);
inline constexpr op_descriptor method_matmul{.infer_shape = &matmul_shape_rule,
                                             .schedule = product.schedule};
inline constexpr op_descriptor method_bmm{.infer_shape = &bmm_shape_rule,
                                          .schedule = product.schedule};
inline constexpr op_descriptor q_matmul{.schedule = {.how = schedule_as::matmul}};

}  // namespace ctq::descriptors

CTQ_LINEAR_OPS(CTQ_DESCRIBE_OP)
