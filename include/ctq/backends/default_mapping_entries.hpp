// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string_view>

#include "ctq/backends/default_qconfig_records.hpp"
#include "ctq/core/list.hpp"
#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

// The default qconfig mapping of a backend whose name is known when the program runs, in PyTorch's
// order. As types, and for PyTorch 2.1 only, they are in default_qconfig_mappings.hpp.

namespace ctq {

namespace mapping_parts {

/// Why a default mapping treats an op apart.
enum class treatment : std::uint8_t {
  reuse_input,     // it looks at its input in another way
  as_global,       // fusion may put it together with others
  conv_transpose,  // one scale for its weight, where FBGEMM wants that
  layer_norm,      // its weight stays in float
  prelu,           // its weight is quint8
  from_0_to_1,     // its output has a range that is known
  from_neg1_to_1,
};

struct treated_op {
  op_id op;
  treatment how;
};

inline constexpr treated_op treated_ops[] = {
    {method::reshape.id(), treatment::reuse_input},
    {nn::conv1d.id(), treatment::as_global},
    {nn::conv2d.id(), treatment::as_global},
    {nn::conv3d.id(), treatment::as_global},
    {nn::conv_transpose1d.id(), treatment::conv_transpose},
    {nn::conv_transpose2d.id(), treatment::conv_transpose},
    {nn::conv_transpose3d.id(), treatment::conv_transpose},
    {nn::linear.id(), treatment::as_global},
    {fn::conv1d.id(), treatment::as_global},
    {fn::conv2d.id(), treatment::as_global},
    {fn::conv3d.id(), treatment::as_global},
    {fn::conv_transpose1d.id(), treatment::conv_transpose},
    {fn::conv_transpose2d.id(), treatment::conv_transpose},
    {fn::conv_transpose3d.id(), treatment::conv_transpose},
    {fn::linear.id(), treatment::as_global},
    {nn::relu.id(), treatment::as_global},
    {fn::relu.id(), treatment::as_global},
    {fn::torch_relu.id(), treatment::as_global},
    {nn::batch_norm1d.id(), treatment::as_global},
    {nn::batch_norm2d.id(), treatment::as_global},
    {nn::batch_norm3d.id(), treatment::as_global},
    {fn::layer_norm.id(), treatment::layer_norm},
    {nn::layer_norm.id(), treatment::layer_norm},
    {nn::prelu.id(), treatment::prelu},
    {nn::hardsigmoid.id(), treatment::from_0_to_1},
    {fn::hardsigmoid.id(), treatment::from_0_to_1},
    {method::hardsigmoid.id(), treatment::from_0_to_1},
    {method::hardsigmoid_.id(), treatment::from_0_to_1},
    {nn::sigmoid.id(), treatment::from_0_to_1},
    {fn::sigmoid.id(), treatment::from_0_to_1},
    {method::sigmoid.id(), treatment::from_0_to_1},
    {method::sigmoid_.id(), treatment::from_0_to_1},
    {nn::softmax.id(), treatment::from_0_to_1},
    {nn::tanh.id(), treatment::from_neg1_to_1},
    {fn::tanh.id(), treatment::from_neg1_to_1},
    {method::tanh.id(), treatment::from_neg1_to_1},
    {method::tanh_.id(), treatment::from_neg1_to_1},
};

/// The output's range is known; in training it is rounded to, too.
constexpr qconfig_record fixed(treatment t, bool is_qat) {
  const bool from_0 = t == treatment::from_0_to_1;
  if (is_qat)
    return {from_0 ? default_fixed_qparams_range_0to1_fake_quant::value
                   : default_fixed_qparams_range_neg1to1_fake_quant::value,
            default_weight_fake_quant::value};
  return {from_0 ? default_fixed_qparams_range_0to1_observer::value
                 : default_fixed_qparams_range_neg1to1_observer::value,
          default_weight_observer::value};
}

constexpr qconfig_record treated(treatment t, const qconfig_record& global,
                                 const engine_traits* engine, bool is_qat) {
  const auto& per_tensor =
      is_qat ? default_weight_fake_quant::value : default_weight_observer::value;
  switch (t) {
    case treatment::reuse_input: return default_reuse_input_qconfig::value;
    case treatment::as_global: return global;
    case treatment::conv_transpose:
      return engine != nullptr && engine->per_tensor_conv_transpose
                 ? qconfig_record{global.activation, per_tensor}
                 : global;
    case treatment::layer_norm: return {global.activation, default_placeholder_observer::value};
    case treatment::prelu: return default_quint8_weight_qconfig::value;
    default: return fixed(t, is_qat);
  }
}

constexpr bool is_listed(treatment t, semantics s) {
  if (t == treatment::as_global) return default_mapping_lists_fusible_ops(s);
  return t != treatment::prelu || default_mapping_lists_prelu(s);
}

}  // namespace mapping_parts

/// get_default_qconfig_mapping(backend), or get_default_qat_qconfig_mapping(backend, version): the
/// global qconfig, then the ops that are treated apart. Empty where PyTorch raises an error.
///   version  of qconfigs for training
[[nodiscard]] constexpr list<mapping_entry> default_qconfig_mapping_entries(
    std::string_view backend, bool is_qat, semantics s = semantics::torch_2_1, int version = 1) {
  list<mapping_entry> entries;
  if (!has_default_qconfig(backend, is_qat, s, is_qat ? version : 0)) return entries;
  const qconfig_record global =
      is_qat ? default_qat_qconfig_record(backend, version) : default_qconfig_record(backend);
  const auto add = [&entries](mapping_level level, op_id op, const qconfig_record& q) {
    mapping_entry& e = entries.emplace_back();
    e.level = level;
    e.op = op;
    e.quantizes = true;
    e.qconfig = q;
  };
  add(mapping_level::global, nullptr, global);
  for (const mapping_parts::treated_op& t : mapping_parts::treated_ops)
    if (mapping_parts::is_listed(t.how, s))
      add(mapping_level::object_type, t.op,
          mapping_parts::treated(t.how, global, find_engine(backend), is_qat));
  return entries;
}

}  // namespace ctq
