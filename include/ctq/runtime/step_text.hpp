// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "ctq/core/dtype.hpp"
#include "ctq/core/text.hpp"
#include "ctq/kernels/simd/convolution/conv2d.hpp"
#include "ctq/kernels/simd/convolution/geometry.hpp"
#include "ctq/kernels/simd/convolution/two_row_dot.hpp"
#include "ctq/kernels/simd/dot.hpp"
#include "ctq/kernels/simd/epilogue/epilogue.hpp"
#include "ctq/kernels/simd/matrix/blocking.hpp"
#include "ctq/kernels/simd/matrix/linear.hpp"
#include "ctq/passes/schedule/step.hpp"
#include "ctq/runtime/bind_kernels.hpp"

// A step in words: its shape, and how the kernel of an instruction set cuts it into blocks. A part
// has no comma and no space, since it becomes a field of a line.

namespace ctq {

namespace step_text {

/// Appends "1x32x32x3".
template <class Text, class... Extent>
constexpr void append_extents(Text& out, int first, Extent... rest) {
  append_number(out, first);
  (append_all(out, "x", rest), ...);
}

/// Appends ":k3x3", but nothing where both are what they are by default.
template <class Text>
constexpr void append_pair(Text& out, std::string_view what, int h, int w, int usual) {
  if (h != usual || w != usual) append_all(out, ":", what, h, "x", w);
}

template <class Text>
constexpr void append(Text& out, const elementwise_shape& s) {
  append_number(out, s.count);
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
}
template <class Text>
constexpr void append(Text& out, const conv2d_shape& s) {
  append_extents(out, s.batch, s.in_h, s.in_w, s.in_channels);
  out.append(":");
  append_extents(out, s.batch, s.out_h(), s.out_w(), s.out_channels);
  append_pair(out, "k", s.kernel_h, s.kernel_w, 0);
  append_pair(out, "s", s.stride_h, s.stride_w, 1);
  append_pair(out, "p", s.padding_h, s.padding_w, 0);
  append_pair(out, "d", s.dilation_h, s.dilation_w, 1);
  if (s.groups != 1) append_all(out, ":g", s.groups);
}
template <class Text>
constexpr void append(Text& out, const pool2d_shape& s) {
  append_extents(out, s.batch, s.in_h, s.in_w, s.channels);
  out.append(":");
  append_extents(out, s.batch, s.out_h, s.out_w, s.channels);
  if (s.adaptive != 0) return void(out.append(":adaptive"));
  append_pair(out, "k", s.kernel_h, s.kernel_w, 0);
  append_pair(out, "s", s.stride_h, s.stride_w, 1);
  append_pair(out, "p", s.padding_h, s.padding_w, 0);
  append_pair(out, "d", s.dilation_h, s.dilation_w, 1);
}
template <class Text>
constexpr void append(Text& out, const concat_shape& s) {
  append_extents(out, s.rows, s.in_width);
  out.append(":");
  append_extents(out, s.rows, s.out_width);
  append_all(out, ":at", s.offset);
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

/// How an instruction set computes a convolution of T that ends with requantization or, if `plain`
/// is false, with an epilogue: "dense:12x2x16", pixels x registers x lanes whose sums are kept at
/// once; "depthwise:2x4x16", the same; "tiles:1x4:rows14:chunk8", pixels x channels of a block,
/// both in tiles, the pixels of a tile, and blocks a pass over the weights; then ":places2" if
/// registers hold two (two_row_dot), ":gathered" if pixels are brought together first, ":bands2x2"
/// if rows are (row_bands).
template <class Isa, class T, class Text>
constexpr void append_blocking(Text& out, const conv2d_shape& shape, bool plain) {
  namespace simd = kernels::simd;
  const conv2d_shape s = simd::flattened(shape);
  simd::with_method<Isa, T>(s, [&]<class Model>(std::type_identity<Model>, auto by) {
    if constexpr (by == simd::method::tiles) {
      const simd::tile_plan p = simd::plan<Isa, T>(s).tiles;
      out.append("tiles:");
      append_extents(out, p.block.pixels, p.block.channels);
      append_all(out, ":rows", p.rows, ":chunk", p.chunk);
      if (p.gathered) out.append(":gathered");
      if (p.bands.any()) {
        out.append(":bands");
        append_extents(out, p.bands.rows, p.bands.pixels);
      }
    } else if constexpr (by == simd::method::depthwise) {
      bool columns = false;
      if constexpr (Model::k_group > 1) columns = simd::by_columns<Model>(s);
      out.append(columns ? "depthwise:columns:" : "depthwise:");
      append_extents(out, Model::depthwise_rows, Model::k_group, Model::lanes);
      if (simd::places_of<Model> == 2) out.append(":places2");
    } else {
      const simd::panels<Model> of(s);
      constexpr int half = simd::narrow_dot_of<Model>::lanes;
      const int lanes = plain && of.used(0) <= half ? half : Model::lanes;
      const simd::tiling tiles = simd::tiles_of(s.out_h(), s.out_w(), Model::tile_rows);
      const bool large = tiles.large.x_count > 0 && tiles.large.y_count > 0;
      out.append("dense:");
      append_extents(out, large ? tiles.large.rows : tiles.small.rows, of.vectors(0), lanes);
    }
  });
}

}  // namespace step_text

/// Appends the sizes of a step.
template <class Text>
constexpr void append_shape(Text& out, const kernel_signature& key) {
  switch (key.op) {
    case kernel::conv2d: return step_text::append(out, key.as<conv2d_shape>());
    case kernel::linear:
    case kernel::linear_dynamic: return step_text::append(out, key.as<linear_shape>());
    case kernel::batch_norm2d: return step_text::append(out, key.as<channels_shape>());
    case kernel::max_pool2d:
    case kernel::avg_pool2d: return step_text::append(out, key.as<pool2d_shape>());
    case kernel::concat: return step_text::append(out, key.as<concat_shape>());
    case kernel::to_nhwc:
    case kernel::to_nchw: return step_text::append(out, key.as<transpose_shape>());
    case kernel::function: return step_text::append(out, key.as<function_shape>());
    default: return step_text::append(out, key.as<elementwise_shape>());
  }
}

/// Appends how simd_kernels<Isa> computes a step, "-" where there is but one way.
template <class Kernels, class Text>
constexpr void append_blocking(Text& out, const kernel_signature& key) {
  using isa = typename Kernels::isa;
  // Raw sums and, where that is fast, tables are an epilogue; sums of tensors come after the layer.
  constexpr bool tables_in_registers =
      kernels::simd::post_op_in_registers<isa, kernels::lookup_table<std::uint8_t>>;
  const bool plain =
      key.op != kernel::linear_dynamic && !(key.then == joined::table && tables_in_registers);
  const auto layer = [&](const conv2d_shape& s) {
    if (key.in == f32 && key.op != kernel::linear_dynamic)
      return step_text::append_blocking<isa, float>(out, s, plain);
    if (key.in == qint8) return step_text::append_blocking<isa, std::int8_t>(out, s, plain);
    return step_text::append_blocking<isa, std::uint8_t>(out, s, plain);
  };
  if (key.op == kernel::conv2d) return layer(key.as<conv2d_shape>());
  if (key.op == kernel::linear || key.op == kernel::linear_dynamic)
    return layer(kernels::simd::as_conv2d(key.as<linear_shape>()));
  out.append(uses_table<Kernels>(key) ? "table" : "-");
}

/// Appends "conv2d,quint8:quint8,1x32x32x3:1x32x32x16:k3x3:p1x1,dense:8x2x16,2304": kernel, dtypes,
/// shape, blocking, bytes of packed weights.
template <class Kernels, class Text>
constexpr void append_kernel(Text& out, const kernel_signature& key) {
  append_all(out, is_own(key.op) ? key.own->name : name_of(key.op), key.relu ? "+relu" : "",
             key.then == joined::nothing ? "" : "+",
             key.then == joined::nothing ? std::string_view{} : name_of(key.then), ",",
             name_of(key.in), ":", name_of(key.out), ",");
  append_shape(out, key);
  out.append(",");
  append_blocking<Kernels>(out, key);
  append_all(out, ",", packed_bytes<Kernels>(key));
}

}  // namespace ctq
