// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tensor<float, 1, 3, 8, 9>

#include "ctq/runtime/tensor.hpp"

// What a model's door takes: ctq::doors of its schedule gives such a view.
void run(ctq::tensor_view<const float, 1, 3, 8, 8> image);

void infer() {
#ifdef CTQ_FIXED
  const ctq::tensor<float, 1, 3, 8, 8> image{};
#else
  const ctq::tensor<float, 1, 3, 8, 9> image{};
#endif
  run(image);
}
