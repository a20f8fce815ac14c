// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/core/containers/view.hpp"
#include "ctq/core/dtype.hpp"
#include "ctq/core/semantics.hpp"
#include "ctq/ops/op.hpp"
#include "ctq/spec/custom_config.hpp"

// Options of prepare.

namespace ctq {

/// What happens if the qconfig of a node cannot be honoured: a compile error, or the node stays in
/// float, as in PyTorch.
enum class unsupported : unsigned char { error, skip };

/// The options of prepare.
struct prepare_options {
  ctq::semantics semantics{};
  unsupported policy = unsupported::error;
  bool is_qat = false;             // fake quantizes instead of observers
  dtype quantized_dtype = quint8;  // of quantized inputs and outputs
  prepare_custom_config custom{};
};

/// The entry of standalone modules that applies to a node, or null.
template <class Node>
[[nodiscard]] constexpr const standalone_module* standalone_of(const prepare_options& o,
                                                               const Node& n) {
  if (n.op->kind != op_kind::module) return nullptr;
  for (const standalone_module& s : o.custom.standalone)
    if (!s.name.empty() && s.name == path_of(n)) return &s;
  for (const standalone_module& s : o.custom.standalone)
    if (s.type != nullptr && is_same_op(s.type, n.op)) return &s;
  return nullptr;
}

/// The entry of a class in its float or observed form, or null.
[[nodiscard]] constexpr const custom_module* custom_of(const prepare_options& o, op_id op) {
  for (const custom_module& c : o.custom.custom_modules)
    if (is_same_op(c.float_class, op) || is_same_op(c.observed, op)) return &c;
  return nullptr;
}
/// The same, for this qconfig.
[[nodiscard]] constexpr const custom_module* custom_of(const prepare_options& o, op_id op,
                                                       const qconfig_record& q) {
  const quant_type type = quant_type_of(q, o.semantics);
  for (const custom_module& c : o.custom.custom_modules)
    if ((is_same_op(c.float_class, op) || is_same_op(c.observed, op)) && c.type == type) return &c;
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
