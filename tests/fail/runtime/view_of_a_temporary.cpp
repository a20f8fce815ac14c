// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: deleted

#include "ctq/runtime/tensor.hpp"

ctq::tensor<float, 2, 3> make();

void infer() {
#ifdef CTQ_FIXED
  const auto made = make();
  const ctq::tensor_view<const float, 2, 3> view{made};
#else
  const ctq::tensor_view<const float, 2, 3> view{make()};
#endif
  static_cast<void>(view);
}
