// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: error: root_node_getter: the indices lead to no node of the pattern [node-path]

#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/validate.hpp"

using namespace ctq;

struct npu : backend_config<
                 "npu",
#ifdef CTQ_FIXED
                 backend_pattern_config<pattern<nn::conv2d, nn::relu>, root_node_getter<path<1>>>
#else
                 backend_pattern_config<pattern<nn::conv2d, nn::relu>, root_node_getter<path<2>>>
#endif
                 > {
};

checked_backend<npu> checked;
