// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ctq/core/packing.hpp"
#include "ctq/core/shapes/matrix_shapes.hpp"
#include "ctq/kernels/kernel_code.hpp"
#include "ctq/kernels/reference/linear_weight_int8.hpp"
#include "ctq/kernels/simd/matrix/linear_weight_int8.hpp"

namespace ctq::kernels {

/// Packed    as simd::pack_linear_weight_int8; of the reference the weights as they are, the
///           scales, the biases, each padded to 64 bytes
template <>
struct kernel_code<descriptors::linear_weight_int8> : plain_code {
  template <class Set>
  static constexpr std::size_t packed_bytes(const kernel_signature& signature) {
    const auto s = signature.as<linear_shape>();
    if constexpr (is_reference<Set>) {
      return weight_bytes(s) + 2 * packing::vector_bytes(s.out_features);
    } else {
      return simd::linear_weight_int8_packed_bytes<typename Set::isa>(s);
    }
  }

  /// weight [N,K] · scale, bias [N]
  template <class Set>
  static void pack(const linear_shape& s, const std::int8_t* weight, const float* scale,
                   const float* bias, std::byte* packed) {
    if constexpr (is_reference<Set>) {
      const auto outputs = static_cast<std::size_t>(s.out_features);
      std::memcpy(packed, weight, outputs * static_cast<std::size_t>(s.in_features));
      std::memcpy(packed + weight_bytes(s), scale, outputs * sizeof(float));
      std::memcpy(packed + weight_bytes(s) + packing::vector_bytes(s.out_features), bias,
                  outputs * sizeof(float));
    } else {
      simd::pack_linear_weight_int8<typename Set::isa>(s, weight, scale, bias, packed);
    }
  }

  template <class Set, class In, class Out>
  static void run(const linear_shape& s, call_options, const operands& x) noexcept {
    if constexpr (is_reference<Set>) {
      const std::byte* const scale = x.packed + weight_bytes(s);
      reference::linear_weight_int8(
          s, x.input<float>(), reinterpret_cast<const std::int8_t*>(x.packed),
          reinterpret_cast<const float*>(scale),
          reinterpret_cast<const float*>(scale + packing::vector_bytes(s.out_features)),
          x.output<float>());
    } else {
      simd::linear_weight_int8<typename Set::isa>(s, x.input<float>(), x.packed, x.output<float>());
    }
  }

 private:
  static constexpr std::size_t weight_bytes(const linear_shape& s) {
    return packing::padded(static_cast<std::size_t>(s.out_features) *
                           static_cast<std::size_t>(s.in_features));
  }
};

}  // namespace ctq::kernels
