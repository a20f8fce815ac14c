// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/kernels/epilogue.hpp"
#include "ctq/kernels/simd/arch/tables/table_lookup.hpp"
#include "ctq/kernels/simd/convolution/conv2d.hpp"
#include "ctq/kernels/simd/elementwise/binary_add.hpp"
#include "ctq/kernels/simd/elementwise/called_op.hpp"
#include "ctq/kernels/simd/elementwise/requantize.hpp"
#include "ctq/kernels/simd/epilogue/epilogue_dot.hpp"

// conv2d with an epilogue, on the same packed weights.

namespace ctq::kernels::simd {

/// Whether a post-op runs on registers before the outputs are stored, or as a second pass over the
/// stored outputs. A table lookup in registers is almost free (1x1, 64 to 256 channels @56 on
/// AVX512-VNNI with VBMI: 280 us, second pass 289 us). An add is not: rows are too short for it,
/// while a pass over many elements is limited by memory bandwidth only (361 instead of 333 us). Nor
/// is a table on the rows of a depthwise convolution (3x3 with stride 2, 144 channels @56: 27
/// instead of 22 us).
template <class Isa, class PostOp>
inline constexpr bool post_op_in_registers = false;
template <class Isa, quantized Q>
inline constexpr bool post_op_in_registers<Isa, lookup_table<Q>> = has_wide_lookup<Isa>;

/// Applies a post-op to all outputs, in place: in one function for all layers, since a call is
/// nothing beside a pass over the outputs.
template <class Isa, quantized Q>
[[gnu::noinline]] void apply_in_place(const residual_add<Q>& s, elementwise_shape count,
                                      Q* out) noexcept {
  binary_add<Isa>(count, out, s.from, s.other, s.other_q, s.to, out, s.relu);
}
template <class Isa, quantized Q>
[[gnu::noinline]] void apply_in_place(const lookup_table<Q>& s, elementwise_shape count,
                                      Q* out) noexcept {
  look_up<Isa>(count, out, s.table, out);
}
template <class Isa, quantized Q>
[[gnu::always_inline]] inline void apply_in_place(const post_op_chain<>&, elementwise_shape,
                                                  Q*) noexcept {}
template <class Isa, quantized Q, class First, class... Next>
[[gnu::always_inline]] inline void apply_in_place(const post_op_chain<First, Next...>& s,
                                                  elementwise_shape count, Q* out) noexcept {
  apply_in_place<Isa>(s.first, count, out);
  apply_in_place<Isa>(s.next, count, out);
}

/// conv2d with an epilogue whose post-ops all run on registers, before the outputs are stored.
template <class Isa, conv2d_shape_like Shape, class In, class OutputOp, class... PostOp>
[[gnu::always_inline]] inline void conv2d_in_registers(const Shape& shape, const In* in,
                                                       const std::byte* packed,
                                                       const epilogue<OutputOp, PostOp...>& to,
                                                       std::int32_t in_zero_point,
                                                       typename OutputOp::output* out,
                                                       std::byte* workspace) noexcept {
  if constexpr (sizeof...(PostOp) == 0 && quantized<typename OutputOp::output>) {
    conv2d<Isa>(shape, in, packed, to.output_op.to, in_zero_point, out, workspace);
  } else {
    const prepared_epilogue<OutputOp, PostOp...> ready(to, out);
    convolve<Isa>(computed_shape<Isa, In>(shape), in, packed, ready, in_zero_point, out, workspace);
  }
}

/// As reference::conv2d with an epilogue, with weights from pack<Isa, In>.
///
/// Shapes    in [N,H,W,C] · out [N,H',W',O] · workspace: conv2d_workspace_bytes, may be empty
/// Requires  no operands overlap, including those of the epilogue · packed, workspace aligned to 64
template <class Isa, conv2d_shape_like Shape, class In, class OutputOp, class... PostOp>
[[gnu::always_inline]] inline void conv2d(const Shape& shape, const In* in, const std::byte* packed,
                                          const epilogue<OutputOp, PostOp...>& to,
                                          std::int32_t in_zero_point,
                                          typename OutputOp::output* out,
                                          std::byte* workspace) noexcept {
  constexpr bool by_channel = [] {
    if constexpr (constant_shape<Shape>) {
      return is_depthwise(Shape::value);
    } else if constexpr (with_form<Shape>) {
      return Shape::form.by == method::depthwise;
    } else {
      return false;
    }
  }();
  if constexpr (sizeof...(PostOp) == 0 ||
                (!by_channel && (post_op_in_registers<Isa, PostOp> && ...))) {
    conv2d_in_registers<Isa>(shape, in, packed, to, in_zero_point, out, workspace);
  } else {
    const conv2d_shape s = shape;
    conv2d_in_registers<Isa>(shape, in, packed, epilogue{to.output_op}, in_zero_point, out,
                             workspace);
    apply_in_place<Isa>(to.post_ops, {s.batch * s.out_h() * s.out_w() * s.out_channels}, out);
  }
}

}  // namespace ctq::kernels::simd
