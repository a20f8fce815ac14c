// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "picture.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "font_5x7.hpp"

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
// Suppresses warnings in stb's C code.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include <stb/stb_image_write.h>
#pragma GCC diagnostic pop

namespace demo {
namespace {

constexpr int zoom = 3;
constexpr int margin = 8;
constexpr int line_height = font::height + 3;

struct color {
  std::uint8_t red, green, blue;
};
constexpr color paper{255, 255, 255};
constexpr color ink{32, 32, 32};
constexpr color right{0, 120, 50};
constexpr color wrong{200, 20, 30};

class canvas {
 public:
  canvas(int width, int height)
      : width_(width),
        height_(height),
        pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), paper) {}

  void square(int x, int y, int side, color c) {
    for (int row = y; row < y + side; ++row) std::fill_n(&at(x, row), side, c);
  }

  void image(int x, int y, std::span<const std::uint8_t> gray) {
    std::size_t i = 0;
    for (int row = 0; row < image_side; ++row)
      for (int column = 0; column < image_side; ++column, ++i)
        square(x + column * zoom, y + row * zoom, zoom, {gray[i], gray[i], gray[i]});
  }

  void text(int x, int y, std::string_view words, color c) {
    for (const char letter : words) {
      for (int row = 0; row < font::height; ++row)
        for (int column = 0; column < font::width; ++column)
          if (font::is_ink(letter, row, column)) at(x + column, y + row) = c;
      x += font::advance;
    }
  }

  [[nodiscard]] bool write_png(const char* path) const {
    return stbi_write_png(path, width_, height_, 3, pixels_.data(), width_ * 3) != 0;
  }

 private:
  color& at(int x, int y) {
    return pixels_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                   static_cast<std::size_t>(x)];
  }

  int width_;
  int height_;
  std::vector<color> pixels_;
};

/// The horizontal distance of images: the larger width of image and text.
int cell_width(std::span<const captioned_image> images) {
  std::size_t letters = 0;
  for (const captioned_image& i : images)
    letters = std::max({letters, i.title.size(), i.caption.size()});
  return margin + std::max(image_side * zoom, static_cast<int>(letters) * font::advance);
}

}  // namespace

ctq::status write_contact_sheet(const std::filesystem::path& path,
                                std::span<const captioned_image> images, int columns) {
  if (images.empty() || columns < 1) return ctq::fail(path.string(), "there is nothing to draw");
  for (const captioned_image& i : images)
    if (i.pixels.size() != std::size_t{image_side} * image_side)
      return ctq::fail(path.string(), "image \"" + i.title + "\" is not 28 x 28");

  const int count = static_cast<int>(images.size());
  columns = std::min(columns, count);
  const int rows = (count + columns - 1) / columns;
  const int wide = cell_width(images);
  const int high = margin + image_side * zoom + 4 + 2 * line_height;

  canvas sheet{margin + columns * wide, margin + rows * high};
  for (int i = 0; i < count; ++i) {
    const captioned_image& image = images[static_cast<std::size_t>(i)];
    const int x = margin + i % columns * wide;
    const int y = margin + i / columns * high;
    const int below = y + image_side * zoom + 4;
    sheet.image(x, y, image.pixels);
    sheet.text(x, below, image.title, ink);
    sheet.text(x, below + line_height, image.caption, image.right ? right : wrong);
  }
  if (!sheet.write_png(path.string().c_str())) return ctq::fail(path.string(), "cannot be written");
  return ctq::done{};
}

}  // namespace demo
