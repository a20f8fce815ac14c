// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "ctq/core/no_contract.hpp"
#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/float_op.hpp"
#include "ctq/evaluate/float_ops/kernels/float_kernels.hpp"
#include "ctq/kernels/batch_norm_fold.hpp"
#include "ctq/kernels/reference/batch_norm2d.hpp"

// Normalization: (x - mean) / sqrt(var + eps) * weight + bias, with running statistics per channel
// (batch norm in eval mode), or the statistics of the input, which are computed in double.

namespace ctq::float_ops {

namespace normalizing {

struct affine {
  double scale = 1, offset = 0;
};

inline void apply(float* x, std::size_t count, double mean, double deviation, affine a) {
  const double factor = a.scale / deviation;
  for (std::size_t i = 0; i < count; ++i)
    x[i] = static_cast<float>(no_contract((static_cast<double>(x[i]) - mean) * factor) + a.offset);
}

struct moments {
  double mean{}, variance{};  // the biased variance, divided by the count
};

inline moments moments_of(const float* x, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += static_cast<double>(x[i]);
  const double mean = sum / static_cast<double>(count);
  double squares = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double d = static_cast<double>(x[i]) - mean;
    squares += no_contract(d * d);
  }
  return {mean, squares / static_cast<double>(count)};
}

/// The weight and bias of a channel; 1 and 0 if null.
inline affine affine_at(const tensor* weight, const tensor* bias, std::size_t channel) {
  affine a;
  if (weight != nullptr) a.scale = static_cast<double>(weight->data[channel]);
  if (bias != nullptr) a.offset = static_cast<double>(bias->data[channel]);
  return a;
}

/// Calls the kernel of compiled models for rows of `count` elements, each with its own statistics.
inline void by_rows(const layer_functions& by, tensor& x, std::size_t count, std::size_t channels,
                    std::size_t pixels, const tensor* weight, const tensor* bias, double eps) {
  float_kernels::layer_norm(by,
                            {.rows = static_cast<int>(x.data.size() / count),
                             .count = static_cast<int>(count),
                             .channels = static_cast<int>(channels),
                             .pixels = static_cast<int>(pixels),
                             .eps = static_cast<float>(eps)},
                            x.data.data(), weight == nullptr ? nullptr : weight->data.data(),
                            bias == nullptr ? nullptr : bias->data.data(), x.data.data());
}

/// Calls the kernel of compiled models for a batch norm in eval mode, for one channel.
inline void by_running(float* x, std::size_t count, moments m, affine a, double eps) {
  const auto variance = static_cast<float>(m.variance);
  const kernels::norm_channel channel{
      static_cast<float>(a.scale), static_cast<float>(a.offset), static_cast<float>(m.mean),
      kernels::inverse_deviation(variance, static_cast<float>(eps))};
  const float scale = channel.scale();
  const float shift = channel.shift();
  kernels::reference::batch_norm2d({static_cast<int>(count), 1}, x, &scale, &shift, false, x);
}

inline bool fits(const tensor* t, std::size_t count) {
  return t == nullptr || t->data.size() == count;
}

}  // namespace normalizing

