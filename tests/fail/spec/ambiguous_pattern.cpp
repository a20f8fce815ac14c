// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: error: pattern: can match where configs[0] does, which is tried first: (_operator.add,
// torch.nn.Conv2d, MatchAllNode) [ambiguous-pattern]

#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/validate.hpp"

using namespace ctq;

struct npu
    : backend_config<
          "npu",
#ifdef CTQ_FIXED
          backend_pattern_config<pattern<nested<op::add, nn::conv2d, match_all>>>,
          backend_pattern_config<pattern<nested<op::add, nn::linear, match_all>>, not_observed>
#else
          backend_pattern_config<pattern<nested<op::add, nn::conv2d, match_all>>>,
          backend_pattern_config<pattern<nested<op::add, match_all, nn::linear>>, not_observed>
#endif
          > {
};

checked_backend<npu> checked;
