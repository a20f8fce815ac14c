// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// doctest itself, which takes longer to compile than most tests: once, for all instruction sets.

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
