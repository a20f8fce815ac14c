// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "picture.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "canvas.hpp"
#include "font_5x7.hpp"

namespace demo {
namespace {

constexpr int zoom = 3;
constexpr int margin = 8;
constexpr int line_height = font::height + 3;

constexpr color right{0, 120, 50};
constexpr color wrong{200, 20, 30};

void draw(canvas& sheet, int x, int y, std::span<const std::uint8_t> gray) {
  std::size_t i = 0;
  for (int row = 0; row < image_side; ++row)
    for (int column = 0; column < image_side; ++column, ++i)
      sheet.square(x + column * zoom, y + row * zoom, zoom, {gray[i], gray[i], gray[i]});
}

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
    draw(sheet, x, y, image.pixels);
    sheet.text(x, below, image.title, ink);
    sheet.text(x, below + line_height, image.caption, image.right ? right : wrong);
  }
  return sheet.write_png(path);
}

}  // namespace demo
