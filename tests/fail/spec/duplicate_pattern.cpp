// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: pattern: torch.nn.Linear
// expect: error: pattern: is also that of configs[0] [duplicate-pattern]

#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/validate.hpp"

using namespace ctq;

struct npu : backend_config<"npu",
#ifdef CTQ_FIXED
                            backend_pattern_config<pattern<nn::linear>>,
                            backend_pattern_config<pattern<fn::linear>>
#else
                            backend_pattern_config<pattern<nn::linear>>,
                            backend_pattern_config<pattern<nn::linear>>
#endif
                            > {
};

checked_backend<npu> checked;
