// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled once for each instruction set: see meson.build.
// [net]
#include "net.hpp"

#include <ctq/runtime/dispatched.hpp>

template struct ctq::dispatched<net_plan>;
// [net]
