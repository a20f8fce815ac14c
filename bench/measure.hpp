// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "subject.hpp"

namespace bench {

/// Restricts the program to one core, so that all libraries have the same caches, and to one OpenMP
/// thread. Restarts the program if its environment has to change first.
void stay_on_one_core(char** arguments);

/// Whether oneDNN can use AMX.
[[nodiscard]] bool peers_have_amx();

/// Measures the subjects of a case in many rounds, each with one short window per subject in random
/// order. Reports the median time of the first one (ctq, unless its result is wrong), and for the
/// others the median ratio to it in the same round, since the clock frequency varies between
/// rounds. Subjects with wrong results are not timed: for ctq any difference from the reference,
/// for others a difference above 1, which their arithmetic explains.
[[nodiscard]] result measure(const bench_case& of, int windows, double seconds_a_window);

/// 0 if there is none.
[[nodiscard]] double median(std::vector<double> of);

}  // namespace bench
