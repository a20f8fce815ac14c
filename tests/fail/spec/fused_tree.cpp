// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: error: fuser_method: arguments would be lost: an extra_inputs_getter names those to keep
// [fused-module-mismatch]

#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/validate.hpp"

using namespace ctq;

struct npu : backend_config<
                 "npu",
#ifdef CTQ_FIXED
                 backend_pattern_config<pattern<nested<op::add, match_all, nn::conv2d>>,
                                        fused_module<nni::conv_add2d>, extra_inputs_getter<path<1>>>
#else
                 backend_pattern_config<pattern<nested<op::add, match_all, nn::conv2d>>,
                                        fused_module<nni::conv_add2d>>
#endif
                 > {
};

checked_backend<npu> checked;
