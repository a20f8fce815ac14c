// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/ops/activations.hpp"
#include "ctq/ops/define_ops.hpp"
#include "ctq/ops/norms.hpp"

// Convolutions, fused with what follows them, trained, and on integers.

namespace ctq {

/// Along one axis each extent is one number.
struct conv2d_options {
  int in_channels = 0;  // 0: as many as the input has
  int out_channels{};
  extent2d kernel_size{};
  extent2d stride = 1;
  extent2d padding = 0;
  extent2d dilation = 1;
  int groups = 1;
  flag bias = true;
};

/// A transposed convolution. Its weight is (I, O/groups, kh, kw).
struct conv_transpose2d_options {
  int in_channels = 0;  // 0: as many as the input has
  int out_channels{};
  extent2d kernel_size{};
  extent2d stride = 1;
  extent2d padding = 0;
  extent2d output_padding = 0;
  int groups = 1;
  flag bias = true;
  extent2d dilation = 1;
};

}  // namespace ctq

// clang-format off
/// Those of N axes; options: of those that a model in C++ can call.
#define CTQ_CONVOLUTIONS_OF(OP, N, options, transposed_options) \
  OP(nn, module_op, conv##N##d, "torch.nn.Conv" #N "d", options, conv##N##d) \
  OP(fn, function_op, conv##N##d, "torch.nn.functional.conv" #N "d", no_options, functional_conv##N##d) \
  OP(nni, module_op, conv_relu##N##d, "torch.ao.nn.intrinsic.ConvReLU" #N "d", options, conv_relu##N##d) \
  OP(nni, module_op, conv_bn##N##d, "torch.ao.nn.intrinsic.ConvBn" #N "d", options, conv_bn##N##d) \
  OP(nni, module_op, conv_bn_relu##N##d, "torch.ao.nn.intrinsic.ConvBnReLU" #N "d", options, conv_bn_relu##N##d) \
  OP(nnqat, module_op, conv##N##d, "torch.ao.nn.qat.Conv" #N "d", no_options, qat_conv##N##d) \
  OP(nniqat, module_op, conv_relu##N##d, "torch.ao.nn.intrinsic.qat.ConvReLU" #N "d", no_options, qat_conv_relu##N##d) \
  OP(nniqat, module_op, conv_bn##N##d, "torch.ao.nn.intrinsic.qat.ConvBn" #N "d", no_options, qat_conv##N##d) \
  OP(nniqat, module_op, conv_bn_relu##N##d, "torch.ao.nn.intrinsic.qat.ConvBnReLU" #N "d", no_options, qat_conv_relu##N##d) \
  OP(nnqr, module_op, conv##N##d, "torch.ao.nn.quantized.reference.Conv" #N "d", no_options, none) \
  OP(q, pass_op, conv##N##d, "torch.ao.nn.quantized.Conv" #N "d", options, q_conv##N##d) \
  OP(q, pass_op, conv_relu##N##d, "torch.ao.nn.intrinsic.quantized.ConvReLU" #N "d", options, q_conv_relu##N##d) \
  OP(q, pass_op, functional_conv##N##d, "torch.ops.quantized.conv" #N "d", no_options, q_functional_conv##N##d) \
  OP(q, pass_op, functional_conv##N##d_relu, "torch.ops.quantized.conv" #N "d_relu", no_options, q_functional_conv##N##d) \
  OP(nn, module_op, conv_transpose##N##d, "torch.nn.ConvTranspose" #N "d", transposed_options, conv_transpose##N##d) \
  OP(fn, function_op, conv_transpose##N##d, "torch.nn.functional.conv_transpose" #N "d", no_options, functional_conv_transpose) \
  OP(nnqr, module_op, conv_transpose##N##d, "torch.ao.nn.quantized.reference.ConvTranspose" #N "d", no_options, none)

#define CTQ_CONVOLUTIONS(OP) \
  CTQ_CONVOLUTIONS_OF(OP, 1, conv2d_options, conv_transpose2d_options) \
  CTQ_CONVOLUTIONS_OF(OP, 2, conv2d_options, conv_transpose2d_options) \
  CTQ_CONVOLUTIONS_OF(OP, 3, no_options, no_options) \
  OP(nni, module_op, conv_add2d, "torch.ao.nn.intrinsic.ConvAdd2d", no_options, weighted) \
  OP(nni, module_op, conv_add_relu2d, "torch.ao.nn.intrinsic.ConvAddReLU2d", no_options, weighted)
// clang-format on

CTQ_CONVOLUTIONS(CTQ_DECLARE_OP)

namespace ctq::descriptors {

/// The options of a convolution along one axis, as those of an image of one row.
constexpr conv2d_options along_row(conv2d_options o) {
  using shape_rules::along_row;
  o.kernel_size = along_row(o.kernel_size, 1);
  o.stride = along_row(o.stride, 1);
  o.padding = along_row(o.padding, 0);
  o.dilation = along_row(o.dilation, 1);
  return o;
}
/// Those of a convolution along so many axes.
template <int Axes>
constexpr conv2d_options conv_options_of(const attributes& a) {
  if constexpr (Axes == 1) {
    return along_row(a.as<conv2d_options>());
  } else {
    return a.as<conv2d_options>();
  }
}

template <class Options>
constexpr bool are_numbers(diagnostic& d, const Options& o) {
  using shape_rules::one_number;
  return one_number(d, "kernel_size", o.kernel_size) && one_number(d, "stride", o.stride) &&
         one_number(d, "padding", o.padding) && one_number(d, "dilation", o.dilation);
}

/// Completes and checks channels and groups.
template <class Options>
constexpr bool valid_channels(diagnostic& d, Options& o, const shape& x) {
  using namespace shape_rules;
  if (!settle(d, "in_channels", o.in_channels, x.extent[1], x)) return false;
  if (o.out_channels < 1) {
    complain(d, "out_channels is ", o.out_channels);
    return false;
  }
  if (o.groups >= 1 && o.in_channels % o.groups == 0 && o.out_channels % o.groups == 0) return true;
  complain(d, "groups ", o.groups, " must divide\nin_channels ", o.in_channels,
           " and out_channels ", o.out_channels);
  return false;
}

template <int Axes>
constexpr shape conv_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  using namespace shape_rules;
  if (!needs(d, in, 1, Axes + 2)) return {};
  const shape& x = in[0];
  auto o = a.as<conv2d_options>();
  if (Axes == 1 && !are_numbers(d, o)) return {};
  if (!valid_channels(d, o, x)) return {};
  a = attributes{o};
  if constexpr (Axes == 1) o = along_row(o);
  if (!valid_window(d, x, o.kernel_size, o.stride, o.padding, o.dilation)) return {};
  if (!countable_weight(
          d, {o.out_channels, o.in_channels / o.groups, o.kernel_size.h, o.kernel_size.w}))
    return {};
  const int columns =
      windows(x.extent[Axes + 1], o.kernel_size.w, o.stride.w, o.padding.w, o.dilation.w, false);
  if constexpr (Axes == 1) return {x.extent[0], o.out_channels, columns};
  return {x.extent[0], o.out_channels,
          windows(x.extent[2], o.kernel_size.h, o.stride.h, o.padding.h, o.dilation.h, false),
          columns};
}

/// The shape of a weight (O, I, …) whose kernel has so many axes.
template <int Axes>
constexpr shape weight_shape(int outer, int inner, extent2d kernel) {
  if (Axes == 1) return {outer, inner, kernel.w};
  return {outer, inner, kernel.h, kernel.w};
}

template <int Axes>
constexpr op_parameters conv_parameters(const attributes& a) {
  const auto o = a.as<conv2d_options>();
  const op_parameter weight{
      "weight", weight_shape<Axes>(o.out_channels, o.in_channels / o.groups, o.kernel_size)};
  if (!o.bias) return {weight};
  return {weight, op_parameter{"bias", {o.out_channels}}};
}

template <int Axes>
constexpr kernel_signature::sizes conv_sizes(attributes a, shape in, shape) {
  const auto o = conv_options_of<Axes>(a);
  const shape x = shape_rules::as_image(in);
  return to_block<kernel_signature::sizes>(conv2d_shape{.batch = x[0],
                                                        .in_h = x[2],
                                                        .in_w = x[3],
                                                        .in_channels = x[1],
                                                        .out_channels = o.out_channels,
                                                        .kernel_h = o.kernel_size.h,
                                                        .kernel_w = o.kernel_size.w,
                                                        .stride_h = o.stride.h,
                                                        .stride_w = o.stride.w,
                                                        .padding_h = o.padding.h,
                                                        .padding_w = o.padding.w,
                                                        .dilation_h = o.dilation.h,
                                                        .dilation_w = o.dilation.w,
                                                        .groups = o.groups});
}

inline constexpr op_descriptor conv_transpose3d{
    .is_transposed = true, .weights = op_weights::quantizable, .channel_axis = 1};

template <int Axes>
constexpr conv_transpose2d_options transposed_options_of(const attributes& a) {
  using shape_rules::along_row;
  auto o = a.as<conv_transpose2d_options>();
  if (Axes != 1) return o;
  o.kernel_size = along_row(o.kernel_size, 1);
  o.stride = along_row(o.stride, 1);
  o.padding = along_row(o.padding, 0);
  o.output_padding = along_row(o.output_padding, 0);
  o.dilation = along_row(o.dilation, 1);
  return o;
}

/// An extent of a transposed convolution's output, as far as int goes; below 1: there is none.
constexpr int transposed_extent(int in, std::int64_t kernel, std::int64_t stride,
                                std::int64_t padding, std::int64_t output_padding,
                                std::int64_t dilation) {
  const std::int64_t out =
      (in - 1) * stride - 2 * padding + dilation * (kernel - 1) + output_padding + 1;
  return static_cast<int>(out < INT32_MIN ? INT32_MIN : out > INT32_MAX ? INT32_MAX : out);
}

constexpr bool valid_transposed_window(diagnostic& d, const shape& x,
                                       const conv_transpose2d_options& o) {
  using namespace shape_rules;
  const auto each = [](auto holds, extent2d a, extent2d b) {
    return holds(a.h, b.h) && holds(a.w, b.w);
  };
  const auto at_least = [](int a, int b) { return a >= b; };
  if (!each(at_least, o.kernel_size, 1) || !each(at_least, o.stride, 1) ||
      !each(at_least, o.dilation, 1) || !each(at_least, o.padding, 0)) {
    complain(d, "kernel_size, stride, dilation: >= 1\npadding: >= 0");
    return false;
  }
  const auto fits = [](int extra, int stride, int dilation) {
    return extra >= 0 && (extra < stride || extra < dilation);
  };
  if (!fits(o.output_padding.h, o.stride.h, o.dilation.h) ||
      !fits(o.output_padding.w, o.stride.w, o.dilation.w)) {
    complain(d, "output_padding: 0 or more, and less than\nstride or dilation");
    return false;
  }
  const auto reach = [](std::int64_t dilation, int kernel) { return 2 * dilation * (kernel - 1); };
  if (countable(x[0], x[1], x[2] + reach(o.dilation.h, o.kernel_size.h) + 1,
                x[3] + reach(o.dilation.w, o.kernel_size.w)))
    return true;
  complain(d, "kernel_size and dilation: more than\n2^31 - 1 elements");
  return false;
}

template <int Axes>
constexpr shape conv_transpose_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  using namespace shape_rules;
  if (!needs(d, in, 1, Axes + 2)) return {};
  auto given = a.as<conv_transpose2d_options>();
  if (Axes == 1 &&
      !(are_numbers(d, given) && one_number(d, "output_padding", given.output_padding)))
    return {};
  if (!valid_channels(d, given, in[0])) return {};
  a = attributes{given};
  const auto o = transposed_options_of<Axes>(a);
  const shape x = as_image(in[0]);
  if (!valid_transposed_window(d, x, o)) return {};
  if (!countable_weight(
          d, {o.in_channels, o.out_channels / o.groups, o.kernel_size.h, o.kernel_size.w}))
    return {};
  const int rows = transposed_extent(x[2], o.kernel_size.h, o.stride.h, o.padding.h,
                                     o.output_padding.h, o.dilation.h);
  const int columns = transposed_extent(x[3], o.kernel_size.w, o.stride.w, o.padding.w,
                                        o.output_padding.w, o.dilation.w);
  if (rows < 1 || columns < 1) {
    complain(d, "the padding leaves no output");
    show_input(d, in[0]);
    return {};
  }
  if (Axes == 1) return {x[0], o.out_channels, columns};
  return {x[0], o.out_channels, rows, columns};
}

template <int Axes>
constexpr op_parameters conv_transpose_parameters(const attributes& a) {
  const auto o = a.as<conv_transpose2d_options>();
  const op_parameter weight{
      "weight", weight_shape<Axes>(o.in_channels, o.out_channels / o.groups, o.kernel_size)};
  if (!o.bias) return {weight};
  return {weight, op_parameter{"bias", {o.out_channels}}};
}

template <int Axes>
constexpr kernel_signature::sizes conv_transpose_sizes(attributes a, shape in, shape) {
  const auto o = transposed_options_of<Axes>(a);
  const shape x = shape_rules::as_image(in);
  return to_block<kernel_signature::sizes>(
      conv_transpose2d_shape{.batch = x[0],
                             .in_h = x[2],
                             .in_w = x[3],
                             .in_channels = x[1],
                             .out_channels = o.out_channels,
                             .kernel_h = o.kernel_size.h,
                             .kernel_w = o.kernel_size.w,
                             .stride_h = o.stride.h,
                             .stride_w = o.stride.w,
                             .padding_h = o.padding.h,
                             .padding_w = o.padding.w,
                             .output_padding_h = o.output_padding.h,
                             .output_padding_w = o.output_padding.w,
                             .dilation_h = o.dilation.h,
                             .dilation_w = o.dilation.w,
                             .groups = o.groups});
}

/// Along one axis or two.
template <int Axes>
constexpr op_descriptor transposed_convolution() {
  op_descriptor d = conv_transpose3d;
  d.infer_shape = &conv_transpose_shape_rule<Axes>;
  d.makes_channels_last = Axes > 1;
  d.parameters = &conv_transpose_parameters<Axes>;
  d.on_integers = on_integers::own_scale;
  d.schedule = in_order(kernel_layout::nhwc, kernel::conv_transpose2d, &conv_transpose_sizes<Axes>);
  return d;
}
inline constexpr op_descriptor conv_transpose1d = transposed_convolution<1>();
inline constexpr op_descriptor conv_transpose2d = transposed_convolution<2>();
inline constexpr op_descriptor functional_conv_transpose{.weights = op_weights::quantizable,
                                                         .channel_axis = 1};
inline constexpr op_descriptor weighted{.weights = op_weights::quantizable};

/// A fused module that keeps its batch norm.
struct fused_parts {
  op_id part[3]{};
};
constexpr op_descriptor with_batch_norm(const fused_parts& p) {
  return {.weights = op_weights::quantizable,
          .fused_of = {p.part[0], p.part[1], p.part[2]},
          .keeps_batch_norm = true};
}
/// A module that rounds its weight while it is trained, and what it becomes then. A batch norm that
/// was trained beside its convolution is folded into it.
constexpr op_descriptor trained(op_id float_form) {
  return {.weights = op_weights::quantizable, .float_form = float_form};
}

/// A convolution over so many axes. One over one axis is computed as that of an image of one row.
template <int Axes>
constexpr op_descriptor convolution(bool relu = false) {
  op_descriptor d{.layer_axes = Axes, .weights = op_weights::quantizable};
  if constexpr (Axes <= 2) {
    if (!relu) d.infer_shape = &conv_shape_rule<Axes>;
    d.parameters = &conv_parameters<Axes>;
    d.schedule = in_order(kernel_layout::nhwc, kernel::conv2d, &conv_sizes<Axes>, relu);
  }
  if constexpr (Axes == 2) {
    d.keeps_memory_order = true;
    d.gradient = gradient_rule::layer;
  }
  return d;
}
template <int Axes>
constexpr op_descriptor integer_convolution(bool relu) {
  return {.layer_axes = Axes,
          .makes_channels_last = Axes > 1,
          .schedule = convolution<Axes>(relu).schedule};
}

#define CTQ_DESCRIBE_CONVOLUTIONS_OF(N)                                                         \
  inline constexpr op_descriptor conv##N##d = with(convolution<N>(), [](op_descriptor& d) {     \
    d.integer_form = &q::op_conv##N##d::info;                                                   \
    d.integer_relu_form = &q::op_conv_relu##N##d::info;                                         \
    d.with_relu = &nni::op_conv_relu##N##d::info;                                               \
  });                                                                                           \
  inline constexpr op_descriptor conv_relu##N##d =                                              \
      with(convolution<N>(true), [](op_descriptor& d) {                                         \
        d.integer_form = &q::op_conv_relu##N##d::info;                                          \
        d.fused_of[0] = &nn::op_conv##N##d::info;                                               \
        d.fused_of[1] = &nn::op_relu::info;                                                     \
      });                                                                                       \
  inline constexpr op_descriptor functional_conv##N##d{                                         \
      .layer_axes = N,                                                                          \
      .weights = op_weights::quantizable,                                                       \
      .integer_form = &q::op_functional_conv##N##d::info,                                       \
      .integer_relu_form = &q::op_functional_conv##N##d_relu::info};                            \
  inline constexpr op_descriptor conv_bn##N##d =                                                \
      with_batch_norm({&nn::op_conv##N##d::info, &nn::op_batch_norm##N##d::info});              \
  inline constexpr op_descriptor conv_bn_relu##N##d = with_batch_norm(                          \
      {&nn::op_conv##N##d::info, &nn::op_batch_norm##N##d::info, &nn::op_relu::info});          \
  inline constexpr op_descriptor qat_conv##N##d = trained(&nn::op_conv##N##d::info);            \
  inline constexpr op_descriptor qat_conv_relu##N##d = trained(&nni::op_conv_relu##N##d::info); \
  inline constexpr op_descriptor q_conv##N##d = integer_convolution<N>(false);                  \
  inline constexpr op_descriptor q_conv_relu##N##d = integer_convolution<N>(true);              \
  inline constexpr op_descriptor q_functional_conv##N##d{.makes_channels_last = N > 1};
CTQ_DESCRIBE_CONVOLUTIONS_OF(1)
CTQ_DESCRIBE_CONVOLUTIONS_OF(2)
CTQ_DESCRIBE_CONVOLUTIONS_OF(3)
#undef CTQ_DESCRIBE_CONVOLUTIONS_OF

}  // namespace ctq::descriptors

CTQ_CONVOLUTIONS(CTQ_DESCRIBE_OP)
