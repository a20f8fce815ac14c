// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/packing.hpp"
#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/kernels/code/layers.hpp"
#include "ctq/kernels/reference/conv_transpose2d.hpp"
#include "ctq/kernels/simd/convolution/conv_transpose2d.hpp"
#include "ctq/kernels/transposed_phases.hpp"

// Transposed convolutions: the code of conv2d for each phase. The packed parameters are the bias
// and the multiplier of each channel, for phases that read nothing, then the packed weights of the
// phases.

namespace ctq::kernels {

/// What transposed convolutions along two and three axes share. Code, which derives from it, has
/// weight_bytes and workspace_of of a shape.
template <class Code, class Shape>
struct transposed_code : code_of_parts<Shape> {
  template <class Set>
  static constexpr std::size_t packed_bytes(const kernel_signature& signature) {
    return Code::template weight_bytes<Set>(signature.as<Shape>(), signature.in);
  }
  template <class Set>
  static constexpr std::size_t workspace_bytes(const kernel_signature& signature) {
    if constexpr (is_reference<Set>) return 0;
    return Code::template workspace_of<Set>(signature.as<Shape>(), signature.in, signature.out)
        .bytes();
  }
  /// workspace_of, at compile time if the shape is constant.
  template <class Set, class In, class Out, class Given>
  [[gnu::always_inline]] static constexpr auto known_workspace_of(const Given& given) {
    return simd::evaluated(given, [](const Shape& s) {
      return Code::template workspace_of<Set>(s, dtype_of<In>, dtype_of<Out>);
    });
  }
};

template <>
struct kernel_code<descriptors::conv_transpose2d>
    : transposed_code<kernel_code<descriptors::conv_transpose2d>, conv_transpose2d_shape> {
  using shape = conv_transpose2d_shape;
  using convolution = kernel_code<descriptors::conv2d>;

  /// The convolution that has the same weight, in the order (O, kh, kw, I/g).
  static constexpr conv2d_shape with_weight_of(const shape& s) {
    return {.in_channels = s.in_channels,
            .out_channels = s.out_channels,
            .kernel_h = s.kernel_h,
            .kernel_w = s.kernel_w,
            .groups = s.groups};
  }

  static constexpr std::size_t channel_bytes(const shape& s) {
    return packing::vector_bytes(s.out_channels);
  }
  /// Where the packed weights of a phase begin.
  template <class Set>
  static constexpr std::size_t phase_at(const transposed_phases& p, int phase, dtype in) {
    std::size_t at = 2 * channel_bytes(p.shape);
    for (int i = 0; i < phase; ++i)
      if (const conv2d_shape c = p.convolution(i); has_taps(c))
        at += convolution::weight_bytes<Set>(c, in);
    return at;
  }

  template <class Set>
  static constexpr std::size_t weight_bytes(const shape& s, dtype in) {
    if constexpr (is_reference<Set>) return convolution::weight_bytes<Set>(with_weight_of(s), in);
    const transposed_phases p(s);
    return phase_at<Set>(p, p.count(), in);
  }
  template <class Set>
  static constexpr simd::conv_transpose2d_workspace workspace_of(const shape& s, dtype in,
                                                                 dtype out) {
    return simd::conv_transpose2d_workspace_of(
        transposed_phases(s), size_of(in), size_of(out),
        [in](const conv2d_shape& c) { return convolution::template workspace_bytes<Set>(c, in); });
  }
  template <class Set, class Text>
  static constexpr void append_blocking(Text& out, const kernel_signature& signature) {
    append_all(out, "phases:", transposed_phases(signature.as<shape>()).count());
  }

  /// The part of a weight (O, kh, kw, I/g) that a phase reads, in reverse order.
  template <class Weight>
  static std::vector<Weight> weight_of_phase(const transposed_phases& p, int phase,
                                             const Weight* weight) {
    const shape& s = p.shape;
    const transposed_phase y = p.row(phase);
    const transposed_phase x = p.column(phase);
    const auto inputs = static_cast<std::size_t>(s.in_channels / s.groups);
    std::vector<Weight> part;
    for (int o = 0; o < s.out_channels; ++o)
      for (int j = y.taps - 1; j >= 0; --j)
        for (int i = x.taps - 1; i >= 0; --i) {
          const int ky = y.first_tap + j * y.tap_step;
          const int kx = x.first_tap + i * x.tap_step;
          const auto tap = static_cast<std::size_t>((o * s.kernel_h + ky) * s.kernel_w + kx);
          part.insert(part.end(), weight + tap * inputs, weight + (tap + 1) * inputs);
        }
    return part;
  }

  /// The biases of outputs that read only a part of the weight: the zero point is folded in for
  /// this part only.
  ///   bias  (O) or null, with the zero point folded in for the whole weight
  template <class Weight, class Bias>
  static std::vector<Bias> bias_of_part(span<const Weight> weight, const Bias* bias,
                                        const std::vector<Weight>& part, int out_channels,
                                        std::int32_t in_zero_point) {
    const auto outputs = static_cast<std::size_t>(out_channels);
    std::vector<Bias> biases(outputs);
    if (bias != nullptr) biases.assign(bias, bias + outputs);
    if constexpr (!std::is_same_v<Weight, float>) {
      const std::size_t all = weight.size() / outputs;
      const std::size_t read = part.size() / outputs;
      for (std::size_t o = 0; o < outputs; ++o) {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < all; ++i) sum += weight[o * all + i];
        for (std::size_t i = 0; i < read; ++i) sum -= part[o * read + i];
        biases[o] = static_cast<Bias>(static_cast<std::uint32_t>(biases[o]) +
                                      static_cast<std::uint32_t>(in_zero_point * sum));
      }
    }
    return biases;
  }

