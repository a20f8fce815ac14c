// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <string_view>

#include "ctq/backends/default_qconfig_records.hpp"
#include "ctq/backends/op_categories.hpp"
#include "ctq/core/list.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

// The default qconfig mapping of a backend given by name at run time, in PyTorch's order.
// default_qconfig_mappings.hpp has them as types, for PyTorch 2.1 only.

namespace ctq {

namespace mapping_parts {

using categories::treatment;

struct treated_op {
  op_id op;
  treatment how;
};

template <class... Treated>
constexpr auto list_of(boost::mp11::mp_list<Treated...>) {
  return std::array{treated_op{Treated::op, Treated::how}...};
}
inline constexpr auto treated_ops = list_of(categories::treated_ops{});

/// Fixed qparams of the output; with a fake quantize in training.
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
    case treatment::norm_weight: return {global.activation, default_placeholder_observer::value};
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
/// global qconfig, then the ops with separate entries. Empty where PyTorch raises an error.
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
