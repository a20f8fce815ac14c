// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "ctq/core/packing.hpp"
#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/kernels/simd/geometry.hpp"

// Convolution along three axes: for each plane of outputs the planes of inputs that a kernel reads
// are gathered as channels of one image, and a convolution along two axes computes the plane. The
// sums are those of the definition, in the order of conv3d_shape::plane.

namespace ctq::kernels::simd {

/// Bytes of an image of gathered planes, aligned to 64.
[[nodiscard]] constexpr std::size_t gathered_image_bytes(const conv3d_shape& s,
                                                         std::size_t element) {
  const auto pixels = static_cast<std::size_t>(s.in_h) * static_cast<std::size_t>(s.in_w);
  const auto channels =
      static_cast<std::size_t>(s.kernel_d) * static_cast<std::size_t>(s.in_channels);
  return packing::padded(pixels * channels * element);
}
/// Bytes of the gathered image in the workspace; 0 if planes are kept.
[[nodiscard]] constexpr std::size_t gathered_bytes(const conv3d_shape& s, std::size_t element) {
  return s.keeps_planes() ? 0 : gathered_image_bytes(s, element);
}

/// Gathers the inputs of output plane `z`.
///
/// Shapes    image [D,H,W,C] · out [H,W,g,kd,C/g]
template <class T>
void gather_planes(const conv3d_shape& s, int z, const T* image, T border, T* out) {
  const std::ptrdiff_t pixels = std::ptrdiff_t{s.in_h} * s.in_w;
  const int in_group = s.in_channels / s.groups;
  const std::ptrdiff_t channels = std::ptrdiff_t{s.kernel_d} * s.in_channels;
  for (int k = 0; k < s.kernel_d; ++k) {
    const int plane = z * s.stride_d + k * s.dilation_d - s.padding_d;
    const bool inside = plane >= 0 && plane < s.in_d;
    const T* from = image + (inside ? plane * pixels * s.in_channels : 0);
    T* to = out + k * in_group;
    for (std::ptrdiff_t p = 0; p < pixels; ++p, to += channels)
      for (int g = 0; g < s.groups; ++g, from += in_group) {
        T* const group = to + std::ptrdiff_t{g} * s.kernel_d * in_group;
        if (inside) {
          std::memcpy(group, from, static_cast<std::size_t>(in_group) * sizeof(T));
        } else {
          std::fill_n(group, in_group, border);
        }
      }
  }
}

/// Computes a convolution by convolve(image, out, workspace): that of conv3d_shape::plane.
///
/// Shapes    in [N,D,H,W,C] · out [N,D',H',W',O]
/// Requires  the operands do not overlap · workspace: gathered_bytes, then that of convolve
template <class In, class Out, class Convolve>
[[gnu::always_inline]] inline void conv3d(const conv3d_shape& s, const In* in, In border, Out* out,
                                          std::byte* workspace, const Convolve& convolve) {
  if (s.keeps_planes()) return convolve(in, out, workspace);
  auto* const gathered = reinterpret_cast<In*>(workspace);
  std::byte* const rest = workspace + gathered_bytes(s, sizeof(In));
  const conv2d_shape plane = s.plane();
  const std::ptrdiff_t outputs = std::ptrdiff_t{plane.out_h()} * plane.out_w() * s.out_channels;
  for (int n = 0; n < s.batch; ++n) {
    for (int z = 0; z < s.out_d(); ++z, out += outputs) {
      gather_planes(s, z, in, border, gathered);
      convolve(gathered, out, rest);
    }
    in += std::ptrdiff_t{s.in_d} * s.in_h * s.in_w * s.in_channels;
  }
}

}  // namespace ctq::kernels::simd
