// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: activation.quant_max: 300
// expect: line<24>{"quint8 allows: 0 to 255"}

#include "ctq/spec/validate.hpp"

using namespace ctq;

struct mapping : qconfig_mapping<
#ifdef CTQ_FIXED
                     global<qconfig<min_max_observer<{.quant_min = 0, .quant_max = 255}>,
                                    per_channel_min_max_observer<>>>
#else
                     global<qconfig<min_max_observer<{.quant_min = 0, .quant_max = 300}>,
                                    per_channel_min_max_observer<>>>
#endif
                     > {
};

checked_mapping<mapping> checked;
