// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: backend: npu
// expect: config: #0
// expect: not a backend_pattern_config<
// expect: pattern<op, ...>, part, ...> with parts
// expect: such as dtype_configs<...>

#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/validate.hpp"

using namespace ctq;

#ifdef CTQ_FIXED
struct npu : backend_config<"npu", backend_pattern_config<pattern<nn::relu>, not_observed>> {};
#else
struct npu : backend_config<"npu", backend_pattern_config<pattern<nn::relu>, pattern<nn::relu6>>> {
};
#endif

checked_backend<npu> checked;
