// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "ctq/core/dtype.hpp"
#include "ctq/core/packing.hpp"
#include "ctq/core/shapes/matrix_shapes.hpp"
#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/kernels/integer_arithmetic.hpp"
#include "ctq/kernels/simd/arch/all_dots.hpp"
#include "ctq/kernels/simd/convolution/column_blocking.hpp"
#include "ctq/kernels/simd/convolution/computed_shape.hpp"
#include "ctq/kernels/simd/convolution/conv2d_form.hpp"
#include "ctq/kernels/simd/convolution/depthwise.hpp"
#include "ctq/kernels/simd/convolution/depthwise_columns.hpp"
#include "ctq/kernels/simd/convolution/pad.hpp"
#include "ctq/kernels/simd/convolution/with_method.hpp"
#include "ctq/kernels/simd/dot.hpp"
#include "ctq/kernels/simd/geometry.hpp"
#include "ctq/kernels/simd/inline_by_flatten.hpp"
#include "ctq/kernels/simd/matrix/blocking.hpp"
#include "ctq/kernels/simd/matrix/dense.hpp"
#include "ctq/kernels/simd/matrix/register_tile.hpp"
#include "ctq/kernels/simd/matrix/tile_product.hpp"
#include "ctq/kernels/simd/pack.hpp"

// 2-d convolution, NHWC, without im2col. The same bytes as reference::conv2d on every instruction
// set; float32 the same on those with fma (see float_dot).
//
// The caller packs the weights once and provides a workspace; nothing allocates or throws. With a
// std::integral_constant<conv2d_shape, ...> everything is inlined into one kernel for that shape;
// shapes of one form (conv2d_form.hpp) share a kernel; run-time shapes share compiled tiles.

