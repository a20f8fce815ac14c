// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "machine.hpp"
#include "measure.hpp"
#include "report.hpp"
#include "svg.hpp"

namespace bench {

namespace {

constexpr double width = 960, left = 56, right = 946, top = 14, bottom = 400;

/// The median bytes per second of a limit over the cases with more than `above` and at most `below`
/// bytes; 0 if there are none.
double bandwidth(const std::vector<result>& all, const char* limit, double above, double below) {
  std::vector<double> found;
  for (const result& r : all) {
    const double seconds = r.seconds(limit);
    if (seconds > 0.0 && r.of.traffic > above && r.of.traffic <= below) {
      found.push_back(r.of.traffic / seconds);
    }
  }
  return median(std::move(found));
}

struct box {
  double x1, y1, x2, y2;

  [[nodiscard]] bool meets(const box& b) const {
    return x1 < b.x2 && b.x1 < x2 && y1 < b.y2 && b.y1 < y2;
  }
};

/// Labels of the plot, which overlap neither each other nor points.
class labels {
 public:
  void keep_free(const box& b) { taken_.push_back(b); }

  /// Places a label at the nearest free position around the point, with a connecting line if it is
  /// not adjacent; omitted if there is none, since the tooltip shows the name.
  void write(std::FILE* f, double x, double y, const std::string& words) {
    for (double away = 0; away < 200; away += 6) {
      for (const double side : {1.0, -1.0}) {
        for (const double slope : {0.0, 1.0, -1.0}) {
          const double from = x + side * (7 + away * 0.4);
          const double middle = y + slope * (away + (away > 0 ? 6 : 0));
          if (!take(from, middle, side, words)) continue;
          if (away > 0) svg::line(f, "leader", x, y, from - side, middle);
          svg::text(f, "label", from, middle + 3.5, side > 0 ? "start" : "end", words);
          return;
        }
      }
    }
  }

  /// Right (1) or left (-1) of a point, if free.
  [[nodiscard]] bool take(double x, double y, double side, const std::string& words) {
    constexpr double letter = 6.2, height = 12;
    const double end = x + side * letter * static_cast<double>(words.size());
    const box b{std::min(x, end), y - height / 2, std::max(x, end), y + height / 2};
    const bool free =
        b.x1 > left && b.x2 < right + 1 && b.y1 > top && b.y2 < bottom &&
        std::none_of(taken_.begin(), taken_.end(), [&](const box& t) { return t.meets(b); });
    if (free) taken_.push_back(b);
    return free;
  }

 private:
  std::vector<box> taken_;
};

/// A limit of the machine: from the lower or the left edge up to `peak`, with its name on the right
/// (1) or left (-1).
void write_roof(std::FILE* f, const svg::axis& x, const svg::axis& y, double peak, double bandwidth,
                const std::string& name, double side, labels& names) {
  if (bandwidth == 0.0) return;
  const double begin = std::max(x.low, y.low / bandwidth);
  const double end = std::max(begin, peak / bandwidth);
  svg::line(f, "roof", x(begin), y(begin * bandwidth), x(end), y(end * bandwidth));
  const std::string words = name + svg::number(" %.0f GB/s", bandwidth * 1e-9);
  for (double part = 0.8; part > 0.0; part -= 0.05) {
    const double at = begin * std::pow(end / begin, part);
    const double from = x(at) + side * 12, middle = y(at * bandwidth) + side * 4;
    if (!names.take(from, middle, side, words)) continue;
    svg::text(f, "rooflabel", from, middle + 4, side > 0 ? "start" : "end", words);
    return;
  }
}

void write_grid(std::FILE* f, const svg::axis& x, const svg::axis& y) {
  for (double tick = x.low; tick <= x.high; tick *= 2) {
    svg::line(f, "grid", x(tick), top, x(tick), bottom);
    svg::text(f, "tick", x(tick), bottom + 14, "middle", svg::number("%g", tick));
  }
  for (double tick = y.low; tick <= y.high; tick *= 2) {
    svg::line(f, "grid", left, y(tick), right, y(tick));
    svg::text(f, "tick", left - 6, y(tick) + 4, "end", svg::number("%g", tick * 1e-9));
  }
  svg::text(f, "tick", (left + right) / 2, bottom + 30, "middle",
            "operations for each byte of operands and result (GOPS upwards)");
}

}  // namespace

void write_roofline(std::FILE* f, const std::vector<result>& all,
                    std::initializer_list<regime> kinds) {
  std::vector<const result*> shown;
  double peak = 0.0;
  double lowest = 1e18, thinnest = 1e18, thickest = 0.0;  // operations a second, and a byte
  for (const result& r : all) {
    const bool wanted = std::find(kinds.begin(), kinds.end(), r.of.kind) != kinds.end();
    if (!wanted || r.ours() == 0.0 || r.seconds("peak") == 0.0) continue;
    shown.push_back(&r);
    peak = std::max(peak, r.of.peak_work / r.seconds("peak"));
    lowest = std::min(lowest, r.of.work / r.ours());
    thinnest = std::min(thinnest, r.of.work / r.of.traffic);
    thickest = std::max(thickest, r.of.work / r.of.traffic);
  }
  if (shown.empty()) return;

  const svg::axis x{std::exp2(std::floor(std::log2(thinnest / 3.0))),
                    std::exp2(std::ceil(std::log2(thickest * 1.5))), left, right};
  const svg::axis y{std::exp2(std::floor(std::log2(lowest * 1e-9 / 1.5))) * 1e9, peak * 1.5, bottom,
                    top};
  svg::open(f, width, bottom + 40);
  write_grid(f, x, y);

  labels names;
  const auto place = [&](const result& r) {
    return std::pair(x(r.of.work / r.of.traffic), y(r.of.work / r.ours()));
  };
  for (const result* r : shown) {
    const auto [px, py] = place(*r);
    names.keep_free({px - 5, py - 5, px + 5, py + 5});
  }
  names.keep_free({left, y(peak) - 1, right, y(peak) + 1});
  svg::line(f, "roof", left, y(peak), right, y(peak));
  const std::string of_peak = svg::number("peak %.0f GOPS", peak * 1e-9);
  if (names.take(left + 6, y(peak) - 10, 1.0, of_peak)) {
    svg::text(f, "rooflabel", left + 6, y(peak) - 6, "start", of_peak);
  }
  const caches of = caches_of_machine();
  if (of.l2 > 0.0 && of.l3 > 0.0) {
    write_roof(f, x, y, peak, bandwidth(all, "read", of.l1, of.l2), "L2", -1, names);
    write_roof(f, x, y, peak, bandwidth(all, "read", of.l2, of.l3), "L3", 1, names);
    write_roof(f, x, y, peak, bandwidth(all, "copy", 2 * of.l3, 1e18), "memory, copied", 1, names);
  }

  for (const result* r : shown) {
    const auto [px, py] = place(*r);
    names.write(f, px, py, r->of.name);
  }
  for (const result* r : shown) {
    const auto [px, py] = place(*r);
    const roof limit = roof_of(*r);
    svg::dot(f, "r" + std::to_string(static_cast<int>(r->of.kind)), px, py,
             r->of.name + svg::number(": %.1f GOPS", r->of.work / r->ours() * 1e-9) +
                 svg::number(", %.0f %% of its roof", 100.0 * limit.total / r->ours()) +
                 ", bound by " + limit.binds());
  }
  svg::close(f);
}

}  // namespace bench
