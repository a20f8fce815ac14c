// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Whether this machine has the instruction set of the tests, CTQ_TEST_ISA. Must be included in a
// file that is compiled without it.

#include <string_view>

#include "ctq/core/machine.hpp"

inline bool machine_runs(std::string_view isa) {
  return isa == "native" || ctq::isa::supported(isa);
}

inline bool machine_runs_this_binary() { return machine_runs(CTQ_TEST_ISA); }
