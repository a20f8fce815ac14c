// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <vector>

#include "ctq/passes/schedule/step.hpp"
#include "ctq/runtime/aligned_buffer.hpp"
#include "ctq/runtime/bind_kernels.hpp"

namespace ctq {

/// The parameters of a schedule: data of each step, and all weights in the order in which their
/// kernels read them.
struct parameters {
  aligned_buffer packed;
  std::vector<step_data> data;  // one for each step
};

/// Bytes of the packed weights of all steps.
template <class Kernels>
[[nodiscard]] constexpr std::size_t packed_end(const step* steps, int count) {
  std::size_t at = 0;
  for (int i = 0; i < count; ++i) at += packing::padded(packed_bytes<Kernels>(steps[i].key));
  return at;
}

}  // namespace ctq
