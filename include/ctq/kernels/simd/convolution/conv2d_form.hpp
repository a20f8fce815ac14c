// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <type_traits>

#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/kernels/simd/convolution/column_blocking.hpp"
#include "ctq/kernels/simd/convolution/computed_shape.hpp"
#include "ctq/kernels/simd/dot.hpp"
#include "ctq/kernels/simd/geometry.hpp"
#include "ctq/kernels/simd/matrix/blocking.hpp"
#include "ctq/kernels/simd/matrix/panel_weights.hpp"

// What remains of a shape if its extents are left to run time: which loops there are, and the sizes
// of register tiles. Layers of one form share a kernel that has no more branches and no more code
// than a kernel for one shape; a network has few forms.

namespace ctq::kernels::simd {

/// A panel of a dense layer that has fewer channels than a whole one.
struct partial_panel {
  int vectors{};  // 0: there is none
  bool narrow{};  // of a narrower register
  bool full{};    // all lanes are channels

  friend constexpr bool operator==(const partial_panel&, const partial_panel&) = default;
};

struct conv2d_form {
  method by{};

  // depthwise
  bool halved{};      // two rows per register
  bool by_columns{};  // depthwise_columns.hpp
  int kernel{}, stride{};
  bool wide{}, narrow{};  // column_blocks of either kind

  // dense
  int large{}, small{};       // rows of the tiles of both bands
  int width{};                // of the output, if a tile has several rows of it
  int rows{}, taps{};         // of k_runs
  int steps{};                // of k_runs, if few
  bool widens{};              // wide_panel_bytes is not 0
  bool pixels_overlap{};      // adjacent pixels share elements of a run
  bool four{}, two{}, one{};  // whole panels: four at once and two at once for one pixel
  partial_panel partial[2]{};

  // tiles
  tile_block block{};
  bool chunked{};  // a panel is used for several blocks

  friend constexpr bool operator==(const conv2d_form&, const conv2d_form&) = default;
};

/// A run of at most as many steps is unrolled. Up to 12 would make layers with shared code no
/// faster (1x1 of 24 to 48 channels, Zen 5), and take longer to compile (MobileNetV3-small: 1 s).
inline constexpr int most_unrolled_steps = 4;

template <class Dot>
[[nodiscard]] constexpr conv2d_form dense_form(const conv2d_shape& whole_image) {
  const conv2d_shape s = part_of<Dot>(whole_image);
  using narrow = narrow_dot_of<Dot>;
  conv2d_form f{.by = method::dense};
  const tiling tiles = tiles_of(s.out_h(), s.out_w(), Dot::tile_rows);
  f.large = tiles.large.occurring();
  f.small = tiles.small.occurring();
  f.width = s.out_w() < f.large || (f.large == 0 && s.out_w() < f.small) ? s.out_w() : 0;
  const k_runs runs = runs_of<Dot>(s);
  f.rows = runs.rows;
  f.taps = runs.taps;
  f.steps = runs.steps <= most_unrolled_steps ? runs.steps : 0;
  f.widens = wide_panel_bytes<Dot>(s) > 0;
  f.pixels_overlap = strides_of(s).x < runs.length;
  const panels<Dot> of(s);
  const int whole = of.whole();
  f.four = has_one_pixel(s) && whole >= 4;
  f.two = has_one_pixel(s) && whole % 4 >= 2;
  f.one = has_one_pixel(s) ? whole % 2 == 1 : whole > 0;
  for (int i = whole; i < of.count(); ++i) {
    const bool fits = of.used(i) <= narrow::lanes;
    const int lanes = fits ? narrow::lanes : of.vectors(i) * Dot::lanes;
    f.partial[i - whole] = {fits ? 1 : of.vectors(i), fits, of.used(i) == lanes};
  }
  return f;
}

template <class Dot>
[[nodiscard]] constexpr conv2d_form depthwise_form(const conv2d_shape& s) {
  conv2d_form f{.by = method::depthwise};
  using half_dot = halved_dot_of<Dot>;
  f.halved = by_columns_of_two_rows<Dot>(s);
  f.by_columns = f.halved || by_columns<Dot>(s);
  if (!f.by_columns) return f;
  f.kernel = s.kernel_h;
  f.stride = s.stride_h;
  const column_blocks<half_dot> of_halves{s.out_channels};
  const column_blocks<Dot> blocks{s.out_channels};
  f.wide = f.halved ? of_halves.wide() > 0 : blocks.wide() > 0;
  f.narrow = f.halved ? of_halves.narrow() > 0 : blocks.narrow() > 0;
  // This code takes seconds to compile, so layers without narrow blocks share that of layers with
  // both.
  if (f.wide && f.kernel > 3) f.narrow = true;
  return f;
}

/// How a layer is computed that reads In, from its computed_shape.
template <class Isa, class In>
[[nodiscard]] constexpr conv2d_form form_of(const conv2d_shape& shape) {
  constexpr bool real = std::is_same_v<In, float>;
  const layer_blocking p = blocking_of<Isa, In>(shape);
  if (p.by == method::tiles)
    return {.by = p.by, .block = p.tiles.block, .chunked = p.tiles.chunk > 1};
  if (p.by == method::depthwise)
    return depthwise_form<std::conditional_t<real, float_dot<Isa>, depthwise_dot<Isa>>>(shape);
  return dense_form<std::conditional_t<real, float_dot<Isa>, int8_dot<Isa>>>(shape);
}

/// The blocking of a form that uses tiles, stored since computing it takes long.
template <bool OnTiles>
struct tile_blocking_if {};
template <>
struct tile_blocking_if<true> {
  tile_blocking tiles{};
};

/// A shape of run-time extents whose form is known.
template <conv2d_form Form>
struct formed_shape : tile_blocking_if<Form.by == method::tiles> {
  static constexpr conv2d_form form = Form;

  conv2d_shape extents;

  constexpr explicit formed_shape(const conv2d_shape& s) : extents(s) {
    if constexpr (form.by == method::tiles) this->tiles = tile_blocking_of(s);
  }
  constexpr operator const conv2d_shape&() const { return extents; }  // NOLINT: a conversion
};

template <conv2d_form Form>
[[nodiscard]] constexpr const tile_blocking& tile_blocking_of(const formed_shape<Form>& s) {
  return s.tiles;
}

/// The same form of other extents.
template <conv2d_form Form>
[[nodiscard]] constexpr formed_shape<Form> with_extents(formed_shape<Form> shape,
                                                        const conv2d_shape& extents) {
  shape.extents = extents;
  return shape;
}

/// The extents of a formed_shape are those of a computed_shape already.
template <class Isa, class T, conv2d_form Form>
[[nodiscard]] constexpr const formed_shape<Form>& computed_shape(const formed_shape<Form>& s) {
  return s;
}

/// The computed_shape of a layer that reads In, with its form.
template <class Isa, class In, conv2d_shape Shape>
[[nodiscard]] constexpr auto formed_shape_of() {
  // All integers have the same form.
  using element = std::conditional_t<std::is_same_v<In, float>, float, std::int8_t>;
  constexpr conv2d_shape computed = computed_shape<Isa, element>(Shape);
  return formed_shape<form_of<Isa, element>(computed)>{computed};
}

}  // namespace ctq::kernels::simd
