// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: error: qconfig: not a qconfig<activation observer, weight observer>, and not qconfig_none

#include "ctq/spec/validate_mapping.hpp"

using namespace ctq;

using usual = qconfig<min_max_observer<>, per_channel_min_max_observer<>>;

#ifdef CTQ_FIXED
struct mapping : qconfig_mapping<global<usual>> {};
#else
struct mapping : qconfig_mapping<global<min_max_observer<>>> {};
#endif

checked_mapping<mapping> checked;
