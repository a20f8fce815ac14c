// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "ctq/core/shape.hpp"

// Batch norm in training, with the statistics of the batch, or frozen, with the running ones; and
// its gradients. Channels are axis 1. Sums of a channel are added in double.

namespace ctq::training {

/// The sum of f(i) for i < n, in 16 partial sums, so that compilers use vectors.
template <class Real, class F>
[[nodiscard]] double sum_of(std::size_t n, F f) {
  constexpr std::size_t parts = 16;
  Real part[parts]{};
  std::size_t i = 0;
  for (; i + parts <= n; i += parts)
    for (std::size_t p = 0; p < parts; ++p) part[p] += f(i + p);
  double sum = 0;
  for (const Real p : part) sum += static_cast<double>(p);
  for (; i < n; ++i) sum += static_cast<double>(f(i));
  return sum;
}

/// Calls visit(channel, first element, count) for each contiguous run of one channel.
template <class Visit>
void for_each_channel_run(const shape& s, Visit visit) {
  const auto channels = static_cast<std::size_t>(s[1]);
  std::size_t pixels = 1;
  for (int axis = 2; axis < s.rank; ++axis) pixels *= static_cast<std::size_t>(s[axis]);
  for (std::size_t r = 0; r < static_cast<std::size_t>(s[0]) * channels; ++r)
    visit(r % channels, r * pixels, pixels);
}

/// Adds the sum of each channel.
template <class Real>
void add_channel_sums(const shape& s, const Real* x, Real* sums) {
  std::vector<double> total(static_cast<std::size_t>(s[1]));
  for_each_channel_run(s, [&](std::size_t c, std::size_t at, std::size_t n) {
    total[c] += sum_of<Real>(n, [&](std::size_t i) { return x[at + i]; });
  });
  for (std::size_t c = 0; c < total.size(); ++c) sums[c] += static_cast<Real>(total[c]);
}

/// What the batch norm used in the last forward, by channel.
struct norm_statistics {
  std::vector<double> mean, variance;  // the variance divided by count
  std::vector<double> inverse;         // 1 / sqrt(variance + eps)
  std::size_t count{};                 // elements per channel
  bool of_batch{};                     // false: the running statistics, which are constants
};

template <class Real>
[[nodiscard]] norm_statistics statistics_of_batch(const shape& s, const Real* x, double eps) {
  const auto channels = static_cast<std::size_t>(s[1]);
  norm_statistics t{std::vector<double>(channels), std::vector<double>(channels),
                    std::vector<double>(channels), numel(s) / channels, true};
  const auto count = static_cast<double>(t.count);
  for_each_channel_run(s, [&](std::size_t c, std::size_t at, std::size_t n) {
    t.mean[c] += sum_of<Real>(n, [&](std::size_t i) { return x[at + i]; });
  });
  for (double& m : t.mean) m /= count;
  for_each_channel_run(s, [&](std::size_t c, std::size_t at, std::size_t n) {
    const auto mean = static_cast<Real>(t.mean[c]);
    t.variance[c] += sum_of<Real>(n, [&](std::size_t i) {
      const Real d = x[at + i] - mean;
      return d * d;
    });
  });
  for (std::size_t c = 0; c < channels; ++c) {
    t.variance[c] /= count;
    t.inverse[c] = 1.0 / std::sqrt(t.variance[c] + eps);
  }
  return t;
}

/// The running statistics, as constants.
template <class Real>
[[nodiscard]] norm_statistics running_statistics(std::size_t channels, const Real* mean,
                                                 const Real* variance, double eps) {
  norm_statistics t{{mean, mean + channels},
                    {variance, variance + channels},
                    std::vector<double>(channels),
                    0,
                    false};
  for (std::size_t c = 0; c < channels; ++c) t.inverse[c] = 1.0 / std::sqrt(t.variance[c] + eps);
  return t;
}

/// running = (1 - momentum) * running + momentum * batch; the variance is that of a sample.
template <class Real>
void move_running_statistics(const norm_statistics& t, double momentum, Real* mean,
                             Real* variance) {
  const auto count = static_cast<double>(t.count);
  const auto move = [&](Real& running, double batch) {
    running = static_cast<Real>((1.0 - momentum) * static_cast<double>(running) + momentum * batch);
  };
  for (std::size_t c = 0; c < t.mean.size(); ++c) {
    move(mean[c], t.mean[c]);
    move(variance[c], t.variance[c] * count / (count - 1.0));
  }
}

/// out = (x - mean) / sqrt(variance + eps) * gamma + beta; out may be x
template <class Real>
void normalize(const shape& s, const norm_statistics& t, const Real* gamma, const Real* beta,
               const Real* x, Real* out) {
  for_each_channel_run(s, [&](std::size_t c, std::size_t at, std::size_t n) {
    const auto factor = static_cast<Real>(t.inverse[c]) * gamma[c];
    const Real shift = beta[c] - static_cast<Real>(t.mean[c]) * factor;
    for (std::size_t i = at; i < at + n; ++i) out[i] = x[i] * factor + shift;
  });
}

/// Adds the gradients with respect to gamma and beta, and replaces that of the output, grad, by
/// that of the input x.
template <class Real>
void normalize_gradient(const shape& s, const norm_statistics& t, const Real* gamma, const Real* x,
                        Real* grad, Real* grad_gamma, Real* grad_beta) {
  const std::size_t channels = t.mean.size();
  std::vector<double> sum(channels), projected(channels);
  for_each_channel_run(s, [&](std::size_t c, std::size_t at, std::size_t n) {
    const auto mean = static_cast<Real>(t.mean[c]);
    sum[c] += sum_of<Real>(n, [&](std::size_t i) { return grad[at + i]; });
    // The run is in the cache now.
    projected[c] +=
        sum_of<Real>(n, [&](std::size_t i) { return grad[at + i] * (x[at + i] - mean); });
  });
  for_each_channel_run(s, [&](std::size_t c, std::size_t at, std::size_t n) {
    const double inverse = t.inverse[c];
    const auto factor = static_cast<Real>(inverse * static_cast<double>(gamma[c]));
    if (!t.of_batch) {
      for (std::size_t i = at; i < at + n; ++i) grad[i] *= factor;
      return;
    }
    const auto count = static_cast<double>(t.count);
    const auto mean = static_cast<Real>(t.mean[c]);
    const auto average = static_cast<Real>(sum[c] / count);
    const auto along = static_cast<Real>(projected[c] * inverse * inverse / count);
    for (std::size_t i = at; i < at + n; ++i)
      grad[i] = (grad[i] - average - (x[i] - mean) * along) * factor;
  });
  for (std::size_t c = 0; c < channels; ++c) {
    grad_gamma[c] += static_cast<Real>(projected[c] * t.inverse[c]);
    grad_beta[c] += static_cast<Real>(sum[c]);
  }
}

}  // namespace ctq::training
