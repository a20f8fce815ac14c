// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: error: object_type: not an op, such as nn::linear [wrong-type]

#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/validate_mapping.hpp"

using namespace ctq;

using usual = qconfig<min_max_observer<>, per_channel_min_max_observer<>>;

#ifdef CTQ_FIXED
struct mapping : qconfig_mapping<object_type<nn::linear, usual>> {};
#else
struct mapping : qconfig_mapping<object_type<5, usual>> {};
#endif

checked_mapping<mapping> checked;
