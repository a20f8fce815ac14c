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
#include "ctq/observers/histc.hpp"
#include "ctq/observers/histogram_growth.hpp"
#include "ctq/observers/histogram_search.hpp"
#include "ctq/spec/observer.hpp"

// HistogramObserver: a histogram of all observed values, whose ends are clipped to minimize the
// quantization error. Follows PyTorch 1.13 to 2.4.

namespace ctq::observers {

/// observe allocates memory only if the range grows. Data without a histogram (NaN; infinity and
/// values beyond 2⁶³ under torch_1_13; a range that grows too much) makes calculate_qparams return
/// an error from then on.
class histogram {
 public:
  explicit histogram(const observer_args& args, semantics s = {})
      : args_(args), semantics_(s), bins_(bins_of(args)), count_(bins_of(args)) {
    if (args.bins < 1 || args.upsample_rate < 1)
      failure_ = "bins and upsample_rate must be at least 1";
    if (args.bins > max_bins) failure_ = "bins must be at most 2²⁴";
  }

  // A move is a copy, so that a moved-from object still has its bins.
  histogram(const histogram&) = default;
  histogram& operator=(const histogram&) = default;

  /// An empty tensor changes nothing.
  template <class Isa = isa::native>
  void observe(span<const float> data) {
    extrema now = aminmax<Isa>(data);
    if (histogram_ignores_infinity(semantics_) && now.min <= now.max &&
        (std::isinf(now.min) || std::isinf(now.max))) {
      now = finite_aminmax(data);
      ignored_infinity_ = true;
    }
    if (now.saw_nan) failure_ = "the observed values include NaN";
    if (now.saw_nan || !now.observed() || !failure_.empty()) return;
    if (!observed() || seen_.min == seen_.max)
      begin<Isa>(data, now);
    else
      extend<Isa>(data, now);
  }

  [[nodiscard]] bool observed() const { return seen_.observed() || !failure_.empty(); }
  /// Whether there were infinite values, which it leaves out.
  [[nodiscard]] bool ignored_infinity() const { return ignored_infinity_; }
  /// The range that the bins cover.
  [[nodiscard]] const extrema& seen() const { return seen_; }
  [[nodiscard]] span<const float> bins() const { return bins_; }
  [[nodiscard]] const observer_args& args() const { return args_; }

  /// The clipped range with the smallest quantization error. As in PyTorch, the search uses all
  /// integers of the dtype, regardless of quant_min, quant_max and reduce_range. NaN if nothing was
  /// observed.
  [[nodiscard]] value_range search() const {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    if (!seen_.observed()) return {nan, nan};
    const double targets = std::exp2(8.0 * static_cast<double>(size_of(args_.dtype)));
    const int unit = unit_of_search();
    const auto [min, max] =
        histogram_search(bins_, std::ldexp(seen_.min, -unit), std::ldexp(seen_.max, -unit), targets)
            .best();
    return {std::ldexp(min, unit), std::ldexp(max, unit)};
  }

  /// Scale 1 and zero point 0 if nothing was observed.
  /// Errors  NaN; as observers::calculate_qparams
  [[nodiscard]] result<qparams> calculate_qparams() const {
    if (!failure_.empty()) return fail("calibration data", std::string(failure_));
    if (!seen_.observed()) return qparams_of_range(args_, seen_, semantics_);
    const auto [min, max] = search();
    return qparams_of_range(args_, {min, max, false}, semantics_);
  }

 private:
  /// The unit of the search, as an exponent of 2, so that scaling is exact; 0 if the cubes of the
  /// search do not overflow or underflow float32.
  [[nodiscard]] int unit_of_search() const {
    const float width = seen_.max - seen_.min;
    const bool fits = width == 0.0F || (width >= 0x1p-30F && width <= 0x1p40F);
    return fits || histogram_search_overflows(semantics_) ? 0 : std::ilogb(width);
  }

  static std::size_t bins_of(const observer_args& args) {
    return static_cast<std::size_t>(std::clamp(args.bins, 1, max_bins));
  }

  template <class Isa>
  void begin(span<const float> data, const extrema& now) {
    if (!count<Isa>(data, now.min, now.max, now)) return;
    seen_ = now;
    std::fill(bins_.begin(), bins_.end(), 0.0F);
    count_.add_to<Isa>(bins_);
  }

  template <class Isa>
  void extend(span<const float> data, const extrema& now) {
    const histogram_growth g = grow(seen_, now, args_.bins, args_.upsample_rate, semantics_);
    const double finer_bins = static_cast<double>(g.downsample) * args_.bins;  // NaN: 0/0
    if (!(finer_bins <= 0x1p53 && static_cast<double>(g.start) <= finer_bins))
      failure_ =
          "the observed range grew too much for a histogram: give the op that reads the values no "
          "qconfig";
    if (!failure_.empty()) return;
    if (!count<Isa>(data, g.min, g.max, now)) return;
    if (g.min == seen_.min && g.max == seen_.max) {
      count_.add_to<Isa>(bins_);
      return;
    }
    const double end = double{g.start} + static_cast<double>(args_.bins) * args_.upsample_rate;
    if (histogram_growth_fails_past_the_end(semantics_) && end > finer_bins) {
      failure_ = "by rounding error, the old histogram exceeds the new one";
      return;
    }
    std::vector<float>& old = bins_;
    std::vector<float> grown(bins_.size());
    spread(old, args_.upsample_rate, static_cast<std::int64_t>(g.downsample),
           static_cast<std::int64_t>(g.start),
           [&](std::size_t i, float value) { grown[i] = static_cast<float>(count_[i]) + value; });
    bins_.swap(grown);
    seen_ = {g.min, g.max, false};
  }

  /// Returns false if PyTorch fails on a histogram of [lo, hi].
  template <class Isa>
  bool count(span<const float> data, float lo, float hi, const extrema& now) {
    if (histogram_range_is_truncated(semantics_)) {
      if (!(lo >= -0x1p63F && hi < 0x1p63F))
        failure_ = "the observed range exceeds 64-bit integers";
      lo = std::trunc(lo);
      hi = std::trunc(hi);
    }
    if (!std::isfinite(hi - lo)) failure_ = "the observed range is too wide for float32";
    if (failure_.empty()) count_.count<Isa>(data, histc_rule::of(bins_.size(), lo, hi, now));
    return failure_.empty();
  }

  observer_args args_;
  semantics semantics_;
  extrema seen_;
  std::vector<float> bins_;
  bin_counter count_;
  std::string_view failure_;
  bool ignored_infinity_ = false;
};

}  // namespace ctq::observers
