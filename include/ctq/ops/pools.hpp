// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/ops/define_ops.hpp"

// Pooling. One axis is an image of one row.

namespace ctq {

template <class Extent>
struct max_pool_options {
  Extent kernel_size{};
  Extent stride = 0;  // 0: kernel_size
  Extent padding = 0;
  Extent dilation = 1;
  flag ceil_mode = false;
};
using max_pool2d_options = max_pool_options<extent2d>;
using max_pool3d_options = max_pool_options<extent3d>;

template <class Extent>
struct avg_pool_options {
  Extent kernel_size{};
  Extent stride = 0;  // 0: kernel_size
  Extent padding = 0;
  flag ceil_mode = false;
  flag count_include_pad = true;
  int divisor_override = 0;  // 0: the number of pixels
};
using avg_pool2d_options = avg_pool_options<extent2d>;
using avg_pool3d_options = avg_pool_options<extent3d>;

template <class Extent>
struct adaptive_pool_options {
  Extent output_size = 1;
};
using adaptive_avg_pool2d_options = adaptive_pool_options<extent2d>;
using adaptive_avg_pool3d_options = adaptive_pool_options<extent3d>;

}  // namespace ctq

// clang-format off
#define CTQ_POOLS(OP) \
  CTQ_MODULE_AND_FUNCTION(OP, max_pool1d, "MaxPool1d", max_pool2d_options, max_pool<1>) \
  CTQ_MODULE_AND_FUNCTION(OP, max_pool2d, "MaxPool2d", max_pool2d_options, max_pool<2>) \
  CTQ_MODULE_AND_FUNCTION(OP, max_pool3d, "MaxPool3d", max_pool3d_options, max_pool<3>) \
  CTQ_MODULE_AND_FUNCTION(OP, avg_pool1d, "AvgPool1d", avg_pool2d_options, avg_pool<1>) \
  CTQ_MODULE_AND_FUNCTION(OP, avg_pool2d, "AvgPool2d", avg_pool2d_options, avg_pool<2>) \
  CTQ_MODULE_AND_FUNCTION(OP, avg_pool3d, "AvgPool3d", avg_pool3d_options, avg_pool<3>) \
  CTQ_MODULE_AND_FUNCTION(OP, adaptive_avg_pool1d, "AdaptiveAvgPool1d", adaptive_avg_pool2d_options, adaptive_avg_pool<1>) \
  CTQ_MODULE_AND_FUNCTION(OP, adaptive_avg_pool2d, "AdaptiveAvgPool2d", adaptive_avg_pool2d_options, adaptive_avg_pool<2>) \
  CTQ_MODULE_AND_FUNCTION(OP, adaptive_avg_pool3d, "AdaptiveAvgPool3d", adaptive_avg_pool3d_options, adaptive_avg_pool<3>)
// clang-format on

CTQ_POOLS(CTQ_DECLARE_OP)

namespace ctq::descriptors {

/// The type of the extents of windows along Axes axes.
template <int Axes>
using extent_of = std::conditional_t<Axes == 3, extent3d, extent2d>;

template <int Axes, class Options>
constexpr shape pool_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  using namespace shape_rules;
  if (!needs(d, in, 1, Axes + 2)) return {};
  auto o = a.as<Options>();
  using extent = decltype(o.stride);
  if (o.stride == extent{0}) o.stride = o.kernel_size;
  if constexpr (Axes == 1)
    if (!(one_number(d, "kernel_size", o.kernel_size) && one_number(d, "stride", o.stride) &&
          one_number(d, "padding", o.padding)))
      return {};
  a = attributes{o};
  extent dilation = 1;
  if constexpr (requires { o.dilation; }) dilation = o.dilation;
  if (!valid_window(d, in[0], o.kernel_size, o.stride, o.padding, dilation)) return {};
  if constexpr (requires { o.divisor_override; }) {
    if (o.divisor_override < 0) {
      complain(d, "divisor_override is 1 or more");
      return {};
    }
  }
  shape out = in[0];
  for (int axis = 0; axis < Axes; ++axis) {
    const int kernel = along(o.kernel_size, axis);
    const int padding = along(o.padding, axis);
    if (2 * padding > kernel) {
      complain(d, "padding exceeds half of kernel_size");
      return {};
    }
    int& pixels = out[Axes + 1 - axis];
    pixels =
        windows(pixels, kernel, along(o.stride, axis), padding, along(dilation, axis), o.ceil_mode);
  }
  return out;
}

