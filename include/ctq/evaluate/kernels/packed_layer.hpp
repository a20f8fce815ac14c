// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/kernel_descriptors.hpp"
#include "ctq/core/kernel_signature.hpp"
#include "ctq/core/packing.hpp"
#include "ctq/core/shapes/matrix_shapes.hpp"
#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/evaluate/quantized_tensor.hpp"
#include "ctq/runtime/aligned_buffer.hpp"
#include "ctq/runtime/compiled_kernels/kernel_set.hpp"
#include "ctq/runtime/output_arithmetic.hpp"
#include "ctq/runtime/packing/int4_values.hpp"
#include "ctq/runtime/packing/weight_order.hpp"

// The weights of a layer of run-time shape as a kernel reads them. Shape is conv2d_shape,
// conv3d_shape, conv_transpose2d_shape or conv_transpose3d_shape; the weight is (O, I/groups, …),
// or for a transposed convolution (I, O/groups, …).

namespace ctq {

struct packed_layer {
  aligned_buffer bytes{};
  bool exact = false;  // the weight is int8, and no sum leaves int32
};

namespace layer_packing {

template <class Shape>
inline constexpr bool is_transposed = requires(Shape s) {
  s.output_padding_h;
};

/// The kernel of layers with this type of shape.
[[nodiscard]] constexpr kernel_id kernel_of(const conv2d_shape&) { return kernel::conv2d; }
[[nodiscard]] constexpr kernel_id kernel_of(const conv3d_shape&) { return kernel::conv3d; }
[[nodiscard]] constexpr kernel_id kernel_of(const conv_transpose2d_shape&) {
  return kernel::conv_transpose2d;
}
[[nodiscard]] constexpr kernel_id kernel_of(const conv_transpose3d_shape&) {
  return kernel::conv_transpose3d;
}

/// Packs weights that are in the order of kernels.
[[nodiscard]] inline packed_layer packed_by(const kernel_packing& kernels,
                                            const kernel_signature& signature,
                                            const unpacked_layer& from) {
  packed_layer p{aligned_buffer(kernels.packed_bytes(signature)), true};
  kernels.pack(signature, from, p.bytes.data());
  return p;
}

/// The axis of a weight that may have a scale for each channel.
template <class Shape>
inline constexpr int channel_axis = is_transposed<Shape> ? 1 : 0;

/// A weight in the order in which kernels read it.
template <class Shape, class T>
[[nodiscard]] std::vector<T> ordered(const Shape& s, span<const T> weight) {
  if constexpr (is_transposed<Shape>) {
    int planes = 1;
    if constexpr (requires { s.kernel_d; }) planes = s.kernel_d;
    return packing::transposed_channels_last(weight, s.in_channels, s.out_channels, s.groups,
                                             planes);
  } else if constexpr (std::is_same_v<Shape, conv3d_shape>) {
    return packing::planes_before_channels(weight, s.out_channels, s.in_channels / s.groups,
                                           s.kernel_d);
  } else {
    return packing::channels_last(weight, s.out_channels, s.in_group());
  }
}

/// An int8 weight, with a scale for each output.
struct int8_weight {
  std::vector<std::int8_t> integers;
  std::vector<float> scale;
};

/// The weight as int8; nullopt if no kernel has this weight.
[[nodiscard]] inline std::optional<int8_weight> int8_of(const quantized_tensor& weight,
                                                        std::size_t outputs, int channel_axis) {
  const tensor_qparams& qparams = weight.qparams;
  const auto is_zero = [](std::int32_t zero_point) { return zero_point == 0; };
  const bool other_axis = qparams.is_per_channel() && qparams.axis != channel_axis;
  if (other_axis || qparams.group_size > 0 || qparams.scale.empty() ||
      !qparams.float_zero_point.empty() || !std::ranges::all_of(qparams.zero_point, is_zero))
    return {};
  int8_weight w;
  const bool all_fit = weight.read([&](const auto* q) {
    const span all(q, weight.size());
    w.integers.assign(all.begin(), all.end());
    return std::ranges::equal(all, w.integers);
  });
  if (!all_fit) return {};
  for (std::size_t o = 0; o < outputs; ++o)  // the groups of a transposed one share them
    w.scale.push_back(static_cast<float>(qparams.scale[o % qparams.scale.size()]));
  return w;
}

}  // namespace layer_packing

/// The signature of a layer that reads `in`, and whose output is quantized or is float32.
template <class Shape>
[[nodiscard]] constexpr kernel_signature layer_signature(const Shape& s, dtype in, dtype out) {
  return signature_of(layer_packing::kernel_of(s), in, out, s);
}

/// Packs a layer on floats.
///   bias  [O] or null
template <class Shape>
[[nodiscard]] packed_layer pack_float_layer(const kernel_packing& kernels, const Shape& s,
                                            span<const float> weight, const float* bias) {
  const std::vector<float> ordered = layer_packing::ordered(s, weight);
  return layer_packing::packed_by(kernels, layer_signature(s, f32, f32), {ordered.data(), bias});
}

/// Packs a layer on integers. Not exact if no kernel has this weight, or a sum could leave int32.
///   bias  [O], or empty
///   out   the qparams of the output; null: the accumulators become floats
template <class Shape>
[[nodiscard]] packed_layer pack_integer_layer(const kernel_packing& kernels, const Shape& s,
                                              const quantized_tensor& weight,
                                              std::vector<float> bias, const tensor_qparams& in,
                                              const qparams* out) {
  const auto outputs = static_cast<std::size_t>(s.out_channels);
  const auto found = layer_packing::int8_of(weight, outputs, layer_packing::channel_axis<Shape>);
  if (!found) return {};
  const std::vector<std::int8_t> integers =
      layer_packing::ordered(s, span<const std::int8_t>(found->integers));
  bias.resize(outputs);
  const qparams read = qparams_of(in);
  const dtype out_type = out == nullptr ? f32 : in.dtype;
  const auto a = output_arithmetic_of(bias, {integers, found->scale}, read, in.dtype,
                                      out == nullptr ? qparams{} : *out, out_type);
  if (!a) return {};
  const kernel_signature signature = layer_signature(s, in.dtype, out_type);
  packed_layer p = layer_packing::packed_by(
      kernels, signature,
      {a->weights(integers.data()), a->bias.data(), a->multiplier.data(), read.zero_point});
  if (out == nullptr) {
    const std::size_t bytes = outputs * sizeof(float);
    std::memcpy(p.bytes.data() + p.bytes.size() - packing::padded(bytes), a->multiplier.data(),
                bytes);
  }
  return p;
}

/// The signature of a linear layer whose input is quantized dynamically.
[[nodiscard]] constexpr kernel_signature dynamic_signature(const linear_shape& s) {
  const kernel_id k = s.group_size > 0 ? kernel::linear_dynamic_int4 : kernel::linear_dynamic;
  return signature_of(k, f32, f32, s);
}

/// Packs a linear layer whose input is quantized dynamically, with a weight of int8, or of 4 bits
/// with qparams per group. Not exact if no kernel has this weight.
[[nodiscard]] inline packed_layer pack_dynamic_layer(const kernel_packing& kernels,
                                                     const linear_shape& s,
                                                     const quantized_tensor& weight,
                                                     std::vector<float> bias) {
  const auto outputs = static_cast<std::size_t>(s.out_features);
  bias.resize(outputs);
  const auto packed = [&](const void* integers, const std::vector<float>& scale) {
    return layer_packing::packed_by(kernels, dynamic_signature(s),
                                    {integers, bias.data(), scale.data()});
  };
  if (s.group_size > 0) {
    if (!problem_with(weight.qparams, weight.shape()).empty()) return {};
    const auto* const first = weight.as<std::int8_t>();
    const std::vector<std::int8_t> integers(first, first + weight.size());
    return packed(packing::int4_values(integers, static_cast<std::size_t>(s.in_features)).data(),
                  {weight.qparams.scale.begin(), weight.qparams.scale.end()});
  }
  const auto w = layer_packing::int8_of(weight, outputs, 0);
  if (!w || !check_sums({w->integers, w->scale})) return {};
  return packed(w->integers.data(), w->scale);
}

}  // namespace ctq
