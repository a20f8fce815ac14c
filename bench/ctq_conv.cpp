// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq_layer.hpp"
#include "shapes.hpp"

namespace bench {

subject ctq_conv(std::size_t index, const layer& of) {
  return ctq_layer_of<convs, ctq::kernel::conv2d>(index, of);
}

}  // namespace bench
