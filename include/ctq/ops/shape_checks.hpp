// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string_view>

#include "ctq/core/attributes.hpp"
#include "ctq/core/diagnostic.hpp"
#include "ctq/core/shape.hpp"
#include "ctq/core/view.hpp"

// Checks of shape rules for the inputs and options of a call, and their messages.

namespace ctq {

template <class Text>
constexpr void append_shape(Text& out, const shape& s) {
  out.append("[");
  for (int axis = 0; axis < s.rank; ++axis) append_all(out, axis > 0 ? ", " : "", s[axis]);
  out.append("]");
}

namespace shape_rules {

/// Reports what is wrong with a call. Only the first problem is reported.
template <class... Part>
constexpr void complain(diagnostic& d, const Part&... what) {
  if (!d.any()) d.line(what...);
}

constexpr void show_input(diagnostic& d, const shape& s) {
  static_text<64> text;
  append_shape(text, s);
  d.line("the input is ", text.view());
}

constexpr bool needs(diagnostic& d, view<shape> in, int arguments, int rank) {
  if (in.count != arguments) {
    complain(d, "takes ", arguments, " inputs, not ", in.count);
    return false;
  }
  if (rank > 0 && in[0].rank != rank) {
    complain(d, "requires an input of ", rank, " axes");
    show_input(d, in[0]);
    return false;
  }
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
  complain(d, option, " is ", given);
  show_input(d, in);
  return false;
}

/// Whether a tensor can have so many elements, the product of these: kernels count in int.
template <class... Int>
constexpr bool countable(Int... factors) {
  std::int64_t product = 1;
  return ((factors <= INT32_MAX && (product *= factors) <= INT32_MAX) && ...);
}

constexpr bool countable_elements(diagnostic& d, const shape& s, const char* of) {
  std::int64_t elements = 1;
  for (int axis = 0; axis < s.rank && elements <= INT32_MAX; ++axis) elements *= s.extent[axis];
  if (elements <= INT32_MAX || d.any()) return true;
  static_text<64> text;
  append_shape(text, s);
  complain(d, "more than 2^31 - 1 elements in");
  d.line(of, " ", text.view());
  return false;
}

/// How many windows of a given kernel fit along one axis, as far as int goes.
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

/// An option of a window along one axis, as one of an image of one row.
///   across  what it is along the other axis
constexpr extent2d along_row(extent2d option, int across) { return {across, option.w}; }

/// Whether an option of a window along one axis is one number.
constexpr bool one_number(diagnostic& d, const char* option, extent2d e) {
  if (e.h != e.w) complain(d, option, " is {", e.h, ", ", e.w, "};\none axis has one number");
  return e.h == e.w;
}

/// Of the last two axes of an image, or the last one of three.
constexpr bool valid_window(diagnostic& d, const shape& in, extent2d kernel, extent2d stride,
                            extent2d padding, extent2d dilation) {
  const int rows = in.rank == 3 ? 1 : in.extent[2];
  const int columns = in.extent[in.rank - 1];
  if (kernel.h < 1 || kernel.w < 1 || stride.h < 1 || stride.w < 1 || dilation.h < 1 ||
      dilation.w < 1 || padding.h < 0 || padding.w < 0) {
    complain(d, "kernel_size, stride, dilation: >= 1\npadding: >= 0");
    return false;
  }
  if (windows(rows, kernel.h, stride.h, padding.h, dilation.h, false) < 1 ||
      windows(columns, kernel.w, stride.w, padding.w, dilation.w, false) < 1) {
    if (in.rank == 3) {
      complain(d, "kernel_size ", kernel.w, " does not fit");
    } else {
      complain(d, "kernel_size ", kernel.h, "x", kernel.w, " does not fit");
    }
    show_input(d, in);
    return false;
  }
  if (countable(in.extent[0], in.extent[1], rows + 2 * std::int64_t{padding.h},
                columns + 2 * std::int64_t{padding.w}))
    return true;
  complain(d, "padding ", padding.h, "x", padding.w, ": more than\n2^31 - 1 elements");
  show_input(d, in);
  return false;
}

/// The weight of a module, whose shape follows from its options.
constexpr bool countable_weight(diagnostic& d, const shape& weight) {
  return countable_elements(d, weight, "the weight");
}

}  // namespace shape_rules

}  // namespace ctq
