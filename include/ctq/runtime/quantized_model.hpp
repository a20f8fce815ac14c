// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <utility>

#include "ctq/core/isa.hpp"
#include "ctq/passes/plan.hpp"
#include "ctq/runtime/compiled_kernels/compiled_model.hpp"
#include "ctq/runtime/int8_model.hpp"
#if !defined(CTQ_COMPILED_KERNELS)
#include "ctq/runtime/int8_code.hpp"
#endif

namespace ctq {

/// Defined in ctq/runtime/int8_code.hpp, which includes all kernels.
template <class Plan, class Isa>
class int8_code;

/// An int8 model, compiled for one instruction set: straight-line code over packed weights and one
/// arena. Its inputs and outputs are float32: it contains the quantize and dequantize steps.
///
/// Threads, Lifetime  as int8_model
template <class Plan, class Isa = isa::of_models>
class quantized_model : public int8_model<quantized_model<Plan, Isa>, Plan> {
  using base = int8_model<quantized_model, Plan>;
  using code = int8_code<Plan, Isa>;

 public:
  using isa = Isa;
  static constexpr std::size_t arena_bytes = code::arena_bytes;
  using arena = ctq::arena<arena_bytes>;

  /// Packs the parameters for the instruction set.
  ///   keep  for save: the model shares the elements of `state`
  /// Errors  tensors that are missing, or of another dtype or shape; qparams that are missing or
  ///         outside their dtype's range; a sum that could leave int32; an operating system that
  ///         does not permit the instruction set
  [[nodiscard]] static result<quantized_model> make(quantized_state state, bool keep = true) {
    auto p = code::make(state.tensors, state.qparams);
    if (!p) return unexpected{p.error()};
    return quantized_model{*std::move(p), std::move(state), keep};
  }

  /// The same as run, with pointers to the elements of all inputs and outputs, in order.
  void run_tensors(const void* const* in, void* const* out, std::byte* memory) const noexcept {
    code::run(this->values(), in, out, memory);
  }

 private:
  using base::base;
};

}  // namespace ctq
