// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: error: activation.scale: 0 is not positive and finite [observer-argument]

#include "ctq/spec/validate_mapping.hpp"

using namespace ctq;

#ifdef CTQ_FIXED
using activation = fixed_qparams_observer<{.scale = 0x1p-8F}>;
#else
using activation = fixed_qparams_observer<{.scale = 0}>;
#endif
struct mapping : qconfig_mapping<global<qconfig<activation, min_max_observer<{.dtype = qint8}>>>> {
};

checked_mapping<mapping> checked;
