// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define CTQ_COMPILED_HERE
#include "kernels_elsewhere.hpp"

CTQ_COMPILE_ELSEWHERE(template);
