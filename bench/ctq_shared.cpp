// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq_layer.hpp"
#include "shapes.hpp"

namespace bench {

subject ctq_shared_gemm(std::size_t index, const layer& of) {
  return ctq_layer_of<gemms, ctq::kernel::linear, ctq::kernel_code_kind::shared>(index, of);
}
subject ctq_shared_conv(std::size_t index, const layer& of) {
  return ctq_layer_of<convs, ctq::kernel::conv2d, ctq::kernel_code_kind::shared>(index, of);
}
subject ctq_shared_depthwise(std::size_t index, const layer& of) {
  return ctq_layer_of<depthwises, ctq::kernel::conv2d, ctq::kernel_code_kind::shared>(index, of);
}

}  // namespace bench
