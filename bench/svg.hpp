// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

// Drawing of plots as inline SVG, with the colours of the page.

namespace bench::svg {

/// A logarithmic axis: value low is at pixel `from`, high at `to`.
struct axis {
  double low, high, from, to;

  [[nodiscard]] double operator()(double value) const {
    const double part = std::log(std::clamp(value, low, high) / low) / std::log(high / low);
    return from + part * (to - from);
  }
};

[[nodiscard]] inline std::string number(const char* format, double value) {
  char words[32];
  std::snprintf(words, sizeof words, format, value);
  return words;
}

/// "1.42 µs" of seconds
[[nodiscard]] inline std::string duration(double seconds) {
  const double us = seconds * 1e6;
  if (us < 1.0) return number("%.0f ns", us * 1e3);
  if (us < 1e3) return number("%.3g µs", us);
  return number("%.3g ms", us * 1e-3);
}

/// Escapes text for HTML.
[[nodiscard]] inline std::string escaped(const std::string& words) {
  std::string out;
  for (const char c : words) {
    out += c == '>' ? "&gt;" : c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  }
  return out;
}

inline void open(std::FILE* f, double width, double height) {
  std::fprintf(f, "<svg viewBox='0 0 %.0f %.0f' role='img'>\n", width, height);
}
inline void close(std::FILE* f) { std::fprintf(f, "</svg>\n"); }

/// kind is a class of the page's style, anchor what lies at x: start, middle or end.
inline void text(std::FILE* f, const char* kind, double x, double y, const char* anchor,
                 const std::string& words) {
  std::fprintf(f, "<text class='%s' x='%.1f' y='%.1f' text-anchor='%s'>%s</text>\n", kind, x, y,
               anchor, escaped(words).c_str());
}

inline void line(std::FILE* f, const char* kind, double x1, double y1, double x2, double y2) {
  std::fprintf(f, "<line class='%s' x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f'/>\n", kind, x1, y1, x2,
               y2);
}

/// title: the tooltip.
inline void bar(std::FILE* f, const std::string& kind, double x1, double x2, double y,
                double height, const std::string& title) {
  std::fprintf(f,
               "<rect class='%s' x='%.1f' y='%.1f' width='%.1f' height='%.1f'><title>%s</title>"
               "</rect>\n",
               kind.c_str(), std::min(x1, x2), y, std::abs(x2 - x1), height,
               escaped(title).c_str());
}

inline void dot(std::FILE* f, const std::string& kind, double x, double y,
                const std::string& title) {
  std::fprintf(f, "<circle class='%s' cx='%.1f' cy='%.1f' r='4'><title>%s</title></circle>\n",
               kind.c_str(), x, y, escaped(title).c_str());
}

}  // namespace bench::svg
