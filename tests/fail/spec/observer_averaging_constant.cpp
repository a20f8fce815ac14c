// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: error: activation.averaging_constant: 7 is not a weight of a new batch: 0 to 1

#include "ctq/spec/validate_mapping.hpp"

using namespace ctq;

#ifdef CTQ_FIXED
using activation = moving_average_min_max_observer<{.averaging_constant = 0.7}>;
#else
using activation = moving_average_min_max_observer<{.averaging_constant = 7}>;
#endif
struct mapping : qconfig_mapping<global<qconfig<activation, min_max_observer<{.dtype = qint8}>>>> {
};

checked_mapping<mapping> checked;
