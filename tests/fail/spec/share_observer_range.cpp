// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: error: observation_type: the output of torch.nn.Sigmoid has another range than its input
// [share-observer-range]

#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/validate.hpp"

using namespace ctq;

struct npu : backend_config<"npu",
#ifdef CTQ_FIXED
                            backend_pattern_config<pattern<nn::relu>, share_observer_with_input>
#else
                            backend_pattern_config<pattern<nn::sigmoid>, share_observer_with_input>
#endif
                            > {
};

checked_backend<npu> checked;
