// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <initializer_list>
#include <string_view>

#include "ctq/core/kernel_signature.hpp"
#include "ctq/core/text.hpp"

// Which kernels exist, by op and element types: what a plan may ask for. Plain constants, so that
// passes can ask without seeing a kernel.

namespace ctq::kernels {

/// One byte an element, with qparams: what activations are quantized to.
[[nodiscard]] constexpr bool is_int8(dtype d) { return d == dtype::quint8 || d == dtype::qint8; }

[[nodiscard]] constexpr bool exists(kernel op, dtype in, dtype out) {
  const bool same = in == out && (in == f32 || is_int8(in));
  switch (op) {
    case kernel::quantize: return in == f32 && is_int8(out);
    case kernel::dequantize: return is_int8(in) && out == f32;
    case kernel::requantize: return is_int8(in) && is_int8(out);
    case kernel::conv2d:
    case kernel::linear: return same || (is_int8(in) && is_int8(out));
    case kernel::linear_dynamic:
    case kernel::batch_norm2d: return in == f32 && out == f32;
    case kernel::add_within_one_step: return same && in != f32;
    default: return same;
  }
}
[[nodiscard]] constexpr bool exists(const kernel_signature& s) { return exists(s.op, s.in, s.out); }

/// Appends the part of a key that decides whether there is a kernel: "conv2d, quint8 to qint8".
template <class Text>
constexpr void append_key(Text& out, kernel op, dtype in, dtype out_type) {
  append_all(out, name_of(op), ", ", name_of(in), " to ", name_of(out_type));
}

/// Appends the element types of the kernels of an op: "float32 to quint8, float32 to qint8".
template <class Text>
constexpr void append_types(Text& out, kernel op) {
  std::string_view comma;
  for (const dtype in : {f32, quint8, qint8})
    for (const dtype to : {f32, quint8, qint8}) {
      if (!exists(op, in, to)) continue;
      append_all(out, comma, name_of(in), " to ", name_of(to));
      comma = ", ";
    }
}

/// Appends the kernels that compute on integers: "requantize, relu, …".
template <class Text>
constexpr void append_integer_kernels(Text& out) {
  std::string_view comma;
  for (int i = 0; i <= static_cast<int>(kernel::function); ++i) {
    const auto op = static_cast<kernel>(i);
    if (!exists(op, quint8, quint8)) continue;
    append_all(out, comma, name_of(op));
    comma = ", ";
  }
}

}  // namespace ctq::kernels
