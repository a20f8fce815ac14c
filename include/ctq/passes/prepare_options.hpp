// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/core/dtype.hpp"
#include "ctq/core/semantics.hpp"
#include "ctq/core/view.hpp"
#include "ctq/ops/op.hpp"
#include "ctq/passes/unsupported.hpp"

// Options of prepare and convert: PyTorch's PrepareCustomConfig.

namespace ctq {

/// A module that is prepared and converted on its own, as one node of the model around it.
struct standalone_module {
  std::string_view name{};  // its path
  op_id type{};             // or its class; an entry with the name is tried first
  view<int> input_quantized_indexes{};
  view<int> output_quantized_indexes{};
};

struct prepare_options {
  ctq::semantics semantics{};
  unsupported policy = unsupported::error;
  bool is_qat = false;                   // fake quantizes instead of observers
  view<int> input_quantized_indexes{};   // placeholders that are quantized already
  view<int> output_quantized_indexes{};  // outputs that stay quantized
  dtype quantized_dtype = quint8;        // of those
  view<standalone_module> standalone{};
  view<op_id> custom_modules{};  // classes with observed and quantized forms of their own
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

[[nodiscard]] constexpr bool is_custom(const prepare_options& o, op_id op) {
  for (const op_id custom : o.custom_modules)
    if (custom == op) return true;
  return false;
}

[[nodiscard]] constexpr bool contains(const view<int>& indexes, int i) {
  for (const int index : indexes)
    if (index == i) return true;
  return false;
}

}  // namespace ctq
