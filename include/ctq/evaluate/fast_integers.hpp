// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "ctq/evaluate/convolution_shape.hpp"
#include "ctq/evaluate/integer_arithmetic.hpp"
#include "ctq/evaluate/node_value.hpp"
#include "ctq/evaluate/packed_weights.hpp"
#include "ctq/evaluate/quantized_tensor.hpp"
#include "ctq/kernels/simd/convolution/conv2d.hpp"
#include "ctq/kernels/simd/data_movement/transpose.hpp"
#include "ctq/kernels/simd/elementwise/quantize.hpp"
#include "ctq/runtime/aligned_buffer.hpp"
#include "ctq/runtime/fold.hpp"

// Tensors of integers by the vectorized kernels: the same integers as integer_convolution,
// integer_linear, quantize and dequantize. Those do what has no kernel, or where a sum might leave
// int32.

namespace ctq {

template <class Isa>
class fast_integers {
 public:
  [[nodiscard]] quantized_tensor quantize(const float_ops::tensor& x, quantization steps) const {
    const double scale = steps.scale[0];
    const bool plain = !is_8_bit(steps) || scale < 0x1p-126 || scale > 0x1p118;
    if (plain) return ctq::quantize(x, std::move(steps));
    quantized_tensor out{std::move(steps), {x.shape, std::vector<std::int32_t>(x.data.size())}};
    if (out.steps.dtype == quint8)
      quantize_to<std::uint8_t>(x, out);
    else
      quantize_to<std::int8_t>(x, out);
    return out;
  }

  [[nodiscard]] float_ops::tensor dequantize(const quantized_tensor& x) const {
    if (!is_8_bit(x.steps)) return ctq::dequantize(x);
    float_ops::tensor out{x.q.shape, std::vector<float>(x.q.data.size())};
    const std::int32_t zero_point = x.steps.zero_point[0];
    const auto scale = static_cast<float>(x.steps.scale[0]);
    for (std::size_t i = 0; i < out.data.size(); ++i)
      out.data[i] = static_cast<float>(x.q.data[i] - zero_point) * scale;
    return out;
  }

  [[nodiscard]] quantized_tensor linear(const quantized_tensor& in, const node_value& weight,
                                        const std::vector<float>* bias, const quantization& out,
                                        bool relu) const {
    const float_ops::extents& w = weight.integers()->q.shape;
    const auto rows = w[1] == 0 ? 0 : in.q.data.size() / static_cast<std::size_t>(w[1]);
    const auto shape = rows > INT32_MAX ? std::nullopt
                                        : convolution_shape({1, w[1], static_cast<int>(rows)},
                                                            {w[0], w[1], 1}, {{1}, {0}, {1}});
    float_ops::extents extents = in.q.shape;
    extents.back() = w[0];
    if (shape)
      if (auto done = convolve(*shape, in, weight, bias, out, relu, false)) {
        done->q.shape = std::move(extents);
        return *std::move(done);
      }
    return integer_linear(in, *weight.integers(), bias, out, relu);
  }

  [[nodiscard]] quantized_tensor convolution(const quantized_tensor& in, const node_value& weight,
                                             const std::vector<float>* bias, const window_steps& w,
                                             const quantization& out, bool relu) const {
    if (const auto shape = convolution_shape(in.q.shape, weight.integers()->q.shape, w))
      if (auto done = convolve(*shape, in, weight, bias, out, relu, true)) {
        done->q.shape = output_extents(*shape, in.q.shape.size());
        return *std::move(done);
      }
    return integer_convolution(in, *weight.integers(), bias, w, out, relu);
  }

 private:
  struct key {
    conv2d_shape shape{};
    quantization in{};
    std::vector<std::int64_t> bias{};
    std::vector<float> multiplier{};

    friend bool operator==(const key&, const key&) = default;
  };
  struct packed {
    aligned_buffer bytes{};
    bool exact = false;  // no sum leaves int32, no result leaves int
  };

  static bool is_8_bit(const quantization& q) {
    if (q.is_per_channel() || !q.float_zero_point.empty() || q.scale.size() != 1) return false;
    const quant_range r = range_of(q.dtype);
    const std::int32_t zero_point = q.zero_point[0];
    return is_any_dtype(q.dtype) && zero_point >= r.min && zero_point <= r.max;
  }
  static bool is_any_dtype(dtype d) { return d == quint8 || d == qint8; }

  template <class Q>
  static void quantize_to(const float_ops::tensor& x, quantized_tensor& out) {
    constexpr std::size_t block = 4096;  // stays in the first cache
    alignas(64) Q q[block];
    const quant_range r = range_of(out.steps.dtype);
    const qparams p{static_cast<float>(out.steps.scale[0]), out.steps.zero_point[0],
                    static_cast<std::int32_t>(r.min), static_cast<std::int32_t>(r.max)};
    for (std::size_t at = 0; at < x.data.size(); at += block) {
      const std::size_t count = std::min(block, x.data.size() - at);
      kernels::simd::quantize<Isa>({static_cast<int>(count)}, x.data.data() + at, p, q);
      std::copy_n(q, count, out.q.data.data() + at);
    }
  }

