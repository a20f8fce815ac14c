// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "ctq/core/isa.hpp"
#include "machine.hpp"

namespace bench {

double peer_seconds(const result& r, const std::string& peer) {
  if (peer != "others") return r.seconds(peer);
  return r.of.others > 1.0 ? r.seconds("oneDNN") / r.of.others : 0.0;
}

double best_ratio(const result& r) {
  double best = 0.0;
  for (const char* peer : peers) {
    const double seconds = peer_seconds(r, peer);
    if (seconds > 0.0 && (best == 0.0 || seconds < best)) best = seconds;
  }
  return r.ours() > 0.0 ? best / r.ours() : 0.0;
}

double wanted_ratio(const result& r) {
  return r.ours() > 0.0 ? peer_seconds(r, r.of.wanted) / r.ours() : 0.0;
}

bool meets_target(const result& r) {
  constexpr double of_peers = 2.0;  // instead of the copy loop's speed
  return wanted_ratio(r) >= r.of.ratio || (r.of.wanted == "copy" && best_ratio(r) >= of_peers);
}

double ratio_at_peak(const result& r) {
  const double seconds = r.seconds("peak") * r.of.dots / std::max(r.of.peak_work, 1.0);
  return seconds > 0.0 ? peer_seconds(r, r.of.wanted) / seconds : 0.0;
}

double share_of_peak(const result& r) {
  const double peak = r.seconds("peak");
  return peak > 0.0 && r.ours() > 0.0 ? r.of.work / r.ours() / (r.of.peak_work / peak) : 0.0;
}

double share_of(const result& r, const char* limit) {
  return r.ours() > 0.0 ? r.seconds(limit) / r.ours() : 0.0;
}

const char* roof::binds() const {
  if (read >= dots && read >= epilogue) return "read";
  return dots >= epilogue ? "dots" : "epilogue";
}

roof roof_of(const result& r) {
  roof of{r.seconds("peak") * r.of.dots / std::max(r.of.peak_work, 1.0),
          r.seconds("epilogue") * r.of.epilogues, r.seconds("read"), 0.0};
  const double compute = r.of.beside ? std::max(of.dots, of.epilogue) : of.dots + of.epilogue;
  of.total = std::max(compute, of.read);
  return of;
}

summary summarize(const std::vector<result>& all) {
  summary s{};
  for (const regime kind : regimes) {
    if (!has_mean(kind)) continue;
    double logs = 0.0, logs_at_roof = 0.0;
    int count = 0, with_roof = 0;
    for (const result& r : all) {
      const double ratio = best_ratio(r);
      if (r.of.kind != kind || !r.of.counted || ratio <= 0.0) continue;
      logs += std::log(ratio);
      ++count;
      if (const double least = roof_of(r).total; least > 0.0) {
        logs_at_roof += std::log(ratio * r.ours() / least);
        ++with_roof;
      }
      s.worst = s.worst == 0.0 ? ratio : std::min(s.worst, ratio);
    }
    const auto mean = [](double sum, int of) { return of > 0 ? std::exp(sum / of) : 0.0; };
    s.mean[static_cast<int>(kind)] = mean(logs, count);
    s.at_roof[static_cast<int>(kind)] = with_roof == count ? mean(logs_at_roof, count) : 0.0;
  }
  for (const result& r : all)
    if (r.of.beside && r.of.name == "1024x1024x1024") s.amx_peak = share_of_peak(r);
  return s;
}

namespace {

/// "1.23", or a dash if not measured.
void print_cell(double value, const char* format, int width) {
  char text[32] = "-";
  if (value > 0.0) std::snprintf(text, sizeof text, format, value);
  std::printf(" %*s", width, text);
}

bool anybody(const std::vector<result>& all, regime kind, const char* name) {
  return std::any_of(all.begin(), all.end(), [&](const result& r) {
    return r.of.kind == kind && peer_seconds(r, name) > 0.0;
  });
}

}  // namespace

void print_heading() {
  std::printf("%s, compiled for %s\n%s\n%s\n", machine_line().c_str(),
              ctq::isa::native::name.data(), programs().c_str(), age_of_peers().c_str());
}

void print_table(regime kind, const std::vector<result>& all) {
  if (std::none_of(all.begin(), all.end(), [&](const result& r) { return r.of.kind == kind; }))
    return;
  const bool bytes = kind == regime::elementwise || kind == regime::ops;
  const int width = bytes ? 34 : 25;
  std::printf("\n%-*s %10s %8s", width, name_of(kind), "us, median", bytes ? "GB/s" : "GOPS");
  if (bytes) {
    std::printf(" %8s %8s", "% copy", "% memcpy");
  } else {
    std::printf(" %8s %8s %8s %8s", "% peak", "% read", "% roof", "binds");
  }
  for (const char* peer : peers)
    if (anybody(all, kind, peer)) std::printf(" %8s", peer);
  std::printf("\n");
  for (const result& r : all) {
    if (r.of.kind != kind) continue;
    std::printf("%-*s", width, (r.of.name + (r.of.counted ? "" : " *")).c_str());
    print_cell(r.ours() * 1e6, "%.2f", 10);
    print_cell(r.ours() > 0.0 ? r.of.work / r.ours() * 1e-9 : 0.0, "%.1f", 8);
    if (bytes) {
      print_cell(100.0 * share_of(r, "copy"), "%.0f", 8);
      print_cell(100.0 * share_of(r, "memcpy"), "%.0f", 8);
    } else {
      const roof limit = roof_of(r);
      print_cell(100.0 * share_of_peak(r), "%.0f", 8);
      print_cell(100.0 * share_of(r, "read"), "%.0f", 8);
      print_cell(r.ours() > 0.0 ? 100.0 * limit.total / r.ours() : 0.0, "%.0f", 8);
      std::printf(" %8s", limit.total > 0.0 ? limit.binds() : "-");
    }
    for (const char* peer : peers) {
      if (!anybody(all, kind, peer)) continue;
      print_cell(r.ours() > 0.0 ? peer_seconds(r, peer) / r.ours() : 0.0, "%.2f", 8);
    }
    if (const double ratio = wanted_ratio(r); ratio > 0.0) {
      std::printf("  %s %.2f of %.2f%s", r.of.wanted.c_str(), ratio, r.of.ratio,
                  meets_target(r) ? "" : ": missed");
      if (const double most = ratio_at_peak(r); most > 0.0 && !meets_target(r))
        std::printf(", %.2f at the peak", most);
    }
    for (const timing& t : r.times) {
      if (t.seconds == 0.0) std::printf("  %s is wrong by %d", t.name.c_str(), t.distance);
    }
    std::printf("\n");
  }
  std::fflush(stdout);
}

void print_summary(const std::vector<result>& all) {
  const summary s = summarize(all);
  std::printf("at the roof:");
  for (const regime kind : regimes) {
    if (kind == regime::elementwise || kind == regime::ops) continue;  // has none
    std::printf(" %s=%.2f", name_of(kind), s.at_roof[static_cast<int>(kind)]);
  }
  std::printf("\nbench:");
  for (const regime kind : regimes) {
    if (!has_mean(kind)) continue;
    std::printf(" %s=%.2f", name_of(kind), s.mean[static_cast<int>(kind)]);
  }
  std::printf(" worst=%.2f", s.worst);
  if (s.amx_peak > 0.0) std::printf(" amx_peak=%.2f", s.amx_peak);
  std::printf(" isa=%s\n", ctq::isa::native::name.data());
}

void write_json(std::FILE* to, const std::vector<result>& all) {
  const summary s = summarize(all);
  std::fprintf(to, "{\n  \"isa\": \"%s\",\n  \"machine\": \"%s\",\n  \"with\": \"%s\",\n",
               ctq::isa::native::name.data(), machine_line().c_str(), programs().c_str());
  std::fprintf(to, "  \"peers\": \"%s\",\n  \"geomean\": {", age_of_peers().c_str());
  const char* comma = "";
  for (const regime kind : regimes) {
    if (!has_mean(kind)) continue;
    std::fprintf(to, "%s\"%s\": %.4g", comma, name_of(kind), s.mean[static_cast<int>(kind)]);
    comma = ", ";
  }
  std::fprintf(to, "},\n  \"at_roof\": {");
  comma = "";
  for (const regime kind : regimes) {
    const double mean = s.at_roof[static_cast<int>(kind)];
    if (mean <= 0.0) continue;
    std::fprintf(to, "%s\"%s\": %.4g", comma, name_of(kind), mean);
    comma = ", ";
  }
  std::fprintf(to, "},\n  \"worst\": %.4g,\n", s.worst);
  if (s.amx_peak > 0.0) std::fprintf(to, "  \"amx_peak\": %.4g,\n", s.amx_peak);
  std::fprintf(to, "  \"cases\": [");
  comma = "\n";
  for (const result& r : all) {
    std::fprintf(to,
                 "%s    {\"regime\": \"%s\", \"name\": \"%s\", \"counted\": %s, \"work\": %.0f, "
                 "\"traffic\": %.0f, \"peak_work\": %.0f, \"ratio\": %.4g",
                 comma, name_of(r.of.kind), r.of.name.c_str(), r.of.counted ? "true" : "false",
                 r.of.work, r.of.traffic, r.of.peak_work, best_ratio(r));
    if (const roof of = roof_of(r); of.total > 0.0) {
      std::fprintf(to,
                   ",\n     \"roof\": {\"dots\": %.6g, \"epilogue\": %.6g, \"read\": %.6g, "
                   "\"total\": %.6g, \"binds\": \"%s\"}",
                   of.dots, of.epilogue, of.read, of.total, of.binds());
    }
    std::fprintf(to, ",\n     \"seconds\": {");
    const char* inner = "";
    for (const timing& t : r.times) {
      if (t.seconds == 0.0) continue;
      std::fprintf(to, "%s\"%s\": %.6g", inner, t.name.c_str(), t.seconds);
      inner = ", ";
    }
    std::fprintf(to, "}");
    inner = ",\n     \"wrong\": {";
    const char* end = "";
    for (const timing& t : r.times) {
      if (t.seconds > 0.0) continue;
      std::fprintf(to, "%s\"%s\": %d", inner, t.name.c_str(), t.distance);
      inner = ", ";
      end = "}";
    }
    std::fprintf(to, "%s}", end);
    comma = ",\n";
  }
  std::fprintf(to, "\n  ]\n}\n");
}

}  // namespace bench
