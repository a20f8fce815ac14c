// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: error: input_type_to_index: position 1 is given twice [input-index]

#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/validate.hpp"

using namespace ctq;

struct npu
    : backend_config<
          "npu",
#ifdef CTQ_FIXED
          backend_pattern_config<pattern<fn::linear>, input_type_to_index<{.weight = 1, .bias = 2}>>
#else
          backend_pattern_config<pattern<fn::linear>, input_type_to_index<{.weight = 1, .bias = 1}>>
#endif
          > {
};

checked_backend<npu> checked;
