// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/result.hpp"
#include "ctq/core/shapes/matrix_shapes.hpp"
#include "ctq/graph/node.hpp"
#include "ctq/passes/schedule/step.hpp"
#include "ctq/runtime/bind_kernels.hpp"
#include "ctq/runtime/packing/pack_steps.hpp"
#include "ctq/runtime/packing/used_kernels.hpp"

// pack_steps with the kernels of the headers.

namespace ctq {

/// Packs the weights of a layer.
/// Requires  Used has its kernel
template <class Kernels, used_kernels Used = all_kernels>
[[gnu::cold]] void pack_layer(const kernel_signature& signature, const unpacked_layer& from,
                              std::byte* packed) {
  const auto* const integers = static_cast<const std::int8_t*>(from.weight);
  const auto* const reals = static_cast<const float*>(from.bias);
  // For layers whose weights are integers and whose bias is float.
  const auto pack_scaled = [&]<kernel_id Id>(std::integral_constant<kernel_id, Id>,
                                             const auto* weight) {
    if constexpr (Used.has(Id, f32))
      kernels::kernel_code<kernels::descriptor_of<Id>>::template pack<Kernels>(
          signature.as<linear_shape>(), weight, from.multiplier, reals, packed);
  };
  const auto pack = [&]<kernel_id Id>(std::integral_constant<kernel_id, Id>, auto... zero_point) {
    if constexpr (Used.has(Id)) {
      using descriptor = kernels::descriptor_of<Id>;
      using code = kernels::kernel_code<descriptor>;
      using set = packing_kernels<Kernels, Used>;
      const auto sizes = signature.as<typename descriptor::shape>();
      binding::with_dtype(signature.in, [&](auto in) {
        if constexpr (!Used.has(Id, in)) {
          return;
        } else if constexpr (in == f32) {
          code::template pack<set, float>(sizes, static_cast<const float*>(from.weight), reals,
                                          nullptr, zero_point..., packed);
        } else {
          code::template pack<set, element_t<in>>(sizes, integers,
                                                  static_cast<const std::int32_t*>(from.bias),
                                                  from.multiplier, zero_point..., packed);
        }
      });
    }
  };
  switch (signature.kernel) {
    case kernel::linear_dynamic:
      return pack_scaled(std::integral_constant<kernel_id, kernel::linear_dynamic>{}, integers);
    case kernel::linear_dynamic_int4:
      return pack_scaled(std::integral_constant<kernel_id, kernel::linear_dynamic_int4>{},
                         static_cast<const std::uint8_t*>(from.weight));
    case kernel::linear_weight_int8:
      return pack_scaled(std::integral_constant<kernel_id, kernel::linear_weight_int8>{}, integers);
    case kernel::conv_transpose2d:
      return pack(std::integral_constant<kernel_id, kernel::conv_transpose2d>{},
                  from.in_zero_point);
    case kernel::conv_transpose3d:
      return pack(std::integral_constant<kernel_id, kernel::conv_transpose3d>{},
                  from.in_zero_point);
    case kernel::conv3d: return pack(std::integral_constant<kernel_id, kernel::conv3d>{});
    case kernel::conv2d: return pack(std::integral_constant<kernel_id, kernel::conv2d>{});
    default: return pack(std::integral_constant<kernel_id, kernel::linear>{});
  }
}

template <class Kernels, used_kernels Used = all_kernels>
inline constexpr kernel_packing packing_of{packed_bytes<Kernels, Used>, pack_layer<Kernels, Used>};

/// As pack_steps.
///   Used  at least the kernels of the steps
template <class Kernels, used_kernels Used = all_kernels>
[[nodiscard, gnu::cold]] result<parameters> pack_parameters(span<const step> steps,
                                                            const graph_nodes& graph,
                                                            const state_dict& state,
                                                            span<const qparams> qparams) {
  return pack_steps<Used>(packing_of<Kernels, Used>, steps, graph, state, qparams);
}

}  // namespace ctq
