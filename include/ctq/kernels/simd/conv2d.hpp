// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ctq/core/dtype.hpp"
#include "ctq/core/kernel_signature.hpp"
#include "ctq/kernels/requantization.hpp"
#include "ctq/kernels/simd/arch/dot_avx2.hpp"
#include "ctq/kernels/simd/arch/dot_avx512.hpp"
#include "ctq/kernels/simd/arch/dot_avx512vnni.hpp"
#include "ctq/kernels/simd/arch/dot_avxvnni.hpp"
#include "ctq/kernels/simd/arch/dot_sse4.hpp"
#include "ctq/kernels/simd/depthwise.hpp"
#include "ctq/kernels/simd/dot.hpp"
#include "ctq/kernels/simd/geometry.hpp"
#include "ctq/kernels/simd/pack.hpp"
#include "ctq/kernels/simd/pad.hpp"
#include "ctq/kernels/simd/tile.hpp"

// 2-d convolution, NHWC, without im2col. The same bytes as reference::conv2d on every instruction
// set; float32 the same on those with fma (see float_dot).
//
// A caller packs the weights once and gives a workspace; neither conv2d allocates or throws.
// With std::integral_constant<conv2d_shape, ...> everything is inlined into one kernel for that
// shape; run-time shapes share their tiles.

