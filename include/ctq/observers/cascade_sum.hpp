// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/kernels/cascade_sum.hpp"

// HistogramObserver compares sums of thousands of float32 terms: it adds them up as means do.

namespace ctq::observers {

using kernels::cascade_sum;

}  // namespace ctq::observers
