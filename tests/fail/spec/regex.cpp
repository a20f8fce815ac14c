// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: regular expression
// expect: layer(1

#include "ctq/spec/validate.hpp"

using namespace ctq;

struct mapping : qconfig_mapping<
#ifdef CTQ_FIXED
                     module_name_regex<"layer(1)", qconfig_none>
#else
                     module_name_regex<"layer(1", qconfig_none>
#endif
                     > {
};

checked_mapping<mapping> checked;
