// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "subject.hpp"

namespace bench {

/// One core for the whole program, so that everybody has the same caches; no threads of OpenMP.
/// Starts the program again if its environment has to change first.
void stay_on_one_core(char** arguments);

/// Whether oneDNN has AMX here.
[[nodiscard]] bool peers_have_amx();

/// The subjects of a case in many short windows of each, in random order, and the median of each.
/// Those whose result differs from the reference are not timed: ctq by anything, peers by more than
/// a step, which their other arithmetic explains.
[[nodiscard]] result measure(const bench_case& of, int windows, double seconds_a_window);

}  // namespace bench
