// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/semantics.hpp"

// Where ctq's passes do better than PyTorch's, and where PyTorch's releases differ among
// themselves. Each difference is one predicate, true for who behaves as its name says; the passes
// ask nothing else about the version.

namespace ctq {

/// A call fused at one place changes the module for every other call of it, and so their results.
[[nodiscard]] constexpr bool fusing_changes_shared_modules(semantics s) {
  return s == semantics::torch_1_13;
}

/// Tensors passed by keyword are not seen by patterns; literals passed by position are.
[[nodiscard]] constexpr bool patterns_see_positional_arguments_only(semantics s) {
  return s == semantics::torch_1_13;
}

/// The arguments of sums and products match in the order of the pattern alone.
[[nodiscard]] constexpr bool patterns_have_one_order(semantics s) {
  return s == semantics::torch_1_13;
}

/// prepare accepts a module whatever its weight observer says; convert then leaves it in float
/// between a quantize and a dequantize.
[[nodiscard]] constexpr bool weights_of_modules_are_unchecked(semantics s) {
  return s == semantics::torch_1_13;
}

/// Of a pattern whose nodes have different qconfigs some may be quantized and others not.
[[nodiscard]] constexpr bool patterns_may_be_split(semantics s) {
  return s == semantics::torch_1_13;
}

/// A pattern that is left in float still promises its readers integers, so that they go without an
/// observer. PyTorch 2 takes the promise back.
[[nodiscard]] constexpr bool rejected_patterns_promise_integers(semantics s) {
  return s == semantics::torch_1_13;
}

/// Readers of one value that ask for the same class and dtype get one observer, whatever range
/// each of them asks for.
[[nodiscard]] constexpr bool observers_meet_by_class_and_dtype(semantics s) {
  return s == semantics::torch_1_13;
}

/// A sigmoid, a tanh or a softmax with a qconfig that does not have its fixed observer is an error
/// of the whole mapping; PyTorch 2 leaves it in float.
[[nodiscard]] constexpr bool fixed_qparams_ops_want_their_observer(semantics s) {
  return s == semantics::torch_1_13;
}

/// The weight of a norm function gets an observer, although nothing quantizes it.
[[nodiscard]] constexpr bool norm_weights_are_observed(semantics s) {
  return s == semantics::torch_1_13;
}

/// An element of a tuple is float, never quantized.
[[nodiscard]] constexpr bool getitem_is_float(semantics s) { return s == semantics::torch_1_13; }

/// module_name entries mean modules only, not the node of a function.
[[nodiscard]] constexpr bool module_names_mean_modules(semantics s) {
  return s == semantics::torch_1_13;
}

/// module_name_object_type_order does not count calls of methods.
[[nodiscard]] constexpr bool methods_are_not_counted(semantics s) {
  return s == semantics::torch_1_13;
}

/// The object types inside a fused module must all have one qconfig, an absent one included.
[[nodiscard]] constexpr bool fused_types_want_one_qconfig(semantics s) {
  return s == semantics::torch_1_13;
}

/// Of all outputs either none is quantized or every one.
[[nodiscard]] constexpr bool outputs_are_quantized_together(semantics s) {
  return s == semantics::torch_1_13;
}

/// Only modules that have a reference form, and a dtype config of their own that is the qconfig's
/// dtypes exactly, have their weights quantized; prepare has observed the others in vain.
[[nodiscard]] constexpr bool convert_asks_again(semantics s) { return s == semantics::torch_1_13; }

/// A relu behind a module that quantizes its weight, but is not fused with it, vanishes when the
/// module becomes one on integers: right only where the lowest integer stands for 0.
[[nodiscard]] constexpr bool lowering_drops_relus_behind_modules(semantics s) {
  return s == semantics::torch_1_13;
}

/// Ops that copy values keep the scale of their input on integers, whatever their own observer
/// says.
[[nodiscard]] constexpr bool copies_keep_their_scale(semantics s) {
  return s == semantics::torch_1_13;
}

/// relu6, hardtanh and clamp of quint8 take pixels for channels behind a convolution on integers:
/// they forget in which order the elements lie in memory.
[[nodiscard]] constexpr bool clamp_forgets_channels_last(semantics s) {
  return s == semantics::torch_1_13;
}

/// Observers of qint32 are taken away.
[[nodiscard]] constexpr bool int32_activations_are_dropped(semantics s) {
  return s == semantics::torch_1_13;
}

}  // namespace ctq
