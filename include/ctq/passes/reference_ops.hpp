// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/ops/backend_ops.hpp"
#include "ctq/passes/check_dtype_config.hpp"
#include "ctq/passes/fx_semantics.hpp"
#include "ctq/spec/backend_config.hpp"
#include "ctq/spec/observer.hpp"
#include "ctq/spec/qconfig.hpp"

// The ops that convert inserts for an observer, and the modules for which the backend has a
// reference module, with a quantized weight.

namespace ctq::converting {

/// The forms of quantize and dequantize on plain integer tensors, with the observer's range.
struct decomposed_row {
  op_id quantize, decomposed, dequantize;
};

inline constexpr decomposed_row decomposed_ops[] = {
    {q::quantize_per_tensor.id(), q::decomposed_quantize_per_tensor.id(),
     q::decomposed_dequantize_per_tensor.id()},
    {q::quantize_per_tensor_dynamic.id(), q::decomposed_quantize_per_tensor.id(),
     q::decomposed_dequantize_per_tensor.id()},
    {q::quantize_per_channel.id(), q::decomposed_quantize_per_channel.id(),
     q::decomposed_dequantize_per_channel.id()},
};

/// Null if there is no such form: float16.
constexpr const decomposed_row* decomposed_form(op_id quantize) {
  for (const decomposed_row& r : decomposed_ops)
    if (r.quantize == quantize) return &r;
  return nullptr;
}

/// The op that replaces an observer; nullptr: the observer is removed.
constexpr op_id quantize_op(const observer_record& r, semantics s) {
  const observer_args& a = r.args;
  const bool integer = a.dtype == quint8 || a.dtype == qint8 ||
                       (a.dtype == qint32 && !int32_activations_are_dropped(s));
  if (a.is_dynamic)
    return integer || a.dtype == f16 ? q::quantize_per_tensor_dynamic.id() : nullptr;
  if (a.dtype == f16) return q::to_float16.id();
  if (!integer) return nullptr;
  return is_per_channel(r.type) ? q::quantize_per_channel.id() : q::quantize_per_tensor.id();
}

/// Whether a module of this class has a reference module. PyTorch collects them from all configs.
constexpr bool has_reference(const backend_view& backend, op_id op) {
  for (const backend_pattern_config_record& c : backend.configs)
    if (c.root_module == op && c.reference_quantized_module_for_root != nullptr) return true;
  return false;
}

constexpr bool is_fused_module(const backend_view& backend, op_id op) {
  for (const backend_pattern_config_record& c : backend.configs)
    if (c.fused_module == op) return true;
  return false;
}

/// Whether a dtype config of the module alone has exactly these dtypes.
constexpr bool has_dtypes(const backend_view& backend, op_id op, const qconfig_record& q) {
  const auto or_float = [](dtype d) { return d == dtype::none ? f32 : d; };
  const planned_dtypes p = dtypes_of(q);
  const observer_args& act = q.activation.args;
  for (const backend_pattern_config_record& c : backend.configs) {
    if (!c.pattern.is_single() || c.pattern.anchor() != op) continue;
    for (const dtype_config_record& d : c.dtype_configs) {
      const bool same_weight = or_float(d.weight_dtype.dtype) == q.weight.args.dtype;
      const dtype in = or_float(d.input_dtype.dtype);
      const dtype out = or_float(d.output_dtype.dtype);
      if (d.is_dynamic && act.is_dynamic && in == act.dtype && out == f32 && same_weight)
        return true;
      const dtype bias = act.dtype == f16 && q.weight.args.dtype == f16 ? f16 : f32;
      if (!d.is_dynamic && in == act.dtype && out == act.dtype && same_weight &&
          or_float(d.bias_dtype) == bias && !p.is_dynamic)
        return true;
    }
  }
  return false;
}

constexpr bool is_weight_dtype(dtype d) {
  return d == quint8 || d == qint8 || d == f16 || d == quint4x2;
}

}  // namespace ctq::converting
