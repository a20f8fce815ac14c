// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/spec/fuser_method.hpp"
#include "ctq/spec/onednn_fusers.hpp"

// The fuser methods that files can name.

namespace ctq {

inline constexpr fuser_id fuser_table[] = {
    sequential_wrapper2.id(),         fuse_conv_bn.id(),
    fuse_conv_bn_relu.id(),           fuse_linear_bn.id(),
    fuse_convtranspose_bn.id(),       fuse_conv_add_left.id(),
    fuse_conv_add_right.id(),         fuse_conv_bn_add_left.id(),
    fuse_conv_bn_add_right.id(),      fuse_conv_add_relu_left.id(),
    fuse_conv_add_relu_right.id(),    fuse_conv_bn_add_relu_left.id(),
    fuse_conv_bn_add_relu_right.id(), fuse_linear_bn_leaky_relu.id()};

}  // namespace ctq
