// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>

// Observers that can share the work: each sees a part of the calibration data, then they are
// merged.

namespace ctq::observers {

/// Satisfied by observers for which a.merge(b) leaves a in exactly the state in which one observer
/// would be that had seen the data of a and then that of b; a and b have equal arguments. Moving
/// averages and HistogramObserver are none: they depend on the order and the size of batches.
template <class Observer>
concept mergeable_observer = std::equality_comparable<Observer> &&
    requires(Observer& a, const Observer& b) {
  { a.merge(b) } -> std::same_as<void>;
};

}  // namespace ctq::observers
