// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/value.hpp"

// Convolutions and transposed convolutions along one, two or three axes.
//
// Accumulates in double: the product of two floats is exact, so neither the order of the loops nor
// a fused multiply-add affects the stored float.

namespace ctq::float_ops {

/// One number per spatial axis.
struct convolution_options {
  extents stride{}, padding{}, dilation{};
  int groups = 1;
  extents padding_end{};     // padding after the last element; empty: as before the first
  extents output_padding{};  // transposed only: additional elements at the end
};

namespace convolving {

using triple = std::array<int, 3>;

/// Extends one or two axes to three by leading axes of one element.
inline triple to_triple(const int* last, std::size_t count, int filler) {
  triple t{filler, filler, filler};
  for (std::size_t i = 0; i < count; ++i) t[3 - count + i] = last[i];
  return t;
}

inline std::size_t product(const triple& t) {
  return static_cast<std::size_t>(t[0]) * static_cast<std::size_t>(t[1]) *
         static_cast<std::size_t>(t[2]);
}

/// "Wide" is the input of a convolution, the output of a transposed one; "narrow" the other.
struct window {
  triple wide{}, narrow{}, kernel{}, stride{}, padding{}, dilation{};

  /// Merges contiguous rows for a kernel of one tap without padding.
  void merge_axes() {
    const triple ones{1, 1, 1};
    if (kernel != ones || stride != ones || wide != narrow || padding != triple{0, 0, 0}) return;
    wide = narrow = {1, 1, static_cast<int>(product(wide))};
  }
};

[[nodiscard]] inline window window_of(const extents& wide, const extents& narrow,
                                      const tensor& weight, const convolution_options& o) {
  const std::size_t axes = weight.shape.size() - 2;
  return {.wide = to_triple(&wide[2], axes, 1),
          .narrow = to_triple(&narrow[2], axes, 1),
          .kernel = to_triple(&weight.shape[2], axes, 1),
          .stride = to_triple(o.stride.data(), axes, 1),
          .padding = to_triple(o.padding.data(), axes, 0),
          .dilation = to_triple(o.dilation.data(), axes, 1)};
}

/// Calls visit(narrow, wide, count) for each row of one tap, which connects narrow[i] with wide[i *
/// stride]; offsets in one channel.
template <class Visit>
void for_each_row(const window& w, const triple& tap, Visit visit) {
  triple offset{}, begin{}, end{};
  for (std::size_t a = 0; a < 3; ++a) {
    const int stride = w.stride[a];
    offset[a] = tap[a] * w.dilation[a] - w.padding[a];
    const int last = w.wide[a] - 1 - offset[a];
    begin[a] = offset[a] < 0 ? (-offset[a] + stride - 1) / stride : 0;
    end[a] = last < 0 ? 0 : last / stride + 1;
    if (end[a] > w.narrow[a]) end[a] = w.narrow[a];
  }
  if (begin[2] >= end[2]) return;
  const auto count = static_cast<std::size_t>(end[2] - begin[2]);
  const auto at = [](const triple& extent, int z, int y, int x) {
    return (static_cast<std::size_t>(z) * static_cast<std::size_t>(extent[1]) +
            static_cast<std::size_t>(y)) *
               static_cast<std::size_t>(extent[2]) +
           static_cast<std::size_t>(x);
  };
  for (int z = begin[0]; z < end[0]; ++z)
    for (int y = begin[1]; y < end[1]; ++y)
      visit(at(w.narrow, z, y, begin[2]),
            at(w.wide, z * w.stride[0] + offset[0], y * w.stride[1] + offset[1],
               begin[2] * w.stride[2] + offset[2]),
            count);
}

/// Calls visit(tap, index) for each tap of the kernel.
template <class Visit>
void for_each_tap(const triple& kernel, Visit visit) {
  std::size_t index = 0;
  for (int z = 0; z < kernel[0]; ++z)
    for (int y = 0; y < kernel[1]; ++y)
      for (int x = 0; x < kernel[2]; ++x) visit(triple{z, y, x}, index++);
}

/// Accumulates the products of one input plane and its taps in a plane of doubles.
template <bool Transposed>
void add_plane(const window& w, const float* in, const float* taps, double* sum) {
  const auto stride = static_cast<std::size_t>(w.stride[2]);
  for_each_tap(w.kernel, [&](const triple& tap, std::size_t index) {
    const auto factor = static_cast<double>(taps[index]);
    for_each_row(w, tap, [&](std::size_t narrow, std::size_t wide, std::size_t count) {
      double* const to = sum + (Transposed ? wide : narrow);
      const float* const from = in + (Transposed ? narrow : wide);
      for (std::size_t x = 0; x < count; ++x)
        to[Transposed ? x * stride : x] +=
            factor * static_cast<double>(from[Transposed ? x : x * stride]);
    });
  });
}

/// out[n, o] = bias[o] + Σ_i add_plane, one plane of doubles at a time.
///
/// Shapes  weight (O, I/groups, k…), transposed (I, O/groups, k…) · shape: of the result
template <bool Transposed>
tensor sum_planes(extents shape, const tensor& in, const tensor& weight, const tensor* bias,
                  const convolution_options& o) {
  window w = window_of(Transposed ? shape : in.shape, Transposed ? in.shape : shape, weight, o);
  w.merge_axes();
  const std::size_t wide = product(w.wide), narrow = product(w.narrow), taps = product(w.kernel);
  const std::size_t in_pixels = Transposed ? narrow : wide, out_pixels = Transposed ? wide : narrow;
  const auto batch = static_cast<std::size_t>(in.shape[0]);
  const auto groups = static_cast<std::size_t>(o.groups);
  // Per group.
  const std::size_t inputs = static_cast<std::size_t>(in.shape[1]) / groups;
  const std::size_t outputs = static_cast<std::size_t>(shape[1]) / groups;

  tensor out = filled(std::move(shape));
  std::vector<double> sum(out_pixels);
  for (std::size_t n = 0; n < batch; ++n)
    for (std::size_t g = 0; g < groups; ++g)
      for (std::size_t channel = 0; channel < outputs; ++channel) {
        const std::size_t plane = g * outputs + channel;
        sum.assign(out_pixels, bias == nullptr ? 0.0 : static_cast<double>(bias->data[plane]));
        for (std::size_t i = 0; i < inputs; ++i) {
          const std::size_t kernel =
              Transposed ? (g * inputs + i) * outputs + channel : plane * inputs + i;
          add_plane<Transposed>(w, in.data.data() + ((n * groups + g) * inputs + i) * in_pixels,
                                weight.data.data() + kernel * taps, sum.data());
        }
        float* const row = out.data.data() + (n * groups * outputs + plane) * out_pixels;
        for (std::size_t p = 0; p < out_pixels; ++p) row[p] = static_cast<float>(sum[p]);
      }
  return out;
}

inline std::string check(const tensor& in, const tensor& weight, const tensor* bias,
                         const convolution_options& o, bool transposed) {
  if (weight.shape.size() < 3 || weight.shape.size() > 5) return "the weight needs 3 to 5 axes";
  const auto axes = weight.shape.size() - 2;
  if (o.stride.size() != axes || o.padding.size() != axes || o.dilation.size() != axes)
    return "stride, padding and dilation need one number per axis";
  if (in.shape.size() != weight.shape.size())
    return "the input has " + std::to_string(in.shape.size()) + " axes, not " +
           std::to_string(weight.shape.size());
  const std::int64_t first = weight.shape[0], second = std::int64_t{weight.shape[1]} * o.groups;
  const std::int64_t in_channels = transposed ? first : second;
  const std::int64_t out_channels = transposed ? second : first;
  if (o.groups < 1 || out_channels % o.groups != 0 || in_channels % o.groups != 0)
    return "groups do not divide the channels";
  if (in.shape[1] != in_channels)
    return "the input has " + std::to_string(in.shape[1]) + " channels, not " +
           std::to_string(in_channels);
  if (bias != nullptr && bias->data.size() != static_cast<std::size_t>(out_channels))
    return "the bias has " + std::to_string(bias->data.size()) + " elements, not " +
           std::to_string(out_channels);
  for (std::size_t a = 0; a < axes; ++a)
    if (o.stride[a] < 1 || o.dilation[a] < 1 || o.padding[a] < 0 || weight.shape[a + 2] < 1)
      return "stride, dilation and kernel are at least 1, padding at least 0";
  return {};
}

}  // namespace convolving

/// out[n,o,…] = bias[o] + Σ_{i,k…} in[n, i, … * stride - padding + k * dilation] * weight[o,i,k…]
///
/// Shapes  in (N, I, …) · weight (O, I/groups, k…) · bias (O) or null
inline result<tensor> convolution(const tensor& in, const tensor& weight, const tensor* bias,
                                  const convolution_options& o) {
  using namespace convolving;
  const std::string problem = check(in, weight, bias, o, false);
  if (!problem.empty()) return fail({}, problem);
  const std::size_t axes = weight.shape.size() - 2;
  const extents& padding_end = o.padding_end.empty() ? o.padding : o.padding_end;
  extents shape{in.shape[0], weight.shape[0]};
  for (std::size_t a = 0; a < axes; ++a) {
    const std::int64_t reach = std::int64_t{o.dilation[a]} * (weight.shape[a + 2] - 1) + 1;
    const std::int64_t room = std::int64_t{in.shape[a + 2]} + o.padding[a] + padding_end[a] - reach;
    if (room < 0) return fail({}, "the kernel is larger than the padded input");
    shape.push_back(static_cast<int>(room / o.stride[a] + 1));
  }
  return sum_planes<false>(std::move(shape), in, weight, bias, o);
}

/// The extent of axis a of a transposed convolution's output, without output padding.
[[nodiscard]] inline std::int64_t transposed_extent(int in, int kernel,
                                                    const convolution_options& o, std::size_t a) {
  return std::int64_t{in - 1} * o.stride[a] - 2 * std::int64_t{o.padding[a]} +
         std::int64_t{o.dilation[a]} * (kernel - 1) + 1;
}

/// The transposed convolution: out[n, o, … * stride - padding + k * dilation] += in[n,i,…] *
/// weight[i,o,k…], starting with bias[o].
///
/// Shapes  in (N, I, …) · weight (I, O/groups, k…) · bias (O) or null
inline result<tensor> transposed_convolution(const tensor& in, const tensor& weight,
                                             const tensor* bias, const convolution_options& o) {
  using namespace convolving;
  const std::string problem = check(in, weight, bias, o, true);
  if (!problem.empty()) return fail({}, problem);
  const std::size_t axes = weight.shape.size() - 2;
  extents shape{in.shape[0], weight.shape[1] * o.groups};
  for (std::size_t a = 0; a < axes; ++a) {
    const std::int64_t extent = transposed_extent(in.shape[a + 2], weight.shape[a + 2], o, a) +
                                (o.output_padding.empty() ? 0 : o.output_padding[a]);
    if (extent < 1 || extent > INT32_MAX) return fail({}, "the output has no such extent");
    shape.push_back(static_cast<int>(extent));
  }
  return sum_planes<true>(std::move(shape), in, weight, bias, o);
}

}  // namespace ctq::float_ops