namespace ctq::kernels::simd {

/// Calls f(type_identity<Dot>, depthwise) with the dot products that a convolution of T uses; with
/// a constant shape, f is compiled for those only.
template <class Isa, class T, class Shape, class F>
[[gnu::always_inline]] constexpr auto with_dot(const Shape& shape, const F& f) {
  constexpr bool real = std::is_same_v<T, float>;
  using dense_dot = std::conditional_t<real, float_dot<Isa>, int8_dot<Isa>>;
  using channel_dot = std::conditional_t<real, float_dot<Isa>, depthwise_dot<Isa>>;
  const auto dense = [&]() __attribute__((always_inline)) {
    return f(std::type_identity<dense_dot>{}, std::false_type{});
  };
  const auto depthwise = [&]() __attribute__((always_inline)) {
    return f(std::type_identity<channel_dot>{}, std::true_type{});
  };
  if constexpr (constant_shape<Shape>) {
    if constexpr (is_depthwise(Shape::value)) {
      return depthwise();
    } else {
      return dense();
    }
  } else {
    return is_depthwise(shape) ? depthwise() : dense();
  }
}

template <class Isa, class In, class Weight, class Bias>
void pack(const conv2d_shape& shape, const unpacked<Weight, Bias>& from, std::byte* packed) {
  with_dot<Isa, In>(shape, [&]<class Dot>(std::type_identity<Dot>, auto depthwise) {
    if constexpr (depthwise) {
      pack_depthwise<Dot, In>(shape, from, packed);
    } else {
      pack_dense<Dot, In>(shape, from, packed);
    }
  });
}

/// Bytes of the packed weights, aligned to 64, of a convolution that reads `in`.
template <class Isa>
[[nodiscard]] constexpr std::size_t conv2d_packed_bytes(const conv2d_shape& shape, dtype in) {
  const auto bytes = [&]<class Dot>(std::type_identity<Dot>, auto depthwise) {
    return depthwise ? depthwise_packed_bytes<Dot>(shape) : dense_packed_bytes<Dot>(shape);
  };
  return in == f32 ? with_dot<Isa, float>(shape, bytes) : with_dot<Isa, std::int8_t>(shape, bytes);
}

/// Bytes of the workspace, aligned to 64: the input of one image, with a border, as the dot
/// product wants it. 0 if the kernel reads the input itself.
template <class Isa>
[[nodiscard]] constexpr std::size_t conv2d_workspace_bytes(const conv2d_shape& shape, dtype in) {
  const conv2d_shape s = flattened(shape);
  const auto bytes = [&]<class In>(std::type_identity<In>) {
    return with_dot<Isa, In>(s, [&]<class Dot>(std::type_identity<Dot>, auto) -> std::size_t {
      if (by_columns<Dot>(s) || !needs_copy<Dot, In>(s)) return 0;
      const auto elements = static_cast<std::size_t>(s.padded_h()) *
                            static_cast<std::size_t>(s.padded_w()) *
                            static_cast<std::size_t>(s.in_channels);
      return round_up(elements * sizeof(typename Dot::element) + copy_slack_bytes, 64);
    });
  };
  if (in == f32) return bytes(std::type_identity<float>{});
  return in == qint8 ? bytes(std::type_identity<std::int8_t>{})
                     : bytes(std::type_identity<std::uint8_t>{});
}

/// weight [O,kh,kw,I/g] · bias [O] or null, input zero point folded in · multiplier [O]
/// In: the type of the activations, uint8 or int8.
template <class Isa, class In>
void pack_conv2d(const conv2d_shape& shape, const std::int8_t* weight, const std::int32_t* bias,
                 const float* multiplier, std::byte* packed) {
  pack<Isa, In>(shape, unpacked<std::int8_t, std::int32_t>{weight, bias, multiplier}, packed);
}

/// weight [O,kh,kw,I/g] · bias [O] or null
template <class Isa>
void pack_conv2d(const conv2d_shape& shape, const float* weight, const float* bias,
                 std::byte* packed) {
  pack<Isa, float>(shape, unpacked<float, float>{weight, bias, nullptr}, packed);
}

/// All groups and panels of one image, which has its border. The last panel of a group, if it is
/// not whole, is by itself: in one loop with the others g++ would spill sums (33x130x127: 3.9
/// instead of 2.9 us).
template <class Dot, class Shape, class To, class Out>
[[gnu::always_inline]] inline void dense(const Shape& shape, const typename Dot::element* in,
                                         const std::byte* packed, const To& to, Out* out) {
  const conv2d_shape s = shape;
  const panels<Dot> of{s.out_group()};
  const auto steps = static_cast<std::size_t>(runs_of<Dot>(s).total_steps());
  for (int group = 0; group < s.groups; ++group) {
    const typename Dot::element* from = in + group * s.in_group();
    const auto run = [&](auto vectors, auto used) __attribute__((always_inline)) {
      sweep<Dot, vectors>(shape, from, packed, to, out, used);
      packed += block_layout<Dot>{vectors, steps}.bytes();
      out += used;
    };
    for (int panel = 0; panel < of.whole(); ++panel) {
      run(std::integral_constant<int, 2>{}, std::integral_constant<int, of.width>{});
    }
    if (const int rest = of.channels - of.whole() * of.width; rest > 0) {
      with_constant<2>(
          of.vectors(of.whole()), [&](auto vectors)
                                      __attribute__((always_inline)) { run(vectors, rest); });
    }
  }
}

/// One image, copied into the workspace if that is needed.
template <class Dot, bool Depthwise, class Shape, class In, class To, class Out>
[[gnu::always_inline]] inline void convolve_image(const Shape& shape, const In* in,
                                                  const std::byte* packed, const To& to,
                                                  std::int32_t in_zero_point, Out* out,
                                                  std::byte* workspace) {
  using element = typename Dot::element;
  const conv2d_shape s = shape;
  const auto* image = reinterpret_cast<const element*>(in);
  if (needs_copy<Dot, In>(s)) {
    auto* copy = reinterpret_cast<element*>(workspace);
    copy_image<Dot>(s, in, static_cast<element>(in_zero_point + Dot::template offset<In>), copy);
    image = copy;
  }
  if constexpr (Depthwise) {
    depthwise<Dot>(s, image, packed, to, out);
  } else {
    dense<Dot>(shape, image, packed, to, out);
  }
}

/// Calls f(bool_constant) telling whether the convolution is done by columns; with a constant
/// shape, f is compiled for the right one only.
template <class Dot, bool Depthwise, class Shape, class F>
[[gnu::always_inline]] inline void with_by_columns(const Shape& shape, const F& f) {
  if constexpr (!Depthwise || Dot::k_group == 1) {
    f(std::false_type{});
  } else if constexpr (constant_shape<Shape>) {
    f(std::bool_constant<by_columns<Dot>(Shape::value)>{});
  } else if (by_columns<Dot>(shape)) {
    f(std::true_type{});
  } else {
    f(std::false_type{});
  }
}

template <class Isa, class Shape, class In, class To, class Out>
[[gnu::always_inline]] inline void convolve(const Shape& shape, const In* in,
                                            const std::byte* packed, const To& to,
                                            std::int32_t in_zero_point, Out* out,
                                            std::byte* workspace) {
  with_dot<Isa, In>(
      shape, [&]<class Dot>(std::type_identity<Dot>, auto is_depthwise)
                 __attribute__((always_inline)) {
                   const conv2d_shape s = shape;
                   for (int n = 0; n < s.batch; ++n) {
                     with_by_columns<Dot, is_depthwise>(
                         shape, [&](auto by_columns) __attribute__((always_inline)) {
                           if constexpr (by_columns) {
                             depthwise_by_columns<Dot>(shape, in, in_zero_point, packed, to, out);
                           } else {
                             convolve_image<Dot, is_depthwise>(shape, in, packed, to, in_zero_point,
                                                               out, workspace);
                           }
                         });
                     in += std::ptrdiff_t{s.in_h} * s.in_w * s.in_channels;
                     out += std::ptrdiff_t{s.out_h()} * s.out_w() * s.out_channels;
                   }
                 });
}

/// Satisfied by conv2d_shape, and by std::integral_constant<conv2d_shape, ...> for a kernel of that
/// shape alone.
template <class Shape>
concept conv2d_shape_like = std::convertible_to<Shape, conv2d_shape>;

/// As reference::conv2d, with weights from pack_conv2d<Isa, In> and its multipliers.
///
/// Shapes    in [N,H,W,C] · out [N,H',W',O] · workspace: conv2d_workspace_bytes, may be empty
/// Requires  the operands do not overlap · packed, workspace aligned to 64
template <class Isa, conv2d_shape_like Shape, class In, class Out>
[[gnu::always_inline]] inline void conv2d(const Shape& shape, const In* in, const std::byte* packed,
                                          const output_steps& to, std::int32_t in_zero_point,
                                          Out* out, std::byte* workspace) noexcept {
  convolve<Isa>(flattened(shape), in, packed, to, in_zero_point, out, workspace);
}

/// The same in float32. relu keeps NaN.
template <class Isa, conv2d_shape_like Shape>
[[gnu::always_inline]] inline void conv2d(const Shape& shape, const float* in,
                                          const std::byte* packed, bool relu, float* out,
                                          std::byte* workspace) noexcept {
  convolve<Isa>(flattened(shape), in, packed, relu, 0, out, workspace);
}

}  // namespace ctq::kernels::simd
