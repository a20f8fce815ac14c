// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/spec/fuser_method.hpp"

// The fuser methods of PyTorch's oneDNN backend, with the same names. Those with a batch norm fold
// it into the weights, and do not fuse in training.

namespace ctq {

namespace onednn_parts {

template <class Self>
struct into_fused_unless_qat : fuser<Self> {
  static constexpr op_id fuse(const fuser_arguments& a) {
    return a.is_qat ? nullptr : a.fused_module;
  }
};

}  // namespace onednn_parts

/// add(conv(x), y)
struct fuse_conv_add_left_t : fusers::into_fused<fuse_conv_add_left_t> {
  static constexpr std::string_view name = "_fuse_conv_add_left";
};
inline constexpr fuse_conv_add_left_t fuse_conv_add_left{};

/// add(y, conv(x))
struct fuse_conv_add_right_t : fusers::into_fused<fuse_conv_add_right_t> {
  static constexpr std::string_view name = "_fuse_conv_add_right";
};
inline constexpr fuse_conv_add_right_t fuse_conv_add_right{};

/// add(batch_norm(conv(x)), y)
struct fuse_conv_bn_add_left_t : onednn_parts::into_fused_unless_qat<fuse_conv_bn_add_left_t> {
  static constexpr std::string_view name = "_fuse_conv_bn_add_left";
};
inline constexpr fuse_conv_bn_add_left_t fuse_conv_bn_add_left{};

/// add(y, batch_norm(conv(x)))
struct fuse_conv_bn_add_right_t : onednn_parts::into_fused_unless_qat<fuse_conv_bn_add_right_t> {
  static constexpr std::string_view name = "_fuse_conv_bn_add_right";
};
inline constexpr fuse_conv_bn_add_right_t fuse_conv_bn_add_right{};

/// relu(add(conv(x), y))
struct fuse_conv_add_relu_left_t : fusers::into_fused<fuse_conv_add_relu_left_t> {
  static constexpr std::string_view name = "_fuse_conv_add_relu_left";
};
inline constexpr fuse_conv_add_relu_left_t fuse_conv_add_relu_left{};

/// relu(add(y, conv(x)))
struct fuse_conv_add_relu_right_t : fusers::into_fused<fuse_conv_add_relu_right_t> {
  static constexpr std::string_view name = "_fuse_conv_add_relu_right";
};
inline constexpr fuse_conv_add_relu_right_t fuse_conv_add_relu_right{};

/// relu(add(batch_norm(conv(x)), y))
struct fuse_conv_bn_add_relu_left_t
    : onednn_parts::into_fused_unless_qat<fuse_conv_bn_add_relu_left_t> {
  static constexpr std::string_view name = "_fuse_conv_bn_add_relu_left";
};
inline constexpr fuse_conv_bn_add_relu_left_t fuse_conv_bn_add_relu_left{};

/// relu(add(y, batch_norm(conv(x))))
struct fuse_conv_bn_add_relu_right_t
    : onednn_parts::into_fused_unless_qat<fuse_conv_bn_add_relu_right_t> {
  static constexpr std::string_view name = "_fuse_conv_bn_add_relu_right";
};
inline constexpr fuse_conv_bn_add_relu_right_t fuse_conv_bn_add_relu_right{};

/// leaky_relu(batch_norm(linear(x)))
struct fuse_linear_bn_leaky_relu_t
    : onednn_parts::into_fused_unless_qat<fuse_linear_bn_leaky_relu_t> {
  static constexpr std::string_view name = "_fuse_linear_bn_leaky_relu";
};
inline constexpr fuse_linear_bn_leaky_relu_t fuse_linear_bn_leaky_relu{};

}  // namespace ctq
