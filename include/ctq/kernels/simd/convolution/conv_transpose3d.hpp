// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "ctq/core/packing.hpp"
#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/kernels/simd/convolution/conv3d.hpp"
#include "ctq/kernels/simd/convolution/conv_transpose2d.hpp"
#include "ctq/kernels/simd/geometry.hpp"
#include "ctq/kernels/transposed_phases.hpp"

// Transposed convolution along three axes: the phases along the depth of transposed_phases.hpp. For
// each plane of outputs the planes of inputs that it reads are gathered as channels of one image,
// and a transposed convolution along two axes computes the plane. Where each plane of a phase reads
// one plane of inputs, nothing is gathered: they are the images of one transposed convolution.

namespace ctq::kernels::simd {

/// The memory of a kernel: the gathered image and the workspace of the transposed convolutions,
/// each aligned to 64.
struct conv_transpose3d_workspace {
  std::size_t gathered{};  // bytes
  std::size_t convolution{};

  [[nodiscard]] constexpr std::size_t bytes() const { return gathered + convolution; }
};

/// bytes_of(conv_transpose2d_shape): the workspace of the convolution of a plane
template <class Bytes>
[[nodiscard]] constexpr conv_transpose3d_workspace conv_transpose3d_workspace_of(
    const transposed_planes& p, std::size_t in_bytes, Bytes bytes_of) {
  conv_transpose3d_workspace w;
  for (int phase = 0; phase < p.count(); ++phase) {
    if (p.depth(phase).taps == 0) continue;
    if (!p.reads_in_place(phase))
      w.gathered = std::max(w.gathered, gathered_image_bytes(p.planes(phase), in_bytes));
    w.convolution = std::max(w.convolution, packing::padded(bytes_of(p.convolution(phase))));
  }
  return w;
}

/// What computes a plane of a phase: of a constant shape a constant.
template <class Shape, class Phase>
[[nodiscard]] constexpr auto convolution_of_plane(const Shape& shape, Phase phase) {
  if constexpr (constant_shape<Shape>) {
    constexpr conv_transpose2d_shape s =
        phases_of_constant<transposed_planes, Shape::value>.convolution(Phase::value);
    return std::integral_constant<conv_transpose2d_shape, s>{};
  } else {
    return transposed_planes(shape).convolution(phase);
  }
}

/// Computes a transposed convolution by convolve(phase, images, out, workspace), which computes
/// transposed_planes::convolution, and plane_of(out), which computes a plane that reads nothing.
///
/// Shapes    in [N,D,H,W,C] · out [N,D',H',W',O]
/// Requires  the operands do not overlap · workspace of conv_transpose3d_workspace_of, aligned to
/// 64
template <class Shape, class In, class Out, class Convolve, class Plane>
[[gnu::always_inline]] inline void conv_transpose3d(const Shape& shape, const In* in, In border,
                                                    Out* out, std::byte* workspace,
                                                    const conv_transpose3d_workspace& parts,
                                                    const Convolve& convolve,
                                                    const Plane& plane_of) {
  const transposed_planes& p = phases_of<transposed_planes>(shape);
  const conv_transpose3d_shape& s = p.shape;
  auto* const gathered = reinterpret_cast<In*>(workspace);
  std::byte* const rest = workspace + parts.gathered;
  const std::ptrdiff_t in_plane = std::ptrdiff_t{s.in_h} * s.in_w * s.in_channels;
  const std::ptrdiff_t out_plane = std::ptrdiff_t{s.out_h()} * s.out_w() * s.out_channels;
  for (int n = 0; n < s.batch; ++n) {
    for_each_phase<transposed_planes>(shape, [&](auto phase) {
      const transposed_phase z = p.depth(phase);
      const conv3d_shape planes = p.planes(phase);
      const bool in_place = p.reads_in_place(phase);
      if (in_place) return convolve(phase, in, out + z.out_first * out_plane, rest);
      for (int i = 0; i < z.out_count; ++i) {
        Out* const to = out + (z.out_first + i * s.stride_d) * out_plane;
        if (z.taps == 0) {
          plane_of(to);
        } else {
          gather_planes(planes, i, in, border, gathered);
          convolve(phase, gathered, to, rest);
        }
      }
    });
    in += s.in_d * in_plane;
    out += s.out_d() * out_plane;
  }
}

}  // namespace ctq::kernels::simd
