// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: error: activation.ch_axis: 9 is not an axis: -6 to 5 [observer-argument]

#include "ctq/spec/validate_mapping.hpp"

using namespace ctq;

#ifdef CTQ_FIXED
using activation = per_channel_min_max_observer<{.ch_axis = 1}>;
#else
using activation = per_channel_min_max_observer<{.ch_axis = 9}>;
#endif
struct mapping : qconfig_mapping<global<qconfig<activation, min_max_observer<{.dtype = qint8}>>>> {
};

checked_mapping<mapping> checked;
