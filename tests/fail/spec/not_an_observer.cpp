// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: error: weight: not an observer, such as min_max_observer<>

#include "ctq/spec/validate_mapping.hpp"

using namespace ctq;

using usual = qconfig<min_max_observer<>, per_channel_min_max_observer<>>;

#ifdef CTQ_FIXED
struct mapping : qconfig_mapping<global<usual>> {};
#else
struct mapping : qconfig_mapping<global<qconfig<min_max_observer<>, observer_args>>> {};
#endif

checked_mapping<mapping> checked;