template <int Axes>
constexpr shape adaptive_pool_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, Axes + 2)) return {};
  const auto o = a.as<adaptive_pool_options<extent_of<Axes>>>();
  if constexpr (Axes == 1)
    if (!shape_rules::one_number(d, "output_size", o.output_size)) return {};
  shape out = in[0];
  for (int axis = 0; axis < Axes; ++axis) {
    int& pixels = out[Axes + 1 - axis];
    pixels = along(o.output_size, axis);
    if (pixels >= 1) continue;
    shape_rules::complain(d, "output_size is 1 or more");
    return {};
  }
  return out;
}

/// The extents of input and output.
template <int Axes>
constexpr pool_shape pool_sizes(shape in, shape out) {
  pool_shape s{.batch = in[0], .in_h = 1, .channels = in[1], .out_h = 1};
  s.in_w = in[Axes + 1];
  s.out_w = out[Axes + 1];
  if constexpr (Axes > 1) {
    s.in_h = in[Axes];
    s.out_h = out[Axes];
  }
  if constexpr (Axes > 2) {
    s.in_d = in[2];
    s.out_d = out[2];
  }
  return s;
}

template <int Axes, class Options>
constexpr kernel_signature::sizes window_pool_sizes(attributes a, shape in, shape out) {
  const auto o = a.as<Options>();
  pool_shape s = pool_sizes<Axes>(in, out);
  s.kernel_w = o.kernel_size.w;
  s.stride_w = o.stride.w;
  s.padding_w = o.padding.w;
  s.kernel_h = 1;
  if constexpr (Axes > 1) {
    s.kernel_h = o.kernel_size.h;
    s.stride_h = o.stride.h;
    s.padding_h = o.padding.h;
  }
  if constexpr (Axes > 2) {
    s.kernel_d = o.kernel_size.d;
    s.stride_d = o.stride.d;
    s.padding_d = o.padding.d;
  }
  if constexpr (requires { o.dilation; }) {
    s.dilation_w = o.dilation.w;
    if constexpr (Axes > 1) s.dilation_h = o.dilation.h;
    if constexpr (Axes > 2) s.dilation_d = o.dilation.d;
  } else {
    s.divisor = o.count_include_pad ? pool_shape::padded_pixels : pool_shape::input_pixels;
    if (o.divisor_override > 0) s.divisor = o.divisor_override;
  }
  return to_block<kernel_signature::sizes>(s);
}

template <int Axes>
constexpr kernel_signature::sizes adaptive_pool_sizes(attributes, shape in, shape out) {
  pool_shape s = pool_sizes<Axes>(in, out);
  s.adaptive = 1;
  return to_block<kernel_signature::sizes>(s);
}

/// A pool along Axes axes, computed by this kernel.
template <int Axes>
constexpr op_descriptor pool(op_descriptor::shape_rule rule, kernel_id kernel,
                             op_schedule::sizes_function sizes, gradient_rule gradient) {
  return {.infer_shape = rule,
          .pool_axes = Axes,
          .keeps_memory_order = Axes == 2,
          .on_integers = on_integers::input_scale,
          .gives_any_scale = kernel == kernel::pooling_avg,
          .gradient = Axes == 2 ? gradient : gradient_rule::none,
          .schedule = in_order(kernel_layout::nhwc, kernel, sizes)};
}
template <int Axes>
inline constexpr op_descriptor max_pool = pool<Axes>(
    &pool_shape_rule<Axes, max_pool_options<extent_of<Axes>>>, kernel::pooling_max,
    &window_pool_sizes<Axes, max_pool_options<extent_of<Axes>>>, gradient_rule::max_pool);
template <int Axes>
inline constexpr op_descriptor avg_pool = pool<Axes>(
    &pool_shape_rule<Axes, avg_pool_options<extent_of<Axes>>>, kernel::pooling_avg,
    &window_pool_sizes<Axes, avg_pool_options<extent_of<Axes>>>, gradient_rule::avg_pool);
template <int Axes>
inline constexpr op_descriptor adaptive_avg_pool = pool<Axes>(&adaptive_pool_shape_rule<Axes>,
                                                              kernel::pooling_avg,
                                                              &adaptive_pool_sizes<Axes>,
                                                              gradient_rule::adaptive_avg_pool);

}  // namespace ctq::descriptors

CTQ_POOLS(CTQ_DESCRIBE_OP)
