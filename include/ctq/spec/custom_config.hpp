// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/core/containers/view.hpp"
#include "ctq/ops/op.hpp"
#include "ctq/spec/backend_config.hpp"
#include "ctq/spec/qconfig_mapping.hpp"
#include "ctq/spec/quant_type.hpp"

// PyTorch's PrepareCustomConfig, ConvertCustomConfig and FuseCustomConfig as plain records. They do
// not own what they view.

namespace ctq {

/// Modules of a class whose observed and quantized forms are classes of their own, for qconfigs of
/// one quant type. A config of prepare has the observed class, one of convert the quantized class
/// of an observed one; a record may have all three.
struct custom_module {
  op_id float_class{};
  op_id observed{};   // null in a config of prepare: it keeps the class
  op_id quantized{};  // null: convert leaves the observed module in float
  quant_type type = quant_type::static_;

  friend constexpr bool operator==(const custom_module&, const custom_module&) = default;
};

struct standalone_module;

/// PyTorch's PrepareCustomConfig.
struct prepare_custom_config {
  view<standalone_module> standalone{};
  view<custom_module> custom_modules{};
  view<std::string_view> non_traceable_module_names{};  // for tracing: calls of them are one node
  view<op_id> non_traceable_module_classes{};
  view<int> input_quantized_indexes{};            // placeholders that are quantized already
  view<int> output_quantized_indexes{};           // outputs that stay quantized
  view<std::string_view> preserved_attributes{};  // of the model, which prepare keeps

  /// Whether modules are quantized by themselves, independently of the backend's patterns.
  [[nodiscard]] constexpr bool has_leaves() const {
    return !standalone.empty() || !custom_modules.empty();
  }
};

/// A module that is prepared and converted on its own, as one node of the model around it.
struct standalone_module {
  std::string_view name{};         // its path
  op_id type{};                    // or its class; an entry with the name is tried first
  const mapping_view* mapping{};   // null: the qconfig that its node has in the model around it
  const backend_view* backend{};   // null: that of the model around it
  prepare_custom_config custom{};  // of the model inside
};

/// PyTorch's ConvertCustomConfig.
struct convert_custom_config {
  view<custom_module> custom_modules{};           // from observed to quantized
  view<std::string_view> preserved_attributes{};  // of the prepared model, which convert keeps
};

/// PyTorch's FuseCustomConfig.
struct fuse_custom_config {
  view<std::string_view> preserved_attributes{};  // of the model, which fusion keeps
};

/// Whether two identities mean the same op: an op that is known only by its name may have several,
/// from a model and from files.
[[nodiscard]] constexpr bool is_same_op(op_id a, op_id b) {
  if (a == b || a == nullptr || b == nullptr) return a == b;
  return a->kind == b->kind && !a->builtin && !b->builtin && a->name == b->name;
}

}  // namespace ctq
