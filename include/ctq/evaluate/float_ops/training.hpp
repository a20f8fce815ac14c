// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "ctq/core/no_contract.hpp"
#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/convolution.hpp"
#include "ctq/evaluate/float_ops/linear.hpp"
#include "ctq/evaluate/float_ops/norms.hpp"
#include "ctq/evaluate/float_ops/value.hpp"

// Gradients of convolutions and linear layers, and batch norm in training, with the statistics of
// the batch, which update the running ones. Accumulates in double.

namespace ctq::float_ops {

/// The gradients of out = f(in, weight), given that of out.
struct product_gradient {
  tensor in, weight;
};

/// The gradients of a convolution.
/// Shapes  in, weight as in convolution · grad_out as its output
[[nodiscard]] inline result<product_gradient> convolution_gradient(const tensor& in,
                                                                   const tensor& weight,
                                                                   const tensor& grad_out,
                                                                   const convolution_options& o) {
  using namespace convolving;
  const std::size_t axes = weight.shape.size() - 2;
  convolution_options back = o;
  back.output_padding.assign(axes, 0);
  for (std::size_t a = 0; a < axes; ++a)
    back.output_padding[a] = static_cast<int>(
        in.shape[a + 2] - transposed_extent(grad_out.shape[a + 2], weight.shape[a + 2], o, a));
  auto grad_in = transposed_convolution(grad_out, weight, nullptr, back);
  if (!grad_in) return unexpected{grad_in.error()};
  const window w = window_of(in.shape, grad_out.shape, weight, o);
  const auto batch = static_cast<std::size_t>(in.shape[0]);
  const auto groups = static_cast<std::size_t>(o.groups);
  const auto per_group = static_cast<std::size_t>(weight.shape[1]);
  const auto outputs = static_cast<std::size_t>(weight.shape[0]);
  const std::size_t wide = product(w.wide), narrow = product(w.narrow), taps = product(w.kernel);
  const auto stride = static_cast<std::size_t>(w.stride[2]);
  tensor grad_weight = filled(weight.shape);
  for (std::size_t out = 0; out < outputs; ++out)
    for (std::size_t i = 0; i < per_group; ++i)
      for_each_tap(w.kernel, [&](const triple& tap, std::size_t index) {
        double sum = 0;
        for (std::size_t n = 0; n < batch; ++n) {
          const std::size_t channel = out / (outputs / groups) * per_group + i;
          const float* const x = in.data.data() + (n * groups * per_group + channel) * wide;
          const float* const g = grad_out.data.data() + (n * outputs + out) * narrow;
          for_each_row(w, tap, [&](std::size_t to, std::size_t from, std::size_t count) {
            for (std::size_t p = 0; p < count; ++p)
              sum += static_cast<double>(g[to + p]) * static_cast<double>(x[from + p * stride]);
          });
        }
        grad_weight.data[(out * per_group + i) * taps + index] = static_cast<float>(sum);
      });
  return product_gradient{*std::move(grad_in), std::move(grad_weight)};
}

/// The gradients of a linear layer.
/// Shapes  in (…, K) · weight (N, K) · grad_out (…, N)
[[nodiscard]] inline product_gradient linear_gradient(const tensor& in, const tensor& weight,
                                                      const tensor& grad_out) {
  const auto n = static_cast<std::size_t>(weight.shape[0]);
  const auto k = static_cast<std::size_t>(weight.shape[1]);
  const std::size_t rows = k == 0 ? 0 : in.data.size() / k;
  product_gradient g{filled(in.shape), filled(weight.shape)};
  std::vector<double> sum(k);
  const auto add = [&](float factor, const float* row) {
    for (std::size_t i = 0; i < k; ++i)
      sum[i] += static_cast<double>(factor) * static_cast<double>(row[i]);
  };
  const auto store = [&](float* to) {
    for (std::size_t i = 0; i < k; ++i) to[i] = static_cast<float>(sum[i]);
    sum.assign(k, 0.0);
  };
  for (std::size_t m = 0; m < rows; ++m) {
    for (std::size_t j = 0; j < n; ++j) add(grad_out.data[m * n + j], weight.data.data() + j * k);
    store(g.in.data.data() + m * k);
  }
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t m = 0; m < rows; ++m) add(grad_out.data[m * n + j], in.data.data() + m * k);
    store(g.weight.data.data() + j * k);
  }
  return g;
}

