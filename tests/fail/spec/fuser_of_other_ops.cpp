// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: error: fuser_method: fuse_conv_bn does not match the ops of this pattern
// [fused-module-mismatch]

#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/validate.hpp"

using namespace ctq;

struct npu
    : backend_config<
          "npu",
#ifdef CTQ_FIXED
          backend_pattern_config<pattern<nn::conv2d, nn::batch_norm2d>, fuser_method<fuse_conv_bn>>
#else
          backend_pattern_config<pattern<nn::conv2d, nn::relu>, fuser_method<fuse_conv_bn>>
#endif
          > {
};

checked_backend<npu> checked;
