// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: not a QConfigMapping, but given as one:
// expect: it is a type derived from ctq::qconfig_mapping<...>

#include "ctq/spec/validate_mapping.hpp"

using namespace ctq;

using usual = qconfig<min_max_observer<>, per_channel_min_max_observer<>>;

#ifdef CTQ_FIXED
struct mapping : qconfig_mapping<global<usual>> {};
#else
using mapping = usual;
#endif

checked_mapping<mapping> checked;
