// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/no_contract.hpp"
#include "ctq/kernels/cascade_sum.hpp"

// The search of HistogramObserver for the part of a histogram with the smallest quantization error.
// float32 and double alternate exactly as in PyTorch, where tensors are float32 and Python numbers
// double.

namespace ctq::observers {

struct bin_range {
  std::size_t first{};
  std::size_t last{};  // included
};

struct value_range {
  float min{};
  float max{};
};

/// Source  PyTorch HistogramObserver 1.13 to 2.4
class histogram_search {
 public:
  /// bins have equal width and cover [min, max]; target_bins is the number of integers of the
  /// dtype.
  histogram_search(span<const float> bins, float min, float max, double target_bins)
      : bins_(bins), min_(min), max_(max), target_bins_(target_bins), error_of_(bins.size()) {}

  /// Clips quantiles at both ends, the wider one first, as long as the error does not grow.
  [[nodiscard]] value_range best() {
    const bin_range kept = best_bins();
    const auto count = static_cast<float>(bins_.size());
    const float width = (max_ - min_) / count;
    return {min_ + no_contract(width * static_cast<float>(kept.first)),
            min_ + no_contract(width * static_cast<float>(kept.last + 1))};
  }

  /// L2 norm of the error if the bins kept.first … kept.last are mapped to target_bins_ and the
  /// rest saturates. Values are assumed uniform within a source bin, so the integral of the squared
  /// distance to the nearest target centre is a difference of cubes.
  [[nodiscard]] double error(bin_range kept) {
    const double bin_width =
        (static_cast<double>(max_) - static_cast<double>(min_)) / static_cast<double>(bins_.size());
    const double target_width =
        bin_width * static_cast<double>(kept.last - kept.first + 1) / target_bins_;
    if (target_width == 0.0) return 0.0;
    const auto w = static_cast<float>(bin_width);
    const auto t = static_cast<float>(target_width);
    if (t == 0.0F) return std::numeric_limits<double>::quiet_NaN();  // 0/0 in float32
    const auto half = static_cast<float>(target_width / 2);
    const auto last_target = static_cast<float>(target_bins_ - 1);
    const float half_cubed = no_contract(half * half * half);
    const float whole_target = (half_cubed + half_cubed) / 3.0F;
    for (std::size_t i = 0; i < bins_.size(); ++i) {
      const auto offset =
          static_cast<float>(static_cast<double>(i) - static_cast<double>(kept.first));
      const float begin = no_contract(offset * w);
      const float end = begin + w;
      const float first = target_of(begin, t, last_target);
      const float last = target_of(end, t, last_target);
      const float density = bins_[i] / w;
      const float from = begin - no_contract((first + 0.5F) * t);
      const float to = end - (no_contract(last * t) + half);
      const float head = density * ((half_cubed - no_contract(from * from * from)) / 3.0F);
      const float middle = (last - first - 1.0F) * no_contract(density * whole_target);
      const float tail = density * ((no_contract(to * to * to) + half_cubed) / 3.0F);
      error_of_[i] = no_contract(head) + no_contract(middle) + no_contract(tail);
    }
    return static_cast<double>(kernels::cascade_sum(error_of_));
  }

 private:
  /// The target bin of x: floor of the exact quotient, clamped. float32 division could round up to
  /// the next integer, double cannot.
  [[nodiscard]] static float target_of(float x, float width, float last) {
    const double quotient = static_cast<double>(x) / static_cast<double>(width);
    return static_cast<float>(
        std::floor(quotient < 0.0 ? 0.0 : (quotient > last ? last : quotient)));
  }

  [[nodiscard]] bin_range best_bins() {
    constexpr double step = 1e-5;
    const auto total = static_cast<double>(kernels::cascade_sum(bins_));
    std::vector<float> below(bins_.size());  // cumulative count up to bin i
    double sum = 0.0;
    for (std::size_t i = 0; i < bins_.size(); ++i) {
      sum += static_cast<double>(bins_[i]);
      below[i] = static_cast<float>(sum);
    }
    bin_range kept{0, bins_.size() - 1};
    double least = std::numeric_limits<double>::infinity();
    for (double alpha = 0.0, beta = 1.0; alpha < beta;) {
      const double next_alpha = alpha + step;
      const double next_beta = beta - step;
      std::size_t left = kept.first;
      std::size_t right = kept.last;
      const auto low = static_cast<float>(next_alpha * total);
      const auto high = static_cast<float>(next_beta * total);
      while (left < kept.last && below[left] < low) ++left;
      while (right > kept.first && below[right] > high) --right;

      bin_range next = kept;
      if (left - kept.first > kept.last - right) {
        next.first = left;
        alpha = next_alpha;
      } else {
        next.last = right;
        beta = next_beta;
      }
      if (next.first == kept.first && next.last == kept.last) continue;
      const double e = error(next);
      if (e > least) break;
      least = e;
      kept = next;
    }
    return kept;
  }

  span<const float> bins_;
  float min_;
  float max_;
  double target_bins_;
  std::vector<float> error_of_;
};

}  // namespace ctq::observers
