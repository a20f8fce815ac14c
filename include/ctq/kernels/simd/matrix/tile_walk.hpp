// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>

#include "ctq/kernels/simd/geometry.hpp"
#include "ctq/kernels/simd/matrix/blocking.hpp"

// The order in which a layer is computed on AMX tiles.

namespace ctq::kernels::simd {

/// A loop over all blocks: chunks of pixels, panels, parts of k, blocks of pixels, from the
/// outermost to the innermost.
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

/// A loop over the k steps: kernel rows, taps, steps of `width` bytes of a run.
struct step_walk {
  const tile_blocking& blocking;
  const strides& by;
  int step, tap = 0, row = 0;
  std::ptrdiff_t run = 0;  // offset of the current run from the first tap of a pixel
  std::ptrdiff_t at = 0;   // offset of the current step

  [[gnu::always_inline]] void next() {
    if (++step == blocking.runs.steps) {
      step = 0;
      if (++tap == blocking.runs.taps) {
        tap = 0;
        ++row;
      }
      run = row * by.row + tap * by.tap;
    }
    at = run + blocking.start(step);
  }
};

}  // namespace ctq::kernels::simd
