// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ctq/core/result.hpp"
#include "ctq/graph/node.hpp"
#include "ctq/passes/schedule/step.hpp"
#include "ctq/runtime/bind_kernels.hpp"
#include "ctq/runtime/packing/pack_steps.hpp"

// pack_steps with the kernels of the headers.

namespace ctq {

/// Packs the weights of a layer.
template <class Kernels>
[[gnu::cold]] void pack_layer(const kernel_signature& key, const unpacked_layer& from,
                              std::byte* packed) {
  const auto* const integers = static_cast<const std::int8_t*>(from.weight);
  if (key.kernel == kernel::linear_dynamic)
    return kernels::kernel_code<kernels::descriptors::linear_dynamic>::template pack<Kernels>(
        key.as<linear_shape>(), integers, from.multiplier, static_cast<const float*>(from.bias),
        packed);
  if (key.kernel == kernel::linear_weight_int8)
    return kernels::kernel_code<kernels::descriptors::linear_weight_int8>::template pack<Kernels>(
        key.as<linear_shape>(), integers, from.multiplier, static_cast<const float*>(from.bias),
        packed);
  const auto pack = [&](auto code, const auto& sizes, auto... zero_point) {
    binding::with_dtype(key.in, [&](auto in) {
      if constexpr (in == f32) {
        code.template pack<Kernels, float>(sizes, static_cast<const float*>(from.weight),
                                           static_cast<const float*>(from.bias), nullptr,
                                           zero_point..., packed);
      } else {
        code.template pack<Kernels, element_t<in>>(sizes, integers,
                                                   static_cast<const std::int32_t*>(from.bias),
                                                   from.multiplier, zero_point..., packed);
      }
    });
  };
  if (key.kernel == kernel::conv_transpose2d) {
    pack(kernels::kernel_code<kernels::descriptors::conv_transpose2d>{},
         key.as<conv_transpose2d_shape>(), from.in_zero_point);
  } else if (key.kernel == kernel::conv3d) {
    pack(kernels::kernel_code<kernels::descriptors::conv3d>{}, key.as<conv3d_shape>());
  } else if (key.kernel == kernel::conv2d) {
    pack(kernels::kernel_code<kernels::descriptors::conv2d>{}, key.as<conv2d_shape>());
  } else {
    pack(kernels::kernel_code<kernels::descriptors::linear>{}, key.as<linear_shape>());
  }
}

template <class Kernels>
inline constexpr kernel_packing packing_of{packed_bytes<Kernels>, pack_layer<Kernels>};

/// As pack_steps.
template <class Kernels>
[[nodiscard, gnu::cold]] result<parameters> pack_parameters(std::span<const step> steps,
                                                            std::span<const node> nodes,
                                                            const state_dict& state,
                                                            std::span<const qparams> qparams) {
  return pack_steps(packing_of<Kernels>, steps, nodes, state, qparams);
}

}  // namespace ctq
