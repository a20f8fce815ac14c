// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <boost/mp11/algorithm.hpp>
#include <cstddef>

#include "ctq/core/isa.hpp"
#include "ctq/core/kernel_descriptors.hpp"
#include "ctq/core/kernel_signature.hpp"
#include "ctq/core/result.hpp"
#include "ctq/kernels/kernel_code.hpp"
#include "ctq/kernels/simd/arch/rounding.hpp"
#include "ctq/runtime/bind_kernels.hpp"
#include "ctq/runtime/compiled_kernels/kernel_set.hpp"
#include "ctq/runtime/pack_parameters.hpp"
#include "ctq/runtime/packing/used_kernels.hpp"
#if defined(CTQ_COMPILED_KERNELS)
#include "ctq/runtime/compiled_kernels/compiled_steps.hpp"
#endif

// The kernels that an evaluator calls, as functions of a signature that is known at run time: those
// of the headers or, with CTQ_COMPILED_KERNELS, of the library ctq-kernels.

namespace ctq {

/// The functions of one set of kernels.
struct kernel_functions {
  kernel_packing packing{};
  std::size_t (*workspace_bytes)(const kernel_signature&){};
  /// The code of a signature, or null if an evaluator does not call it.
  kernel_function (*function_of)(const kernel_signature&){};
  bool is_reference{};
  bool has_fma{};  // so layers on floats return the bits of the reference
};

namespace evaluator_kernels {

/// Whether it computes a layer. Linear layers are convolutions of one pixel.
[[nodiscard]] constexpr bool is_layer(kernel_id k) {
  return kernels::facts_of(k).has_weights && k != kernel::linear && k != kernel::linear_weight_int8;
}

/// Whether it computes an op on integers that has no parameters.
[[nodiscard]] constexpr bool is_plain(kernel_id k) {
  const kernels::kernel_facts& f = kernels::facts_of(k);
  return (f.computes_ops && !f.has_weights && !f.has_tensors && !f.calls_op) ||
         k == kernel::binary_add_broadcast || k == kernel::binary_mul_broadcast;
}

/// Whether float_ops calls it on float32.
[[nodiscard]] constexpr bool is_float_kernel(kernel_id k) {
  return k == kernel::softmax || k == kernel::attention_softmax || k == kernel::layer_norm ||
         k == kernel::matmul || k == kernel::rnn || k == kernel::rnn_dynamic;
}

/// Whether an evaluator calls the kernel on these types; others are not compiled. The integers that
/// a layer reads and returns are of one type, so that half as many kernels are compiled.
[[nodiscard]] constexpr bool calls(kernel_id k, dtype in, dtype out) {
  if (!kernels::exists(k, in, out)) return false;
  if (in != out) return k == kernel::quantize || (is_layer(k) && out == f32);
  if (in == f32 && is_float_kernel(k)) return true;
  return is_layer(k) || k == kernel::to_nhwc || k == kernel::to_nchw || (is_plain(k) && in != f32);
}

[[nodiscard]] constexpr used_kernels all_layers() {
  used_kernels layers{.depthwise = true};
  layers.add(kernel::linear, f32);  // of kernel::rnn
  for (std::size_t i = 0; i < kernels::kernel_count; ++i)
    for (const dtype d : {f32, quint8, qint8})
      if (const auto k = static_cast<kernel_id>(i); is_layer(k)) layers.add(k, d);
  return layers;
}

template <class Kernels>
[[nodiscard]] kernel_function function_of(const kernel_signature& signature) {
  kernel_function found = nullptr;
  boost::mp11::mp_with_index<kernels::kernel_count>(
      static_cast<std::size_t>(signature.kernel), [&](auto place) {
        constexpr auto id = static_cast<kernel_id>(place.value);
        binding::with_dtype(signature.in, [&](auto in) {
          binding::with_dtype(signature.out, [&](auto out) {
            if constexpr (calls(id, in, out))
              found =
                  run_for_types<kernels::descriptor_of<id>, element_t<in>, element_t<out>, Kernels>;
          });
        });
      });
  return found;
}

}  // namespace evaluator_kernels

/// The functions of a set of kernels.
/// Errors  of the library ctq-kernels: no code that this machine runs, or that CTQ_ISA names
template <class Kernels>
[[nodiscard]] result<kernel_functions> kernel_functions_of() {
  return kernel_functions{
      packing_of<Kernels, evaluator_kernels::all_layers()>, workspace_bytes<Kernels>,
      evaluator_kernels::function_of<Kernels>, kernels::is_reference<Kernels>,
      kernels::is_reference<Kernels> || kernels::simd::has_fma<typename Kernels::isa>};
}

#if defined(CTQ_COMPILED_KERNELS)
/// Those of the instruction set that CTQ_ISA names, or of the fastest.
template <>
inline result<kernel_functions> kernel_functions_of<simd_kernels<isa::compiled>>() {
  const auto chosen = compiled_kernels::choose({});
  if (!chosen) return unexpected{chosen.error()};
  const kernel_set& set = **chosen;
  const bool has_fma = isa::any_isa(
      [&]<class Isa>() { return Isa::name == set.isa && kernels::simd::has_fma<Isa>; });
  return kernel_functions{set.packing, set.workspace_bytes, set.function_of, false, has_fma};
}
#endif

}  // namespace ctq
