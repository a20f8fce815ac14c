// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: a pattern has at most 16 ops

#include "ctq/core/ops.hpp"
#include "ctq/spec/pattern.hpp"

using namespace ctq;

#ifdef CTQ_FIXED
using relus = pattern<nn::relu, nn::relu, nn::relu>;
#else
using relus = pattern<nn::relu, nn::relu, nn::relu, nn::relu, nn::relu, nn::relu, nn::relu,
                      nn::relu, nn::relu, nn::relu, nn::relu, nn::relu, nn::relu, nn::relu,
                      nn::relu, nn::relu, nn::relu>;
#endif

relus checked;
