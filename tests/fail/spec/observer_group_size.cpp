// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: error: weight.group_size: weights quantized per group need a dynamic qint8 activation [observer-group-size]

#include "ctq/spec/validate_mapping.hpp"

using namespace ctq;

using weight = per_channel_min_max_observer<{.quant_min = -8, .quant_max = 7, .group_size = 32}>;
#ifdef CTQ_FIXED
using activation = placeholder_observer<{.dtype = qint8, .is_dynamic = true}>;
#else
using activation = min_max_observer<>;
#endif
struct mapping : qconfig_mapping<global<qconfig<activation, weight>>> {};

checked_mapping<mapping> checked;
