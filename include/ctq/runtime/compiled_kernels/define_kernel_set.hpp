// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <type_traits>

#include "ctq/core/same_text.hpp"
#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/kernels/simd/convolution/conv2d_form.hpp"
#include "ctq/ops/op_table.hpp"
#include "ctq/runtime/bind_kernels.hpp"
#include "ctq/runtime/compiled_kernels/kernel_set.hpp"
#include "ctq/runtime/pack_parameters.hpp"

// The kernels of the headers as a kernel_set: what the library ctq-kernels is compiled from, once
// for each instruction set. Includes all kernels, and takes more than a minute to compile.

namespace ctq::compiled_kernels {

/// Whether an instruction set computes depthwise convolutions by columns.
template <class Kernels>
inline constexpr bool has_columns =
    kernels::simd::depthwise_dot<typename Kernels::isa>::k_group > 1;
template <>
inline constexpr bool has_columns<reference_kernels> = false;

/// Whether a layer is a depthwise convolution of 5x5 that is computed by columns, with at least as
/// many channels as a register holds.
template <class In, class Kernels>
[[nodiscard]] bool is_5x5_by_columns(const conv2d_shape& s) {
  namespace simd = kernels::simd;
  using isa = typename Kernels::isa;
  return s.kernel_h == 5 && simd::by_columns<simd::depthwise_dot<isa>>(s) &&
         simd::blocking_of<isa, In>(s).by == simd::method::depthwise;
}

/// Runs such a layer of any extents. The code that supports all kernel sizes takes two to three
/// times as long.
template <class In, class Kernels, int Stride, fused_op Fused>
void run_5x5_by_columns(const kernel_signature& signature, const operands& x) noexcept {
  namespace simd = kernels::simd;
  using dot = simd::depthwise_dot<typename Kernels::isa>;
  constexpr simd::conv2d_form form{.by = simd::method::depthwise,
                                   .by_columns = true,
                                   .kernel = 5,
                                   .stride = Stride,
                                   .wide = simd::column_blocks<dot>::has_wide,
                                   .narrow = true};
  call_kernel<kernels::descriptors::conv2d, In, In, Kernels, Fused>(
      simd::formed_shape<form>{signature.as<conv2d_shape>()}, {}, x);
}

/// The function that runs such a layer; null if an op other than a table is fused into it.
template <class In, class Kernels, int Stride>
[[nodiscard]] kernel_function function_of_5x5(fused_op then) {
  if (then == fused_op::nothing) return run_5x5_by_columns<In, Kernels, Stride, fused_op::nothing>;
  if (then == fused_op::table) return run_5x5_by_columns<In, Kernels, Stride, fused_op::table>;
  return nullptr;
}

template <class Descriptor, class In, class Out, class Kernels>
[[nodiscard]] kernel_function function_for_types(fused_op then) {
  constexpr bool fuses =
      (std::is_same_v<Descriptor, kernels::descriptors::conv2d> ||
       std::is_same_v<Descriptor, kernels::descriptors::linear>)&&kernels::quantized<Out>;
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
[[nodiscard]] kernel_function function_of(const kernel_signature& signature) {
  kernel_function found = nullptr;
  kernels::with_descriptor(signature.kernel, [&]<class Descriptor>(std::type_identity<Descriptor>) {
    binding::with_input_dtype(signature.in, [&](auto in) {
      binding::with_output_dtype(signature.out, [&](auto out) {
        if constexpr (std::is_same_v<Descriptor, kernels::descriptors::conv2d> && in == out &&
                      kernels::is_int8(in) && has_columns<Kernels>) {
          const auto s = signature.as<conv2d_shape>();
          if (is_5x5_by_columns<element_t<in>, Kernels>(s)) {
            found = s.stride_h == 1 ? function_of_5x5<element_t<in>, Kernels, 1>(signature.then)
                                    : function_of_5x5<element_t<in>, Kernels, 2>(signature.then);
            if (found != nullptr) return;
          }
        }
        if constexpr (Descriptor::facts.exists(in, out))
          found = function_for_types<Descriptor, element_t<in>, element_t<out>, Kernels>(
              signature.then);
      });
    });
  });
  return found;
}

template <class Kernels>
[[nodiscard]] op_id own_op(op_id op) {
  if (op == nullptr || !op->builtin) return op;
  for (const op_id known : naming::all_ops)
    if (known->kind == op->kind && same_text(known->name, op->name)) return known;
  return op;
}

template <class Kernels>
[[nodiscard]] kernel_set::blocking_text blocking_of(const kernel_signature& signature) {
  kernel_set::blocking_text text;
  append_blocking<Kernels>(text, signature);
  return text;
}

/// The kernels of simd_kernels<Isa>, or of reference_kernels.
template <class Kernels>
inline constexpr kernel_set set_of{.isa = Kernels::isa::name,
                                   .packing = packing_of<Kernels>,
                                   .workspace_bytes = workspace_bytes<Kernels>,
                                   .function_of = function_of<Kernels>,
                                   .own_op = own_op<Kernels>,
                                   .blocking = blocking_of<Kernels>};

}  // namespace ctq::compiled_kernels
