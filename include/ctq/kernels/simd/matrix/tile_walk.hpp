// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>

#include "ctq/kernels/simd/convolution/geometry.hpp"
#include "ctq/kernels/simd/matrix/blocking.hpp"

// The order in which a layer is computed on tiles.

namespace ctq::kernels::simd {

/// All blocks in the order in which they are computed: chunks of pixels, in them panels, in them
/// parts of k, in them blocks of pixels.
struct block_walk {
  int blocks, panels, chunk, parts;
  int block = 0, panel = 0, first = 0, part = 0;

  [[gnu::always_inline]] void next() {
    if (++block < std::min(first + chunk, blocks)) return;
    if (++part == parts) {
      part = 0;
      if (++panel == panels) {
        panel = 0;
        first += chunk;
      }
    }
    block = first;
  }
};

/// The steps of k: rows of taps of runs of steps of `width` bytes.
struct step_walk {
  const tile_plan& plan;
  const strides& by;
  int step, tap = 0, row = 0;
  std::ptrdiff_t run = 0;  // where the current run starts, from the first tap of a pixel
  std::ptrdiff_t at = 0;   // where the current step does

  [[gnu::always_inline]] void next() {
    if (++step == plan.runs.steps) {
      step = 0;
      if (++tap == plan.runs.taps) {
        tap = 0;
        ++row;
      }
      run = row * by.row + tap * by.tap;
    }
    at = run + plan.start(step);
  }
};

}  // namespace ctq::kernels::simd