  /// Nothing if integer arithmetic of another width could show.
  ///   transposed  between NCHW and the kernels' NHWC
  std::optional<quantized_tensor> convolve(const conv2d_shape& s, const quantized_tensor& in,
                                           const node_value& weight, const std::vector<float>* bias,
                                           const quantization& out, bool relu,
                                           bool transposed) const {
    if (!is_8_bit(in.steps) || !is_8_bit(out) || in.steps.dtype != out.dtype) return {};
    if (in.steps.dtype == quint8)
      return convolve_as<std::uint8_t>(s, in, weight, bias, out, relu, transposed);
    return convolve_as<std::int8_t>(s, in, weight, bias, out, relu, transposed);
  }

  template <class Q>
  std::optional<quantized_tensor> convolve_as(const conv2d_shape& s, const quantized_tensor& in,
                                              const node_value& weight,
                                              const std::vector<float>* bias,
                                              const quantization& out, bool relu,
                                              bool transposed) const {
    const auto outputs = static_cast<std::size_t>(s.out_channels);
    auto to =
        integers::requantizer_of(in.steps, weight.integers()->steps, outputs, bias, out, relu);
    const key k{s, in.steps, std::move(to.bias), std::move(to.multiplier)};
    const packed& p =
        packed_.of(weight.share_integers(), k, [&] { return pack<Q>(k, *weight.integers()); });
    if (!p.exact) return {};

    const std::size_t wide = in.q.data.size();
    const auto narrow = static_cast<std::size_t>(s.batch) * outputs *
                        static_cast<std::size_t>(s.out_h()) * static_cast<std::size_t>(s.out_w());
    Q* const rows_in = in_.of<Q>(wide);
    Q* const rows_out = out_.of<Q>(narrow);
    Q* const planes = planes_.of<Q>(std::max(wide, narrow));
    Q* const first = transposed ? planes : rows_in;
    for (std::size_t i = 0; i < wide; ++i) first[i] = static_cast<Q>(in.q.data[i]);
    if (transposed)
      kernels::simd::to_nhwc<Isa>({s.batch, s.in_channels, s.in_h * s.in_w}, planes, rows_in);
    kernels::simd::conv2d<Isa>(
        s, rows_in, p.bytes.data(), kernels::output_range{to.zero_point, to.low, to.high},
        in.steps.zero_point[0], rows_out,
        workspace_.of(kernels::simd::conv2d_workspace_bytes<Isa>(s, in.steps.dtype)));
    if (transposed)
      kernels::simd::to_nchw<Isa>({s.batch, s.out_channels, s.out_h() * s.out_w()}, rows_out,
                                  planes);
    const Q* const last = transposed ? planes : rows_out;
    return quantized_tensor{out, {{}, std::vector<std::int32_t>(last, last + narrow)}};
  }

  template <class Q>
  static packed pack(const key& k, const quantized_tensor& weight) {
    const conv2d_shape& s = k.shape;
    const auto outputs = static_cast<std::size_t>(s.out_channels);
    const std::size_t terms = weight.q.data.size() / outputs;
    const std::int32_t zero_point = k.in.zero_point[0];
    std::vector<std::int32_t> bias(outputs);
    for (std::size_t n = 0; n < outputs; ++n) {
      std::int64_t sum = 0;
      std::int64_t sizes = 0;
      for (std::size_t i = 0; i < terms; ++i) {
        const std::int32_t w = weight.q.data[n * terms + i];
        if (w < INT8_MIN || w > INT8_MAX) return {};
        sum += w;
        sizes += std::abs(w);
      }
      const std::int64_t largest = std::abs(k.bias[n]) + 255 * sizes;
      const bool exact = largest < (std::int64_t{1} << 31) &&
                         static_cast<float>(largest) * k.multiplier[n] < 0x1p30F;
      if (!exact) return {};
      // The kernels' sums wrap around; where the input's zero point is taken away makes no matter.
      bias[n] = static_cast<std::int32_t>(static_cast<std::uint32_t>(k.bias[n] - sum * zero_point));
    }
    const std::vector<std::int8_t> narrow(weight.q.data.begin(), weight.q.data.end());
    const std::vector<std::int8_t> ordered =
        channels_last(narrow, outputs, static_cast<std::size_t>(s.in_group()));
    packed p{aligned_buffer(kernels::simd::conv2d_packed_bytes<Isa>(s, k.in.dtype)), true};
    kernels::simd::pack_conv2d<Isa, Q>(s, ordered.data(), bias.data(), k.multiplier.data(),
                                       p.bytes.data());
    return p;
  }

  mutable packed_weights<key, packed> packed_;
  mutable scratch_memory in_, out_, planes_, workspace_;
};

}  // namespace ctq
