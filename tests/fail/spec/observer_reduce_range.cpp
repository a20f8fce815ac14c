// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: error: activation.reduce_range: symmetric quint8 cannot be reduced: its zero point is 128

#include "ctq/spec/validate_mapping.hpp"

using namespace ctq;

#ifdef CTQ_FIXED
using activation =
    histogram_observer<{.qscheme = qscheme::per_tensor_symmetric, .reduce_range = true}>;
#else
using activation =
    min_max_observer<{.qscheme = qscheme::per_tensor_symmetric, .reduce_range = true}>;
#endif
struct mapping : qconfig_mapping<global<qconfig<activation, min_max_observer<{.dtype = qint8}>>>> {
};

checked_mapping<mapping> checked;
