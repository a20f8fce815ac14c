// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: error: activation.observer: MinMaxObserver inside FusedMovingAvgObsFakeQuantize: its observer is not a moving average

#include "ctq/spec/validate_mapping.hpp"

using namespace ctq;

#ifdef CTQ_FIXED
using activation = fused_moving_avg_obs_fake_quantize<moving_average_min_max_observer<>>;
#else
using activation = fused_moving_avg_obs_fake_quantize<min_max_observer<>>;
#endif
struct mapping : qconfig_mapping<global<qconfig<activation, min_max_observer<{.dtype = qint8}>>>> {
};

checked_mapping<mapping> checked;
