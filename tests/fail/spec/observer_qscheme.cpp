// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: error: activation.qscheme: HistogramObserver cannot be per_channel_affine
// [observer-qscheme]

#include "ctq/spec/validate_mapping.hpp"

using namespace ctq;

#ifdef CTQ_FIXED
using activation = histogram_observer<{.qscheme = qscheme::per_tensor_symmetric}>;
struct mapping : qconfig_mapping<global<qconfig<activation, min_max_observer<{.dtype = qint8}>>>> {
};
#else
using activation = histogram_observer<{.qscheme = qscheme::per_channel_affine}>;
struct mapping : qconfig_mapping<global<qconfig<activation, min_max_observer<{.dtype = qint8}>>>> {
};
#endif

checked_mapping<mapping> checked;
