// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

// The rules that a spec is checked by, each with its name, what it says and what to do. The same
// names stand in compile errors, in the output of the command line and in the results of functions.

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
  regex_syntax,
};

struct rule_info {
  std::string_view name;
  std::string_view explanation;
  std::string_view fix;
};

namespace rules {

inline constexpr rule_info table[] = {
    {"json-syntax", "The text is not JSON (RFC 8259): no comments, no trailing commas, no NaN.",
     "Correct the character at the place shown."},
    {"json-utf8", "JSON is UTF-8; the bytes at the place shown are not.",
     "Save the file as UTF-8 without a byte order mark."},
    {"json-depth", "Values are nested more than 64 deep; no spec needs a tenth of that.",
     "Flatten the value."},
    {"duplicate-key", "An object has the same key twice; most readers would drop one of the two.",
     "Remove one of the two members."},
    {"unknown-key", "The key means nothing here, so what it says would be lost.",
     "Take the key that is meant, or remove the member."},
    {"missing-key", "A member that has no default is not there.", "Add the member."},
    {"wrong-type", "A value is of another kind than its key asks for.",
     "Write a value of the kind that is named."},
    {"unknown-op", "No op has this name.",
     "Take the qualified name (torch.nn.Conv2d), or declare an op of your own under ops."},
    {"unknown-value", "The value is not one of those the key knows.", "Take one of those."},
    {"duplicate-op", "Under ops stands a name that ctq or the file has already.",
     "Remove the declaration, or give the op another name."},
    {"too-many",
     "The file has more than ctq reads: 4 MiB, 4096 patterns with 64 ops and 64 dtype configs "
     "each, "
     "1024 declared ops; or 2048 entries of a mapping.",
     "Cut the file into several."},
    {"pattern-form",
     "A pattern is an op, a list of ops in the order the data flows, or (pattern_complex_format) a "
     "nested list: an op, then what its arguments are.",
     "Write it in one of these forms."},
    {"duplicate-pattern",
     "Two configs are for the same pattern. PyTorch would take the later one in the place of the "
     "first, without a word.",
     "Merge the two, or override with set<...>."},
    {"unreachable-pattern",
     "Whatever this pattern matches, another one matches as well and is tried before it: longer "
     "patterns come first, then those that are registered first.",
     "Put it before the more general one, or remove it."},
    {"ambiguous-pattern",
     "Two patterns of one length can match the same nodes in different ways; the one that is "
     "registered first wins, and the two do not lead to the same.",
     "Make one of them longer or more special, or remove one."},
    {"node-path",
     "root_node_getter and extra_inputs_getter are lists of indices into the nested pattern; this "
     "one leads to no node.",
     "In (relu, (add, MatchAllNode, conv)) the conv is [1, 2], the extra input [1, 1]."},
    {"input-index",
     "input_type_to_index gives positions of arguments: whole numbers from 0, each "
     "once.",
     "Give each of input, weight and bias the position it has in the function's arguments."},
    {"fused-without-fuser",
     "A fused module is made by a fuser method; one alone does nothing. sequential_wrapper2 has "
     "nothing to put its parts into without a fused module.",
     "Add the fuser_method (sequential_wrapper2, fuse_conv_bn, ...), or the fused_module."},
    {"fused-module-mismatch",
     "The fused module, or the fuser method, is not for the ops of this pattern: the model would "
     "compute something else after fusion.",
     "Take the fused module of these ops, or change the pattern."},
    {"root-without-reference",
     "No row gives this root module a reference_quantized_module, so PyTorch would leave it in "
     "float. It is a warning in a backend that has no reference modules at all.",
     "Add the reference_quantized_module of the root."},
    {"reference-without-root",
     "A reference module takes the place of a root module, of which there is none.",
     "Add the root_module."},
    {"share-observer-range",
     "The output of this op has another range than its input by definition, so one observer cannot "
     "be right for both.",
     "Take OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT."},
    {"quant-bounds-reversed",
     "quant_min_lower_bound is above quant_max_upper_bound: no observer "
     "fits.",
     "Swap the two bounds."},
    {"quant-bounds-outside-dtype",
     "A bound lies outside the integers that the dtype can hold, or the dtype has no integers.",
     "Take bounds inside the dtype, or leave them out."},
    {"scale-bounds-reversed",
     "scale_min_lower_bound is above scale_max_upper_bound: no scale "
     "fits.",
     "Swap the two bounds."},
    {"scale-not-positive", "A scale is a positive, finite float32.", "Correct the number."},
    {"exact-match",
     "scale_exact_match and zero_point_exact_match describe one fixed pair: both are needed, and "
     "the zero point must be an integer of the dtype.",
     "Give both, as 0.00390625 and 0 for a sigmoid."},
    {"constraint-without-dtype", "Constraints without a dtype are never looked at.",
     "Add the dtype, or remove the constraints."},
    {"weight-dtype-without-weight",
     "No op of the pattern has a weight. Arithmetic and fixed-qparams ops, and float16 throughout, "
     "are let pass, since PyTorch's own tables write them so.",
     "Remove weight_dtype and bias_dtype."},
    {"dynamic-quantized-output",
     "A dynamic config quantizes its input as it comes and gives float; a quantized output would "
     "need an observer that dynamic quantization does not have.",
     "Set output_dtype to float32, or is_dynamic to false."},
    {"no-kernel-signature",
     "No kernel, in PyTorch or here, takes these dtypes together: known are 8-bit activations of "
     "one dtype with qint8 (or float) weights, dynamic 8-bit or float16, float16 throughout, and "
     "float with 8- or 4-bit weights alone.",
     "Take one of these combinations."},
    {"observer-quant-range",
     "quant_min and quant_max come together, lie in the dtype, the first below the second, with 0 "
     "between them.",
     "Correct the range, or leave both out."},
    {"observer-eps", "eps is the least scale an observer gives: positive and finite.",
     "Correct the number."},
    {"observer-qscheme",
     "Per-channel observers take per-channel schemes, all others per-tensor ones.",
     "Take the scheme that goes with the observer."},
    {"observer-dtype", "The observer collects a range for integers, but its dtype has none.",
     "Take a quantized dtype, or a PlaceholderObserver."},
    {"regex-syntax", "The name is not a regular expression that ctq knows.",
     "Known: . [a-z] [^...] \\d \\w \\s ( ) (?: ) | * + ? ^ $ and lazy forms, 256 characters."},
};

}  // namespace rules

inline constexpr int rule_count = sizeof(rules::table) / sizeof(rules::table[0]);
static_assert(rule_count == static_cast<int>(rule::regex_syntax) + 1);

[[nodiscard]] constexpr const rule_info& about(rule r) {
  return rules::table[static_cast<std::size_t>(r)];
}

}  // namespace ctq
