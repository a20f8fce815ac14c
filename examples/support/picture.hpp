// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "ctq/core/result.hpp"

// A contact sheet: small images in a grid, each with two lines of text below, as a PNG file.

namespace demo {

inline constexpr int image_side = 28;

struct captioned_image {
  std::span<const std::uint8_t> pixels;  // image_side * image_side, row-major, 0 is black
  std::string title;                     // ASCII
  std::string caption;                   // ASCII; green or red
  bool right = true;                     // green
};

/// Errors  an image of another size, no image, columns below 1, a file that cannot be written
[[nodiscard]] ctq::status write_contact_sheet(const std::filesystem::path& path,
                                              std::span<const captioned_image> images, int columns);

}  // namespace demo
