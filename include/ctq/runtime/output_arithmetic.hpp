// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/qparams.hpp"
#include "ctq/core/result.hpp"
#include "ctq/kernels/integer_arithmetic.hpp"

// From the quantized weight of a layer and the qparams around it to the integer bias and the
// multiplier of each output channel.

namespace ctq {

/// The quantized weight of a layer. Non-owning.
struct quantized_weight_view {
  span<const std::int8_t> weight;  // (O, I / groups, kh, kw) or (out, in)
  span<const float> scale;         // one per output channel
};

/// The shortest text that reads back as the same number.
template <class Real>
[[nodiscard]] std::string shortest(Real x) {
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, x).ptr};
}

/// The sums of the weights of one output channel. Hot, since it would be compiled for size
/// otherwise: its callers are cold.
template <int = 0>
[[nodiscard, gnu::hot]] kernels::channel_sums sums_of_channel(const quantized_weight_view& w,
                                                              std::size_t outputs,
                                                              std::size_t channel) {
  const std::size_t per_output = w.weight.size() / outputs;
  auto left = w.weight.subspan(channel * per_output, per_output);
  kernels::channel_sums sums;
  while (!left.empty()) {  // parts whose sums fit in 32 bits, of which vectors hold more
    const auto part = left.first(std::min(left.size(), std::size_t{1} << 16));
    std::int32_t of_weights = 0;
    std::int32_t of_sizes = 0;
    for (const int weight : part) {
      of_weights += weight;
      of_sizes += weight < 0 ? -weight : weight;
    }
    sums.of_weights += of_weights;
    sums.of_sizes += of_sizes;
    left = left.subspan(part.size());
  }
  return sums;
}

/// Checks the sums of all channels.
/// Errors  accumulator_overflow: a channel whose sum could leave int32 for some quint8 input
template <int = 0>
[[nodiscard, gnu::cold]] status check_sums(const quantized_weight_view& w) {
  const std::size_t outputs = w.scale.size();
  for (std::size_t o = 0; o < outputs; ++o)
    if (!kernels::products_fit(sums_of_channel(w, outputs, o)))
      return fail("accumulator_overflow, channel " + std::to_string(o),
                  "the sum of products can leave int32");
  return done{};
}

/// How the accumulators of a layer are requantized: channel_arithmetic for each output channel.
struct output_arithmetic {
  std::vector<std::int32_t> bias;
  std::vector<float> multiplier;
  std::vector<std::int8_t> coarse;  // all weights, if those of a channel are coarser than given

  /// The weights that these biases and multipliers belong to; `given` are those that
  /// output_arithmetic_of received.
  [[nodiscard]] const std::int8_t* weights(const std::int8_t* given) const {
    return coarse.empty() ? given : coarse.data();
  }
};

/// Whether a bias exceeds int32, or is so large that sums of products with it may. The weights can
/// then be halved until the sums fit: if the range of the output contains the bias, rounding a
/// weight changes the output by less than 2^-14 of a quantization step.
[[nodiscard]] inline bool bias_needs_coarser_weights(float bias, float scale_in,
                                                     float scale_weight) {
  return std::fabs(kernels::bias_steps(bias, scale_in, scale_weight)) >= 0x1p30F;
}

/// Divides weights by 2^halvings, rounded to nearest, ties to even; after 8 halvings all are 0.
template <int = 0>
[[gnu::cold]] void halve(span<const std::int8_t> weights, int halvings, std::int8_t* halved) {
  for (const std::int8_t w : weights)
    *halved++ =
        static_cast<std::int8_t>(std::nearbyint(std::ldexp(static_cast<float>(w), -halvings)));
}

///   out_type  f32: the output of the kernel is sums times multipliers
/// Errors  accumulator_overflow: a sum that could leave int32, or a float output that could, with
///         the channel
template <int = 0>
[[nodiscard, gnu::cold]] result<output_arithmetic> output_arithmetic_of(
    span<const float> bias, const quantized_weight_view& w, const qparams& in, dtype in_type,
    const qparams& out, dtype out_type) {
  const std::size_t outputs = bias.size();
  output_arithmetic a{std::vector<std::int32_t>(outputs), std::vector<float>(outputs), {}};
  for (std::size_t o = 0; o < outputs; ++o) {
    const auto arithmetic = [&](const quantized_weight_view& weight, float scale) {
      return kernels::channel_arithmetic_of(bias[o], sums_of_channel(weight, outputs, o), in,
                                            in_type, scale, out.scale, out_type);
    };
    kernels::channel_arithmetic c = arithmetic(w, w.scale[o]);
    if (!c.exact && bias_needs_coarser_weights(bias[o], in.scale, w.scale[o])) {
      if (a.coarse.empty()) a.coarse.assign(w.weight.begin(), w.weight.end());
      const std::size_t per_output = w.weight.size() / outputs;
      const std::size_t first = o * per_output;
      for (int halvings = 1; !c.exact && halvings <= 8; ++halvings) {
        halve(w.weight.subspan(first, per_output), halvings, a.coarse.data() + first);
        c = arithmetic({a.coarse, w.scale}, std::ldexp(w.scale[o], halvings));
      }
    }
    if (!c.exact)
      return fail("accumulator_overflow, channel " + std::to_string(o),
                  "the sum of products can leave int32, or an output step: bias " +
                      shortest(bias[o]) + ", weight scale " + shortest(w.scale[o]) +
                      ", input scale " + shortest(in.scale) + ", output scale " +
                      shortest(out.scale));
    a.bias[o] = c.bias;
    a.multiplier[o] = c.multiplier;
  }
  return a;
}

}  // namespace ctq
