// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: module_name_regex
// expect: error: module_name_regex: layer[1-2.* is not a supported regular expression [regex-syntax]

#include "ctq/spec/validate_mapping.hpp"

using namespace ctq;

#ifdef CTQ_FIXED
struct mapping : qconfig_mapping<module_name_regex<"layer[1-2].*", qconfig_none>> {};
#else
struct mapping : qconfig_mapping<module_name_regex<"layer[1-2.*", qconfig_none>> {};
#endif

checked_mapping<mapping> checked;
