// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: activation.quant_min
// expect: must contain 0

#include "ctq/spec/validate.hpp"

using namespace ctq;

struct mapping : qconfig_mapping<
#ifdef CTQ_FIXED
                     global<qconfig<min_max_observer<{.quant_min = 0, .quant_max = 255}>,
                                    per_channel_min_max_observer<>>>
#else
                     global<qconfig<min_max_observer<{.quant_min = 5, .quant_max = 255}>,
                                    per_channel_min_max_observer<>>>
#endif
                     > {
};

checked_mapping<mapping> checked;
