// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: error: pattern: MatchAllNode stands for an argument, not for the pattern [pattern-form]

#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/validate.hpp"

using namespace ctq;

struct npu : backend_config<"npu",
#ifdef CTQ_FIXED
                            backend_pattern_config<pattern<nested<nn::relu, match_all>>>
#else
                            backend_pattern_config<pattern<match_all>>
#endif
                            > {
};

checked_backend<npu> checked;
