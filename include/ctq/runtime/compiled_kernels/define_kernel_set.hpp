// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <type_traits>

#include "ctq/runtime/bind_kernels.hpp"
#include "ctq/runtime/compiled_kernels/kernel_set.hpp"
#include "ctq/runtime/pack_parameters.hpp"

// The kernels of the headers as a kernel_set: what the library ctq-kernels is compiled from, once
// for each instruction set. Includes all kernels, and takes a compiler most of a minute.

namespace ctq::compiled_kernels {

template <class Descriptor, class In, class Out, class Kernels>
[[nodiscard]] kernel_function function_for_types(fused_op then) {
  constexpr bool fuses =
      (std::is_same_v<Descriptor, kernels::descriptors::conv2d> ||
       std::is_same_v<Descriptor, kernels::descriptors::linear>)&&!std::is_same_v<In, float>;
  if constexpr (fuses) {
    switch (then) {
      case fused_op::add: return run_for_types<Descriptor, In, Out, Kernels, fused_op::add>;
      case fused_op::add_relu:
        return run_for_types<Descriptor, In, Out, Kernels, fused_op::add_relu>;
      case fused_op::table: return run_for_types<Descriptor, In, Out, Kernels, fused_op::table>;
      case fused_op::nothing: break;
    }
  }
  if (then != fused_op::nothing) return nullptr;
  return run_for_types<Descriptor, In, Out, Kernels>;
}

template <class Kernels>
[[nodiscard]] kernel_function function_of(const kernel_signature& key) {
  kernel_function found = nullptr;
  kernels::with_descriptor(key.kernel, [&]<class Descriptor>(std::type_identity<Descriptor>) {
    binding::with_dtype(key.in, [&](auto in) {
      binding::with_dtype(key.out, [&](auto out) {
        if constexpr (Descriptor::facts.exists(in, out))
          found = function_for_types<Descriptor, element_t<in>, element_t<out>, Kernels>(key.then);
      });
    });
  });
  return found;
}

template <class Kernels>
[[nodiscard]] kernel_set::blocking_text blocking_of(const kernel_signature& key) {
  kernel_set::blocking_text text;
  append_blocking<Kernels>(text, key);
  return text;
}

/// The kernels of simd_kernels<Isa>, or of reference_kernels.
template <class Kernels>
inline constexpr kernel_set set_of{.isa = Kernels::isa::name,
                                   .packing = packing_of<Kernels>,
                                   .workspace_bytes = workspace_bytes<Kernels>,
                                   .function_of = function_of<Kernels>,
                                   .blocking = blocking_of<Kernels>};

}  // namespace ctq::compiled_kernels
