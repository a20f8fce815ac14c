// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ctq/core/packing.hpp"
#include "ctq/core/shapes/matrix_shapes.hpp"
#include "ctq/kernels/int4_weights.hpp"
#include "ctq/kernels/kernel_code.hpp"
#include "ctq/kernels/reference/linear_weight_int4.hpp"
#include "ctq/kernels/reference/quantize_rows.hpp"
#include "ctq/kernels/simd/elementwise/quantize_rows.hpp"
#include "ctq/kernels/simd/matrix/linear_weight_int4.hpp"

namespace ctq::kernels {

/// Fully connected layer with float32 input and output that computes on integers: each row of the
/// input is quantized with the scale of its largest magnitude (quantize_rows), the weights have 4
/// bits and a scale per group (linear_weight_int4).
///
/// Shapes    in [M,K] · weight [N,K] · scale [N,G] · bias [N] · out [M,N]
/// Packed    as simd::pack_linear_weight_int4, the biases; of the reference the weights, the scales
///           and the biases as they are; each padded to 64 bytes
/// Workspace the integers of in [M,K] | their scales [M] | that of simd::linear_weight_int4
/// Rounding  in quantize_rows; then as linear_weight_int4
/// Source    torchao Int8DynamicActivationInt4WeightConfig with act_mapping_type SYMMETRIC, whose
///           scales of rows are at least 1e-5; here 2^-23
template <>
struct kernel_code<descriptors::linear_dynamic_int4> : plain_code {
  template <class Set>
  static constexpr std::size_t packed_bytes(const kernel_signature& signature) {
    const auto s = signature.as<linear_shape>();
    return weight_bytes<Set>(s) + packing::vector_bytes(s.out_features);
  }
  template <class Set>
  static constexpr std::size_t workspace_bytes(const kernel_signature& signature) {
    const auto s = signature.as<linear_shape>();
    const std::size_t quantized = input_bytes(s) + packing::vector_bytes(s.rows);
    if constexpr (is_reference<Set>) {
      return quantized;
    } else {
      return quantized +
             simd::linear_weight_int4_workspace_bytes<typename Set::isa>(s, s.group_size);
    }
  }

  ///   weight  [N, ceil(K/2)], as int4_weights::values
  ///   scale   [N,G]
  ///   bias    [N]
  template <class Set>
  static void pack(const linear_shape& s, const std::uint8_t* weight, const float* scale,
                   const float* bias, std::byte* packed) {
    if constexpr (is_reference<Set>) {
      std::copy_n(weight, value_count(s), reinterpret_cast<std::uint8_t*>(packed));
      std::copy_n(scale, scale_count(s),
                  reinterpret_cast<float*>(packed + packing::padded(value_count(s))));
    } else {
      simd::pack_linear_weight_int4<typename Set::isa>(s, {s.group_size, weight, scale, nullptr},
                                                       packed);
    }
    std::copy_n(bias, s.out_features, reinterpret_cast<float*>(packed + weight_bytes<Set>(s)));
  }

  template <class Set, class In, class Out>
  static void run(const linear_shape& s, call_options options, const operands& x) noexcept {
    auto* const q = reinterpret_cast<std::int8_t*>(x.workspace);
    auto* const q_scale = reinterpret_cast<float*>(x.workspace + input_bytes(s));
    const auto* const bias = reinterpret_cast<const float*>(x.packed + weight_bytes<Set>(s));
    auto* const out = x.output<float>();
    if constexpr (is_reference<Set>) {
      const int4_weights weight{
          s.group_size, reinterpret_cast<const std::uint8_t*>(x.packed),
          reinterpret_cast<const float*>(x.packed + packing::padded(value_count(s))), nullptr};
      reference::quantize_rows({s.rows, s.in_features}, x.input<float>(), q, q_scale);
      reference::linear_weight_int4(s, q, q_scale, weight, bias, out);
    } else {
      using isa = typename Set::isa;
      simd::quantize_rows<isa>({s.rows, s.in_features}, x.input<float>(), q, q_scale);
      simd::linear_weight_int4<isa>(s, s.group_size, q, q_scale, x.packed, bias, out,
                                    x.workspace + input_bytes(s) + packing::vector_bytes(s.rows));
    }
    if (!options.relu) return;
    const std::ptrdiff_t count = std::ptrdiff_t{s.rows} * s.out_features;
    for (std::ptrdiff_t i = 0; i < count; ++i) out[i] = out[i] < 0.0F ? 0.0F : out[i];
  }

 private:
  static constexpr std::size_t value_count(const linear_shape& s) {
    return static_cast<std::size_t>(s.out_features) *
           static_cast<std::size_t>((s.in_features + 1) / 2);
  }
  static constexpr std::size_t scale_count(const linear_shape& s) {
    return static_cast<std::size_t>(s.out_features) *
           static_cast<std::size_t>(int4_weights{.group_size = s.group_size}.groups(s.in_features));
  }
  static constexpr std::size_t input_bytes(const linear_shape& s) {
    return packing::padded(static_cast<std::size_t>(s.rows) *
                           static_cast<std::size_t>(s.in_features));
  }
  template <class Set>
  static constexpr std::size_t weight_bytes(const linear_shape& s) {
    if constexpr (is_reference<Set>) {
      return packing::padded(value_count(s)) + packing::padded(scale_count(s) * sizeof(float));
    } else {
      return simd::linear_weight_int4_packed_bytes<typename Set::isa>(s, s.group_size);
    }
  }
};

}  // namespace ctq::kernels
