// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/float_ops/kernel_set.hpp"

#include <type_traits>

using ctq::float_ops::kernel_set;

// A set says what its loops are, and is never owned as a kernel_set.
static_assert(std::is_abstract_v<kernel_set> && !std::is_destructible_v<kernel_set>);
