// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: error: fused_module: torch.ao.nn.intrinsic.ConvReLU2d does not consist of the ops of this
// pattern [fused-module-mismatch]

#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/validate.hpp"

using namespace ctq;

struct npu
    : backend_config<
          "npu",
#ifdef CTQ_FIXED
          backend_pattern_config<pattern<nn::conv2d, nn::relu>, fused_module<nni::conv_relu2d>>
#else
          backend_pattern_config<pattern<nn::conv2d, nn::max_pool2d>,
                                 fused_module<nni::conv_relu2d>>
#endif
          > {
};

checked_backend<npu> checked;
