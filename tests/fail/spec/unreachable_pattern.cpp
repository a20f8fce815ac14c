// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: pattern: (torch.nn.Conv2d, torch.nn.ReLU)
// expect: error: pattern: never matches, configs[0] is always tried first: (torch.nn.ReLU, MatchAllNode)
// [unreachable-pattern]

#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/validate.hpp"

using namespace ctq;

struct npu : backend_config<"npu",
#ifdef CTQ_FIXED
                            backend_pattern_config<pattern<nn::conv2d, nn::relu>>,
                            backend_pattern_config<pattern<nested<nn::relu, match_all>>>
#else
                            backend_pattern_config<pattern<nested<nn::relu, match_all>>>,
                            backend_pattern_config<pattern<nn::conv2d, nn::relu>>
#endif
                            > {
};

checked_backend<npu> checked;
