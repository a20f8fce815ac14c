// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/core/dtype.hpp"
#include "ctq/core/semantics.hpp"
#include "ctq/core/view.hpp"
#include "ctq/ops/op.hpp"
#include "ctq/spec/backend_config.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

// Options of prepare and convert: PyTorch's PrepareCustomConfig.

namespace ctq {

/// What happens if the qconfig of a node cannot be honoured: a compile error, or the node stays in
/// float, as in PyTorch.
enum class unsupported : unsigned char { error, skip };

/// Modules of a class whose observed and quantized forms are classes of their own.
struct custom_module {
  op_id float_class{};
  op_id observed{};         // null: prepare keeps the class
  op_id quantized{};        // null: so does convert
  bool is_dynamic = false;  // for qconfigs with dynamic activations; else for static ones
};

/// A module that is prepared and converted on its own, as one node of the model around it.
struct standalone_module {
  std::string_view name{};  // its path
  op_id type{};             // or its class; an entry with the name is tried first
  view<int> input_quantized_indexes{};
  view<int> output_quantized_indexes{};
  const mapping_view* mapping{};  // null: the qconfig that its node has in the model around it
  const backend_view* backend{};  // null: that of the model around it
  view<standalone_module> standalone{};  // inside of it
  view<custom_module> custom_modules{};
};

struct prepare_options {
  ctq::semantics semantics{};
  unsupported policy = unsupported::error;
  bool is_qat = false;                   // fake quantizes instead of observers
  view<int> input_quantized_indexes{};   // placeholders that are quantized already
  view<int> output_quantized_indexes{};  // outputs that stay quantized
  dtype quantized_dtype = quint8;        // of those
  view<standalone_module> standalone{};
  view<custom_module> custom_modules{};
  view<std::string_view> preserved_attributes{};  // of the model, which prepare keeps

  [[nodiscard]] constexpr bool has_leaves() const {
    return !standalone.empty() || !custom_modules.empty();
  }
};

/// The entry that holds for a node, or null.
template <class Node>
[[nodiscard]] constexpr const standalone_module* standalone_of(const prepare_options& o,
                                                               const Node& n) {
  if (n.op->kind != op_kind::module) return nullptr;
  for (const standalone_module& s : o.standalone)
    if (!s.name.empty() && s.name == path_of(n)) return &s;
  for (const standalone_module& s : o.standalone)
    if (s.type != nullptr && s.type == n.op) return &s;
  return nullptr;
}

/// The entry of a class in any of its forms, or null.
[[nodiscard]] constexpr const custom_module* custom_of(const prepare_options& o, op_id op) {
  for (const custom_module& c : o.custom_modules)
    if (c.float_class == op || c.observed == op) return &c;
  return nullptr;
}
/// The same, for this qconfig.
[[nodiscard]] constexpr const custom_module* custom_of(const prepare_options& o, op_id op,
                                                       const qconfig_record& q) {
  for (const custom_module& c : o.custom_modules)
    if ((c.float_class == op || c.observed == op) && c.is_dynamic == q.activation.args.is_dynamic)
      return &c;
  return nullptr;
}

/// Whether a node is quantized by itself, independently of the backend's patterns.
template <class Node>
[[nodiscard]] constexpr bool is_leaf(const prepare_options& o, const Node& n) {
  return standalone_of(o, n) != nullptr || custom_of(o, n.op) != nullptr;
}

[[nodiscard]] constexpr bool contains(const view<int>& indexes, int i) {
  for (const int index : indexes)
    if (index == i) return true;
  return false;
}

}  // namespace ctq
