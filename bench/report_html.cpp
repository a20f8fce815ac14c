// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The page of plots. Drawings are inline SVG, drawn here: nothing is loaded from anywhere.

#include <algorithm>
#include <cmath>
#include <string>

#include "ctq/core/isa.hpp"
#include "report.hpp"

namespace bench {

namespace {

/// A logarithmic axis: value low lies at pixel `from`, high at `to`.
struct axis {
  double low, high, from, to;

  [[nodiscard]] double operator()(double value) const {
    const double part = std::log(std::clamp(value, low, high) / low) / std::log(high / low);
    return from + part * (to - from);
  }
};

void text(std::FILE* f, double x, double y, const char* anchor, const std::string& words) {
  std::fprintf(f, "<text x='%.1f' y='%.1f' text-anchor='%s'>%s</text>\n", x, y, anchor,
               words.c_str());
}

void line(std::FILE* f, const char* kind, double x1, double y1, double x2, double y2) {
  std::fprintf(f, "<line class='%s' x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f'/>\n", kind, x1, y1, x2,
               y2);
}

std::string number(const char* format, double value) {
  char words[32];
  std::snprintf(words, sizeof words, format, value);
  return words;
}

/// As HTML wants it.
std::string escaped(const std::string& words) {
  std::string out;
  for (const char c : words) out += c == '>' ? "&gt;" : c == '<' ? "&lt;" : std::string(1, c);
  return out;
}

int class_of(const char* peer) {
  return static_cast<int>(std::find_if(std::begin(peers), std::end(peers),
                                       [&](const char* p) { return p == std::string(peer); }) -
                          std::begin(peers));
}

/// One group of bars a case: how many times our time each peer takes.
void write_bars(std::FILE* f, regime kind, const std::vector<result>& all) {
  constexpr double thick = 9, gap = 7, left = 250, right = 860;
  const axis x{0.25, 32.0, left, right};
  double height = 30;
  for (const result& r : all) {
    if (r.of.kind != kind || r.ours() == 0.0) continue;
    height += gap;
    for (const char* peer : peers) height += peer_seconds(r, peer) > 0.0 ? thick : 0.0;
  }
  std::fprintf(f, "<h2>%s</h2>\n<svg viewBox='0 0 920 %.0f'>\n", name_of(kind), height);
  for (double tick = 0.25; tick <= 32.0; tick *= 2) {
    line(f, tick == 1.0 ? "one" : "grid", x(tick), 20, x(tick), height);
    text(f, x(tick), 13, "middle", number("%g", tick));
  }
  double y = 24;
  for (const result& r : all) {
    if (r.of.kind != kind || r.ours() == 0.0) continue;
    const double top = y;
    for (const char* peer : peers) {
      const double ratio = peer_seconds(r, peer) / r.ours();
      if (ratio <= 0.0) continue;
      const double end = x(ratio);
      std::fprintf(f,
                   "<rect class='p%d' x='%.1f' y='%.1f' width='%.1f' height='%.1f'>"
                   "<title>%s %s: %.2f</title></rect>\n",
                   class_of(peer), std::min(end, x(1.0)), y, std::abs(end - x(1.0)), thick - 1,
                   escaped(r.of.name).c_str(), peer, ratio);
      text(f, std::max(end, x(1.0)) + 4, y + thick - 1, "start", number("%.2f", ratio));
      y += thick;
    }
    text(f, left - 8, (top + y) / 2 + 4, "end",
         escaped(r.of.name) + ", " + number("%.3g", r.ours() * 1e6) + " µs");
    y += gap;
  }
  std::fprintf(f, "</svg>\n");
}

/// Operations a second over operations a byte, under the peaks that were measured beside.
void write_roofline(std::FILE* f, const std::vector<result>& all) {
  double peak = 0.0, cache = 0.0, memory = 0.0;  // per second; largest of all
  for (const result& r : all) {
    if (r.seconds("peak") > 0.0) peak = std::max(peak, r.of.peak_work / r.seconds("peak"));
    if (r.seconds("copy") > 0.0) {
      double& bandwidth = r.of.work > 1e8 ? memory : cache;
      bandwidth = std::max(bandwidth, r.of.work / r.seconds("copy"));
    }
  }
  if (peak == 0.0) return;
  const axis x{1.0, 4096.0, 60, 880}, y{1e9, peak * 2, 400, 20};
  std::fprintf(f, "<h2>roofline</h2>\n<svg viewBox='0 0 920 430'>\n");
  for (double tick = 1; tick <= 4096; tick *= 4) {
    line(f, "grid", x(tick), 20, x(tick), 400);
    text(f, x(tick), 415, "middle", number("%g", tick));
  }
  for (double tick = 1e9; tick < peak * 2; tick *= 4) {
    line(f, "grid", 60, y(tick), 880, y(tick));
    text(f, 54, y(tick) + 4, "end", number("%g", tick * 1e-9));
  }
  text(f, 470, 428, "middle", "operations a byte that must come or go · GOPS upwards");
  const auto roof = [&](double bandwidth, const char* name) {
    if (bandwidth == 0.0) return;
    const double corner = std::max(peak / bandwidth, 1.0);
    line(f, "roof", x(1.0), y(bandwidth), x(corner), y(corner * bandwidth));
    text(f, x(2.0), y(2.0 * bandwidth) - 6, "start",
         std::string(name) + number(" %.0f GB/s", bandwidth * 1e-9));
  };
  line(f, "roof", x(1.0), y(peak), x(4096), y(peak));
  text(f, 70, y(peak) - 6, "start", number("peak %.0f GOPS", peak * 1e-9));
  roof(cache, "copy in cache");
  roof(memory, "copy in memory");
  for (const result& r : all) {
    if (r.of.kind == regime::elementwise || r.ours() == 0.0) continue;
    std::fprintf(f,
                 "<circle class='r%d' cx='%.1f' cy='%.1f' r='4'><title>%s %s: %.1f GOPS</title>"
                 "</circle>\n",
                 static_cast<int>(r.of.kind), x(r.of.work / r.of.traffic), y(r.of.work / r.ours()),
                 name_of(r.of.kind), escaped(r.of.name).c_str(), r.of.work / r.ours() * 1e-9);
  }
  std::fprintf(f, "</svg>\n");
}

constexpr const char* colours[] = {"#3b78d8", "#e08a2c", "#8a8a8a", "#4aa564", "#a863b8"};

}  // namespace

void write_html(std::FILE* f, const std::vector<result>& all) {
  const summary s = summarize(all);
  std::fprintf(f,
               "<!doctype html>\n<html lang='en'><meta charset='utf-8'><title>ctq bench</title>\n"
               "<style>body{font:14px sans-serif;max-width:960px;margin:2em auto;padding:0 1em}"
               "svg{width:100%%}text{font:10px sans-serif;fill:#333}.grid{stroke:#ddd}"
               ".one{stroke:#333}.roof{stroke:#c33;stroke-width:1.5}");
  for (std::size_t i = 0; i < std::size(colours); ++i) {
    std::fprintf(f, ".p%zu,.r%zu{fill:%s;color:%s}", i, i, colours[i], colours[i]);
  }
  std::fprintf(f, "</style>\n<h1>ctq bench, %s</h1>\n<p>Means of the fastest peer’s time ÷ ours:",
               ctq::isa::native::name.data());
  for (const regime kind : regimes) {
    std::fprintf(f, " <b>%s %.2f</b>", name_of(kind), s.mean[static_cast<int>(kind)]);
  }
  std::fprintf(f,
               "; worst shape %.2f.</p>\n<p>Bars: a peer’s time ÷ ours, right of 1 is slower "
               "than ctq.",
               s.worst);
  for (const char* peer : peers) {
    std::fprintf(f, " <b class='p%d'>■ %s</b>", class_of(peer), peer);
  }
  std::fprintf(f, "</p>\n<p>Roofline:");
  for (const regime kind : regimes) {
    if (kind != regime::elementwise) {
      std::fprintf(f, " <b class='r%d'>● %s</b>", static_cast<int>(kind), name_of(kind));
    }
  }
  std::fprintf(f, "</p>\n");
  write_roofline(f, all);
  for (const regime kind : regimes) write_bars(f, kind, all);
  std::fprintf(f, "</html>\n");
}

}  // namespace bench
