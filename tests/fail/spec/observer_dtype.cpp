// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: error: activation.dtype: float32 has no integers, MinMaxObserver needs a quantized dtype
// [observer-dtype]

#include "ctq/spec/validate_mapping.hpp"

using namespace ctq;

#ifdef CTQ_FIXED
using activation = min_max_observer<{.dtype = quint8}>;
struct mapping : qconfig_mapping<global<qconfig<activation, min_max_observer<{.dtype = qint8}>>>> {
};
#else
using activation = min_max_observer<{.dtype = f32}>;
struct mapping : qconfig_mapping<global<qconfig<activation, min_max_observer<{.dtype = qint8}>>>> {
};
#endif

checked_mapping<mapping> checked;
