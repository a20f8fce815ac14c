// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/ops/backend_ops.hpp"
#include "ctq/spec/backend_pattern_config.hpp"

// The parts of fused modules, which determine the patterns that can be fused to each.

namespace ctq {

namespace fused_parts {

/// The i-th op of a chain in data flow order; nullptr past the end. Functions count as the
/// equivalent modules.
constexpr op_id part_of(const pattern_record& chain, int i) {
  if (i >= chain.element.size()) return nullptr;
  const op_id op = chain.element[chain.element.size() - 1 - i].op;
  return op != nullptr && op->descriptor->module_form != nullptr ? op->descriptor->module_form : op;
}

constexpr bool is_batch_norm(op_id op) { return op != nullptr && op->descriptor->is_batch_norm; }
constexpr bool is_relu(op_id op) { return op != nullptr && op->descriptor->is_relu; }

}  // namespace fused_parts

/// The first part of a fused module; nullptr for any other op.
[[nodiscard]] constexpr op_id first_part_of(op_id fused) { return fused->descriptor->fused_of[0]; }

/// Whether the ops of this chain can be fused to this module. True for user-defined modules.
[[nodiscard]] constexpr bool can_become(const pattern_record& chain, op_id fused) {
  if (fused == nullptr || !fused->builtin) return true;
  if (first_part_of(fused) == nullptr) return false;
  for (int i = 0; i < 3; ++i)
    if (fused_parts::part_of(chain, i) != fused->descriptor->fused_of[i]) return false;
  return chain.element.size() <= 3;
}

/// Whether this fuser method accepts the ops of this chain. True for user-defined ones.
[[nodiscard]] constexpr bool can_fuse(const pattern_record& chain, fuser_id fuser) {
  if (fuser->accepts == fuser_pattern::any) return true;
  const bool with_relu = fuser->accepts == fuser_pattern::batch_norm_relu;
  return chain.element.size() == (with_relu ? 3 : 2) &&
         fused_parts::is_batch_norm(fused_parts::part_of(chain, 1)) &&
         (!with_relu || fused_parts::is_relu(fused_parts::part_of(chain, 2)));
}

}  // namespace ctq
