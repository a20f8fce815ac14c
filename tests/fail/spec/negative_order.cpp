// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: error: module_name_object_type_order: -1 is not the index of a node: from 0 [wrong-type]

#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/validate_mapping.hpp"

using namespace ctq;

#ifdef CTQ_FIXED
constexpr int order = 0;
#else
constexpr int order = -1;
#endif
struct mapping
    : qconfig_mapping<module_name_object_type_order<"block", nn::linear, order, qconfig_none>> {};

checked_mapping<mapping> checked;
