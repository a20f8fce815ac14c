// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/core/view.hpp"
#include "ctq/ops/builtin_ops.hpp"

// PyTorch's fuser methods, which turn a matched pattern into one module, as functions from ops to
// an op. The resulting op determines what happens to the weights. A user-defined one is a type:
//
//   struct fuse_gate_t : fuser<fuse_gate_t> {
//     static constexpr std::string_view name = "my.fuse_gate";
//     static constexpr op_id fuse(const fuser_arguments& a) { return a.fused_module; }
//   };
//   inline constexpr fuse_gate_t fuse_gate{};   // fuser_method<my::fuse_gate>

namespace ctq {

struct fuser_arguments {
  op_id root{};          // the op of the root node
  op_id fused_module{};  // of the pattern's config; nullptr if it names none
  bool is_qat = false;   // for quantization-aware training
};

struct fuser_info {
  std::string_view name{};
  op_id (*fuse)(const fuser_arguments&){};
};

/// The address is the identity.
using fuser_id = const fuser_info*;

template <class Fuser>
inline constexpr fuser_info info_of_fuser{Fuser::name, &Fuser::fuse};

template <class Self>
struct fuser {
  static constexpr fuser_id id() { return &info_of_fuser<Self>; }
};

namespace fusers {

/// The result is the config's fused module, which contains the parts.
template <class Self>
struct into_fused : fuser<Self> {
  static constexpr op_id fuse(const fuser_arguments& a) { return a.fused_module; }
};

/// The batch norm is folded into the preceding op, except in training.
template <class Self>
struct folds_batch_norm : fuser<Self> {
  static constexpr op_id fuse(const fuser_arguments& a) {
    return a.is_qat ? a.fused_module : a.root;
  }
};

}  // namespace fusers

/// The fused module runs the parts in sequence: conv and relu.
struct sequential_wrapper2_t : fusers::into_fused<sequential_wrapper2_t> {
  static constexpr std::string_view name = "sequential_wrapper2";
};
inline constexpr sequential_wrapper2_t sequential_wrapper2{};

/// A conv with the batch norm folded into its weights.
struct fuse_conv_bn_t : fusers::folds_batch_norm<fuse_conv_bn_t> {
  static constexpr std::string_view name = "fuse_conv_bn";
};
inline constexpr fuse_conv_bn_t fuse_conv_bn{};

/// The same followed by a relu: a conv_relu.
struct fuse_conv_bn_relu_t : fuser<fuse_conv_bn_relu_t> {
  static constexpr std::string_view name = "fuse_conv_bn_relu";
  static constexpr op_id fuse(const fuser_arguments& a) {
    return a.is_qat ? a.fused_module : a.root->descriptor->with_relu;
  }
};
inline constexpr fuse_conv_bn_relu_t fuse_conv_bn_relu{};

struct fuse_linear_bn_t : fusers::folds_batch_norm<fuse_linear_bn_t> {
  static constexpr std::string_view name = "fuse_linear_bn";
};
inline constexpr fuse_linear_bn_t fuse_linear_bn{};

struct fuse_convtranspose_bn_t : fusers::folds_batch_norm<fuse_convtranspose_bn_t> {
  static constexpr std::string_view name = "fuse_convtranspose_bn";
};
inline constexpr fuse_convtranspose_bn_t fuse_convtranspose_bn{};

}  // namespace ctq
