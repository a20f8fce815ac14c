// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <boost/mp11/algorithm.hpp>
#include <cstddef>
#include <type_traits>

#include "ctq/core/report.hpp"
#include "ctq/core/text.hpp"
#include "ctq/kernels/code/called_ops.hpp"
#include "ctq/kernels/code/conv3d_layers.hpp"
#include "ctq/kernels/code/conv_transpose2d_layers.hpp"
#include "ctq/kernels/code/conv_transpose3d_layers.hpp"
#include "ctq/kernels/code/int4_layers.hpp"
#include "ctq/kernels/code/layers.hpp"
#include "ctq/kernels/code/plain_kernels.hpp"
#include "ctq/kernels/code/weight_only_layers.hpp"
#include "ctq/ops/op.hpp"
#include "ctq/passes/schedule/step.hpp"
#include "ctq/runtime/dynamic_linear.hpp"
#include "ctq/runtime/packing/used_kernels.hpp"
#include "ctq/runtime/recurrent/lstm_code.hpp"
#include "ctq/runtime/recurrent/recurrent_code.hpp"

// From a signature to the code of its kernel: at compile time, with the signature as a template
// argument, or by looking it up at run time. A constant signature without a kernel does not
// compile.

namespace ctq {

/// The compile error for a signature without a kernel.
template <kernel_signature Signature, class Kernels>
struct kernel_check {
  static constexpr bool bad() { return !kernels::exists(Signature); }
  static constexpr auto message() {
    static_text<560> text;
    append_all(text, "no kernel has this signature:\n");
    kernels::append_signature(text, Signature.kernel, Signature.in, Signature.out);
    append_all(text, "\ninstruction set: ", Kernels::isa::name,
               "\nelement types of this kernel:\n");
    kernels::append_types(text, Signature.kernel);
    return text.append(
        "\nquantize or dequantize before, or\nadd it to core/kernel_descriptors.hpp");
  }
};

/// The functions of the op that a kernel calls, or null.
[[nodiscard]] constexpr const op_functions* called_functions(const kernel_signature& signature) {
  return signature.called_op == nullptr ? nullptr : &signature.called_op->descriptor->functions;
}

/// Calls a kernel.
///   shape  a record, or an integral_constant of one
template <class Descriptor, class In, class Out, class Kernels, fused_op Fused, class Shape>
[[gnu::always_inline]] inline void call_kernel(const Shape& shape, kernels::call_options options,
                                               const operands& x) noexcept {
  using code = kernels::kernel_code<Descriptor>;
  if constexpr (Fused != fused_op::nothing) {
    code::template run<Kernels, In, Out, Fused>(shape, options, x);
  } else {
    code::template run<Kernels, In, Out>(shape, options, x);
  }
}

/// A kernel with run-time extents, one function for each pair of element types and fused op.
template <class Descriptor, class In, class Out, class Kernels, fused_op Fused = fused_op::nothing>
[[gnu::noinline]] void run_for_types(const kernel_signature& signature,
                                     const operands& x) noexcept {
  call_kernel<Descriptor, In, Out, Kernels, Fused>(
      signature.template as<typename Descriptor::shape>(),
      {signature.relu, called_functions(signature)}, x);
}

/// The same for a constant signature: one function for all steps whose element types, fused op and
/// type of shape are equal.
template <class Descriptor, class In, class Out, class Kernels, fused_op Fused, class Shape>
[[gnu::noinline]] void run_shared(const Shape& shape, kernels::call_options options,
                                  const operands& x) noexcept {
  call_kernel<Descriptor, In, Out, Kernels, Fused>(shape, options, x);
}

/// The run-time extents of a signature, with what its kernel must know at compile time.
template <kernel_signature Signature, class Kernels>
[[nodiscard]] constexpr auto shared_shape_of() {
  using descriptor = kernels::descriptor_of<Signature.kernel>;
  using code = kernels::kernel_code<descriptor>;
  if constexpr (requires { code::template shared_shape<Kernels, Signature>(); }) {
    return code::template shared_shape<Kernels, Signature>();
  } else {
    return Signature.template as<typename descriptor::shape>();
  }
}

/// The code of one signature; all steps that have it share the code.
template <kernel_signature Signature, class Kernels,
          kernel_code_kind For = kernel_code_kind::specialized>
[[gnu::noinline]] void run_kernel(const operands& x) noexcept {
  using descriptor = kernels::descriptor_of<Signature.kernel>;
  if constexpr (kernel_check<Signature, Kernels>::bad()) {
    static_cast<void>(report<kernel_check<Signature, Kernels>>{});
  } else if constexpr (For == kernel_code_kind::shared) {
    static constexpr auto shape = shared_shape_of<Signature, Kernels>();
    run_shared<descriptor, element_t<Signature.in>, element_t<Signature.out>, Kernels,
               Signature.then>(shape, {Signature.relu, called_functions(Signature)}, x);
  } else {
    constexpr auto shape = Signature.template as<typename descriptor::shape>();
    constexpr std::integral_constant<typename descriptor::shape, shape> constant;
    constexpr kernels::call_options options{Signature.relu, called_functions(Signature)};
    call_kernel<descriptor, element_t<Signature.in>, element_t<Signature.out>, Kernels,
                Signature.then>(constant, options, x);
  }
}

namespace binding {

inline constexpr dtype dtypes[] = {f32, quint8, qint8};

constexpr std::size_t index_of(dtype d) { return d == f32 ? 0 : d == quint8 ? 1 : 2; }

/// Calls f(integral_constant<dtype>).
template <class F>
void with_dtype(dtype d, F f) {
  boost::mp11::mp_with_index<3>(index_of(d),
                                [&](auto i) { f(std::integral_constant<dtype, dtypes[i]>{}); });
}

/// The same, also for i64 and i32, which inputs may have.
template <class F>
void with_input_dtype(dtype d, F f) {
  if (d == i64) return f(std::integral_constant<dtype, i64>{});
  if (d == i32) return f(std::integral_constant<dtype, i32>{});
  with_dtype(d, f);
}

/// The same, also for i64, which outputs may have.
template <class F>
void with_output_dtype(dtype d, F f) {
  if (d == i64) return f(std::integral_constant<dtype, i64>{});
  with_dtype(d, f);
}

}  // namespace binding

/// Runs a kernel whose signature is known only at run time: any shape, any kernel that exists.
/// Requires  nothing is fused into a layer
template <class Kernels>
void run_kernel(const kernel_signature& signature, const operands& x) noexcept {
  kernels::with_descriptor(signature.kernel, [&]<class Descriptor>(std::type_identity<Descriptor>) {
    binding::with_input_dtype(signature.in, [&](auto in) {
      binding::with_output_dtype(signature.out, [&](auto out) {
        if constexpr (Descriptor::facts.exists(in, out))
          run_for_types<Descriptor, element_t<in>, element_t<out>, Kernels>(signature, x);
      });
    });
  });
}

/// Bytes of weights, bias and multipliers in the kernel's order, with the table of 256 entries that
/// may be fused into them.
template <class Kernels, used_kernels Used = all_kernels>
[[nodiscard]] constexpr std::size_t packed_bytes(const kernel_signature& signature) {
  return with_used<Used, std::size_t>(signature.kernel, [&]<class Descriptor>(
                                                            std::type_identity<Descriptor>) {
    return kernels::kernel_code<Descriptor>::template packed_bytes<packing_kernels<Kernels, Used>>(
        signature);
  });
}

/// Appends how a set of kernels divides the work of a step, or "-".
template <class Kernels, used_kernels Used = all_kernels, class Text>
[[gnu::cold]] constexpr void append_blocking(Text& out, const kernel_signature& signature) {
  with_used<Used, void>(signature.kernel, [&]<class Descriptor>(std::type_identity<Descriptor>) {
    kernels::kernel_code<Descriptor>::template append_blocking<packing_kernels<Kernels, Used>>(
        out, signature);
  });
}

/// Bytes of a kernel's workspace.
template <class Kernels>
[[nodiscard]] constexpr std::size_t workspace_bytes(const kernel_signature& signature) {
  return kernels::with_descriptor(
      signature.kernel, [&]<class Descriptor>(std::type_identity<Descriptor>) {
        return kernels::kernel_code<Descriptor>::template workspace_bytes<Kernels>(signature);
      });
}

}  // namespace ctq
