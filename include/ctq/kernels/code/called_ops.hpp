// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include "ctq/core/packing.hpp"
#include "ctq/core/shapes/function_shape.hpp"
#include "ctq/kernels/kernel_code.hpp"
#include "ctq/kernels/reference/called_op.hpp"
#include "ctq/kernels/simd/elementwise/called_op.hpp"
#include "ctq/ops/op.hpp"

// Ops without a kernel, computed by their op_functions. The reference is dequantize, apply,
// quantize, even if the op defines `run`: tests compare `run` with it.

namespace ctq::kernels {

/// On float32, calls op.apply; on integers, (functions, options, arguments, packed, workspace).
template <class Descriptor>
struct called_op_code : plain_code {
  template <class Set, class In, class Out>
  static void run(const typename Descriptor::shape& s, call_options o, const operands& x) noexcept {
    op_arguments<In> arguments = op_arguments_of<In>(s, x);
    if (o.op->tensors == 3) {  // the third follows the second in memory
      arguments.in[2] = arguments.in[1];
      arguments.in[2].data += arguments.in[1].size();
    }
    if constexpr (std::same_as<In, float>) {
      o.op->apply(arguments, x.data->options);
    } else {
      call<Set, Descriptor>(*o.op, x.data->options, arguments, x.packed, x.workspace);
    }
  }
};

/// Packed  the table of 256 entries, if the op is computed by one
template <>
struct kernel_code<descriptors::elementwise> : called_op_code<descriptors::elementwise> {
  template <class Set>
  static constexpr bool uses_table(const kernel_signature& signature) {
    return !is_reference<Set> &&
           signature.called_op->descriptor->functions.needs_table(signature.in);
  }
  template <class Set>
  static constexpr std::size_t packed_bytes(const kernel_signature& signature) {
    return uses_table<Set>(signature) ? 256 : 0;
  }
  template <class Set, class Text>
  static constexpr void append_blocking(Text& out, const kernel_signature& signature) {
    out.append(uses_table<Set>(signature) ? "table" : "-");
  }

  template <quantized Q>
  static void reference(const op_functions& op, const attributes& options, const op_arguments<Q>& x,
                        const std::byte*, std::byte*) noexcept {
    reference::elementwise(op, options, x);
  }
  template <class Isa, quantized Q>
  static void simd(const op_functions& op, const attributes& options, const op_arguments<Q>& x,
                   const std::byte* packed, std::byte*) noexcept {
    if (op.run<Q>() != nullptr) {
      op.run<Q>()(x, options);
    } else if (op.tensors == 1) {
      simd::look_up<Isa>({x.out.shape[0]}, x.in[0].data, reinterpret_cast<const Q*>(packed),
                         x.out.data);
    } else {
      simd::elementwise<Isa>(op, options, x);
    }
  }
};

/// Packed     the tensors that the op owns
/// Workspace  of the reference: floats of all tensors
template <>
struct kernel_code<descriptors::function> : called_op_code<descriptors::function> {
  template <class Set>
  static constexpr std::size_t packed_bytes(const kernel_signature& signature) {
    return static_cast<std::size_t>(signature.as<function_shape>().parameter_blocks) *
           packing::alignment;
  }
  template <class Set>
  static constexpr std::size_t workspace_bytes(const kernel_signature& signature) {
    const auto s = signature.as<function_shape>();
    if (!is_reference<Set> || signature.in == f32) return 0;
    const bool has_third =
        signature.called_op != nullptr && signature.called_op->descriptor->functions.tensors == 3;
    const std::size_t second = has_third ? 2 : 1;
    return (numel(s.in[0]) + second * numel(s.in[1]) + numel(s.out)) * sizeof(float);
  }

  template <quantized Q>
  static void reference(const op_functions& op, const attributes& options, const op_arguments<Q>& x,
                        const std::byte*, std::byte* workspace) noexcept {
    reference::function(op, options, x, reinterpret_cast<float*>(workspace));
  }
  template <class Isa, quantized Q>
  static void simd(const op_functions& op, const attributes& options, const op_arguments<Q>& x,
                   const std::byte*, std::byte*) noexcept {
    op.run<Q>()(x, options);
  }
};

}  // namespace ctq::kernels
