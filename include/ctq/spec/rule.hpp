// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

// The rules for checking a spec, each with name, explanation and remedy. Compile errors, the
// command line and the results of functions use the same names.

namespace ctq {

enum class severity : std::uint8_t { error, warning };

[[nodiscard]] constexpr std::string_view name_of(severity s) {
  return s == severity::error ? "error" : "warning";
}

enum class rule : std::uint8_t {
  // files
  json_syntax,
  json_utf8,
  json_depth,
  duplicate_key,
  unknown_key,
  missing_key,
  wrong_type,
  unknown_op,
  unknown_value,
  duplicate_op,
  too_many,
  // patterns
  pattern_form,
  duplicate_pattern,
  unreachable_pattern,
  ambiguous_pattern,
  node_path,
  input_index,
  // modules
  fused_without_fuser,
  fused_module_mismatch,
  root_without_reference,
  reference_without_root,
  // observation
  share_observer_range,
  // dtypes
  quant_bounds_reversed,
  quant_bounds_outside_dtype,
  scale_bounds_reversed,
  scale_not_positive,
  exact_match,
  constraint_without_dtype,
  weight_dtype_without_weight,
  dynamic_quantized_output,
  no_kernel_signature,
  // qconfigs
  observer_quant_range,
  observer_eps,
  observer_qscheme,
  observer_dtype,
  observer_group_size,
  observer_argument,
  fake_quantize_observer,
  regex_syntax,
};

/// What is known about a rule.
struct rule_info {
  std::string_view name;
  std::string_view explanation;
  std::string_view fix;
};

namespace rules {

inline constexpr rule_info table[] = {
    {"json-syntax", "The text is not JSON (RFC 8259): no comments, no trailing commas, no NaN.",
     "Correct the character at the position shown."},
    {"json-utf8", "JSON must be UTF-8; the bytes at the position shown are not.",
     "Save the file as UTF-8 without a byte order mark."},
    {"json-depth", "Values are nested more than 64 levels deep; a spec needs fewer than ten.",
     "Flatten the value."},
    {"duplicate-key", "An object has the same key twice; most parsers would ignore one of them.",
     "Remove one of the two members."},
    {"unknown-key", "The key is unknown here, so its value would be ignored.",
     "Use the intended key, or remove the member."},
    {"missing-key", "A required member is missing.", "Add the member."},
    {"wrong-type",
     "A value has the wrong JSON type for its key; or a template argument is of the wrong kind.",
     "Use a value or an argument of the expected type."},
    {"unknown-op", "No op has this name.",
     "Use the qualified name (torch.nn.Conv2d), or declare a user-defined op under ops."},
    {"unknown-value", "The value is not one of those allowed for the key.", "Use one of those."},
    {"duplicate-op", "ops declares a name that ctq or the file already defines.",
     "Remove the declaration, or give the op another name."},
    {"too-many",
     "The file exceeds a limit of ctq: 4 MiB, 4096 patterns with 64 ops and 64 dtype configs "
     "each, "
     "1024 declared ops; or 2048 entries of a mapping.",
     "Split the file."},
    {"pattern-form",
     "A pattern is an op, a list of ops in data flow order, or (pattern_complex_format) a "
     "nested list: an op, then its arguments.",
     "Use one of these forms."},
    {"duplicate-pattern",
     "Two configs have the same pattern. PyTorch would silently replace the first one by the "
     "later one.",
     "Merge the two, or override with set<...>."},
    {"unreachable-pattern",
     "Another pattern matches wherever this one does and is tried first: longer patterns come "
     "first, then those that are registered first.",
     "Move it before the more general one, or remove it."},
    {"ambiguous-pattern",
     "Two patterns of equal length can match the same nodes with different results; the one "
     "that is registered first is used.",
     "Make one of them longer or more specific, or remove one."},
    {"node-path",
     "root_node_getter and extra_inputs_getter are lists of indices into the nested pattern; "
     "there is no node at this one.",
     "In (relu, (add, MatchAllNode, conv)) the conv is [1, 2], the extra input [1, 1]."},
    {"input-index",
     "input_type_to_index contains argument positions: integers from 0, each used once.",
     "Set input, weight and bias to their positions in the function's arguments."},
    {"fused-without-fuser",
     "A fused module is created by a fuser method; each requires the other. sequential_wrapper2 "
     "needs a fused module for its parts.",
     "Add the fuser_method (sequential_wrapper2, fuse_conv_bn, ...), or the fused_module."},
    {"fused-module-mismatch",
     "The fused module or the fuser method does not match the ops of this pattern: fusion would "
     "change what the model computes.",
     "Use the fused module of these ops, or change the pattern."},
    {"root-without-reference",
     "No config has a reference_quantized_module for this root module, so PyTorch would leave it "
     "in float. A warning in a backend without any reference modules.",
     "Add the reference_quantized_module of the root."},
    {"reference-without-root", "A reference module replaces a root module, but there is none.",
     "Add the root_module."},
    {"share-observer-range",
     "The output of this op has by definition another range than its input, so they cannot share "
     "an observer.",
     "Use OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT."},
    {"quant-bounds-reversed",
     "quant_min_lower_bound is above quant_max_upper_bound: no observer is valid.",
     "Swap the two bounds."},
    {"quant-bounds-outside-dtype",
     "A bound is outside the range of the dtype, or the dtype is not quantized.",
     "Use bounds inside the range of the dtype, or omit them."},
    {"scale-bounds-reversed",
     "scale_min_lower_bound is above scale_max_upper_bound: no scale is valid.",
     "Swap the two bounds."},
    {"scale-not-positive", "A scale is a positive, finite float32.", "Correct the number."},
    {"exact-match",
     "scale_exact_match and zero_point_exact_match must be given together, and the zero point "
     "must be in the range of the dtype.",
     "Set both, such as 0.00390625 and 0 for a sigmoid."},
    {"constraint-without-dtype", "Constraints without a dtype are ignored.",
     "Add the dtype, or remove the constraints."},
    {"weight-dtype-without-weight",
     "No op of the pattern has a weight. Allowed for arithmetic and fixed-qparams ops, and for "
     "float16 throughout, since PyTorch's own tables contain such configs.",
     "Remove weight_dtype and bias_dtype."},
    {"dynamic-quantized-output",
     "A dynamic config quantizes its input at run time and outputs float; a quantized output "
     "would need an observer, which dynamic quantization does not have.",
     "Set output_dtype to float32, or is_dynamic to false."},
    {"no-kernel-signature",
     "No kernel of PyTorch or ctq supports this combination of dtypes. Supported: 8-bit "
     "activations of one dtype with qint8 (or float) weights, dynamic 8-bit or float16, float16 "
     "throughout, and float with weight-only 8 or 4 bits.",
     "Use one of these combinations."},
    {"observer-quant-range",
     "quant_min and quant_max must be given together and in the range of the dtype, with "
     "quant_min < quant_max and 0 between them.",
     "Correct the range, or omit both."},
    {"observer-eps", "eps is the smallest scale of an observer: positive and finite.",
     "Correct the number."},
    {"observer-qscheme",
     "Per-channel observers need per-channel schemes, all others per-tensor ones.",
     "Use a scheme that matches the observer."},
    {"observer-dtype",
     "The observer collects a range for integers, but its dtype is not quantized.",
     "Use a quantized dtype, or a PlaceholderObserver."},
    {"observer-group-size",
     "Weights of linear layers are quantized per group to 4 bits, beside a dynamic qint8 "
     "activation, by a PerChannelMinMaxObserver of qint8, per_channel_symmetric, ch_axis 0, "
     "quant_min and quant_max in -8 to 7.",
     "Use int8_dynamic_activation_int4_weight_qconfig<group_size>, or omit group_size."},
    {"observer-argument",
     "An argument of an observer has a value that it cannot use: averaging_constant is 0 to 1, "
     "bins "
     "and upsample_rate are from 1 (bins of a PowerOfTwoHistogramObserver from 2), ch_axis is an "
     "axis of a tensor, scale is positive and finite, zero_point is an integer of the range.",
     "Correct the number, or omit the argument."},
    {"fake-quantize-observer",
     "FusedMovingAvgObsFakeQuantize needs a moving average, FixedQParamsFakeQuantize a "
     "FixedQParamsObserver, the others an observer with a scale and a zero point.",
     "Use one of those observers inside the fake quantize."},
    {"regex-syntax", "The name is not a regular expression that ctq supports.",
     "Supported: . [a-z] [^...] \\d \\w \\s ( ) (?: ) | * + ? ^ $ and lazy forms, 256 characters."},
};

}  // namespace rules

inline constexpr int rule_count = sizeof(rules::table) / sizeof(rules::table[0]);
static_assert(rule_count == static_cast<int>(rule::regex_syntax) + 1);

[[nodiscard]] constexpr const rule_info& about(rule r) {
  return rules::table[static_cast<std::size_t>(r)];
}

}  // namespace ctq
