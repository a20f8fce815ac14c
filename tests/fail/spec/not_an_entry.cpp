// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: QConfigMapping entry: #1 of 2
// expect: error: not an entry of a qconfig_mapping, such as global<...>

#include "ctq/spec/validate_mapping.hpp"

using namespace ctq;

using usual = qconfig<min_max_observer<>, per_channel_min_max_observer<>>;

#ifdef CTQ_FIXED
struct mapping : qconfig_mapping<allow_float<"fc">, global<usual>> {};
#else
struct mapping : qconfig_mapping<allow_float<"fc">, usual> {};
#endif

checked_mapping<mapping> checked;
