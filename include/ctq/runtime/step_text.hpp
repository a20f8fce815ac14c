// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>

#include "ctq/core/dtype.hpp"
#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/core/shapes/function_shape.hpp"
#include "ctq/core/shapes/layout_shapes.hpp"
#include "ctq/core/shapes/matrix_shapes.hpp"
#include "ctq/core/shapes/resampling_shape.hpp"
#include "ctq/core/shapes/row_shapes.hpp"
#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/core/text.hpp"
#include "ctq/kernels/kernel_code.hpp"
#include "ctq/ops/op.hpp"
#include "ctq/runtime/packing/used_kernels.hpp"

// A step as text. Its parts have no comma and no space, since each is a field of a line.

namespace ctq {

namespace step_text {

/// Holds the longest line, without allocation. One type for all callers, so that they share code.
using line = static_text<512>;

/// Appends "1x32x32x3".
template <class Text, class... Extent>
constexpr void append_extents(Text& out, int first, Extent... rest) {
  append_number(out, first);
  (append_all(out, "x", rest), ...);
}

/// An option along the axes of a window; the depth of a window without one is 1.
struct window_option {
  int d = 1, h{}, w{};
};

/// Appends ":k3x3", with the depth before it if there is one, or nothing if all are as usual.
///   none  the value along the depth that means there is no depth
template <class Text>
constexpr void append_option(Text& out, std::string_view what, const window_option& o, int usual,
                             int none = 1) {
  if (o.h == usual && o.w == usual && o.d == none) return;
  append_all(out, ":", what);
  if (o.d != none) append_all(out, o.d, "x");
  append_extents(out, o.h, o.w);
}

/// Appends "1x8x32x32x3": the depth is left out if it is 1.
template <class Text>
constexpr void append_images(Text& out, int batch, const window_option& pixels, int channels) {
  append_all(out, batch, "x");
  if (pixels.d != 1) append_all(out, pixels.d, "x");
  append_extents(out, pixels.h, pixels.w, channels);
}

/// Satisfied by the shapes of convolutions.
template <class Shape>
concept convolution_record = requires(Shape s) {
  s.out_h();
  s.dilation_h;
};

template <class Text>
constexpr void append(Text& out, const elementwise_shape& s) {
  append_number(out, s.count);
}
template <class Text>
constexpr void append(Text& out, const broadcast_shape& s) {
  append_extents(out, s.extent[0], s.extent[1], s.extent[2], s.extent[3]);
  for (const auto& stride : s.stride) {
    out.append(":by");
    append_extents(out, stride[0], stride[1], stride[2], stride[3]);
  }
}
template <class Text>
constexpr void append(Text& out, const channels_shape& s) {
  append_extents(out, s.rows, s.channels);
}
template <class Text>
constexpr void append(Text& out, const linear_shape& s) {
  append_extents(out, s.rows, s.in_features);
  out.append(":");
  append_extents(out, s.rows, s.out_features);
  if (s.group_size != 0) append_all(out, ":g", s.group_size);
}
template <class Text, convolution_record Shape>
constexpr void append(Text& out, const Shape& s) {
  window_option in{1, s.in_h, s.in_w}, to{1, s.out_h(), s.out_w()};
  window_option kernel{1, s.kernel_h, s.kernel_w}, stride{1, s.stride_h, s.stride_w};
  window_option padding{0, s.padding_h, s.padding_w}, dilation{1, s.dilation_h, s.dilation_w};
  if constexpr (requires { s.in_d; }) {
    in.d = s.in_d;
    to.d = s.out_d();
    kernel.d = s.kernel_d;
    stride.d = s.stride_d;
    padding.d = s.padding_d;
    dilation.d = s.dilation_d;
  }
  append_images(out, s.batch, in, s.in_channels);
  out.append(":");
  append_images(out, s.batch, to, s.out_channels);
  append_option(out, "k", kernel, 0);
  append_option(out, "s", stride, 1);
  append_option(out, "p", padding, 0, 0);
  if constexpr (requires { s.output_padding_h; })
    append_option(out, "op", {0, s.output_padding_h, s.output_padding_w}, 0, 0);
  append_option(out, "d", dilation, 1);
  if (s.groups != 1) append_all(out, ":g", s.groups);
}
template <class Text>
constexpr void append(Text& out, const pool_shape& s) {
  append_images(out, s.batch, {s.in_d, s.in_h, s.in_w}, s.channels);
  out.append(":");
  append_images(out, s.batch, {s.out_d, s.out_h, s.out_w}, s.channels);
  if (s.adaptive != 0) return void(out.append(":adaptive"));
  append_option(out, "k", {s.kernel_d, s.kernel_h, s.kernel_w}, 0);
  append_option(out, "s", {s.stride_d, s.stride_h, s.stride_w}, 1);
  append_option(out, "p", {s.padding_d, s.padding_h, s.padding_w}, 0, 0);
  append_option(out, "d", {s.dilation_d, s.dilation_h, s.dilation_w}, 1);
}
template <class Text>
constexpr void append(Text& out, const resampling_shape& s) {
  constexpr std::string_view rules[] = {"nearest",        "nearest-exact", "linear",
                                        "linear-aligned", "cubic",         "cubic-aligned"};
  append_images(out, s.batch, {s.in_d, s.in_h, s.in_w}, s.channels);
  out.append(":");
  append_images(out, s.batch, {s.out_d, s.out_h, s.out_w}, s.channels);
  append_all(out, ":", rules[static_cast<int>(s.sampling)]);
}
template <class Text>
constexpr void append(Text& out, const pixel_shuffle_shape& s) {
  append_extents(out, s.batch, s.in_h, s.in_w, s.channels);
  append_all(out, s.gathers != 0 ? ":from" : ":to", s.factor);
}
template <class Text>
constexpr void append(Text& out, const pad_shape& s) {
  constexpr std::string_view rules[] = {"constant", "reflect", "replicate", "circular"};
  for (const auto& extents : {s.in, s.out}) {
    std::string_view x = extents == s.out ? ":" : "";
    for (int a = 0; a < pad_shape::axes; ++a) {
      if (extents[a] == 1 && x != "x" && a + 1 < pad_shape::axes) continue;
      append_all(out, x, extents[a]);
      x = "x";
    }
  }
  append_all(out, ":", rules[static_cast<int>(s.rule)]);
}
template <class Text>
constexpr void append(Text& out, const concat_shape& s) {
  append_extents(out, s.rows, s.in_width);
  out.append(":");
  append_extents(out, s.rows, s.out_width);
  append_all(out, ":at", s.offset);
}
template <class Text>
constexpr void append(Text& out, const reorder_shape& s) {
  std::string_view x;
  for (const int extent : s.extent) {
    if (extent == 1 && x.empty()) continue;
    append_all(out, x, extent);
    x = "x";
  }
  out.append(x.empty() ? "1:by" : ":by");
  for (int axis = 0; axis < reorder_shape::axes; ++axis)
    if (s.extent[axis] != 1)
      append_all(out, s.stride[axis], axis + 1 < reorder_shape::axes ? "x" : "");
  if (s.offset != 0) append_all(out, ":at", s.offset);
}
template <class Text>
constexpr void append(Text& out, const softmax_shape& s) {
  append_extents(out, s.rows, s.count);
  if (s.stride != 1) append_all(out, ":by", s.stride);
}
template <class Text>
constexpr void append(Text& out, const attention_shape& s) {
  append_extents(out, s.rows, s.keys);
  if (s.causal != 0) append_all(out, ":causal", s.queries);
}
/// The extents of the input; those of reduced axes have an r.
template <class Text>
constexpr void append(Text& out, const reduction_shape& s) {
  constexpr std::string_view rules[] = {"mean", "sum", "max", "min"};
  for (int a = 0; a < s.in.rank; ++a)
    append_all(out, a > 0 ? "x" : "", s.in[a], s.reduces(a) ? "r" : "");
  append_all(out, ":", rules[static_cast<int>(s.rule)]);
}
template <class Text>
constexpr void append(Text& out, const layer_norm_shape& s) {
  append_extents(out, s.rows, s.count);
  append_all(out, ":c", s.channels);
}
template <class Text>
constexpr void append(Text& out, const embedding_shape& s) {
  append_number(out, s.indices);
  out.append(":");
  append_extents(out, s.rows, s.width);
  if (s.bits != 32) append_all(out, ":b", s.bits);
  if (s.bags == 0) return;
  constexpr std::string_view modes[] = {"sum", "mean", "max"};
  append_all(out, ":", modes[static_cast<int>(s.mode)], s.bags);
}
template <class Text>
constexpr void append(Text& out, const recurrent_shape& s) {
  constexpr std::string_view cells[] = {"tanh", "relu", "lstm", "gru"};
  append_extents(out, s.steps, s.batch, s.input);
  append_all(out, ":", s.hidden, ":", cells[static_cast<int>(s.cell)]);
  if (s.layers != 1) append_all(out, ":l", s.layers);
  if (s.directions != 1) append_all(out, ":d", s.directions);
}
template <class Text>
constexpr void append(Text& out, const matmul_shape& s) {
  append_extents(out, s.matrices[0], s.m, s.k);
  out.append(":");
  append_extents(out, s.matrices[1], s.k, s.n);
  if (s.transposed != 0) out.append(":t");
}
template <class Text>
constexpr void append(Text& out, const transpose_shape& s) {
  append_extents(out, s.batch, s.channels, s.pixels);
}
template <class Text>
constexpr void append(Text& out, const shape& s) {
  for (int i = 0; i < s.rank; ++i) append_all(out, i > 0 ? "x" : "", s.extent[i]);
}
template <class Text>
constexpr void append(Text& out, const function_shape& s) {
  append(out, s.in[0]);
  out.append(":");
  append(out, s.out);
}

}  // namespace step_text

/// Appends the sizes of a step, whose kernel is one of Used.
template <used_kernels Used = all_kernels, class Text>
constexpr void append_shape(Text& out, const kernel_signature& signature) {
  with_used<Used, void>(signature.kernel, [&]<class Descriptor>(std::type_identity<Descriptor>) {
    step_text::append(out, signature.as<typename Descriptor::shape>());
  });
}

/// Appends "conv2d,quint8:quint8,1x32x32x3:1x32x32x16:k3x3:p1x1,dense:8x2x16,2304": kernel, dtypes,
/// shape, how the kernel divides the work or "-", bytes of packed weights.
template <used_kernels Used = all_kernels, class Text>
[[gnu::cold]] constexpr void append_kernel(Text& out, const kernel_signature& signature,
                                           std::string_view blocking, std::size_t packed) {
  append_all(out,
             signature.called_op != nullptr ? signature.called_op->name : name_of(signature.kernel),
             signature.relu ? "+relu" : "", signature.then == fused_op::nothing ? "" : "+",
             signature.then == fused_op::nothing ? std::string_view{} : name_of(signature.then),
             ",", name_of(signature.in), ":", name_of(signature.out), ",");
  append_shape<Used>(out, signature);
  append_all(out, ",", blocking, ",", packed);
}

}  // namespace ctq
