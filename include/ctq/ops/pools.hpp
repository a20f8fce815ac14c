// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/ops/define_ops.hpp"

// Pooling. Options of two axes also have the names and defaults of those of one and three.

namespace ctq {

struct max_pool2d_options {
  extent2d kernel_size{};
  extent2d stride = 0;  // 0: kernel_size
  extent2d padding = 0;
  extent2d dilation = 1;
  flag ceil_mode = false;
};

struct avg_pool2d_options {
  extent2d kernel_size{};
  extent2d stride = 0;  // 0: kernel_size
  extent2d padding = 0;
  flag ceil_mode = false;
  flag count_include_pad = true;
  int divisor_override = 0;  // 0: the number of pixels
};

struct adaptive_avg_pool2d_options {
  extent2d output_size = 1;
};

}  // namespace ctq

// clang-format off
#define CTQ_POOLS(OP) \
  CTQ_MODULE_AND_FUNCTION(OP, max_pool1d, "MaxPool1d", max_pool2d_options, max_pool1d) \
  CTQ_MODULE_AND_FUNCTION(OP, max_pool2d, "MaxPool2d", max_pool2d_options, max_pool2d) \
  CTQ_MODULE_AND_FUNCTION(OP, max_pool3d, "MaxPool3d", max_pool2d_options, other_pool3d) \
  CTQ_MODULE_AND_FUNCTION(OP, avg_pool1d, "AvgPool1d", avg_pool2d_options, avg_pool1d) \
  CTQ_MODULE_AND_FUNCTION(OP, avg_pool2d, "AvgPool2d", avg_pool2d_options, avg_pool2d) \
  CTQ_MODULE_AND_FUNCTION(OP, avg_pool3d, "AvgPool3d", avg_pool2d_options, other_pool3d) \
  CTQ_MODULE_AND_FUNCTION(OP, adaptive_avg_pool1d, "AdaptiveAvgPool1d", adaptive_avg_pool2d_options, adaptive_avg_pool1d) \
  CTQ_MODULE_AND_FUNCTION(OP, adaptive_avg_pool2d, "AdaptiveAvgPool2d", adaptive_avg_pool2d_options, adaptive_avg_pool2d) \
  CTQ_MODULE_AND_FUNCTION(OP, adaptive_avg_pool3d, "AdaptiveAvgPool3d", no_options, other_pool3d) \
  CTQ_MODULE_AND_FUNCTION(OP, adaptive_max_pool1d, "AdaptiveMaxPool1d", no_options, none) \
  CTQ_MODULE_AND_FUNCTION(OP, adaptive_max_pool2d, "AdaptiveMaxPool2d", no_options, none) \
  CTQ_MODULE_AND_FUNCTION(OP, adaptive_max_pool3d, "AdaptiveMaxPool3d", no_options, none)
// clang-format on

CTQ_POOLS(CTQ_DECLARE_OP)

namespace ctq::descriptors {

/// The options of a pool along one axis, as those of an image of one row.
template <int Axes, class Options>
constexpr Options pool_options_of(const attributes& a) {
  using shape_rules::along_row;
  auto o = a.as<Options>();
  if (Axes != 1) return o;
  o.kernel_size = along_row(o.kernel_size, 1);
  o.stride = along_row(o.stride, 1);
  o.padding = along_row(o.padding, 0);
  if constexpr (requires { o.dilation; }) o.dilation = along_row(o.dilation, 1);
  return o;
}

/// The extents of one axis, or two.
template <int Axes>
constexpr shape with_pixels(const shape& in, int rows, int columns) {
  if (Axes == 1) return {in[0], in[1], columns};
  return {in[0], in[1], rows, columns};
}

template <int Axes, class Options>
constexpr shape pool_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  using namespace shape_rules;
  if (!needs(d, in, 1, Axes + 2)) return {};
  auto given = a.as<Options>();
  if (given.stride.h == 0 && given.stride.w == 0) given.stride = given.kernel_size;
  if (Axes == 1 &&
      !(one_number(d, "kernel_size", given.kernel_size) && one_number(d, "stride", given.stride) &&
        one_number(d, "padding", given.padding)))
    return {};
  a = attributes{given};
  const auto o = pool_options_of<Axes, Options>(a);
  extent2d dilation = 1;
  if constexpr (requires { o.dilation; }) dilation = o.dilation;
  if (!valid_window(d, in[0], o.kernel_size, o.stride, o.padding, dilation)) return {};
  if (2 * o.padding.h > o.kernel_size.h || 2 * o.padding.w > o.kernel_size.w) {
    complain(d, "padding exceeds half of kernel_size");
    return {};
  }
  if constexpr (requires { o.divisor_override; }) {
    if (o.divisor_override < 0) {
      complain(d, "divisor_override is 1 or more");
      return {};
    }
  }
  const shape x = as_image(in[0]);
  return with_pixels<Axes>(
      x, windows(x[2], o.kernel_size.h, o.stride.h, o.padding.h, dilation.h, o.ceil_mode),
      windows(x[3], o.kernel_size.w, o.stride.w, o.padding.w, dilation.w, o.ceil_mode));
}

