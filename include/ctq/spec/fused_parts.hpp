// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/op_sets.hpp"
#include "ctq/spec/backend_pattern_config.hpp"

// The parts of PyTorch's fused modules, which determine the patterns that can be fused to each.

namespace ctq {

namespace fused_parts {

/// In data flow order; nullptr: no further part.
struct row {
  op_id fused;
  op_id part[3];
};

template <class Fused, class... Part>
constexpr row made_of(const Fused& fused, const Part&... part) {
  return {fused.id(), {part.id()...}};
}

inline constexpr row table[] = {
    made_of(nni::conv_relu1d, nn::conv1d, nn::relu),
    made_of(nni::conv_relu2d, nn::conv2d, nn::relu),
    made_of(nni::conv_relu3d, nn::conv3d, nn::relu),
    made_of(nni::conv_bn1d, nn::conv1d, nn::batch_norm1d),
    made_of(nni::conv_bn2d, nn::conv2d, nn::batch_norm2d),
    made_of(nni::conv_bn3d, nn::conv3d, nn::batch_norm3d),
    made_of(nni::conv_bn_relu1d, nn::conv1d, nn::batch_norm1d, nn::relu),
    made_of(nni::conv_bn_relu2d, nn::conv2d, nn::batch_norm2d, nn::relu),
    made_of(nni::conv_bn_relu3d, nn::conv3d, nn::batch_norm3d, nn::relu),
    made_of(nni::linear_relu, nn::linear, nn::relu),
    made_of(nni::linear_bn1d, nn::linear, nn::batch_norm1d),
    made_of(nni::linear_leaky_relu, nn::linear, nn::leaky_relu),
    made_of(nni::linear_tanh, nn::linear, nn::tanh),
    made_of(nni::bn_relu2d, nn::batch_norm2d, nn::relu),
    made_of(nni::bn_relu3d, nn::batch_norm3d, nn::relu),
};

/// The i-th op of a chain in data flow order; nullptr past the end. Functions count as the
/// equivalent modules.
constexpr op_id part_of(const pattern_record& chain, int i) {
  if (i >= chain.element.size()) return nullptr;
  const op_id op = chain.element[chain.element.size() - 1 - i].op;
  if (is_relu(op)) return nn::relu.id();
  if (op == fn::tanh.id()) return nn::tanh.id();
  return op == fn::leaky_relu.id() ? nn::leaky_relu.id() : op;
}

constexpr bool is_batch_norm(op_id op) {
  return op == nn::batch_norm1d.id() || op == nn::batch_norm2d.id() || op == nn::batch_norm3d.id();
}

}  // namespace fused_parts

/// The first part of a fused module; nullptr for any other op.
[[nodiscard]] constexpr op_id first_part_of(op_id fused) {
  for (const fused_parts::row& r : fused_parts::table)
    if (r.fused == fused) return r.part[0];
  return nullptr;
}

/// Whether the ops of this chain can be fused to this module. True for user-defined modules.
[[nodiscard]] constexpr bool can_become(const pattern_record& chain, op_id fused) {
  for (const fused_parts::row& r : fused_parts::table) {
    if (r.fused != fused) continue;
    for (int i = 0; i < 3; ++i)
      if (fused_parts::part_of(chain, i) != r.part[i]) return false;
    return chain.element.size() <= 3;
  }
  return true;
}

/// Whether this fuser method accepts the ops of this chain. True for user-defined ones.
[[nodiscard]] constexpr bool can_fuse(const pattern_record& chain, fuser_id fuser) {
  const int size = chain.element.size();
  const bool norm = fused_parts::is_batch_norm(fused_parts::part_of(chain, 1));
  if (fuser == fuse_conv_bn.id() || fuser == fuse_convtranspose_bn.id() ||
      fuser == fuse_linear_bn.id())
    return size == 2 && norm;
  if (fuser == fuse_conv_bn_relu.id())
    return size == 3 && norm && is_relu(fused_parts::part_of(chain, 2));
  return true;
}

}  // namespace ctq
