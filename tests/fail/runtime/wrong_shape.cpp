// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tensor<float, 1, 3, 8, 9>

#include "ctq/runtime/tensor.hpp"

// The input_view of a model, as io_types defines it.
void run(ctq::tensor_view<const float, 1, 3, 8, 8> image);

void infer() {
#ifdef CTQ_FIXED
  const ctq::tensor<float, 1, 3, 8, 8> image{};
#else
  const ctq::tensor<float, 1, 3, 8, 9> image{};
#endif
  run(image);
}
