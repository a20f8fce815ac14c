// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: config: #0
// expect: not a backend_pattern_config<pattern<op, ...>, part, ...>

#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/validate.hpp"

using namespace ctq;

#ifdef CTQ_FIXED
struct npu : backend_config<"npu", backend_pattern_config<pattern<nn::conv2d, nn::relu>>> {};
#else
struct npu : backend_config<"npu", backend_pattern_config<pattern<nn::conv2d, 5>>> {};
#endif

checked_backend<npu> checked;
