// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: error: reference_quantized_module_for_root: torch.ao.nn.quantized.reference.Linear has no
// root_module [reference-without-root]

#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/validate.hpp"

using namespace ctq;

struct npu : backend_config<"npu",
#ifdef CTQ_FIXED
                            backend_pattern_config<pattern<nn::linear>, root_module<nn::linear>,
                                                   reference_quantized_module<nnqr::linear>>
#else
                            backend_pattern_config<pattern<nn::linear>,
                                                   reference_quantized_module<nnqr::linear>>
#endif
                            > {
};

checked_backend<npu> checked;