template <int Axes>
constexpr shape adaptive_pool_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, Axes + 2)) return {};
  const auto o = a.as<adaptive_avg_pool2d_options>();
  if (Axes == 1 && !shape_rules::one_number(d, "output_size", o.output_size)) return {};
  if (o.output_size.h < 1 || o.output_size.w < 1) {
    shape_rules::complain(d, "output_size is 1 or more");
    return {};
  }
  return with_pixels<Axes>(in[0], o.output_size.h, o.output_size.w);
}

constexpr pool2d_shape pool_sizes(shape in, shape out) {
  const shape x = shape_rules::as_image(in);
  const shape y = shape_rules::as_image(out);
  return {
      .batch = x[0], .in_h = x[2], .in_w = x[3], .channels = x[1], .out_h = y[2], .out_w = y[3]};
}

template <int Axes, class Options>
constexpr kernel_signature::sizes window_pool_sizes(attributes a, shape in, shape out) {
  const auto o = pool_options_of<Axes, Options>(a);
  pool2d_shape s = pool_sizes(in, out);
  s.kernel_h = o.kernel_size.h;
  s.kernel_w = o.kernel_size.w;
  s.stride_h = o.stride.h;
  s.stride_w = o.stride.w;
  s.padding_h = o.padding.h;
  s.padding_w = o.padding.w;
  if constexpr (requires { o.dilation; }) {
    s.dilation_h = o.dilation.h;
    s.dilation_w = o.dilation.w;
  } else {
    s.divisor = o.count_include_pad ? pool2d_shape::padded_pixels : pool2d_shape::input_pixels;
    if (o.divisor_override > 0) s.divisor = o.divisor_override;
  }
  return to_block<kernel_signature::sizes>(s);
}

constexpr kernel_signature::sizes adaptive_pool_sizes(attributes, shape in, shape out) {
  pool2d_shape s = pool_sizes(in, out);
  s.adaptive = 1;
  return to_block<kernel_signature::sizes>(s);
}

inline constexpr op_descriptor other_pool3d{.pool_axes = 3,
                                            .on_integers = on_integers::input_scale};

template <int Axes>
constexpr op_descriptor max_pool() {
  op_descriptor d{.infer_shape = &pool_shape_rule<Axes, max_pool2d_options>,
                  .pool_axes = Axes,
                  .on_integers = on_integers::input_scale,
                  .schedule = in_order(kernel_layout::nhwc, kernel::pooling_max,
                                       &window_pool_sizes<Axes, max_pool2d_options>)};
  if (Axes != 2) return d;
  d.keeps_memory_order = true;
  d.gradient = gradient_rule::max_pool;
  return d;
}
template <int Axes>
constexpr op_descriptor avg_pool() {
  op_descriptor d{.infer_shape = &pool_shape_rule<Axes, avg_pool2d_options>,
                  .pool_axes = Axes,
                  .on_integers = on_integers::input_scale,
                  .gives_any_scale = true,
                  .schedule = in_order(kernel_layout::nhwc, kernel::pooling_avg,
                                       &window_pool_sizes<Axes, avg_pool2d_options>)};
  if (Axes != 2) return d;
  d.keeps_memory_order = true;
  d.gradient = gradient_rule::avg_pool;
  return d;
}
template <int Axes>
constexpr op_descriptor adaptive_avg_pool() {
  op_descriptor d{
      .infer_shape = &adaptive_pool_shape_rule<Axes>,
      .pool_axes = Axes,
      .on_integers = on_integers::input_scale,
      .gives_any_scale = true,
      .schedule = in_order(kernel_layout::nhwc, kernel::pooling_avg, &adaptive_pool_sizes)};
  if (Axes != 2) return d;
  d.keeps_memory_order = true;
  d.gradient = gradient_rule::adaptive_avg_pool;
  return d;
}

inline constexpr op_descriptor max_pool1d = max_pool<1>();
inline constexpr op_descriptor max_pool2d = max_pool<2>();
inline constexpr op_descriptor avg_pool1d = avg_pool<1>();
inline constexpr op_descriptor avg_pool2d = avg_pool<2>();
inline constexpr op_descriptor adaptive_avg_pool1d = adaptive_avg_pool<1>();
inline constexpr op_descriptor adaptive_avg_pool2d = adaptive_avg_pool<2>();

}  // namespace ctq::descriptors

CTQ_POOLS(CTQ_DESCRIBE_OP)
