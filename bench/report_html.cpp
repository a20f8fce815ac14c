// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The page of plots. It loads no external resources and follows the reader's dark mode setting.

#include <algorithm>
#include <iterator>
#include <string>

#include "ctq/core/isa.hpp"
#include "machine.hpp"
#include "report.hpp"
#include "svg.hpp"

namespace bench {

namespace {

constexpr const char* style = R"(
:root{color-scheme:light dark;--back:#fff;--card:#f4f6f8;--ink:#1d2430;--soft:#697386;
--grid:#e2e6eb;--roof:#c2402f;--p0:#2f6fde;--p1:#e0812a;--p2:#8b93a1;--p3:#2f9e68;--p4:#9a5bc4;
--l0:#c2402f;--l1:#e5a93d;--l2:#7f7fa8}
@media(prefers-color-scheme:dark){:root{--back:#14181f;--card:#1e242e;--ink:#e4e8ee;--soft:#97a1b1;
--grid:#2d3541;--roof:#f0715f;--p0:#6ca0ff;--p1:#f0a25a;--p2:#7d8796;--p3:#58c792;--p4:#bd8be0;
--l0:#f0715f;--l1:#f3c46b;--l2:#9c9ccb}}
body{font:15px/1.5 system-ui,sans-serif;background:var(--back);color:var(--ink);max-width:980px;
margin:2em auto;padding:0 1em}
h1{font-size:26px;margin:0}h2{font-size:19px;margin:1.8em 0 .2em}p{margin:.3em 0}
.soft{color:var(--soft)}.cards{display:flex;flex-wrap:wrap;gap:12px;margin:1.2em 0}
.card{background:var(--card);border-radius:8px;padding:8px 18px}
.card b{display:block;font-size:24px;line-height:1.3}.card span{color:var(--soft);font-size:13px}
.key{margin-right:1em;white-space:nowrap}
.key i{display:inline-block;width:11px;height:11px;border-radius:2px;margin-right:5px}
svg{width:100%;display:block}text{font:11px system-ui,sans-serif;fill:var(--ink)}
.label{font-size:10px}.value{font-size:9.5px;fill:var(--soft)}.tick,.own{fill:var(--soft)}
.label,.rooflabel{paint-order:stroke;stroke:var(--back);stroke-width:3px}
.rooflabel{fill:var(--roof)}.grid{stroke:var(--grid)}.one{stroke:var(--ink)}
.roof{stroke:var(--roof);stroke-width:1.5}.leader{stroke:var(--soft);stroke-width:.6}
)";

struct limit {
  const char* name;
  const char* words;
};
constexpr limit layer_limits[] = {{"dots", "dot products at the peak"},
                                  {"epilogue", "outputs made of sums"},
                                  {"read", "each byte read once"}};
constexpr limit copy_limits[] = {{"copy", "a copy loop with as many bytes in and out"},
                                 {"memcpy", "memcpy"}};

/// Colours: p0, p1… of peers, r0, r1… of regimes, l0, l1… of limits.
std::string colours() {
  std::string rules;
  for (std::size_t i = 0; i < std::size(peers); ++i) {
    const std::string n = std::to_string(i);
    rules += ".p" + n + ",.r" + n + "{fill:var(--p" + n + ");background:var(--p" + n + ")}";
  }
  for (std::size_t i = 0; i < std::size(layer_limits); ++i) {
    const std::string n = std::to_string(i);
    rules += ".l" + n + "{fill:var(--l" + n + ");background:var(--l" + n + ")}";
  }
  return rules;
}

void key(std::FILE* f, char kind, std::size_t index, const char* words) {
  std::fprintf(f, "<span class='key'><i class='%c%zu'></i>%s</span>", kind, index, words);
}

bool measured(const std::vector<result>& all, regime kind, const char* peer) {
  return std::any_of(all.begin(), all.end(), [&](const result& r) {
    return r.of.kind == kind && r.ours() > 0.0 && peer_seconds(r, peer) > 0.0;
  });
}

/// The columns of a regime's plot: names, ctq's time, bars of the peers, bars of the limits.
constexpr double page = 960, names_at = 4, times_at = 268, peers_from = 282, peers_to = 650,
                 limits_from = 690, limits_to = 916;
constexpr double thick = 10, least = 24, gap = 8, head = 34;
constexpr double most_percent = 115;

double height_of(const result& r) {
  double bars = 0;
  for (const char* peer : peers) bars += peer_seconds(r, peer) > 0.0 ? thick : 0.0;
  return std::max(bars, least);
}

void write_peers(std::FILE* f, const svg::axis& x, const result& r, double y) {
  for (std::size_t i = 0; i < std::size(peers); ++i) {
    const double ratio = peer_seconds(r, peers[i]) / r.ours();
    if (ratio <= 0.0) continue;
    const std::string value = svg::number(ratio < 10.0 ? "%.2f" : "%.3g", ratio);
    svg::bar(f, "p" + std::to_string(i), x(1.0), x(ratio), y, thick - 1.5,
             r.of.name + ", " + peers[i] + ": " + value);
    svg::text(f, "value", std::max(x(ratio), x(1.0)) + 4, y + thick - 2, "start", value);
    y += thick;
  }
}

double percent_at(double percent) {
  return limits_from + std::min(percent, most_percent) / most_percent * (limits_to - limits_from);
}

/// The share of the limits in ctq's time, one below the other; a limit that cannot overlap with the
/// previous one starts at its end.
void write_limits(std::FILE* f, const result& r, double middle) {
  struct part {
    double from, to;
    const char* words;
  };
  std::vector<part> parts;
  const auto percent = [&](double seconds) { return 100.0 * seconds / r.ours(); };
  double total = 0.0;
  if (r.of.kind == regime::elementwise) {
    for (const limit& l : copy_limits) parts.push_back({0.0, percent(r.seconds(l.name)), l.words});
    total = parts[0].to;
  } else {
    const roof of = roof_of(r);
    const double waits = r.of.beside ? 0.0 : percent(of.dots);
    parts = {{0.0, percent(of.dots), layer_limits[0].words},
             {waits, waits + percent(of.epilogue), layer_limits[1].words},
             {0.0, percent(of.read), layer_limits[2].words}};
    total = percent(of.total);
  }
  constexpr double thin = 6;
  double y = middle - thin * static_cast<double>(parts.size()) / 2;
  for (std::size_t i = 0; i < parts.size(); ++i, y += thin) {
    svg::bar(
        f, "l" + std::to_string(i), percent_at(parts[i].from), percent_at(parts[i].to), y, thin - 1,
        r.of.name + ", " + parts[i].words + svg::number(": %.0f %%", parts[i].to - parts[i].from));
  }
  svg::text(f, "value", page, middle + 4, "end", svg::number("%.0f", total));
}

void write_regime(std::FILE* f, regime kind, const std::vector<result>& all, const svg::axis& x) {
  double height = head;
  for (const result& r : all)
    if (r.of.kind == kind && r.ours() > 0.0) height += height_of(r) + gap;
  if (height == head) return;

  std::fprintf(f, "<h2>%s</h2>\n<p class='soft'>", name_of(kind));
  for (std::size_t i = 0; i < std::size(peers); ++i)
    if (measured(all, kind, peers[i])) key(f, 'p', i, peers[i]);
  std::fprintf(f, "</p>\n<p class='soft'>");
  const bool copies = kind == regime::elementwise;
  const std::size_t count = copies ? std::size(copy_limits) : std::size(layer_limits);
  for (std::size_t i = 0; i < count; ++i)
    key(f, 'l', i, (copies ? copy_limits : layer_limits)[i].words);
  std::fprintf(f, "</p>\n");

  svg::open(f, page, height);
  svg::text(f, "tick", times_at, 12, "end", "our time");
  svg::text(f, "tick", peers_from, 12, "start", "a peer's time ÷ ours: right of 1 it is slower");
  svg::text(f, "tick", limits_from, 12, "start", "limits, % of our time");
  svg::text(f, "tick", page, head - 7, "end", "roof");
  for (double tick = x.low; tick <= x.high; tick *= 2) {
    svg::line(f, tick == 1.0 ? "one" : "grid", x(tick), head - 3, x(tick), height);
    svg::text(f, "tick", x(tick), head - 7, "middle", svg::number("%g", tick));
  }
  for (const double tick : {0.0, 50.0, 100.0}) {
    svg::line(f, tick == 100.0 ? "one" : "grid", percent_at(tick), head - 3, percent_at(tick),
              height);
    svg::text(f, "tick", percent_at(tick), head - 7, "middle", svg::number("%g", tick));
  }
  double y = head + gap / 2;
  for (const result& r : all) {
    if (r.of.kind != kind || r.ours() == 0.0) continue;
    const double middle = y + height_of(r) / 2;
    svg::text(f, r.of.counted ? "name" : "own", names_at, middle + 4, "start",
              r.of.name + (r.of.counted ? "" : " *"));
    svg::text(f, "name", times_at, middle + 4, "end", svg::duration(r.ours()));
    write_peers(f, x, r, y);
    write_limits(f, r, middle);
    y += height_of(r) + gap;
  }
  svg::close(f);
}

/// Powers of two around all ratios; outliers are clipped.
svg::axis ratios(const std::vector<result>& all) {
  double low = 0.5, high = 2.0;
  for (const result& r : all) {
    for (const char* peer : peers) {
      const double ratio = r.ours() > 0.0 ? peer_seconds(r, peer) / r.ours() : 0.0;
      while (ratio > 0.0 && ratio < low && low > 0.125) low /= 2;
      while (ratio > high && high < 32.0) high *= 2;
    }
  }
  return {low, high, peers_from, peers_to};
}

void card(std::FILE* f, const char* name, double value, const char* format = "%.2f") {
  if (value <= 0.0) return;
  std::fprintf(f, "<div class='card'><b>%s</b><span>%s</span></div>\n",
               svg::number(format, value).c_str(), name);
}

}  // namespace

void write_html(std::FILE* f, const std::vector<result>& all) {
  const summary s = summarize(all);
  std::fprintf(f,
               "<!doctype html>\n<html lang='en'><meta charset='utf-8'>"
               "<meta name='viewport' content='width=device-width'><title>ctq bench</title>\n"
               "<style>%s%s</style>\n<h1>ctq bench, %s</h1>\n<p class='soft'>%s<br>%s</p>\n",
               style, colours().c_str(), ctq::isa::native::name.data(),
               svg::escaped(machine_line()).c_str(), svg::escaped(programs()).c_str());
  std::fprintf(f, "<div class='cards'>\n");
  for (const regime kind : regimes) card(f, name_of(kind), s.mean[static_cast<int>(kind)]);
  card(f, "worst shape", s.worst);
  card(f, "% of the tiles' peak at 1024³", 100.0 * s.amx_peak, "%.0f");
  std::fprintf(f,
               "</div>\n<p>The fastest peer’s time ÷ ours, geometric mean of the shapes that "
               "count; medians on one core, of peers those of their ratio to ours in the same "
               "round.<br>* a shape of our own, not in the "
               "means.</p>\n");
  const svg::axis x = ratios(all);
  for (const regime kind : regimes) write_regime(f, kind, all, x);
  const auto roofline = [&](const char* title, std::initializer_list<regime> kinds) {
    std::fprintf(f, "<h2>%s</h2>\n<p>", title);
    for (const regime kind : kinds) key(f, 'r', static_cast<std::size_t>(kind), name_of(kind));
    std::fprintf(f, "</p>\n");
    write_roofline(f, all, kinds);
  };
  roofline("roofline: gemm", {regime::gemm});
  roofline("roofline: conv and depthwise", {regime::conv, regime::depthwise});
  std::fprintf(f, "</html>\n");
}

}  // namespace bench
