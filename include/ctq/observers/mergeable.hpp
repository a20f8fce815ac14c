// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>

// Observers for parallel calibration: each observes a part of the data, then they are merged.

namespace ctq::observers {

/// Satisfied by observers for which a.merge(b) leaves `a` in exactly the state of a single observer
/// of the data of `a` followed by that of `b`, given equal arguments. Not satisfied by moving
/// averages and HistogramObserver, which depend on order and size of the batches.
template <class Observer>
concept mergeable_observer = std::equality_comparable<Observer> &&
    requires(Observer& a, const Observer& b) {
  { a.merge(b) } -> std::same_as<void>;
};

}  // namespace ctq::observers
