// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: backend: npu
// expect: config: #1
// expect: not a backend_pattern_config<

#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/validate.hpp"

using namespace ctq;

#ifdef CTQ_FIXED
struct npu : backend_config<"npu", backend_pattern_config<pattern<nn::relu>>,
                            backend_pattern_config<pattern<nn::relu6>>> {};
#else
struct npu : backend_config<"npu", backend_pattern_config<pattern<nn::relu>>, pattern<nn::relu6>> {
};
#endif

checked_backend<npu> checked;
