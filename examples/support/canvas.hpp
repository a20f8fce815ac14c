// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "ctq/core/result.hpp"
#include "font_5x7.hpp"

// A picture in memory, white at first, that is written as a PNG file.

namespace demo {

struct color {
  std::uint8_t red, green, blue;
};
inline constexpr color paper{255, 255, 255};
inline constexpr color ink{32, 32, 32};

class canvas {
 public:
  canvas(int width, int height)
      : width_(width),
        height_(height),
        pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), paper) {}

  /// Requires  the square lies inside of the picture
  void square(int x, int y, int side, color c) { rectangle(x, y, side, side, c); }
  void rectangle(int x, int y, int width, int height, color c) {
    for (int row = y; row < y + height; ++row) std::fill_n(&at(x, row), width, c);
  }

  void text(int x, int y, std::string_view words, color c) {
    for (const char letter : words) {
      for (int row = 0; row < font::height; ++row)
        for (int column = 0; column < font::width; ++column)
          if (font::is_ink(letter, row, column)) at(x + column, y + row) = c;
      x += font::advance;
    }
  }

  /// Errors  a file that cannot be written
  [[nodiscard]] ctq::status write_png(const std::filesystem::path& path) const;

 private:
  color& at(int x, int y) {
    return pixels_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                   static_cast<std::size_t>(x)];
  }

  int width_;
  int height_;
  std::vector<color> pixels_;
};

}  // namespace demo
