// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: not a backend, but given as one: it is a type derived from ctq::backend_config<...>

#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/validate.hpp"

using namespace ctq;

#ifdef CTQ_FIXED
struct npu : backend_config<"npu"> {};
#else
struct npu {};
#endif

checked_backend<npu> checked;
