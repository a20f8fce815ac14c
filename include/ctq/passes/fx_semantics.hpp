// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/semantics.hpp"

// Where ctq's passes and converted models differ from PyTorch's, and PyTorch's releases from each
// other. Each difference is one predicate, true for semantics with the behaviour of its name;
// nothing compares versions otherwise.

namespace ctq {

/// A call fused at one place changes the module for every other call of it, and so their results.
[[nodiscard]] constexpr bool fusing_changes_shared_modules(semantics s) {
  return s == semantics::torch_1_13;
}

/// Patterns ignore tensors that are passed by keyword, and see literals that are passed by
/// position.
[[nodiscard]] constexpr bool patterns_see_positional_arguments_only(semantics s) {
  return s == semantics::torch_1_13;
}

/// The arguments of sums and products match only in the order of the pattern.
[[nodiscard]] constexpr bool patterns_have_one_order(semantics s) {
  return s == semantics::torch_1_13;
}

/// prepare accepts a module whatever its weight observer says; convert then leaves it in float
/// between a quantize and a dequantize.
[[nodiscard]] constexpr bool weights_of_modules_are_unchecked(semantics s) {
  return s == semantics::torch_1_13;
}

/// If the nodes of a pattern have different qconfigs, some may be quantized and others not.
[[nodiscard]] constexpr bool patterns_may_be_split(semantics s) {
  return s == semantics::torch_1_13;
}

/// The readers of a pattern that is left in float get no observer, as if its output were quantized.
/// Corrected in PyTorch 2.
[[nodiscard]] constexpr bool rejected_patterns_count_as_quantized(semantics s) {
  return s == semantics::torch_1_13;
}

/// Readers of one value that request observers of the same class and dtype share one, even if the
/// ranges differ.
[[nodiscard]] constexpr bool observers_are_shared_by_class_and_dtype(semantics s) {
  return s == semantics::torch_1_13;
}

/// A sigmoid, a tanh or a softmax with a qconfig that does not have its fixed observer is an error
/// of the whole mapping; PyTorch 2 leaves it in float.
[[nodiscard]] constexpr bool fixed_qparams_ops_require_their_observer(semantics s) {
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

/// Which modules are replaced for training, and with which weight, does not depend on
/// module_name_regex or module_name_object_type_order, and the type of a module has priority over
/// the name of a module around it.
[[nodiscard]] constexpr bool qat_modules_ignore_expressions(semantics s) {
  return s == semantics::torch_1_13;
}

/// The object types inside a fused module must all have one qconfig, an absent one included.
[[nodiscard]] constexpr bool fused_types_require_one_qconfig(semantics s) {
  return s == semantics::torch_1_13;
}

/// Either all outputs are quantized or none.
[[nodiscard]] constexpr bool outputs_are_quantized_together(semantics s) {
  return s == semantics::torch_1_13;
}

/// Only the weights of modules with a reference module, and with a dtype config that equals the
/// qconfig's dtypes, are quantized; observers of others are not used.
[[nodiscard]] constexpr bool convert_checks_dtypes_again(semantics s) {
  return s == semantics::torch_1_13;
}

/// A relu after a module that quantizes its weight, but is not fused with it, is dropped when the
/// module is lowered: right only if the lowest integer represents 0.
[[nodiscard]] constexpr bool lowering_drops_relus_after_modules(semantics s) {
  return s == semantics::torch_1_13;
}

/// Lowering an op changes its result for every reader, although only one reads it quantized: an
/// output of the model that read floats gets integers.
[[nodiscard]] constexpr bool lowering_changes_outputs(semantics s) {
  return s == semantics::torch_1_13;
}

/// Ops that copy values have the scale of their input on integers, not that of their observer.
[[nodiscard]] constexpr bool copies_have_input_scale(semantics s) {
  return s == semantics::torch_1_13;
}

/// relu6, hardtanh and clamp of quint8 ignore that the output of an integer convolution is in
/// channels-last order, and so mix up pixels and channels.
[[nodiscard]] constexpr bool clamp_ignores_channels_last(semantics s) {
  return s == semantics::torch_1_13;
}

/// Observers of qint32 are removed.
[[nodiscard]] constexpr bool int32_activations_are_dropped(semantics s) {
  return s == semantics::torch_1_13;
}

/// Adding or multiplying by a number changes the scale, so that nothing is clamped. All PyTorch
/// releases do this, although their reference models round to the scale of the input, so that the
/// difference between the two is unbounded. ctq follows the reference model, except for torch_1_13.
[[nodiscard]] constexpr bool scalars_change_the_scale(semantics s) {
  return s == semantics::torch_1_13;
}

/// The output of a sigmoid or tanh on integers has the scale of its range, even if its observer is
/// another one, such as that of a cat that reads it.
[[nodiscard]] constexpr bool known_ranges_have_their_scale(semantics s) {
  return s == semantics::torch_1_13;
}

/// A module that is called more than once has the output scale of its last call.
[[nodiscard]] constexpr bool last_call_decides_the_scale(semantics s) {
  return s == semantics::torch_1_13;
}

/// Factors move to the previous layer through a relu only; before a pool they are multiplied in the
/// graph, in float.
[[nodiscard]] constexpr bool factors_move_through_relu_only(semantics s) {
  return s == semantics::torch_1_13;
}

}  // namespace ctq
