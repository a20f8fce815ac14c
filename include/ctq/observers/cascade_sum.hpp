// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/kernels/cascade_sum.hpp"

// HistogramObserver compares sums of thousands of float32 values, in the order of torch.sum.

namespace ctq::observers {

using kernels::cascade_sum;

}  // namespace ctq::observers