/// Calls visit(channel, first element, count) for each contiguous run of elements of one channel
/// (axis 1).
template <class Visit>
void for_each_channel_run(const extents& shape, Visit visit) {
  const auto channels = static_cast<std::size_t>(shape[1]);
  std::size_t pixels = 1;
  for (std::size_t a = 2; a < shape.size(); ++a) pixels *= static_cast<std::size_t>(shape[a]);
  const std::size_t runs = static_cast<std::size_t>(shape[0]) * channels;
  for (std::size_t r = 0; r < runs; ++r) visit(r % channels, r * pixels, pixels);
}

/// Mean and variance of each channel of a batch.
struct batch_statistics {
  std::vector<double> mean, variance;  // the variance divided by count
  std::size_t count{};                 // elements per channel
};

[[nodiscard]] inline batch_statistics statistics_of(const tensor& x) {
  const auto channels = static_cast<std::size_t>(x.shape[1]);
  batch_statistics s{std::vector<double>(channels), std::vector<double>(channels),
                     channels == 0 ? 0 : x.data.size() / channels};
  const auto count = static_cast<double>(s.count);
  for_each_channel_run(x.shape, [&](std::size_t c, std::size_t at, std::size_t n) {
    for (std::size_t i = at; i < at + n; ++i) s.mean[c] += static_cast<double>(x.data[i]);
  });
  for (double& m : s.mean) m /= count;
  for_each_channel_run(x.shape, [&](std::size_t c, std::size_t at, std::size_t n) {
    for (std::size_t i = at; i < at + n; ++i) {
      const double d = static_cast<double>(x.data[i]) - s.mean[c];
      s.variance[c] += no_contract(d * d);
    }
  });
  for (double& v : s.variance) v /= count;
  return s;
}

/// The gradients of out = (x - mean(x)) / sqrt(var(x) + eps) * gamma + beta.
struct norm_gradient {
  tensor x, gamma, beta;
};

[[nodiscard]] inline norm_gradient batch_norm_gradient(const tensor& x, const batch_statistics& s,
                                                       const tensor& gamma, double eps,
                                                       const tensor& grad_out) {
  const std::size_t channels = s.mean.size();
  std::vector<double> inverse(channels), sum(channels), projected(channels);
  for (std::size_t c = 0; c < channels; ++c) inverse[c] = 1.0 / std::sqrt(s.variance[c] + eps);
  const auto normalized = [&](std::size_t c, std::size_t i) {
    return (static_cast<double>(x.data[i]) - s.mean[c]) * inverse[c];
  };
  for_each_channel_run(x.shape, [&](std::size_t c, std::size_t at, std::size_t n) {
    for (std::size_t i = at; i < at + n; ++i) {
      const auto g = static_cast<double>(grad_out.data[i]);
      sum[c] += g;
      projected[c] += no_contract(g * normalized(c, i));
    }
  });
  const auto count = static_cast<double>(s.count);
  norm_gradient out{filled(x.shape), filled(gamma.shape), filled(gamma.shape)};
  for_each_channel_run(x.shape, [&](std::size_t c, std::size_t at, std::size_t n) {
    for (std::size_t i = at; i < at + n; ++i) {
      const double along = no_contract(normalized(c, i) * (projected[c] / count));
      const double rest = static_cast<double>(grad_out.data[i]) - sum[c] / count - along;
      out.x.data[i] = static_cast<float>(rest * inverse[c] * static_cast<double>(gamma.data[c]));
    }
  });
  for (std::size_t c = 0; c < channels; ++c) {
    out.gamma.data[c] = static_cast<float>(projected[c]);
    out.beta.data[c] = static_cast<float>(sum[c]);
  }
  return out;
}

}  // namespace ctq::float_ops
