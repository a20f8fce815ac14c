// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <type_traits>

#include "ctq/core/kernel_signature.hpp"
#include "ctq/ops/op_descriptor.hpp"
#include "ctq/ops/shape_checks.hpp"

// The options of convolutions, plain and transposed, and what is computed from them: shapes,
// parameters, the sizes of kernels. One axis is an image of one row.

namespace ctq {

/// The options of a convolution. Along one axis each extent is one number.
template <class Extent>
struct conv_options {
  int in_channels = 0;  // 0: as many as the input has
  int out_channels{};
  Extent kernel_size{};
  Extent stride = 1;
  Extent padding = 0;
  Extent dilation = 1;
  int groups = 1;
  flag bias = true;
};
using conv2d_options = conv_options<extent2d>;
using conv3d_options = conv_options<extent3d>;

/// A transposed convolution. Its weight is (I, O/groups, …).
template <class Extent>
struct conv_transpose_options {
  int in_channels = 0;  // 0: as many as the input has
  int out_channels{};
  Extent kernel_size{};
  Extent stride = 1;
  Extent padding = 0;
  Extent output_padding = 0;
  int groups = 1;
  flag bias = true;
  Extent dilation = 1;
};
using conv_transpose2d_options = conv_transpose_options<extent2d>;
using conv_transpose3d_options = conv_transpose_options<extent3d>;

/// The options of a function. What depends on its weight is inferred.
template <class Extent>
struct functional_conv_options {
  Extent stride = 1;
  Extent padding = 0;
  Extent dilation = 1;
  int groups = 1;
  int in_channels = 0, out_channels = 0;  // of the weight
  Extent kernel_size = 0;                 //
  flag bias = false;                      // is there
};
using functional_conv2d_options = functional_conv_options<extent2d>;
using functional_conv3d_options = functional_conv_options<extent3d>;

/// The same for a transposed convolution.
template <class Extent>
struct functional_conv_transpose_options {
  Extent stride = 1;
  Extent padding = 0;
  Extent output_padding = 0;
  int groups = 1;
  Extent dilation = 1;
  int in_channels = 0, out_channels = 0;  // of the weight
  Extent kernel_size = 0;                 //
  flag bias = false;                      // is there
};
using functional_conv_transpose2d_options = functional_conv_transpose_options<extent2d>;
using functional_conv_transpose3d_options = functional_conv_transpose_options<extent3d>;

}  // namespace ctq

