// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/core/same_text.hpp"
#include "ctq/spec/fuser_method.hpp"
#include "ctq/spec/onednn_fusers.hpp"

// The fuser methods that files can refer to by name.

namespace ctq {

inline constexpr fuser_id fuser_table[] = {
    sequential_wrapper2.id(),         fuse_conv_bn.id(),
    fuse_conv_bn_relu.id(),           fuse_linear_bn.id(),
    fuse_convtranspose_bn.id(),       fuse_conv_add_left.id(),
    fuse_conv_add_right.id(),         fuse_conv_bn_add_left.id(),
    fuse_conv_bn_add_right.id(),      fuse_conv_add_relu_left.id(),
    fuse_conv_add_relu_right.id(),    fuse_conv_bn_add_relu_left.id(),
    fuse_conv_bn_add_relu_right.id(), fuse_linear_bn_leaky_relu.id()};

/// The fuser method of this name, or nullptr. PyTorch's wrapper is private and has a leading
/// underscore; both names are accepted.
[[nodiscard]] constexpr fuser_id find_fuser(std::string_view name) {
  if (same_text(name, "_sequential_wrapper2")) return sequential_wrapper2.id();
  for (const fuser_id known : fuser_table)
    if (same_text(known->name, name)) return known;
  return nullptr;
}

}  // namespace ctq
