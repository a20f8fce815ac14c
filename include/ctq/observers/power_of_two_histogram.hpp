// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/dtype.hpp"
#include "ctq/observers/aminmax.hpp"
#include "ctq/observers/bin_counter.hpp"
#include "ctq/observers/calculate_qparams.hpp"
#include "ctq/observers/histogram_search.hpp"
#include "ctq/observers/power_of_two_grid.hpp"
#include "ctq/spec/observer.hpp"

// A mergeable histogram: its state depends only on the set of observed values, so calibration can
// be split over threads or machines in any way and merged in any order. HistogramObserver cannot:
// when it grows, it redistributes counts to bins that do not align.

namespace ctq::observers {

/// observe allocates memory only if the bins change. They are at most twice as wide as the range
/// divided by args.bins. Infinite values are ignored; after NaN calculate_qparams returns an error.
class power_of_two_histogram {
 public:
  explicit power_of_two_histogram(const observer_args& args, semantics s = {})
      : args_(args), semantics_(s), counts_(bins_of(args)), scratch_(bins_of(args)) {}

  // A move is a copy, so that a moved-from object still has its bins.
  power_of_two_histogram(const power_of_two_histogram&) = default;
  power_of_two_histogram& operator=(const power_of_two_histogram&) = default;

  /// An empty tensor changes nothing.
  template <class Isa = isa::native>
  void observe(span<const float> data) {
    extrema now = aminmax<Isa>(data);
    if (now.min <= now.max && (std::isinf(now.min) || std::isinf(now.max))) {
      now = finite_aminmax(data);
      ignored_infinity_ = true;
    }
    const bool has_values = now.min <= now.max;
    extend(now);
    if (!has_values) return;
    scratch_.count<Isa>(data, power_of_two_rule(grid_, counts_.size(), now.min, now.max));
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += scratch_[i];
  }

  /// Afterwards the state is that of a single observer of both data.
  /// Requires  equal arguments
  void merge(const power_of_two_histogram& other) {
    const std::vector<std::uint64_t> more = other.counts_;  // other may be this one
    const power_of_two_grid grid = other.grid_;
    const bool has_values = other.has_values();
    ignored_infinity_ = ignored_infinity_ || other.ignored_infinity_;
    extend(other.seen_);
    if (has_values) add(more, grid);
  }

  [[nodiscard]] bool observed() const { return seen_.observed(); }
  /// Whether there were infinite values, which it leaves out.
  [[nodiscard]] bool ignored_infinity() const { return ignored_infinity_; }
  /// The extrema of the finite values.
  [[nodiscard]] const extrema& seen() const { return seen_; }
  [[nodiscard]] const power_of_two_grid& grid() const { return grid_; }
  /// counts()[i] is the number of values in bin grid().first + i.
  [[nodiscard]] span<const std::uint64_t> counts() const { return counts_; }
  [[nodiscard]] const observer_args& args() const { return args_; }

  /// The clipped range with the smallest quantization error, as in HistogramObserver. NaN if no
  /// finite value was observed.
  [[nodiscard]] value_range search() const {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    if (!has_values()) return {nan, nan};
    const auto used = static_cast<std::size_t>(power_of_two_grid::index(seen_.max, grid_.exponent) -
                                               grid_.first + 1);
    const std::vector<float> bins(counts_.begin(),
                                  counts_.begin() + static_cast<std::ptrdiff_t>(used));
    const double targets = std::exp2(8.0 * static_cast<double>(size_of(args_.dtype)));
    // In units of bins, so that nothing overflows: the search does not depend on the unit.
    const auto [min, max] = histogram_search(bins, 0.0F, static_cast<float>(used), targets).best();
    const auto value = [&](float bin) {
      const double index = static_cast<double>(bin) + static_cast<double>(grid_.first);
      const double x = std::ldexp(index, grid_.exponent);
      return static_cast<float>(std::clamp(x, double{seen_.min}, double{seen_.max}));
    };
    return {value(min), value(max)};
  }

  /// Scale 1 and zero point 0 if nothing was observed.
  /// Errors  NaN; as observers::calculate_qparams
  [[nodiscard]] result<qparams> calculate_qparams() const {
    if (args_.bins < 2 || args_.bins > max_bins)
      return fail("observer arguments", "bins must be between 2 and 2²⁴");
    if (!has_values() || seen_.saw_nan)
      return observers::calculate_qparams(args_, seen_, semantics_);
    const auto [min, max] = search();
    return observers::calculate_qparams(args_, {min, max, false}, semantics_);
  }

  friend bool operator==(const power_of_two_histogram& a, const power_of_two_histogram& b) {
    return a.args_ == b.args_ && a.semantics_ == b.semantics_ && a.seen_ == b.seen_ &&
           a.ignored_infinity_ == b.ignored_infinity_ && a.grid_ == b.grid_ &&
           a.counts_ == b.counts_;
  }

 private:
  static std::size_t bins_of(const observer_args& args) {
    return static_cast<std::size_t>(std::clamp(args.bins, 2, max_bins));
  }
  [[nodiscard]] bool has_values() const { return seen_.min <= seen_.max; }

  /// Extends the grid to the range `now`.
  void extend(const extrema& now) {
    const bool had_values = has_values();
    seen_.merge(now);
    if (!has_values()) return;
    const power_of_two_grid wider = power_of_two_grid::of(seen_.min, seen_.max, counts_.size());
    const power_of_two_grid old = grid_;
    if (wider == old) return;
    grid_ = wider;
    if (!had_values) return;
    const std::vector<std::uint64_t> kept = counts_;
    std::fill(counts_.begin(), counts_.end(), 0U);
    add(kept, old);
  }

  void add(span<const std::uint64_t> counts, const power_of_two_grid& finer) {
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (counts[i] != 0) counts_[finer.bin_in(grid_, i)] += counts[i];
  }

  observer_args args_;
  semantics semantics_;
  extrema seen_;
  power_of_two_grid grid_;
  std::vector<std::uint64_t> counts_;
  bin_counter scratch_;
  bool ignored_infinity_ = false;
};

}  // namespace ctq::observers
