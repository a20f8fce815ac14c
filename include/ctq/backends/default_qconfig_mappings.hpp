// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "ctq/backends/default_qconfigs.hpp"
#include "ctq/backends/op_categories.hpp"
#include "ctq/core/containers/list.hpp"
#include "ctq/core/diagnostic.hpp"
#include "ctq/spec/backend_config.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

// PyTorch's default qconfig mappings, for post-training quantization and for quantization-aware
// training: of PyTorch 2.1 as types,
//   struct mine : default_qconfig_mapping<x86>::set<module_name<"head", qconfig_none>> {};
// and of either release for a backend given by name at run time.

namespace ctq {

namespace mapping_parts {

using categories::treatment;

/// The qconfigs of the ops with separate entries, by treatment. Norms and PReLU have kernels for
/// these weights only; fixed ranges need no observer.
using treatments = std::array<qconfig_record, 7>;

/// One qconfig, except for fixed ranges: the output has fixed qparams, in training a fake quantize
/// with them.
constexpr treatments uniform(const qconfig_record& q, bool is_qat) {
  if (is_qat)
    return {
        q,
        q,
        q,
        q,
        q,
        {default_fixed_qparams_range_0to1_fake_quant::value, default_weight_fake_quant::value},
        {default_fixed_qparams_range_neg1to1_fake_quant::value, default_weight_fake_quant::value}};
  return {q,
          q,
          q,
          q,
          q,
          {default_fixed_qparams_range_0to1_observer::value, default_weight_observer::value},
          {default_fixed_qparams_range_neg1to1_observer::value, default_weight_observer::value}};
}

/// engine: null for a backend that PyTorch 1.13 does not know
constexpr treatments of_engine(const qconfig_record& q, const engine_traits* engine, bool is_qat) {
  treatments by = uniform(q, is_qat);
  const auto at = [&by](treatment t) -> qconfig_record& { return by[static_cast<std::size_t>(t)]; };
  at(treatment::reuse_input) = default_reuse_input_qconfig::value;
  if (engine != nullptr && engine->per_tensor_conv_transpose)
    at(treatment::conv_transpose).weight =
        is_qat ? default_weight_fake_quant::value : default_weight_observer::value;
  at(treatment::norm_weight).weight = default_placeholder_observer::value;
  at(treatment::prelu) = default_quint8_weight_qconfig::value;
  return by;
}

constexpr bool is_listed(treatment t, semantics s) {
  if (t == treatment::as_global) return default_mapping_lists_fusible_ops(s);
  return t != treatment::prelu || default_mapping_lists_prelu(s);
}

/// The global qconfig, then the ops with separate entries, in PyTorch's order.
constexpr list<mapping_entry> entries_for(const treatments& by, semantics s) {
  list<mapping_entry> entries;
  const auto add = [&](mapping_level level, op_id op, treatment t) {
    mapping_entry& e = entries.emplace_back();
    e.level = level;
    e.op = op;
    e.quantizes = true;
    e.qconfig = by[static_cast<std::size_t>(t)];
  };
  add(mapping_level::global, nullptr, treatment::as_global);
  for (const categories::treated_op& t : categories::treated_ops)
    if (is_listed(t.how, s)) add(mapping_level::object_type, t.op, t.how);
  return entries;
}

inline constexpr std::size_t default_entry_count = entries_for({}, semantics::torch_2_1).size();

/// A mapping type with computed entries, and what is added to it.
template <const treatments& By, class... Other>
struct default_mapping {
  static constexpr auto entries = [] {
    const list<mapping_entry> found = entries_for(By, semantics::torch_2_1);
    std::array<mapping_entry, default_entry_count + sizeof...(Other)> all{};
    std::size_t at = 0;
    for (const mapping_entry& e : found) all[at++] = e;
    ((all[at++] = Other::value), ...);
    return all;
  }();

  template <class... More>
  using set = default_mapping<By, Other..., More...>;
};

template <class Backend>
inline constexpr treatments of_backend = of_engine(default_qconfig_of<Backend>::value,
                                                   &qconfig_parts::traits<Backend>, false);
template <class Backend, int Version>
inline constexpr treatments qat_of_backend = of_engine(
    default_qat_qconfig_of<Backend, Version>::value, &qconfig_parts::traits<Backend>, true);

inline constexpr treatments of_xnnpack = uniform(default_symmetric_qnnpack_qconfig::value, false);
inline constexpr treatments qat_of_xnnpack =
    uniform(default_symmetric_qnnpack_qat_qconfig::value, true);

}  // namespace mapping_parts

/// get_default_qconfig_mapping(backend)
template <class Backend>
struct default_qconfig_mapping
    : mapping_parts::default_mapping<mapping_parts::of_backend<Backend>> {};

/// A backend that has none: using it as a mapping is a compile error that says so.
template <class Backend>
requires(!has_engine_defaults<Backend>) struct default_qconfig_mapping<Backend> {
  static constexpr mapping_view records{};
  static constexpr diagnostic problem = diagnostic{}
                                            .line("no default QConfigMapping for")
                                            .line("backend: ", backend_v<Backend>.name)
                                            .line("PyTorch has one for fbgemm, x86,")
                                            .line("qnnpack and onednn: name a mapping,")
                                            .line("or specialize ctq::engine_defaults");
};

/// get_default_qat_qconfig_mapping(backend, version)
template <class Backend, int Version = 1>
struct default_qat_qconfig_mapping
    : mapping_parts::default_mapping<mapping_parts::qat_of_backend<Backend, Version>> {};

/// For XNNPACK via the qnnpack backend: signed activations, also where the default of qnnpack
/// shares the input's observer or keeps a weight in float (_get_symmetric_qnnpack_qconfig_mapping).
struct symmetric_qnnpack_qconfig_mapping
    : mapping_parts::default_mapping<mapping_parts::of_xnnpack> {};

/// The same in training (_get_symmetric_qnnpack_qat_qconfig_mapping).
struct symmetric_qnnpack_qat_qconfig_mapping
    : mapping_parts::default_mapping<mapping_parts::qat_of_xnnpack> {};

/// get_default_qconfig_mapping(backend), or get_default_qat_qconfig_mapping(backend, version), at
/// run time. Empty where PyTorch raises an error.
///   version  of qconfigs for training
[[nodiscard]] constexpr list<mapping_entry> default_qconfig_mapping_entries(
    std::string_view backend, bool is_qat, semantics s = semantics::torch_2_1, int version = 1) {
  if (!has_default_qconfig(backend, is_qat, s, is_qat ? version : 0)) return {};
  const engine_traits* const engine = find_engine(backend);
  const qconfig_record global =
      is_qat ? default_qat_qconfig_record(engine, version) : default_qconfig_record(engine);
  return mapping_parts::entries_for(mapping_parts::of_engine(global, engine, is_qat), s);
}

}  // namespace ctq