namespace implementation {

/// Uses running statistics if given; else, or for instance norm without track_running_stats, those
/// of the input.
template <bool PerInstance>
result<value> channel_norm(operands& from) {
  using namespace normalizing;
  tensor out = from.floats("input");
  const tensor* const weight = from.floats_or_null("weight");
  const tensor* const bias = from.floats_or_null("bias");
  const tensor* mean = from.floats_or_null("running_mean");
  const tensor* variance = from.floats_or_null("running_var");
  const double eps = from.real("eps");
  if (PerInstance && from.has("use_input_stats") && from.flag("use_input_stats"))
    mean = variance = nullptr;
  if (from.has("training") && from.flag("training")) mean = variance = nullptr;
  from.require((mean == nullptr) == (variance == nullptr), "needs both running statistics");
  from.require(rank(out.shape) >= 2, "the input needs two axes");
  if (from.failed()) return from.failure();
  // An input without a batch axis is a batch of one.
  const auto axes = static_cast<std::size_t>(from.window_axes());
  if (PerInstance && out.shape.size() == axes + 1) out.shape.insert(out.shape.begin(), 1);
  const bool unbatched =
      PerInstance && out.shape.size() == axes + 2 && from.floats("input").shape.size() == axes + 1;
  const auto batch = static_cast<std::size_t>(out.shape[0]);
  const auto channels = static_cast<std::size_t>(out.shape[1]);
  const bool all_fit = fits(weight, channels) && fits(bias, channels) && fits(mean, channels) &&
                       fits(variance, channels);
  if (!all_fit)
    return from.failure("the input has " + std::to_string(channels) +
                        " channels, not as many as the parameters");
  const std::size_t pixels = out.data.empty() ? 0 : out.data.size() / batch / channels;
  if (PerInstance && mean == nullptr && pixels != 0) {
    by_rows(from.layers(), out, pixels, channels, pixels, weight, bias, eps);
    if (unbatched) out.shape.erase(out.shape.begin());
    return value(std::move(out));
  }
  std::vector<float> column;  // one channel of the whole batch
  for (std::size_t c = 0; c < channels && pixels != 0; ++c) {
    const auto at = [&](std::size_t n) { return out.data.data() + (n * channels + c) * pixels; };
    moments m;
    if (mean != nullptr) {
      m = {static_cast<double>(mean->data[c]), static_cast<double>(variance->data[c])};
    } else if (!PerInstance) {
      column.clear();
      for (std::size_t n = 0; n < batch; ++n) column.insert(column.end(), at(n), at(n) + pixels);
      m = moments_of(column.data(), column.size());
    }
    for (std::size_t n = 0; n < batch; ++n) {
      if (mean != nullptr) {
        by_running(at(n), pixels, m, affine_at(weight, bias, c), eps);
      } else {
        apply(at(n), pixels, m.mean, std::sqrt(m.variance + eps), affine_at(weight, bias, c));
      }
    }
  }
  if (unbatched) out.shape.erase(out.shape.begin());
  return value(std::move(out));
}

/// Normalizes over the last axes, given by normalized_shape, with elementwise weight and bias.
inline result<value> layer_norm(operands& from) {
  using namespace normalizing;
  tensor out = from.floats("input");
  const std::vector<int> last = from.integers("normalized_shape");
  const tensor* const weight = from.floats_or_null("weight");
  const tensor* const bias = from.floats_or_null("bias");
  const double eps = from.real("eps");
  from.require(
      last.size() <= out.shape.size() && std::equal(last.rbegin(), last.rend(), out.shape.rbegin()),
      "the input's last axes are not normalized_shape");
  const std::size_t count = numel(last);
  from.require(fits(weight, count) && fits(bias, count), "the parameters have another shape");
  if (from.failed()) return from.failure();
  if (out.data.empty()) return value(std::move(out));
  by_rows(from.layers(), out, count, count, 1, weight, bias, eps);
  return value(std::move(out));
}

/// Normalizes over the channels of a group and all their pixels.
inline result<value> group_norm(operands& from) {
  using namespace normalizing;
  tensor out = from.floats("input");
  const int groups = from.integer("num_groups");
  const tensor* const weight = from.floats_or_null("weight");
  const tensor* const bias = from.floats_or_null("bias");
  const double eps = from.real("eps");
  from.require(rank(out.shape) >= 2 && groups > 0 && out.shape[1] % groups == 0,
               "groups do not divide the channels");
  if (from.failed()) return from.failure();
  const auto channels = static_cast<std::size_t>(out.shape[1]);
  if (!fits(weight, channels) || !fits(bias, channels))
    return from.failure("the parameters do not have one element per channel");
  if (out.data.empty()) return value(std::move(out));
  const std::size_t pixels = out.data.size() / static_cast<std::size_t>(out.shape[0]) / channels;
  const std::size_t per_group = channels / static_cast<std::size_t>(groups);
  by_rows(from.layers(), out, per_group * pixels, channels, pixels, weight, bias, eps);
  return value(std::move(out));
}

inline constexpr float_op norms[] = {
    {"batch_norm?d",
     "input, weight=None, bias=None, running_mean=None, running_var=None, eps=1e-05",
     channel_norm<false>},
    {"batch_norm",
     "input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, "
     "eps=1e-05",
     channel_norm<false>},
    {"instance_norm?d",
     "input, weight=None, bias=None, running_mean=None, running_var=None, eps=1e-05",
     channel_norm<true>},
    {"instance_norm",
     "input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, "
     "momentum=0.1, eps=1e-05",
     channel_norm<true>},
    {"layer_norm", "input, normalized_shape, weight=None, bias=None, eps=1e-05", layer_norm},
    {"group_norm", "input, num_groups, weight=None, bias=None, eps=1e-05", group_norm},
};

}  // namespace implementation
}  // namespace ctq::float_ops
