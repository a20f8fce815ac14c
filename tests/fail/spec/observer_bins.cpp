// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: error: activation.bins: 0 is not a number of bins: 1 to 16777216 [observer-argument]

#include "ctq/spec/validate_mapping.hpp"

using namespace ctq;

#ifdef CTQ_FIXED
using activation = histogram_observer<{.bins = 128}>;
#else
using activation = histogram_observer<{.bins = 0}>;
#endif
struct mapping : qconfig_mapping<global<qconfig<activation, min_max_observer<{.dtype = qint8}>>>> {
};

checked_mapping<mapping> checked;
