// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdio>
#include <initializer_list>
#include <iterator>
#include <vector>

#include "subject.hpp"

// Output of the measurements: tables, one line of means, a JSON file, a page of plots.

namespace bench {

inline constexpr const char* peers[] = {"oneDNN", "XNNPACK", "gemmlowp", "ORT", "others"};

/// Seconds of a peer. "others" estimates libraries that are not installed: oneDNN's time divided by
/// the speedup of the best of them on another machine. 0 if not measured.
[[nodiscard]] double peer_seconds(const result& r, const std::string& peer);
/// The fastest peer's time divided by ctq's; 0 if there is none, or if ctq's result is wrong.
[[nodiscard]] double best_ratio(const result& r);
/// Of an op: the time of the subject that ctq is to be compared with, divided by ctq's; 0 if it
/// was not measured.
[[nodiscard]] double wanted_ratio(const result& r);
/// Whether that is as large as wanted; or, instead of the speed of a copy loop, twice that of all
/// peers.
[[nodiscard]] bool meets_target(const result& r);
/// What wanted_ratio would be if the dot products of an op ran at the peak and nothing else took
/// time; 0 if it has none.
[[nodiscard]] double ratio_at_peak(const result& r);
/// The fraction of a limit of the machine (peak, reads, copy loop); 0 if not measured.
[[nodiscard]] double share_of_peak(const result& r);
[[nodiscard]] double share_of(const result& r, const char* limit);

/// Lower bounds of a layer's time, in seconds, as measured with it.
struct roof {
  double dots;      // products, at the peak
  double epilogue;  // outputs made of sums that lie in the nearest cache
  double read;      // operands and result, each byte read once from where so many of them stay
  double total;     // dots and epilogue share what computes, unless tiles do the dots; reads do not

  [[nodiscard]] const char* binds() const;  // the longest of the three
};
[[nodiscard]] roof roof_of(const result& r);

struct summary {
  double mean[std::size(regimes)];     // geometric, of best_ratio over the shapes that count
  double at_roof[std::size(regimes)];  // the same if each shape took what its roof takes; or 0
  double worst;
  double amx_peak;  // the share of the tiles' peak at 1024x1024x1024; 0 without tiles
};
[[nodiscard]] summary summarize(const std::vector<result>& all);

/// The machine and the measured libraries, in two lines.
void print_heading();
/// Nothing without a case of the regime.
void print_table(regime kind, const std::vector<result>& all);
void print_summary(const std::vector<result>& all);
void write_json(std::FILE* to, const std::vector<result>& all);
/// A self-contained HTML page: comparison with the peers, and the roofline.
void write_html(std::FILE* to, const std::vector<result>& all);
/// The roofline plot of some regimes: operations per second over operations per byte.
void write_roofline(std::FILE* to, const std::vector<result>& all,
                    std::initializer_list<regime> kinds);

}  // namespace bench
