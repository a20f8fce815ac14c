// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Does this machine have the instructions that this file is compiled for? The file that includes
// it must be compiled without them itself: CTQ_TEST_ISA names them.

#include <string_view>

#include "ctq/core/machine.hpp"

inline bool machine_runs(std::string_view isa) {
  return isa == "native" || ctq::isa::supported(isa);
}

inline bool machine_runs_this_binary() { return machine_runs(CTQ_TEST_ISA); }