  /// Packs what an output that reads no input needs: its bias and its multiplier.
  template <class Weight, class Bias>
  static void pack_channels(const shape& s, span<const Weight> weight, const Bias* bias,
                            const float* multiplier, std::int32_t in_zero_point,
                            std::byte* packed) {
    const auto bytes = static_cast<std::size_t>(s.out_channels) * 4;
    const std::vector<Bias> alone =
        bias_of_part<Weight>(weight, bias, {}, s.out_channels, in_zero_point);
    std::memcpy(packed, alone.data(), bytes);
    if (multiplier != nullptr) std::memcpy(packed + channel_bytes(s), multiplier, bytes);
  }

  /// weight (O, kh, kw, I/g) · bias (O) or null, with the zero point folded in for all taps ·
  /// multiplier (O), of floats null
  template <class Set, class In, class Weight, class Bias>
  static void pack(const shape& s, const Weight* weight, const Bias* bias, const float* multiplier,
                   std::int32_t in_zero_point, std::byte* packed) {
    if constexpr (is_reference<Set>) {
      convolution::pack<Set, In>(with_weight_of(s), weight, bias, multiplier, packed);
    } else {
      const transposed_phases p(s);
      std::memset(packed, 0, 2 * channel_bytes(s));
      if (s.out_channels == 0) return;
      const span<const Weight> whole(weight, reference_weights<Weight>::weights(with_weight_of(s)));
      pack_channels(s, whole, bias, multiplier, in_zero_point, packed);
      for (int phase = 0; phase < p.count(); ++phase) {
        const conv2d_shape c = p.convolution(phase);
        if (!has_taps(c)) continue;
        const std::vector<Weight> part = weight_of_phase(p, phase, weight);
        const std::vector<Bias> biases =
            bias_of_part(whole, bias, part, s.out_channels, in_zero_point);
        convolution::pack<Set, In>(c, part.data(), biases.data(), multiplier,
                                   packed + phase_at<Set>(p, phase, dtype_of<In>));
      }
    }
  }

  template <class Set, class In, class Out, class Shape>
  static void run(const Shape& given, call_options o, const operands& x) noexcept {
    const shape& s = simd::extents_of(given);
    if constexpr (is_reference<Set>) {
      run_reference<In, Out>(s, with_weight_of(s), o, x,
                             [](const auto&... a) { reference::conv_transpose2d(a...); });
    } else {
      run_apart<Set, In, Out>(given, o, x, std::ptrdiff_t{s.out_h()} * s.out_w() * s.out_channels);
    }
  }
  /// The same for images of outputs that are not adjacent. Set: not the reference
  ///   out_step  elements from one image of outputs to the next
  template <class Set, class In, class Out, class Shape>
  static void run_apart(const Shape& given, call_options o, const operands& x,
                        std::ptrdiff_t out_step) noexcept {
    const shape& s = simd::extents_of(given);
    const auto convolve = [&](auto phase, std::size_t at, const In* image, Out* out,
                              std::byte* workspace) {
      const auto c = simd::convolution_of_phase<typename Set::isa, In>(given, phase);
      constexpr bool known = simd::constant_shape<Shape>;
      // A convolution without a form has no taps, and is never called.
      if constexpr (!known || requires { c.form; })
        convolution::template run<Set, In, Out>(c, o,
                                                {.in = {image},
                                                 .out = out,
                                                 .packed = x.packed + 2 * channel_bytes(s) + at,
                                                 .workspace = workspace,
                                                 .data = x.data});
      return convolution::weight_bytes<Set>(static_cast<const conv2d_shape&>(c), dtype_of<In>);
    };
    simd::conv_transpose2d(given, x.input<In>(), border_of<In>(x), x.output<Out>(), out_step,
                           x.workspace, known_workspace_of<Set, In, Out>(given), convolve,
                           [&](Out* out) { bias_alone(s, o, x, out); });
  }

  /// Computes the outputs of a pixel that reads no input.
  template <class Out>
  static void bias_alone(const shape& s, call_options o, const operands& x, Out* out) noexcept {
    for (int channel = 0; channel < s.out_channels; ++channel) {
      if constexpr (std::is_same_v<Out, float>) {
        const float bias = reinterpret_cast<const float*>(x.packed)[channel];
        out[channel] = o.relu && bias < 0.0F ? 0.0F : bias;
      } else {
        const auto* const bias = reinterpret_cast<const std::int32_t*>(x.packed);
        const auto* const multiplier = reinterpret_cast<const float*>(x.packed + channel_bytes(s));
        out[channel] =
            static_cast<Out>(requantize(bias[channel], multiplier[channel], x.data->out_range));
      }
    }
  }
};

}  // namespace ctq::kernels
