// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/convolution.hpp"
#include "ctq/evaluate/float_ops/float_op.hpp"
#include "ctq/evaluate/float_ops/pad.hpp"

// Modules and functions of convolutions: interpretation of their arguments.

namespace ctq::float_ops {

namespace implementation {

/// Stride, padding and dilation of a call; 'same' keeps the extents of the input.
inline convolution_options convolution_options_of(operands& from, const extents& weight) {
  const int axes = from.window_axes();
  convolution_options o{.stride = from.integers("stride", axes),
                        .dilation = from.integers("dilation", axes),
                        .groups = from.integer("groups")};
  from.require(rank(weight) == axes + 2, "the weight needs " + std::to_string(axes + 2) + " axes");
  const value padding = from.any("padding");
  const auto* word = padding.get_if<std::string>();
  if (word == nullptr) {
    o.padding = from.integers("padding", axes);
    return o;
  }
  from.require(*word == "same" || *word == "valid", "unknown padding '" + *word + "'");
  o.padding.assign(o.stride.size(), 0);
  if (*word != "same" || from.failed()) return o;
  o.padding_end = o.padding;
  for (std::size_t a = 0; a < o.padding.size(); ++a) {
    const std::int64_t both = std::int64_t{o.dilation[a]} * (weight[a + 2] - 1);
    if (!from.require(both <= INT32_MAX, "the kernel is too large")) break;
    o.padding[a] = static_cast<int>(both / 2);
    o.padding_end[a] = static_cast<int>(both - both / 2);
  }
  return o;
}

/// Adds a batch axis to an input without one, and removes it from the output.
template <class Convolve>
result<value> with_batch(operands& from, const tensor& in, Convolve convolve) {
  if (rank(in.shape) != from.window_axes() + 1) return from.answer(convolve(in));
  tensor batched = in;
  batched.shape.insert(batched.shape.begin(), 1);
  auto out = convolve(batched);
  if (out) out->shape.erase(out->shape.begin());
  return from.answer(std::move(out));
}

inline result<tensor> convolve(const layer_functions& layers, const tensor& in, const value& weight,
                               const value& bias, const convolution_options& o) {
  if (layers.convolution != nullptr) return layers.convolution(layers.state, in, weight, bias, o);
  return float_ops::convolution(in, *weight.get_if<tensor>(), bias.get_if<tensor>(), o);
}

inline result<value> conv(operands& from) {
  const tensor& in = from.floats("input");
  const tensor& weight = from.floats("weight");
  convolution_options o = convolution_options_of(from, weight.shape);
  const auto mode = padding_mode_of(from.text("padding_mode"));
  if (from.failed()) return from.failure();
  if (!mode) return from.failure(mode.error().cause);
  const value shared = from.any("weight");
  const value bias = from.any("bias");
  return with_batch(from, in, [&](const tensor& batched) -> result<tensor> {
    if (*mode == padding_mode::constant) return convolve(from.layers(), batched, shared, bias, o);
    std::vector<int> amounts;
    for (std::size_t a = o.padding.size(); a-- > 0;) {
      amounts.push_back(o.padding[a]);
      amounts.push_back(o.padding_end.empty() ? o.padding[a] : o.padding_end[a]);
    }
    const auto padded = float_ops::pad(batched, amounts, *mode, 0.0F);
    if (!padded) return unexpected{padded.error()};
    convolution_options inside = o;
    inside.padding.assign(o.padding.size(), 0);
    inside.padding_end.clear();
    return convolve(from.layers(), *padded, shared, bias, inside);
  });
}

inline result<value> conv_transpose(operands& from) {
  const tensor& in = from.floats("input");
  const tensor& weight = from.floats("weight");
  const tensor* const bias = from.floats_or_null("bias");
  convolution_options o = convolution_options_of(from, weight.shape);
  o.output_padding = from.integers("output_padding", from.window_axes());
  const std::size_t axes = o.output_padding.size();
  std::vector<int> wanted;  // extents of the output; only the last ones are used
  if (from.has("output_size") && !from.is_none("output_size"))
    wanted = from.integers("output_size");
  from.require(wanted.empty() || wanted.size() >= axes, "output_size needs one size per axis");
  if (from.failed()) return from.failure();
  return with_batch(from, in, [&](const tensor& batched) -> result<tensor> {
    if (batched.shape.size() != axes + 2) return fail({}, "the input has too few or many axes");
    for (std::size_t a = 0; a < axes && !wanted.empty(); ++a)
      o.output_padding[a] =
          static_cast<int>(wanted[wanted.size() - axes + a] -
                           transposed_extent(batched.shape[a + 2], weight.shape[a + 2], o, a));
    for (std::size_t a = 0; a < axes; ++a)
      if (o.output_padding[a] < 0 ||
          (o.output_padding[a] >= o.stride[a] && o.output_padding[a] >= o.dilation[a]))
        return fail({}, "the output padding must be less than the stride or the dilation");
    return transposed_convolution(batched, weight, bias, o);
  });
}

inline constexpr float_op convolutions[] = {
    {"conv?d",
     "input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, padding_mode='zeros'",
     conv},
    {"conv_transpose?d",
     "input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1",
     conv_transpose, "input, output_size=None"},
};

}  // namespace implementation
}  // namespace ctq::float_ops
