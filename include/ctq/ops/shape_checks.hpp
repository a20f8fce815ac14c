// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string_view>

#include "ctq/core/attributes.hpp"
#include "ctq/core/containers/view.hpp"
#include "ctq/core/diagnostic.hpp"
#include "ctq/core/shape.hpp"

// Checks of shape rules for the inputs and options of a call, and their messages.

namespace ctq {

template <class Text>
constexpr void append_shape(Text& out, const shape& s) {
  out.append("[");
  for (int axis = 0; axis < s.rank; ++axis) append_all(out, axis > 0 ? ", " : "", s[axis]);
  out.append("]");
}

constexpr static_text<64> shape_text(const shape& s) {
  static_text<64> text;
  append_shape(text, s);
  return text;
}

namespace shape_rules {

/// Reports what is wrong with a call. Only the first problem is reported.
template <class... Part>
constexpr void complain(diagnostic& d, Part... what) {
  if (!d.any()) d.line(what...);
}

constexpr void show_input(diagnostic& d, const shape& s) {
  d.line("the input is ", shape_text(s).view());
}

/// Reports what is wrong with a call with this input. Returns what a shape rule then returns.
template <class... Part>
constexpr shape wrong_input(diagnostic& d, const shape& in, Part... what) {
  complain(d, what...);
  show_input(d, in);
  return {};
}

constexpr bool needs(diagnostic& d, view<shape> in, int arguments, int rank) {
  if (in.count != arguments) {
    complain(d, "takes ", arguments, " inputs, not ", in.count);
    return false;
  }
  if (rank > 0 && in[0].rank != rank) {
    wrong_input(d, in[0], "requires an input of ", rank, " axes");
    return false;
  }
  return true;
}

/// Checks an axis, negative from the end, and counts it from the start.
constexpr bool settle_axis(diagnostic& d, const char* option, int& axis, int rank) {
  if (axis < -rank || axis >= rank) {
    complain(d, option, " ", axis, " of ", rank, " axes");
    return false;
  }
  if (axis < 0) axis += rank;
  return true;
}

/// The shape of inputs that must have the same one.
constexpr shape same_shapes(view<shape> in, diagnostic& d) {
  if (in.count == 0) {
    complain(d, "takes 1 input or more");
    return {};
  }
  for (int i = 1; i < in.count; ++i) {
    if (in[i] == in[0]) continue;
    complain(d, "reads tensors of different shapes");
    show_input(d, in[0]);
    show_input(d, in[i]);
    break;
  }
  return in[0];
}

/// An option that must equal an extent of the input; 0: inferred from the input.
constexpr bool settle(diagnostic& d, const char* option, int& given, int found, const shape& in) {
  if (given == 0) given = found;
  if (given == found) return true;
  wrong_input(d, in, option, " is ", given);
  return false;
}

/// Whether a tensor can have the product of these as its number of elements: kernels count in int.
template <class... Int>
constexpr bool countable(Int... factors) {
  std::int64_t product = 1;
  return ((factors <= INT32_MAX && (product *= factors) <= INT32_MAX) && ...);
}

constexpr bool countable_elements(diagnostic& d, const shape& s, const char* of) {
  std::int64_t elements = 1;
  for (int axis = 0; axis < s.rank && elements <= INT32_MAX; ++axis) elements *= s.extent[axis];
  if (elements <= INT32_MAX || d.any()) return true;
  complain(d, "more than 2^31 - 1 elements in");
  d.line(of, " ", shape_text(s).view());
  return false;
}

/// How many windows of a given kernel fit along one axis, limited to int.
constexpr int windows(std::int64_t in, std::int64_t kernel, std::int64_t stride,
                      std::int64_t padding, std::int64_t dilation, bool ceil_mode) {
  const std::int64_t room = in + 2 * padding - dilation * (kernel - 1) - 1;
  if (room < 0) return 0;
  std::int64_t n = room / stride + 1;
  if (ceil_mode) {
    n = (room + stride - 1) / stride + 1;
    if ((n - 1) * stride >= in + padding) --n;  // the last window starts inside
  }
  return static_cast<int>(n < INT32_MAX ? n : INT32_MAX);
}

/// One axis of pixels is an image of one row.
constexpr shape as_image(const shape& s) { return s.rank == 3 ? shape{s[0], s[1], 1, s[2]} : s; }

/// Whether an option of a window along one axis is one number.
constexpr bool one_number(diagnostic& d, const char* option, extent2d e) {
  if (e.h != e.w) complain(d, option, " is {", e.h, ", ", e.w, "};\none axis has one number");
  return e.h == e.w;
}

/// "3x5": the numbers along this number of axes.
template <class Extent>
constexpr static_text<40> extents_text(const Extent& e, int axes) {
  static_text<40> text;
  for (int axis = axes - 1; axis >= 0; --axis)
    append_all(text, along(e, axis), axis > 0 ? "x" : "");
  return text;
}

constexpr bool wrong_steps(diagnostic& d) {
  complain(d, "kernel_size, stride, dilation: >= 1\npadding: >= 0");
  return false;
}

/// Whether the options of a window along this number of axes are in range.
template <class Extent>
constexpr bool valid_steps(diagnostic& d, int axes, const Extent& kernel, const Extent& stride,
                           const Extent& padding, const Extent& dilation) {
  for (int axis = 0; axis < axes; ++axis) {
    if (along(kernel, axis) >= 1 && along(stride, axis) >= 1 && along(dilation, axis) >= 1 &&
        along(padding, axis) >= 0)
      continue;
    return wrong_steps(d);
  }
  return true;
}

/// The same for a window that slides over all axes of a tensor but the first two.
template <class Extent>
constexpr bool valid_window(diagnostic& d, const shape& in, const Extent& kernel,
                            const Extent& stride, const Extent& padding, const Extent& dilation) {
  const int axes = in.rank - 2;
  std::int64_t elements = std::int64_t{in.extent[0]} * in.extent[1];
  for (int axis = 0; axis < axes; ++axis) {
    const int size = along(kernel, axis), step = along(stride, axis);
    const int border = along(padding, axis), spacing = along(dilation, axis);
    if (size < 1 || step < 1 || spacing < 1 || border < 0) return wrong_steps(d);
    const int extent = in.extent[in.rank - 1 - axis];
    if (windows(extent, size, step, border, spacing, false) < 1) {
      wrong_input(d, in, "kernel_size ", extents_text(kernel, axes).view(), " does not fit");
      return false;
    }
    const std::int64_t padded = extent + 2 * std::int64_t{border};
    elements = elements <= INT32_MAX && padded <= INT32_MAX ? elements * padded : INT64_MAX;
  }
  if (elements <= INT32_MAX) return true;
  wrong_input(d, in, "padding ", extents_text(padding, axes).view(),
              ": more than\n2^31 - 1 elements");
  return false;
}

/// Reports how many tensors a function takes, or which shape one of them has. (One type for all
/// texts, since a template would be compiled for each.)
constexpr bool wrong_parameters(diagnostic& d, std::string_view text, int number,
                                std::string_view rest) {
  if (!d.any()) d.line(text, number, rest);
  return false;
}
constexpr bool wrong_parameter(diagnostic& d, std::string_view text, int number,
                               std::string_view rest, const shape& s) {
  if (d.any()) return false;
  wrong_parameters(d, text, number, rest);
  d.line(std::string_view{"it is "});
  append_shape(d.text, s);
  return false;
}
/// Whether a function has x, a weight with this number of axes and perhaps a bias.
constexpr bool has_parameters(diagnostic& d, view<shape> in, int axes) {
  if (in.count < 2 || in.count > 3)
    return wrong_parameters(d, "takes an input, a weight and a bias or\nnone, not ", in.count,
                            " tensors");
  return in[1].rank == axes || wrong_parameter(d, "requires a weight of ", axes, " axes;", in[1]);
}
/// Whether the bias, if there is one, has an element for each output.
constexpr bool fits_bias(diagnostic& d, view<shape> in, int outputs) {
  return in.count < 3 || in[2] == shape{outputs} ||
         wrong_parameter(d, "requires a bias of ", outputs, " elements;", in[2]);
}

/// Whether the weight of a module has not too many elements; its shape depends on the options.
constexpr bool countable_weight(diagnostic& d, const shape& weight) {
  return countable_elements(d, weight, "the weight");
}

}  // namespace shape_rules

}  // namespace ctq
