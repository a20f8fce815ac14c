// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <boost/mp11/algorithm.hpp>
#include <boost/mp11/list.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "ctq/core/packing.hpp"
#include "ctq/core/shapes/matrix_shapes.hpp"
#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/evaluate/quantized_tensor.hpp"
#include "ctq/kernels/code/conv3d_layers.hpp"
#include "ctq/kernels/code/conv_transpose2d_layers.hpp"
#include "ctq/kernels/code/conv_transpose3d_layers.hpp"
#include "ctq/kernels/code/int4_layers.hpp"
#include "ctq/kernels/code/layers.hpp"
#include "ctq/runtime/aligned_buffer.hpp"
#include "ctq/runtime/dynamic_linear.hpp"
#include "ctq/runtime/output_arithmetic.hpp"
#include "ctq/runtime/packing/int4_values.hpp"
#include "ctq/runtime/packing/pack_steps.hpp"

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

template <class Shape>
struct has_sizes {
  template <class Descriptor>
  using fn = std::is_same<typename Descriptor::shape, Shape>;
};
/// The code of the only kernel that has these sizes.
template <class Shape>
using code_of = kernels::kernel_code<
    boost::mp11::mp_front<boost::mp11::mp_copy_if_q<kernels::descriptors::list, has_sizes<Shape>>>>;

/// The axis of a weight that may have a scale for each channel.
template <class Shape>
inline constexpr int channel_axis = is_transposed<Shape> ? 1 : 0;

/// Packs weights that are in the order of kernels.
///   bias, multiplier  as the kernel's pack reads them
///   in_zero_point     folded into the bias
template <class Kernels, class In, class Shape, class Weight, class Bias>
[[nodiscard]] packed_layer pack_ordered(const Shape& s, const std::vector<Weight>& weight,
                                        const Bias* bias, const float* multiplier,
                                        [[maybe_unused]] std::int32_t in_zero_point) {
  using code = code_of<Shape>;
  packed_layer p{aligned_buffer(code::template weight_bytes<Kernels>(s, dtype_of<In>)), true};
  if constexpr (is_transposed<Shape>) {
    code::template pack<Kernels, In>(s, weight.data(), bias, multiplier, in_zero_point,
                                     p.bytes.data());
  } else {
    code::template pack<Kernels, In>(s, weight.data(), bias, multiplier, p.bytes.data());
  }
  return p;
}

/// A weight in the order in which kernels read it.
template <class Shape, class T>
[[nodiscard]] std::vector<T> ordered(const Shape& s, std::span<const T> weight) {
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
  const auto is_int8 = [](std::int32_t q) { return q >= INT8_MIN && q <= INT8_MAX; };
  const auto is_zero = [](std::int32_t zero_point) { return zero_point == 0; };
  const bool other_axis = qparams.is_per_channel() && qparams.axis != channel_axis;
  if (other_axis || qparams.group_size > 0 || qparams.scale.empty() ||
      !qparams.float_zero_point.empty() || !std::ranges::all_of(qparams.zero_point, is_zero) ||
      !std::ranges::all_of(weight.q.data, is_int8))
    return {};
  int8_weight w{{weight.q.data.begin(), weight.q.data.end()}, {}};
  for (std::size_t o = 0; o < outputs; ++o)  // the groups of a transposed one share them
    w.scale.push_back(static_cast<float>(qparams.scale[o % qparams.scale.size()]));
  return w;
}

}  // namespace layer_packing

/// Packs a layer on floats.
///   bias  [O] or null
template <class Kernels, class Shape>
[[nodiscard]] packed_layer pack_float_layer(const Shape& s, std::span<const float> weight,
                                            const float* bias) {
  return layer_packing::pack_ordered<Kernels, float>(s, layer_packing::ordered(s, weight), bias,
                                                     nullptr, 0);
}

