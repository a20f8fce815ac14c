// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/core/same_text.hpp"
#include "ctq/ops/backend_ops.hpp"

// PyTorch's fuser methods, which turn a matched pattern into one module, as functions from ops to
// an op. The resulting op determines what happens to the weights. A user-defined one is a constant:
//
//   inline constexpr ctq::fuser fuse_gate{
//       "my.fuse_gate", [](const fuser_arguments& a) { return a.fused_module; }};
//   ... fuser_method<fuse_gate> ...

namespace ctq {

/// The arguments of a fuser method.
struct fuser_arguments {
  op_id root{};          // the op of the root node
  op_id fused_module{};  // of the pattern's config; nullptr if it names none
  bool is_qat = false;   // for quantization-aware training
};

/// The patterns that a fuser accepts.
enum class fuser_pattern : unsigned char { any, batch_norm, batch_norm_relu };

/// A fuser method.
struct fuser {
  std::string_view name{};
  op_id (*fuse)(const fuser_arguments&){};
  fuser_pattern accepts = fuser_pattern::any;
  bool keeps_parts = false;  // the fused module consists of the ops of the pattern
};

/// The address is the identity.
using fuser_id = const fuser*;

namespace fusers {

/// The result is the config's fused module, which contains the parts.
constexpr op_id into_fused(const fuser_arguments& a) { return a.fused_module; }

/// The same, but in training nothing is fused.
constexpr op_id into_fused_unless_qat(const fuser_arguments& a) {
  return a.is_qat ? nullptr : a.fused_module;
}

/// The batch norm is folded into the preceding op, except in training.
constexpr op_id fold_batch_norm(const fuser_arguments& a) {
  return a.is_qat ? a.fused_module : a.root;
}
constexpr op_id fold_batch_norm_relu(const fuser_arguments& a) {
  return a.is_qat ? a.fused_module : a.root->descriptor->with_relu;
}

}  // namespace fusers

/// The fused module runs the parts in sequence: conv and relu.
inline constexpr fuser sequential_wrapper2{"sequential_wrapper2", fusers::into_fused,
                                           fuser_pattern::any, true};

/// A conv with the batch norm folded into its weights.
inline constexpr fuser fuse_conv_bn{"fuse_conv_bn", fusers::fold_batch_norm,
                                    fuser_pattern::batch_norm, true};
/// The same followed by a relu: a conv_relu.
inline constexpr fuser fuse_conv_bn_relu{"fuse_conv_bn_relu", fusers::fold_batch_norm_relu,
                                         fuser_pattern::batch_norm_relu, true};
inline constexpr fuser fuse_linear_bn{"fuse_linear_bn", fusers::fold_batch_norm,
                                      fuser_pattern::batch_norm, true};
inline constexpr fuser fuse_convtranspose_bn{"fuse_convtranspose_bn", fusers::fold_batch_norm,
                                             fuser_pattern::batch_norm};

// Of PyTorch's oneDNN backend. left: add(conv(x), y) · right: add(y, conv(x))
inline constexpr fuser fuse_conv_add_left{"_fuse_conv_add_left", fusers::into_fused};
inline constexpr fuser fuse_conv_add_right{"_fuse_conv_add_right", fusers::into_fused};
inline constexpr fuser fuse_conv_bn_add_left{"_fuse_conv_bn_add_left",
                                             fusers::into_fused_unless_qat};
inline constexpr fuser fuse_conv_bn_add_right{"_fuse_conv_bn_add_right",
                                              fusers::into_fused_unless_qat};
inline constexpr fuser fuse_conv_add_relu_left{"_fuse_conv_add_relu_left", fusers::into_fused};
inline constexpr fuser fuse_conv_add_relu_right{"_fuse_conv_add_relu_right", fusers::into_fused};
inline constexpr fuser fuse_conv_bn_add_relu_left{"_fuse_conv_bn_add_relu_left",
                                                  fusers::into_fused_unless_qat};
inline constexpr fuser fuse_conv_bn_add_relu_right{"_fuse_conv_bn_add_relu_right",
                                                   fusers::into_fused_unless_qat};
inline constexpr fuser fuse_linear_bn_leaky_relu{"_fuse_linear_bn_leaky_relu",
                                                 fusers::into_fused_unless_qat};

/// The fuser methods that files can refer to by name.
inline constexpr fuser_id fuser_table[] = {
    &sequential_wrapper2,         &fuse_conv_bn,
    &fuse_conv_bn_relu,           &fuse_linear_bn,
    &fuse_convtranspose_bn,       &fuse_conv_add_left,
    &fuse_conv_add_right,         &fuse_conv_bn_add_left,
    &fuse_conv_bn_add_right,      &fuse_conv_add_relu_left,
    &fuse_conv_add_relu_right,    &fuse_conv_bn_add_relu_left,
    &fuse_conv_bn_add_relu_right, &fuse_linear_bn_leaky_relu};

/// The fuser method with this name, or nullptr. PyTorch's wrapper is private and has a leading
/// underscore; both names are accepted.
[[nodiscard]] constexpr fuser_id find_fuser(std::string_view name) {
  if (same_text(name, "_sequential_wrapper2")) return &sequential_wrapper2;
  for (const fuser_id known : fuser_table)
    if (same_text(known->name, name)) return known;
  return nullptr;
}

}  // namespace ctq