namespace ctq::descriptors {

/// Whether these are the options of a transposed convolution.
template <class Options>
inline constexpr bool is_transposed = requires(Options o) {
  o.output_padding;
};

template <class Options>
constexpr bool are_numbers(diagnostic& d, const Options& o) {
  using shape_rules::one_number;
  if constexpr (is_transposed<Options>)
    if (!one_number(d, "output_padding", o.output_padding)) return false;
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

/// An extent of a transposed convolution's output, limited to int; below 1 if there is no output.
constexpr int transposed_extent(int in, std::int64_t kernel, std::int64_t stride,
                                std::int64_t padding, std::int64_t output_padding,
                                std::int64_t dilation) {
  const std::int64_t out =
      (in - 1) * stride - 2 * padding + dilation * (kernel - 1) + output_padding + 1;
  return static_cast<int>(out < INT32_MIN ? INT32_MIN : out > INT32_MAX ? INT32_MAX : out);
}

/// The extent of the output along an axis; 0 is the last one.
template <class Options>
constexpr int output_extent(const Options& o, int in, int axis) {
  const int kernel = along(o.kernel_size, axis);
  const int stride = along(o.stride, axis);
  const int padding = along(o.padding, axis);
  const int dilation = along(o.dilation, axis);
  if constexpr (is_transposed<Options>) {
    return transposed_extent(in, kernel, stride, padding, along(o.output_padding, axis), dilation);
  } else {
    return shape_rules::windows(in, kernel, stride, padding, dilation, false);
  }
}

template <class Options>
constexpr bool valid_transposed_window(diagnostic& d, const shape& x, const Options& o) {
  using namespace shape_rules;
  const int axes = x.rank - 2;
  if (!valid_steps(d, axes, o.kernel_size, o.stride, o.padding, o.dilation)) return false;
  std::int64_t elements = std::int64_t{x[0]} * x[1];
  bool has_output = true;
  for (int axis = 0; axis < axes; ++axis) {
    const int extra = along(o.output_padding, axis);
    const int dilation = along(o.dilation, axis);
    if (extra < 0 || (extra >= along(o.stride, axis) && extra >= dilation)) {
      complain(d, "output_padding: 0 or more, and less than\nstride or dilation");
      return false;
    }
    // The elements of the image with its border, and one more row, must be countable.
    const int extent = x[x.rank - 1 - axis];
    const std::int64_t reach = 2 * std::int64_t{dilation} * (along(o.kernel_size, axis) - 1);
    const std::int64_t padded = extent + reach + (axis + 1 == axes ? 1 : 0);
    elements = countable(elements, padded) ? elements * padded : INT64_MAX;
    has_output = has_output && output_extent(o, extent, axis) >= 1;
  }
  if (elements > INT32_MAX) {
    complain(d, "kernel_size and dilation: more than\n2^31 - 1 elements");
  } else if (!has_output) {
    wrong_input(d, x, "the padding leaves no output");
  }
  return !d.any();
}

/// (O, I/groups, …), or for a transposed convolution (I, O/groups, …).
///   axes  how many the kernel has
template <class Options>
constexpr shape weight_shape(const Options& o, int axes) {
  shape s = is_transposed<Options> ? shape{o.in_channels, o.out_channels / o.groups}
                                   : shape{o.out_channels, o.in_channels / o.groups};
  for (int axis = axes - 1; axis >= 0; --axis) s.extent[s.rank++] = along(o.kernel_size, axis);
  return s;
}

template <class Options, int Axes>
constexpr shape convolution_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  using namespace shape_rules;
  if (!needs(d, in, 1, Axes + 2)) return {};
  const shape& x = in[0];
  auto o = a.as<Options>();
  if constexpr (Axes == 1)
    if (!are_numbers(d, o)) return {};
  if (!valid_channels(d, o, x)) return {};
  a = attributes{o};
  if constexpr (is_transposed<Options>) {
    if (!valid_transposed_window(d, x, o)) return {};
  } else {
    if (!valid_window(d, x, o.kernel_size, o.stride, o.padding, o.dilation)) return {};
  }
  if (!countable_weight(d, weight_shape(o, Axes))) return {};
  shape out{x.extent[0], o.out_channels};
  for (int axis = Axes - 1; axis >= 0; --axis)
    out.extent[out.rank++] = output_extent(o, x.extent[Axes + 1 - axis], axis);
  return out;
}

template <class Options, int Axes>
constexpr op_parameters convolution_parameters(const attributes& a) {
  const auto o = a.as<Options>();
  const op_parameter weight{"weight", weight_shape(o, Axes)};
  if (!o.bias) return {weight};
  return {weight, op_parameter{"bias", {o.out_channels}}};
}

///   Sizes  the kernel's shape record
template <class Sizes, class Options, int Axes>
constexpr kernel_signature::sizes convolution_sizes(attributes a, shape in, shape) {
  const auto o = a.as<Options>();
  Sizes s{};
  s.batch = in[0];
  s.in_channels = in[1];
  s.out_channels = o.out_channels;
  s.groups = o.groups;
  s.in_w = in[Axes + 1];
  s.kernel_w = o.kernel_size.w;
  s.stride_w = o.stride.w;
  s.padding_w = o.padding.w;
  s.dilation_w = o.dilation.w;
  if constexpr (Axes == 1) {
    s.in_h = s.kernel_h = 1;
  } else {
    s.in_h = in[Axes];
    s.kernel_h = o.kernel_size.h;
    s.stride_h = o.stride.h;
    s.padding_h = o.padding.h;
    s.dilation_h = o.dilation.h;
  }
  if constexpr (Axes == 3) {
    s.in_d = in[2];
    s.kernel_d = o.kernel_size.d;
    s.stride_d = o.stride.d;
    s.padding_d = o.padding.d;
    s.dilation_d = o.dilation.d;
  }
  if constexpr (is_transposed<Options>) {
    s.output_padding_w = o.output_padding.w;
    if constexpr (Axes > 1) s.output_padding_h = o.output_padding.h;
    if constexpr (Axes == 3) s.output_padding_d = o.output_padding.d;
  }
  return to_block<kernel_signature::sizes>(s);
}

/// The options of a function as those of a module.
template <class Extent>
constexpr conv_options<Extent> as_module(const functional_conv_options<Extent>& o) {
  return {o.in_channels, o.out_channels, o.kernel_size, o.stride,
          o.padding,     o.dilation,     o.groups,      o.bias};
}
template <class Extent>
constexpr conv_transpose_options<Extent> as_module(
    const functional_conv_transpose_options<Extent>& o) {
  return {o.in_channels,    o.out_channels, o.kernel_size, o.stride,  o.padding,
          o.output_padding, o.groups,       o.bias,        o.dilation};
}

constexpr void set_kernel(extent2d& kernel, const shape& weight) {
  kernel = {weight[weight.rank - 2], weight[weight.rank - 1]};
  if (weight.rank == 3) kernel.h = kernel.w;
}
constexpr void set_kernel(extent3d& kernel, const shape& weight) {
  kernel = {weight[2], weight[3], weight[4]};
}

/// The shape rule of a function, whose inputs are x, its weight, and its bias, if it has one.
///   rule  the shape rule of the module
template <class Options>
constexpr shape functional_shape(view<shape> in, attributes& a, diagnostic& d, int axes,
                                 op_descriptor::shape_rule rule) {
  if (!shape_rules::has_parameters(d, in, axes + 2)) return {};
  auto o = a.as<Options>();
  const shape& weight = in[1];
  o.in_channels = weight[is_transposed<Options> ? 0 : 1];
  o.out_channels = weight[is_transposed<Options> ? 1 : 0];
  (is_transposed<Options> ? o.out_channels : o.in_channels) *= o.groups;
  o.bias = in.count == 3;
  set_kernel(o.kernel_size, weight);
  a = attributes{o};
  attributes of_module{as_module(o)};
  const shape out = rule({in.items, 1}, of_module, d);
  return shape_rules::fits_bias(d, in, o.out_channels) ? out : shape{};
}
template <class Options, int Axes>
constexpr shape functional_convolution_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  using module_options = decltype(as_module(Options{}));
  return functional_shape<Options>(in, a, d, Axes, &convolution_shape_rule<module_options, Axes>);
}
template <class Sizes, class Options, int Axes>
constexpr kernel_signature::sizes functional_convolution_sizes(attributes a, shape in, shape out) {
  const auto o = as_module(a.as<Options>());
  return convolution_sizes<Sizes, std::remove_const_t<decltype(o)>, Axes>(attributes{o}, in, out);
}

}  // namespace ctq::descriptors
