// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: error: root_module: torch.nn.Linear has no reference_quantized_module_for_root in any config
// [root-without-reference]

#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/validate.hpp"

using namespace ctq;

struct npu : backend_config<"npu",
#ifdef CTQ_FIXED
                            backend_pattern_config<pattern<nn::conv2d>, root_module<nn::conv2d>,
                                                   reference_quantized_module<nnqr::conv2d>>,
                            backend_pattern_config<pattern<nn::linear>, root_module<nn::linear>,
                                                   reference_quantized_module<nnqr::linear>>
#else
                            backend_pattern_config<pattern<nn::conv2d>, root_module<nn::conv2d>,
                                                   reference_quantized_module<nnqr::conv2d>>,
                            backend_pattern_config<pattern<nn::linear>, root_module<nn::linear>>
#endif
                            > {
};

checked_backend<npu> checked;
