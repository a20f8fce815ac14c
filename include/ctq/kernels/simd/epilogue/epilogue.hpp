// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#include "ctq/kernels/epilogue.hpp"
#include "ctq/kernels/simd/convolution/conv2d.hpp"
#include "ctq/kernels/simd/elementwise/add.hpp"
#include "ctq/kernels/simd/elementwise/rescale.hpp"
#include "ctq/kernels/simd/elementwise/user_op.hpp"
#include "ctq/kernels/simd/epilogue/epilogue_dot.hpp"
#include "ctq/kernels/simd/matrix/linear.hpp"
#include "ctq/kernels/simd/table_lookup.hpp"

// conv2d and linear that end with an epilogue, on the same packed weights.

namespace ctq::kernels::simd {

/// Whether stages are worked on before outputs are stored, or on all outputs when they are there.
/// A table that is looked up in a register costs next to nothing (1x1, 64 to 256 channels @56 on
/// AVX512-VNNI with VBMI: 280 us, 289 one after the other). Sums do not: rows are too short for
/// add, which is as fast as memory on many (361 instead of 333 us). Nor do rows of a depthwise
/// convolution (3x3 with stride 2, 144 channels @56, table: 27 instead of 22 us).
template <class Isa, class Stage>
inline constexpr bool stage_in_registers = false;
template <class Isa, quantized Q>
inline constexpr bool stage_in_registers<Isa, by_table<Q>> = has_wide_lookup<Isa>;
template <class Isa, quantized Q>
inline constexpr bool stage_in_registers<Isa, clamp_steps<Q>> = true;

/// A stage on all outputs, in place.
template <class Isa, quantized Q>
[[gnu::always_inline]] inline void apply_in_place(const clamp_steps<Q>& s, elementwise_shape count,
                                                  Q* out) noexcept {
  if constexpr (vectorized<Isa>) {
    clamp<Isa>(count, out, s.lo, s.hi, out);
  } else {
    for (int i = 0; i < count.count; ++i) out[i] = ready_stage<clamp_steps<Q>>(s)(out[i], i);
  }
}
template <class Isa, quantized Q>
[[gnu::always_inline]] inline void apply_in_place(const residual_add<Q>& s, elementwise_shape count,
                                                  Q* out) noexcept {
  add<Isa>(count, out, s.from, s.other, s.other_q, s.to, out, s.relu);
}
template <class Isa, quantized Q>
[[gnu::always_inline]] inline void apply_in_place(const by_table<Q>& s, elementwise_shape count,
                                                  Q* out) noexcept {
  look_up<Isa>(count, out, s.table, out);
}
template <class Isa, quantized Q>
[[gnu::always_inline]] inline void apply_in_place(const stage_chain<>&, elementwise_shape,
                                                  Q*) noexcept {}
template <class Isa, quantized Q, class First, class... Next>
[[gnu::always_inline]] inline void apply_in_place(const stage_chain<First, Next...>& s,
                                                  elementwise_shape count, Q* out) noexcept {
  apply_in_place<Isa>(s.first, count, out);
  apply_in_place<Isa>(s.next, count, out);
}

/// As conv2d with an epilogue whose stages are worked on before outputs are stored, always.
template <class Isa, conv2d_shape_like Shape, class In, class Ending, class... Stage>
[[gnu::always_inline]] inline void conv2d_in_registers(
    const Shape& shape, const In* in, const std::byte* packed, const epilogue<Ending, Stage...>& to,
    std::int32_t in_zero_point, typename Ending::output* out, std::byte* workspace) noexcept {
  if constexpr (sizeof...(Stage) == 0 && is_per_channel<Ending>) {
    conv2d<Isa>(shape, in, packed, to.ending.to, in_zero_point, out, workspace);
  } else {
    const ready_epilogue<Ending, Stage...> ready(to, out);
    convolve<Isa>(flattened(shape), in, packed, ready, in_zero_point, out, workspace);
  }
}

/// As reference::conv2d with an epilogue, with weights from pack_conv2d<Isa, In>.
///
/// Shapes    in [N,H,W,C] · out [N,H',W',O] · workspace: conv2d_workspace_bytes, may be empty
/// Requires  the operands do not overlap, those of the epilogue included · packed, workspace
///           aligned to 64
template <class Isa, conv2d_shape_like Shape, class In, class Ending, class... Stage>
[[gnu::always_inline]] inline void conv2d(const Shape& shape, const In* in, const std::byte* packed,
                                          const epilogue<Ending, Stage...>& to,
                                          std::int32_t in_zero_point, typename Ending::output* out,
                                          std::byte* workspace) noexcept {
  constexpr bool by_channel = [] {
    if constexpr (constant_shape<Shape>) {
      return is_depthwise(Shape::value);
    } else {
      return false;
    }
  }();
  if constexpr (sizeof...(Stage) == 0 || (!by_channel && (stage_in_registers<Isa, Stage> && ...))) {
    conv2d_in_registers<Isa>(shape, in, packed, to, in_zero_point, out, workspace);
  } else {
    const conv2d_shape s = shape;
    conv2d_in_registers<Isa>(shape, in, packed, epilogue{to.ending}, in_zero_point, out, workspace);
    apply_in_place<Isa>(to.stages, {s.batch * s.out_h() * s.out_w() * s.out_channels}, out);
  }
}

/// As reference::linear with an epilogue, with weights from pack_linear<Isa, In>.
///
/// Shapes    in [M,K] · out [M,N] · workspace: linear_workspace_bytes, may be empty
/// Requires  as conv2d
template <class Isa, linear_shape_like Shape, class In, class Ending, class... Stage>
[[gnu::always_inline]] inline void linear(const Shape& shape, const In* in, const std::byte* packed,
                                          const epilogue<Ending, Stage...>& to,
                                          typename Ending::output* out,
                                          std::byte* workspace) noexcept {
  conv2d<Isa>(as_conv2d(shape), in, packed, to, 0, out, workspace);
}

}  // namespace ctq::kernels::simd
