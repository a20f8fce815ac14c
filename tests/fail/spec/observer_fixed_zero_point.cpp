// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: error: activation.zero_point: 999 is outside the range of quint8, 0 to 255

#include "ctq/spec/validate_mapping.hpp"

using namespace ctq;

#ifdef CTQ_FIXED
using activation = fixed_qparams_observer<{.zero_point = 99}>;
#else
using activation = fixed_qparams_observer<{.zero_point = 999}>;
#endif
struct mapping : qconfig_mapping<global<qconfig<activation, min_max_observer<{.dtype = qint8}>>>> {
};

checked_mapping<mapping> checked;
