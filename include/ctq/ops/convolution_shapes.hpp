// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "ctq/core/kernel_signature.hpp"
#include "ctq/ops/op_descriptor.hpp"
#include "ctq/ops/shape_checks.hpp"

// The options of convolutions, plain and transposed, and what follows from them: shapes,
// parameters, the sizes of kernels. One axis is an image of one row.

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
  const auto reach = [](int dilation, int kernel) {
    return 2 * std::int64_t{dilation} * (kernel - 1);
  };
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

}  // namespace ctq::descriptors
