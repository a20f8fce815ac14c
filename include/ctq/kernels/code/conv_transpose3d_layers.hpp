// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/kernels/code/conv_transpose2d_layers.hpp"
#include "ctq/kernels/reference/conv_transpose3d.hpp"
#include "ctq/kernels/simd/convolution/conv_transpose3d.hpp"
#include "ctq/kernels/transposed_phases.hpp"

// Transposed convolutions along three axes: the code of those along two for each plane of outputs,
// or for all planes of a phase. The packed parameters are the bias and the multiplier of each
// channel, for planes that read nothing, then those of conv_transpose2d for each phase along the
// depth.

namespace ctq::kernels {

template <>
struct kernel_code<descriptors::conv_transpose3d>
    : transposed_code<kernel_code<descriptors::conv_transpose3d>, conv_transpose3d_shape> {
  using shape = conv_transpose3d_shape;
  using plane = kernel_code<descriptors::conv_transpose2d>;
  using convolution = kernel_code<descriptors::conv2d>;

  /// The convolution that has the same weight, in the order (O, kh, kw, kd, I/g).
  static constexpr conv2d_shape with_weight_of(const shape& s) {
    return plane::with_weight_of(s.plane(s.kernel_d));
  }

  static constexpr std::size_t channel_bytes(const shape& s) {
    return 2 * plane::channel_bytes(s.plane());
  }
  /// Where what is packed for a phase begins.
  template <class Set>
  static constexpr std::size_t phase_at(const transposed_planes& p, int phase, dtype in) {
    std::size_t at = channel_bytes(p.shape);
    for (int i = 0; i < phase; ++i)
      if (p.depth(i).taps > 0) at += plane::weight_bytes<Set>(p.convolution(i), in);
    return at;
  }

  template <class Set>
  static constexpr std::size_t weight_bytes(const shape& s, dtype in) {
    if constexpr (is_reference<Set>) return convolution::weight_bytes<Set>(with_weight_of(s), in);
    const transposed_planes p(s);
    return phase_at<Set>(p, p.count(), in);
  }
  template <class Set>
  static constexpr simd::conv_transpose3d_workspace workspace_of(const shape& s, dtype in,
                                                                 dtype out) {
    return simd::conv_transpose3d_workspace_of(
        transposed_planes(s), size_of(in), [in, out](const conv_transpose2d_shape& c) {
          return plane::template workspace_of<Set>(c, in, out).bytes();
        });
  }
  template <class Set, class Text>
  static constexpr void append_blocking(Text& out, const kernel_signature& signature) {
    const auto s = signature.as<shape>();
    append_all(out, "phases:", transposed_planes(s).count() * transposed_phases(s.plane()).count());
  }

  /// The part of a weight (O, kh, kw, kd, I/g) that a phase reads, the depth in reverse order.
  template <class Weight>
  static std::vector<Weight> weight_of_phase(const transposed_planes& p, int phase,
                                             const Weight* weight) {
    const shape& s = p.shape;
    const transposed_phase z = p.depth(phase);
    const auto inputs = static_cast<std::size_t>(s.in_channels / s.groups);
    std::vector<Weight> part;
    for (int tap = 0; tap < s.out_channels * s.kernel_h * s.kernel_w; ++tap)
      for (int k = z.taps - 1; k >= 0; --k) {
        const auto at =
            static_cast<std::size_t>(tap * s.kernel_d + z.first_tap + k * z.tap_step) * inputs;
        part.insert(part.end(), weight + at, weight + at + inputs);
      }
    return part;
  }

  /// weight (O, kh, kw, kd, I/g) · bias, multiplier as those of conv_transpose2d
  template <class Set, class In, class Weight, class Bias>
  static void pack(const shape& s, const Weight* weight, const Bias* bias, const float* multiplier,
                   std::int32_t in_zero_point, std::byte* packed) {
    if constexpr (is_reference<Set>) {
      convolution::pack<Set, In>(with_weight_of(s), weight, bias, multiplier, packed);
    } else {
      const transposed_planes p(s);
      const span<const Weight> whole(weight, reference_weights<Weight>::weights(with_weight_of(s)));
      std::memset(packed, 0, channel_bytes(s));
      if (s.out_channels == 0) return;
      plane::pack_channels(s.plane(), whole, bias, multiplier, in_zero_point, packed);
      for (int phase = 0; phase < p.count(); ++phase) {
        if (p.depth(phase).taps == 0) continue;
        const std::vector<Weight> part = weight_of_phase(p, phase, weight);
        const std::vector<Bias> biases =
            plane::bias_of_part(whole, bias, part, s.out_channels, in_zero_point);
        plane::pack<Set, In>(p.convolution(phase), part.data(), biases.data(), multiplier,
                             in_zero_point, packed + phase_at<Set>(p, phase, dtype_of<In>));
      }
    }
  }

  template <class Set, class In, class Out, class Shape>
  static void run(const Shape& given, call_options o, const operands& x) noexcept {
    const shape& s = simd::extents_of(given);
    if constexpr (is_reference<Set>) {
      run_reference<In, Out>(s, with_weight_of(s), o, x,
                             [](const auto&... a) { reference::conv_transpose3d(a...); });
    } else {
      const transposed_planes& p = simd::phases_of<transposed_planes>(given);
      const std::ptrdiff_t step =
          std::ptrdiff_t{s.stride_d} * s.out_h() * s.out_w() * s.out_channels;
      const auto convolve = [&](auto phase, const In* image, Out* out, std::byte* workspace) {
        plane::run_apart<Set, In, Out>(simd::convolution_of_plane(given, phase), o,
                                       {.in = {image},
                                        .out = out,
                                        .packed = x.packed + phase_at<Set>(p, phase, dtype_of<In>),
                                        .workspace = workspace,
                                        .data = x.data},
                                       step);
      };
      simd::conv_transpose3d(given, x.input<In>(), border_of<In>(x), x.output<Out>(), x.workspace,
                             known_workspace_of<Set, In, Out>(given), convolve,
                             [&](Out* out) { bias_alone(s, o, x, out); });
    }
  }

  /// Computes a plane of outputs that reads no input.
  template <class Out>
  static void bias_alone(const shape& s, call_options o, const operands& x, Out* out) noexcept {
    const std::ptrdiff_t pixels = std::ptrdiff_t{s.out_h()} * s.out_w();
    plane::bias_alone(s.plane(), o, x, out);
    for (std::ptrdiff_t i = 1; i < pixels; ++i)
      std::copy_n(out, s.out_channels, out + i * s.out_channels);
  }
};

}  // namespace ctq::kernels
