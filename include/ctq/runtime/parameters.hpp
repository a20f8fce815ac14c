// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/containers/list.hpp"
#include "ctq/kernels/operands.hpp"
#include "ctq/runtime/aligned_buffer.hpp"
#include "ctq/runtime/compiled_kernels/kernel_set.hpp"

namespace ctq {

/// The code of a step, in the library ctq-kernels.
struct compiled_step {
  kernel_function run{};
  kernel_signature signature{};  // the step's, with the op that the library has
  std::size_t packed{};          // where its parameters begin
};

/// The parameters of a schedule: data of each step, all weights in the order in which their kernels
/// read them, and its constants.
struct parameters {
  aligned_buffer packed;
  list<step_data> data;         // one for each step
  list<compiled_step> code{};   // one for each step; none if the program has the kernels
  const kernel_set* kernels{};  // the set that the code belongs to
  aligned_buffer constants{};   // parameters and buffers that are operands
};

}  // namespace ctq
