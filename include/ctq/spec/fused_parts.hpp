// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/backend_pattern_config.hpp"

// What fused modules are made of, and so which patterns can become one.

namespace ctq {

namespace fused_parts {

/// The op at the i-th place of a chain, counted in the order the data flows; nullptr behind its
/// end. Functions count as the modules that compute the same.
constexpr op_id part_of(const pattern_record& chain, int i) {
  if (i >= chain.element.size()) return nullptr;
  const op_id op = chain.element[chain.element.size() - 1 - i].op;
  return op != nullptr && op->descriptor->module_form != nullptr ? op->descriptor->module_form : op;
}

constexpr bool is_batch_norm(op_id op) { return op != nullptr && op->descriptor->is_batch_norm; }
constexpr bool is_relu(op_id op) { return op != nullptr && op->descriptor->is_relu; }

}  // namespace fused_parts

/// The first of the parts of a fused module; nullptr for any other op.
[[nodiscard]] constexpr op_id first_part_of(op_id fused) { return fused->descriptor->fused_of[0]; }

/// Can the ops of this chain become this module? True for modules that are not said to have parts.
[[nodiscard]] constexpr bool can_become(const pattern_record& chain, op_id fused) {
  if (fused == nullptr || first_part_of(fused) == nullptr) return true;
  for (int i = 0; i < 3; ++i)
    if (fused_parts::part_of(chain, i) != fused->descriptor->fused_of[i]) return false;
  return chain.element.size() <= 3;
}

/// Can this fuser method take the ops of this chain? True for a user's own.
[[nodiscard]] constexpr bool can_fuse(const pattern_record& chain, fuser_id fuser) {
  const int size = chain.element.size();
  const bool norm = fused_parts::is_batch_norm(fused_parts::part_of(chain, 1));
  if (fuser == fuse_conv_bn.id() || fuser == fuse_convtranspose_bn.id() ||
      fuser == fuse_linear_bn.id())
    return size == 2 && norm;
  if (fuser == fuse_conv_bn_relu.id())
    return size == 3 && norm && fused_parts::is_relu(fused_parts::part_of(chain, 2));
  return true;
}

}  // namespace ctq
