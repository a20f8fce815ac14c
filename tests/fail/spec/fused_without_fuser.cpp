// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: error: fuser_method: sequential_wrapper2 has no fused_module [fused-without-fuser]

#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/validate.hpp"

using namespace ctq;

struct npu
    : backend_config<
          "npu",
#ifdef CTQ_FIXED
          backend_pattern_config<pattern<nn::conv2d, nn::relu>, fused_module<nni::conv_relu2d>>
#else
          backend_pattern_config<pattern<nn::conv2d, nn::relu>, fuser_method<sequential_wrapper2>>
#endif
          > {
};

checked_backend<npu> checked;
