// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/shapes/matrix_shapes.hpp"
#include "kernels/samples.hpp"

namespace samples {

inline std::size_t elements_of(int matrices, int rows, int columns) {
  return static_cast<std::size_t>(matrices) * static_cast<std::size_t>(rows) *
         static_cast<std::size_t>(columns);
}

inline ctq::matmul_shape random_matmul(generator& random) {
  ctq::matmul_shape s{
      .batch = random.between(1, 3),
      .m = random.between(1, 13),
      .n = random.between(0, 3) == 0 ? random.between(60, 140) : random.between(1, 40),
      .k = random.between(0, 9) == 0 ? random.between(250, 530) : random.between(1, 40),
      .transposed = random.between(0, 1)};
  for (int& matrices : s.matrices) matrices = random.between(0, 3) == 0 ? 1 : s.batch;
  return s;
}

}  // namespace samples
