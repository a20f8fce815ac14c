// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: specialized_kernels and shared_kernels exclude each other: remove one of them

#include "ctq/passes/code_options.hpp"

using namespace ctq;

struct no_steps {
  static constexpr static_schedule<1, 0> int8_schedule{};
};

#ifdef CTQ_FIXED
using with_options = converted_plan<no_steps, shared_kernels_option>;
static_assert(with_options::int8_schedule.count == 0);
#else
using with_options = converted_plan<no_steps, specialized_kernels_option, shared_kernels_option>;
#endif
