// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: error: activation.eps: 0 is not positive and finite [observer-eps]

#include "ctq/spec/validate_mapping.hpp"

using namespace ctq;

#ifdef CTQ_FIXED
using activation = histogram_observer<{.eps = 0x1p-12F}>;
struct mapping : qconfig_mapping<global<qconfig<activation, min_max_observer<{.dtype = qint8}>>>> {
};
#else
using activation = histogram_observer<{.eps = 0.0F}>;
struct mapping : qconfig_mapping<global<qconfig<activation, min_max_observer<{.dtype = qint8}>>>> {
};
#endif

checked_mapping<mapping> checked;
