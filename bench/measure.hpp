// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "subject.hpp"

namespace bench {

/// One core for the whole program, so that everybody has the same caches; no threads of OpenMP.
/// Starts the program again if its environment has to change first.
void stay_on_one_core(char** arguments);

/// Whether oneDNN has AMX here.
[[nodiscard]] bool peers_have_amx();

/// The subjects of a case in many rounds, each of one short window of everybody in random order.
/// Of the first one, ctq unless it is wrong, the median counts; of the others the median of how
/// much longer they took in the same round, since the machine's clock changes from round to round.
/// Those whose result differs from the reference are not timed: ctq by anything, peers by more than
/// a step, which their other arithmetic explains.
[[nodiscard]] result measure(const bench_case& of, int windows, double seconds_a_window);

/// 0 if there are none.
[[nodiscard]] double median(std::vector<double> of);

}  // namespace bench
