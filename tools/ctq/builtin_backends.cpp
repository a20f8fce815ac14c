// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtin_backends.hpp"

#include <span>

#include "ctq/backends.hpp"

namespace tool {

std::span<const ctq::backend_view> builtin_backends() {
  static constexpr ctq::backend_view all[] = {
      ctq::backend_v<ctq::native>,   ctq::backend_v<ctq::fbgemm>, ctq::backend_v<ctq::x86>,
      ctq::backend_v<ctq::qnnpack>,  ctq::backend_v<ctq::onednn>, ctq::backend_v<ctq::executorch>,
      ctq::backend_v<ctq::tensorrt>,
  };
  return all;
}

}  // namespace tool