/// Packs a layer that reads In. Not exact if no kernel has this weight, or a sum could leave int32.
///   bias        [O], or empty
///   multiplier  [O], receives the packed multipliers; null: not wanted
template <class Kernels, class In, class Shape>
[[nodiscard]] packed_layer pack_integer_layer(const Shape& s, const quantized_tensor& weight,
                                              std::vector<float> bias, const qparams& in,
                                              const qparams& out,
                                              std::vector<float>* multiplier = nullptr) {
  const auto outputs = static_cast<std::size_t>(s.out_channels);
  const auto found = layer_packing::int8_of(weight, outputs, layer_packing::channel_axis<Shape>);
  if (!found) return {};
  const std::vector<float>& scale = found->scale;
  const std::vector<std::int8_t> integers =
      layer_packing::ordered(s, std::span<const std::int8_t>(found->integers));
  bias.resize(outputs);
  const auto a = output_arithmetic_of(bias, {integers, scale}, in, dtype_of<In>, out);
  if (!a) return {};
  if (multiplier != nullptr) *multiplier = a->multiplier;
  return layer_packing::pack_ordered<Kernels, In>(s, integers, a->bias.data(), a->multiplier.data(),
                                                  in.zero_point);
}

/// Packs a layer whose accumulators become floats.
template <class Kernels, class In>
[[nodiscard]] packed_layer pack_layer_in_float(const conv2d_shape& s,
                                               const quantized_tensor& weight,
                                               std::vector<float> bias, const qparams& in) {
  std::vector<float> multiplier;
  packed_layer p = pack_integer_layer<Kernels, In>(s, weight, std::move(bias), in, {}, &multiplier);
  if (!p.exact) return p;
  aligned_buffer bytes(p.bytes.size() + packing::padded(multiplier.size() * sizeof(float)));
  std::memcpy(bytes.data(), p.bytes.data(), p.bytes.size());
  std::memcpy(bytes.data() + p.bytes.size(), multiplier.data(), multiplier.size() * sizeof(float));
  return {std::move(bytes), true};
}

/// Packs a linear layer whose input is quantized dynamically and whose weight per group. Not exact
/// if no kernel has this weight.
template <class Kernels>
[[nodiscard]] packed_layer pack_dynamic_int4_layer(const linear_shape& s,
                                                   const quantized_tensor& weight,
                                                   std::vector<float> bias) {
  if (!problem_with(weight.qparams, weight.q.shape).empty()) return {};
  using code = kernels::kernel_code<kernels::descriptors::linear_dynamic_int4>;
  const std::vector<std::int8_t> integers(weight.q.data.begin(), weight.q.data.end());
  const std::vector<std::uint8_t> values =
      packing::int4_values(integers, static_cast<std::size_t>(s.in_features));
  const std::vector<float> scale(weight.qparams.scale.begin(), weight.qparams.scale.end());
  bias.resize(static_cast<std::size_t>(s.out_features));
  const kernel_signature signature = signature_of(kernel::linear_dynamic_int4, f32, f32, s);
  packed_layer p{aligned_buffer(code::template packed_bytes<Kernels>(signature)), true};
  code::template pack<Kernels>(s, values.data(), scale.data(), bias.data(), p.bytes.data());
  return p;
}

/// Packs a linear layer whose input is quantized dynamically.
template <class Kernels>
[[nodiscard]] packed_layer pack_dynamic_layer(const linear_shape& s, const quantized_tensor& weight,
                                              std::vector<float> bias) {
  if (s.group_size > 0) return pack_dynamic_int4_layer<Kernels>(s, weight, std::move(bias));
  using code = kernels::kernel_code<kernels::descriptors::linear_dynamic>;
  const auto outputs = static_cast<std::size_t>(s.out_features);
  const auto w = layer_packing::int8_of(weight, outputs, 0);
  if (!w || !check_sums({w->integers, w->scale})) return {};
  bias.resize(outputs);
  const kernel_signature signature = signature_of(kernel::linear_dynamic, f32, f32, s);
  packed_layer p{aligned_buffer(code::template packed_bytes<Kernels>(signature)), true};
  code::template pack<Kernels>(s, w->integers.data(), w->scale.data(), bias.data(), p.bytes.data());
  return p;
}

}  // namespace ctq
