// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/kernels/code/layers.hpp"
#include "ctq/kernels/reference/conv3d.hpp"
#include "ctq/kernels/simd/convolution/conv3d.hpp"

// Convolutions along three axes, computed plane by plane with the code of those along two. The
// packed parameters are those of conv2d for conv3d_shape::plane.

namespace ctq::kernels {

template <>
struct kernel_code<descriptors::conv3d> : plain_code, code_of_parts<conv3d_shape> {
  using shape = conv3d_shape;
  using convolution = kernel_code<descriptors::conv2d>;

  template <class Set>
  static constexpr std::size_t weight_bytes(const shape& s, dtype in) {
    return convolution::weight_bytes<Set>(s.plane(), in);
  }
  template <class Set>
  static constexpr std::size_t packed_bytes(const kernel_signature& signature) {
    return weight_bytes<Set>(signature.as<shape>(), signature.in);
  }
  template <class Set>
  static constexpr std::size_t workspace_bytes(const kernel_signature& signature) {
    if constexpr (is_reference<Set>) return 0;
    const auto s = signature.as<shape>();
    return simd::gathered_bytes(s, size_of(signature.in)) +
           convolution::workspace_bytes<Set>(s.plane(), signature.in);
  }
  template <class Set, class Text>
  static constexpr void append_blocking(Text& out, const kernel_signature& signature) {
    ctq::kernels::append_blocking<typename Set::isa>(out, signature.as<shape>().plane(),
                                                     signature.in, false);
  }

  /// conv3d_shape::plane; for a constant shape with its form.
  template <class Isa, class In, class Shape>
  static constexpr auto plane_of(const Shape& s) {
    if constexpr (std::is_same_v<Shape, shape>) {
      return s.plane();
    } else {
      return simd::formed_shape_of<Isa, In, Shape::value.plane()>();
    }
  }

  /// weight (O, kh, kw, kd, I/g) · bias, multiplier as those of conv2d
  template <class Set, class In, class Weight, class Bias>
  static void pack(const shape& s, const Weight* weight, const Bias* bias, const float* multiplier,
                   std::byte* packed) {
    convolution::pack<Set, In>(s.plane(), weight, bias, multiplier, packed);
  }

  template <class Set, class In, class Out, class Shape>
  static void run(const Shape& given, call_options o, const operands& x) noexcept {
    const shape& s = simd::extents_of(given);
    if constexpr (is_reference<Set>) {
      run_reference<In, Out>(s, s.plane(), o, x, [](const auto&... a) { reference::conv3d(a...); });
    } else {
      const auto plane = plane_of<typename Set::isa, In>(given);
      simd::conv3d(s, x.input<In>(), border_of<In>(x), x.output<Out>(), x.workspace,
                   [&](const In* image, Out* out, std::byte* workspace) {
                     convolution::run<Set, In, Out>(plane, o,
                                                    {.in = {image},
                                                     .out = out,
                                                     .packed = x.packed,
                                                     .workspace = workspace,
                                                     .data = x.data});
                   });
    }
  }
};

}  // namespace ctq::kernels
