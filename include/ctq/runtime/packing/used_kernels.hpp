// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <boost/mp11/algorithm.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/dtype.hpp"
#include "ctq/core/kernel_descriptors.hpp"
#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/kernels/kernel_code.hpp"
#include "ctq/passes/schedule/step.hpp"
#include "ctq/runtime/recurrent/recurrent_products.hpp"

// The kernels of a schedule. The functions that pack weights, and those that describe how a kernel
// divides its work, read a signature at run time: with this set, only the code for kernels of the
// schedule is compiled.

namespace ctq {

/// A set of kernels, each with the element type of its input, and what is fused into them.
struct used_kernels {
  static_assert(kernels::kernel_count <= 64);

  std::uint64_t on_floats{}, on_quint8{}, on_others{};  // a bit for each kernel
  bool tables{}, clamps{};                              // whether one is fused into a kernel
  bool depthwise{};                                     // whether a convolution may be depthwise

  [[nodiscard]] constexpr bool has(kernel_id k, dtype in) const {
    return ((in == f32 ? on_floats : in == quint8 ? on_quint8 : on_others) & bit_of(k)) != 0;
  }
  [[nodiscard]] constexpr bool has(kernel_id k) const {
    return has(k, f32) || has(k, quint8) || has(k, qint8);
  }
  /// Whether one of them has the property, which is a member of kernel_facts.
  [[nodiscard]] constexpr bool any(bool kernels::kernel_facts::*property) const {
    for (std::size_t k = 0; k < kernels::kernel_count; ++k)
      if (has(static_cast<kernel_id>(k)) && kernels::facts[k].*property) return true;
    return false;
  }
  constexpr void add(kernel_id k, dtype in) {
    (in == f32 ? on_floats : in == quint8 ? on_quint8 : on_others) |= bit_of(k);
  }

  friend constexpr bool operator==(const used_kernels&, const used_kernels&) = default;

 private:
  static constexpr std::uint64_t bit_of(kernel_id k) {
    return std::uint64_t{1} << static_cast<int>(k);
  }
};

inline constexpr used_kernels all_kernels{
    ~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}, true, true, true};

/// False only if the layer certainly is not a depthwise convolution.
[[nodiscard]] constexpr bool may_be_depthwise(const kernel_signature& signature) {
  if (signature.kernel == kernel::conv2d) return signature.as<conv2d_shape>().depthwise();
  return signature.kernel == kernel::conv3d || signature.kernel == kernel::conv_transpose2d ||
         signature.kernel == kernel::conv_transpose3d;
}

/// The kernels of these steps, including those of the products of recurrent layers.
[[nodiscard]] constexpr used_kernels used_kernels_of(span<const step> steps) {
  used_kernels used;
  for (const step& s : steps) {
    used.add(s.signature.kernel, s.signature.in);
    used.tables |= s.signature.then == fused_op::table;
    used.clamps |= s.clamp_node >= 0;
    used.depthwise |= may_be_depthwise(s.signature);
    if (!kernels::facts_of(s.signature.kernel).has_cells) continue;
    const kernel_signature product = recurrent_product_signature(s.signature.kernel, {});
    used.add(product.kernel, product.in);
  }
  return used;
}

/// The set of kernels whose functions pack the weights of layers in Used and describe their
/// blocking.
template <class Kernels, used_kernels Used>
using packing_kernels = std::conditional_t<Used.depthwise || kernels::is_reference<Kernels>,
                                           Kernels, kernels::without_depthwise<Kernels>>;

/// Calls f(type_identity<Descriptor>) of a kernel of the set that is known at run time.
///   Result  what f returns; Result{} for a kernel that is not in the set
template <used_kernels Used, class Result, class F>
constexpr Result with_used(kernel_id k, F f) {
  return boost::mp11::mp_with_index<kernels::kernel_count>(
      static_cast<std::size_t>(k), [&](auto index) -> Result {
        if constexpr (Used.has(static_cast<kernel_id>(index.value)))
          return f(
              std::type_identity<kernels::descriptor_of<static_cast<kernel_id>(index.value)>>{});
        else
          return Result();
      });
}

}  // namespace ctq
