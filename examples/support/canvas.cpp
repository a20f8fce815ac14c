// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "canvas.hpp"

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
// Suppresses warnings in stb's C code.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include <stb/stb_image_write.h>
#pragma GCC diagnostic pop

namespace demo {

ctq::status canvas::write_png(const std::filesystem::path& path) const {
  if (stbi_write_png(path.string().c_str(), width_, height_, 3, pixels_.data(), width_ * 3) == 0)
    return ctq::fail(path.string(), "cannot be written");
  return ctq::done{};
}

}  // namespace demo
