// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The implementation of doctest, which compiles longer than most tests: compiled once for all
// instruction sets.

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
