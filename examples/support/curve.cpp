// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "curve.hpp"

#include <algorithm>
#include <cstdio>
#include <span>
#include <vector>

#include "canvas.hpp"

namespace demo {
namespace {

constexpr int width = 640, height = 320;  // of the plot
constexpr int left = 48, top = 24, margin = 24;
constexpr color light{170, 200, 240};
constexpr color dark{20, 70, 160};
constexpr color grid{225, 225, 225};

}  // namespace

ctq::status write_curve(const std::filesystem::path& path, std::span<const double> values,
                        const curve_options& o) {
  const std::size_t averaged = std::max<std::size_t>(1, o.averaged);
  std::vector<double> means;
  double sum = 0, largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += values[i] - (i >= averaged ? values[i - averaged] : 0.0);
    means.push_back(sum / static_cast<double>(std::min(i + 1, averaged)));
    largest = std::max(largest, means[i]);
  }
  if (!(largest > 0)) return ctq::fail(path.string(), "there is nothing to draw");
  const double scale = 1.25 * largest;
  canvas picture{left + width + margin, top + height + 2 * margin};
  const auto y_of = [&](double v) {
    const double part = std::clamp(v / scale, 0.0, 1.0);
    return top + static_cast<int>((1 - part) * (height - 3));
  };
  const auto x_of = [&](std::size_t i) {
    const double part =
        values.size() < 2 ? 0.0 : static_cast<double>(i) / static_cast<double>(values.size() - 1);
    return left + static_cast<int>(part * (width - 3));
  };
  picture.text(left, margin / 2 - font::height / 2, o.title, ink);
  for (int line = 0; line <= 4; ++line) {
    const double v = scale * line / 4;
    char label[16];
    std::snprintf(label, sizeof label, "%6.3f", v);
    picture.rectangle(left, y_of(v), width, 1, grid);
    picture.text(4, y_of(v) - font::height / 2, label, ink);
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    picture.square(x_of(i), y_of(values[i]), 2, light);
  for (std::size_t i = 0; i < values.size(); ++i) picture.square(x_of(i), y_of(means[i]), 3, dark);
  picture.rectangle(left, top, 1, height, ink);
  picture.rectangle(left, top + height, width, 1, ink);
  picture.text(left, top + height + margin / 2, "1", ink);
  const std::string last = std::to_string(values.size());
  picture.text(left + width - static_cast<int>(last.size()) * font::advance,
               top + height + margin / 2, last, ink);
  return picture.write_png(path);
}

}  // namespace demo
