// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: error: activation.quant_min: quant_min and quant_max must be given together [observer-quant-range]

#include "ctq/spec/validate_mapping.hpp"

using namespace ctq;

#ifdef CTQ_FIXED
using activation = min_max_observer<{.quant_min = 0, .quant_max = 255}>;
struct mapping : qconfig_mapping<global<qconfig<activation, min_max_observer<{.dtype = qint8}>>>> {
};
#else
using activation = min_max_observer<{.quant_min = 0}>;
struct mapping : qconfig_mapping<global<qconfig<activation, min_max_observer<{.dtype = qint8}>>>> {
};
#endif

checked_mapping<mapping> checked;