namespace ctq::kernels::simd {

/// Packs the weights, biases and multipliers of a convolution that reads In. The input zero point
/// is folded into int32 biases; those of floats have no multipliers. Depthwise: as in with_method
template <class Isa, class In, bool Depthwise = true, class Weight, class Bias>
void pack(const conv2d_shape& shape, unpacked<Weight, Bias> from, std::byte* packed) {
  const conv2d_shape s = computed_shape<Isa, In>(shape);
  std::vector<Weight> joined;
  if (s.groups != shape.groups) {
    joined = weights_of_joined_groups(shape, s, from.weight);
    from.weight = joined.data();
  }
  with_method<Isa, In, Depthwise>(
      s, [&]<class Model>(std::type_identity<Model>, auto by, const tile_blocking& tiles) {
        if constexpr (by == method::tiles) {
          pack_tiles(s, tiles, from, packed);
        } else {
          from.offset = Model::template offset<In>;
          if constexpr (by == method::depthwise) {
            pack_depthwise<Model>(s, from, packed);
          } else {
            pack_dense<Model>(s, from, packed);
          }
        }
      });
}

/// Bytes of the packed weights, aligned to 64, of a convolution that reads `in`.
template <class Isa, bool Depthwise = true>
[[nodiscard]] constexpr std::size_t conv2d_packed_bytes(const conv2d_shape& shape, dtype in) {
  const auto bytes = [&]<class In>(std::type_identity<In>) {
    const conv2d_shape s = computed_shape<Isa, In>(shape);
    return with_method<Isa, In, Depthwise>(
        s, [&]<class Model>(std::type_identity<Model>, auto by, const tile_blocking& tiles) {
          if constexpr (by == method::tiles) {
            return tiles_packed_bytes(s, tiles);
          } else if constexpr (by == method::depthwise) {
            return depthwise_packed_bytes<Model>(s);
          } else {
            return dense_packed_bytes<Model>(s);
          }
        });
  };
  return in == f32 ? bytes(std::type_identity<float>{}) : bytes(std::type_identity<std::int8_t>{});
}

/// Bytes of the workspace, a multiple of 64: widened weights of a panel or partial accumulators of
/// AMX tiles, then a copy of one image, or of a part of it, see pad.hpp. 0 if the kernel needs none
/// of these.
template <class Isa>
[[nodiscard]] constexpr std::size_t conv2d_workspace_bytes(const conv2d_shape& shape, dtype in) {
  const auto bytes = [&]<class In>(std::type_identity<In>) {
    const conv2d_shape s = computed_shape<Isa, In>(shape);
    return with_method<Isa, In>(
        s,
        [&]<class Model>(std::type_identity<Model>, auto by,
                         const tile_blocking& tiles) -> std::size_t {
          using element = typename elements_of<Model, by, In>::element;
          const auto with_copy = [](std::size_t before, const input_copy& copy) {
            if (!copy.needed) return before;
            return before + packing::padded(copy.elements * sizeof(element) + copy_slack_bytes);
          };
          if constexpr (by == method::tiles) {
            return with_copy(tiles.partial_accumulators_bytes(),
                             input_copy_of<Model, by, In>(tiled_shape{tiles, s}));
          } else if constexpr (by == method::dense) {
            const conv2d_shape part = part_of<Model>(s);
            return with_copy(wide_panel_bytes<Model>(part), input_copy_of<Model, by, In>(part));
          } else {
            return with_copy(0, input_copy_of<Model, by, In>(s));
          }
        });
  };
  if (in == f32) return bytes(std::type_identity<float>{});
  return in == qint8 ? bytes(std::type_identity<std::int8_t>{})
                     : bytes(std::type_identity<std::uint8_t>{});
}

/// One image.
template <class Model, method By, class Shape, class In, class To, class Out>
CTQ_INLINE_BY_FLATTEN inline void convolve_image(const Shape& shape, const In* in,
                                                 const std::byte* packed, const To& to,
                                                 std::int32_t in_zero_point, Out* out,
                                                 std::byte* workspace) {
  if constexpr (By == method::dense) {
    dense_in_parts<Model>(shape, in, packed, to, in_zero_point, out, workspace);
  } else {
    if constexpr (By == method::tiles) {
      constexpr auto partial = [](const auto& s) {
        return tile_blocking_of(s).partial_accumulators_bytes();
      };
      const auto* const image =
          input_of<Model, By>(shape, in, in_zero_point, workspace + evaluated(shape, partial));
      convolve_on_tiles<Model>(shape, image, packed, to, out, workspace);
    } else {
      const auto* const image = input_of<Model, By>(shape, in, in_zero_point, workspace);
      depthwise<Model>(shape, image, packed, to, out);
    }
  }
}

/// Calls f(bool_constant): whether the convolution is computed by columns; with a constant shape, f
/// is compiled for one case only.
template <class Dot, method By, class Shape, class F>
CTQ_INLINE_BY_FLATTEN inline void with_by_columns(const Shape& shape, const F& f) {
  if constexpr (By != method::depthwise) {
    f(std::false_type{});
  } else if constexpr (Dot::k_group == 1) {
    f(std::false_type{});
  } else if constexpr (rows_per_register_of<Dot> == 2) {
    f(std::true_type{});
  } else if constexpr (constant_shape<Shape>) {
    f(std::bool_constant<by_columns<Dot>(Shape::value)>{});
  } else if constexpr (with_form<Shape>) {
    f(std::bool_constant<Shape::form.by_columns>{});
  } else if (by_columns<Dot>(shape)) {
    f(std::true_type{});
  } else {
    f(std::false_type{});
  }
}

/// The dot_arch or tile_arch of a core whose output is To: Model itself, or with an epilogue, see
/// epilogue_dot.hpp.
template <class Isa, class Model, class To>
struct dot_with_epilogue {
  using model = Model;
};

template <class Isa, class Shape, class In, class To, class Out>
CTQ_INLINE_BY_FLATTEN inline void convolve_images(const Shape& shape, const In* in,
                                                  const std::byte* packed, const To& to,
                                                  std::int32_t in_zero_point, Out* out,
                                                  std::byte* workspace) {
  with_method<Isa, In>(shape, [&]<class Model>(std::type_identity<Model>, auto by,
                                               const tile_blocking& tiles) CTQ_INLINE_BY_FLATTEN {
    using model = typename dot_with_epilogue<Isa, Model, To>::model;
    const conv2d_shape s = shape;
    for (int n = 0; n < s.batch; ++n) {
      if constexpr (by == method::tiles && !specialized_shape<Shape>) {
        convolve_image<model, by>(tiled_shape{tiles, shape}, in, packed, to, in_zero_point, out,
                                  workspace);
      } else {
        with_by_columns<model, by>(shape, [&](auto by_columns) CTQ_INLINE_BY_FLATTEN {
          if constexpr (by_columns) {
            depthwise_by_columns<model>(shape, in, in_zero_point, packed, to, out);
          } else {
            convolve_image<model, by>(shape, in, packed, to, in_zero_point, out, workspace);
          }
        });
      }
      in += std::ptrdiff_t{s.in_h} * s.in_w * s.in_channels;
      out += std::ptrdiff_t{s.out_h()} * s.out_w() * s.out_channels;
    }
  });
}

/// A run-time shape. All methods and tile sizes, which take seven seconds to compile, are in one
/// function for all calls with these types.
template <class Isa, class In, class To, class Out>
[[gnu::noinline, gnu::flatten]] void convolve_any(const conv2d_shape& shape, const In* in,
                                                  const std::byte* packed, const To& to,
                                                  std::int32_t in_zero_point, Out* out,
                                                  std::byte* workspace) {
  convolve_images<Isa>(shape, in, packed, to, in_zero_point, out, workspace);
}

/// Run-time extents of one form: one function for all calls with these types.
template <class Isa, with_form Shape, class In, class To, class Out>
[[gnu::noinline, gnu::flatten]] void convolve_form(const Shape& shape, const In* in,
                                                   const std::byte* packed, const To& to,
                                                   std::int32_t in_zero_point, Out* out,
                                                   std::byte* workspace) {
  convolve_images<Isa>(shape, in, packed, to, in_zero_point, out, workspace);
}

/// A kernel for one shape.
template <class Isa, constant_shape Shape, class In, class To, class Out>
[[gnu::flatten]] inline void convolve_constant(const Shape& shape, const In* in,
                                               const std::byte* packed, const To& to,
                                               std::int32_t in_zero_point, Out* out,
                                               std::byte* workspace) {
  convolve_images<Isa>(shape, in, packed, to, in_zero_point, out, workspace);
}

template <class Isa, class Shape, class In, class To, class Out>
[[gnu::always_inline]] inline void convolve(const Shape& shape, const In* in,
                                            const std::byte* packed, const To& to,
                                            std::int32_t in_zero_point, Out* out,
                                            std::byte* workspace) {
  if constexpr (constant_shape<Shape>) {
    convolve_constant<Isa>(shape, in, packed, to, in_zero_point, out, workspace);
  } else if constexpr (with_form<Shape>) {
    convolve_form<Isa>(shape, in, packed, to, in_zero_point, out, workspace);
  } else {
    convolve_any<Isa>(shape, in, packed, to, in_zero_point, out, workspace);
  }
}

/// The shape of a layer as that of a convolution; a constant if the layer's shape is one.
using ctq::as_conv2d;
template <linear_shape S>
[[nodiscard]] constexpr auto as_conv2d(std::integral_constant<linear_shape, S>) {
  return std::integral_constant<conv2d_shape, ctq::as_conv2d(S)>{};
}

/// Satisfied by conv2d_shape, by formed_shape for a kernel of that form alone, and by
/// std::integral_constant<conv2d_shape, ...> for a kernel of that shape alone.
template <class Shape>
concept conv2d_shape_like = std::convertible_to<Shape, conv2d_shape>;

/// As reference::conv2d, with weights and multipliers from pack<Isa, In>, packed for the
/// same shape.
///
/// Shapes    in [N,H,W,C] · out [N,H',W',O] · workspace: conv2d_workspace_bytes, may be empty
/// Requires  the operands do not overlap · packed, workspace aligned to 64
template <class Isa, conv2d_shape_like Shape, class In, class Out>
[[gnu::always_inline]] inline void conv2d(const Shape& shape, const In* in, const std::byte* packed,
                                          const output_range& to, std::int32_t in_zero_point,
                                          Out* out, std::byte* workspace) noexcept {
  convolve<Isa>(computed_shape<Isa, In>(shape), in, packed, to, in_zero_point, out, workspace);
}

/// As reference::conv2d in float32: the same bits with fma; without it (scalar, SSE) the last bits
/// may differ, see float_dot. relu keeps NaN.
template <class Isa, conv2d_shape_like Shape>
[[gnu::always_inline]] inline void conv2d(const Shape& shape, const float* in,
                                          const std::byte* packed, bool relu, float* out,
                                          std::byte* workspace) noexcept {
  convolve<Isa>(computed_shape<Isa, float>(shape), in, packed, relu, 0, out, workspace);
}

}  // namespace ctq::kernels::simd
