// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All kernels for run-time extents, of the instruction set that this file is compiled for: part of
// the library ctq-kernels, in which it is once for each. Nothing else of it is visible there:
// ctq-isolate makes all other symbols local.
//
//   CTQ_KERNELS_NAME  what sets.cpp calls them

#include "ctq/core/isa.hpp"
#include "ctq/runtime/compiled_kernels/define_kernel_set.hpp"

namespace ctq::kernel_library {

extern const kernel_set CTQ_KERNELS_NAME;
constinit const kernel_set CTQ_KERNELS_NAME = compiled_kernels::set_of<fast_kernels>;

}  // namespace ctq::kernel_library
