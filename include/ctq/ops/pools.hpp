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
};

struct adaptive_avg_pool2d_options {
  extent2d output_size = 1;
};

}  // namespace ctq

// clang-format off
#define CTQ_POOLS(OP) \
  CTQ_MODULE_AND_FUNCTION(OP, max_pool1d, "MaxPool1d", max_pool2d_options, other_pool1d) \
  CTQ_MODULE_AND_FUNCTION(OP, max_pool2d, "MaxPool2d", max_pool2d_options, max_pool2d) \
  CTQ_MODULE_AND_FUNCTION(OP, max_pool3d, "MaxPool3d", max_pool2d_options, other_pool3d) \
  CTQ_MODULE_AND_FUNCTION(OP, avg_pool1d, "AvgPool1d", avg_pool2d_options, other_pool1d) \
  CTQ_MODULE_AND_FUNCTION(OP, avg_pool2d, "AvgPool2d", avg_pool2d_options, avg_pool2d) \
  CTQ_MODULE_AND_FUNCTION(OP, avg_pool3d, "AvgPool3d", avg_pool2d_options, other_pool3d) \
  CTQ_MODULE_AND_FUNCTION(OP, adaptive_avg_pool1d, "AdaptiveAvgPool1d", no_options, other_pool1d) \
  CTQ_MODULE_AND_FUNCTION(OP, adaptive_avg_pool2d, "AdaptiveAvgPool2d", adaptive_avg_pool2d_options, adaptive_avg_pool2d) \
  CTQ_MODULE_AND_FUNCTION(OP, adaptive_avg_pool3d, "AdaptiveAvgPool3d", no_options, other_pool3d) \
  CTQ_MODULE_AND_FUNCTION(OP, adaptive_max_pool1d, "AdaptiveMaxPool1d", no_options, none) \
  CTQ_MODULE_AND_FUNCTION(OP, adaptive_max_pool2d, "AdaptiveMaxPool2d", no_options, none) \
  CTQ_MODULE_AND_FUNCTION(OP, adaptive_max_pool3d, "AdaptiveMaxPool3d", no_options, none)
// clang-format on

CTQ_POOLS(CTQ_DECLARE_OP)

namespace ctq::descriptors {

template <class Options>
constexpr shape pool2d_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  using namespace shape_rules;
  if (!needs(d, in, 1, 4)) return {};
  auto o = a.as<Options>();
  if (o.stride.h == 0 && o.stride.w == 0) o.stride = o.kernel_size;
  extent2d dilation = 1;
  if constexpr (requires { o.dilation; }) dilation = o.dilation;
  if (!valid_window(d, in[0], o.kernel_size, o.stride, o.padding, dilation)) return {};
  if (2 * o.padding.h > o.kernel_size.h || 2 * o.padding.w > o.kernel_size.w) {
    complain(d, "padding exceeds half of kernel_size");
    return {};
  }
  a = attributes{o};
  return {in[0][0], in[0][1],
          windows(in[0][2], o.kernel_size.h, o.stride.h, o.padding.h, dilation.h, o.ceil_mode),
          windows(in[0][3], o.kernel_size.w, o.stride.w, o.padding.w, dilation.w, o.ceil_mode)};
}

constexpr shape adaptive_avg_pool2d_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 4)) return {};
  const auto o = a.as<adaptive_avg_pool2d_options>();
  if (o.output_size.h < 1 || o.output_size.w < 1) {
    shape_rules::complain(d, "output_size is 1 or more");
    return {};
  }
  return {in[0][0], in[0][1], o.output_size.h, o.output_size.w};
}

constexpr pool2d_shape pool_sizes(shape in, shape out) {
  return {.batch = in.extent[0],
          .in_h = in.extent[2],
          .in_w = in.extent[3],
          .channels = in.extent[1],
          .out_h = out.extent[2],
          .out_w = out.extent[3]};
}

template <class Options>
constexpr kernel_signature::sizes pool2d_sizes(attributes a, shape in, shape out) {
  const auto o = a.as<Options>();
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
    s.count_include_pad = o.count_include_pad ? 1 : 0;
  }
  return to_block<kernel_signature::sizes>(s);
}

constexpr kernel_signature::sizes adaptive_avg_pool2d_sizes(attributes, shape in, shape out) {
  pool2d_shape s = pool_sizes(in, out);
  s.adaptive = 1;
  return to_block<kernel_signature::sizes>(s);
}

inline constexpr op_descriptor other_pool1d{.pool_axes = 1,
                                            .on_integers = on_integers::input_scale};
inline constexpr op_descriptor other_pool3d{.pool_axes = 3,
                                            .on_integers = on_integers::input_scale};

inline constexpr op_descriptor max_pool2d{
    .infer_shape = &pool2d_shape_rule<max_pool2d_options>,
    .pool_axes = 2,
    .keeps_memory_order = true,
    .on_integers = on_integers::input_scale,
    .gradient = gradient_rule::max_pool,
    .schedule =
        in_order(kernel_layout::nhwc, kernel::pooling_max, &pool2d_sizes<max_pool2d_options>)};
inline constexpr op_descriptor avg_pool2d{
    .infer_shape = &pool2d_shape_rule<avg_pool2d_options>,
    .pool_axes = 2,
    .keeps_memory_order = true,
    .on_integers = on_integers::input_scale,
    .gives_any_scale = true,
    .gradient = gradient_rule::avg_pool,
    .schedule =
        in_order(kernel_layout::nhwc, kernel::pooling_avg, &pool2d_sizes<avg_pool2d_options>)};
inline constexpr op_descriptor adaptive_avg_pool2d{
    .infer_shape = &adaptive_avg_pool2d_shape_rule,
    .pool_axes = 2,
    .keeps_memory_order = true,
    .on_integers = on_integers::input_scale,
    .gives_any_scale = true,
    .gradient = gradient_rule::adaptive_avg_pool,
    .schedule = in_order(kernel_layout::nhwc, kernel::pooling_avg, &adaptive_avg_pool2d_sizes)};

}  // namespace ctq::descriptors

CTQ_POOLS(CTQ_DESCRIBE_OP)
