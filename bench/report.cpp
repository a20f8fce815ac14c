// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "ctq/core/isa.hpp"

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

double share_of_peak(const result& r) {
  const double peak = r.seconds("peak");
  return peak > 0.0 && r.ours() > 0.0 ? r.of.work / r.ours() / (r.of.peak_work / peak) : 0.0;
}

double share_of(const result& r, const char* limit) {
  return r.ours() > 0.0 ? r.seconds(limit) / r.ours() : 0.0;
}

summary summarize(const std::vector<result>& all) {
  summary s{{}, 0.0};
  for (const regime kind : regimes) {
    double logs = 0.0;
    int count = 0;
    for (const result& r : all) {
      const double ratio = best_ratio(r);
      if (r.of.kind != kind || !r.of.counted || ratio <= 0.0) continue;
      logs += std::log(ratio);
      ++count;
      s.worst = s.worst == 0.0 ? ratio : std::min(s.worst, ratio);
    }
    s.mean[static_cast<int>(kind)] = count > 0 ? std::exp(logs / count) : 0.0;
  }
  return s;
}

namespace {

/// "1.23", or a dash for what was not measured.
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

void print_table(regime kind, const std::vector<result>& all) {
  const bool bytes = kind == regime::elementwise;
  std::printf("\n%-34s %10s %8s", name_of(kind), "us, median", bytes ? "GB/s" : "GOPS");
  if (bytes) {
    std::printf(" %8s %8s", "% copy", "% memcpy");
  } else {
    std::printf(" %8s", "% peak");
  }
  if (kind == regime::gemm) std::printf(" %8s", "% read");
  for (const char* peer : peers)
    if (anybody(all, kind, peer)) std::printf(" %8s", peer);
  std::printf("\n");
  for (const result& r : all) {
    if (r.of.kind != kind) continue;
    std::printf("%-34s", (r.of.name + (r.of.counted ? "" : " *")).c_str());
    print_cell(r.ours() * 1e6, "%.2f", 10);
    print_cell(r.ours() > 0.0 ? r.of.work / r.ours() * 1e-9 : 0.0, "%.1f", 8);
    if (bytes) {
      print_cell(100.0 * share_of(r, "copy"), "%.0f", 8);
      print_cell(100.0 * share_of(r, "memcpy"), "%.0f", 8);
    } else {
      print_cell(100.0 * share_of_peak(r), "%.0f", 8);
    }
    if (kind == regime::gemm) print_cell(100.0 * share_of(r, "read"), "%.0f", 8);
    for (const char* peer : peers) {
      if (!anybody(all, kind, peer)) continue;
      print_cell(r.ours() > 0.0 ? peer_seconds(r, peer) / r.ours() : 0.0, "%.2f", 8);
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
  std::printf("bench:");
  for (const regime kind : regimes) {
    std::printf(" %s=%.2f", name_of(kind), s.mean[static_cast<int>(kind)]);
  }
  // AMX kernels do not exist yet, and this share is theirs.
  std::printf(" worst=%.2f amx_peak=%.2f isa=%s\n", s.worst, 0.0, ctq::isa::native::name.data());
}

void write_json(std::FILE* to, const std::vector<result>& all) {
  const summary s = summarize(all);
  std::fprintf(to, "{\n  \"isa\": \"%s\",\n  \"geomean\": {", ctq::isa::native::name.data());
  const char* comma = "";
  for (const regime kind : regimes) {
    std::fprintf(to, "%s\"%s\": %.4g", comma, name_of(kind), s.mean[static_cast<int>(kind)]);
    comma = ", ";
  }
  std::fprintf(to, "},\n  \"worst\": %.4g,\n  \"amx_peak\": 0,\n  \"cases\": [", s.worst);
  comma = "\n";
  for (const result& r : all) {
    std::fprintf(to,
                 "%s    {\"regime\": \"%s\", \"name\": \"%s\", \"counted\": %s, \"work\": %.0f, "
                 "\"traffic\": %.0f, \"peak_work\": %.0f, \"ratio\": %.4g,\n     \"seconds\": {",
                 comma, name_of(r.of.kind), r.of.name.c_str(), r.of.counted ? "true" : "false",
                 r.of.work, r.of.traffic, r.of.peak_work, best_ratio(r));
    const char* inner = "";
    for (const timing& t : r.times) {
      if (t.seconds == 0.0) continue;
      std::fprintf(to, "%s\"%s\": %.6g", inner, t.name.c_str(), t.seconds);
      inner = ", ";
    }
    std::fprintf(to, "}}");
    comma = ",\n";
  }
  std::fprintf(to, "\n  ]\n}\n");
}

}  // namespace bench
