// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "ctq/evaluate/convolution_shape.hpp"
#include "ctq/evaluate/node_value.hpp"
#include "ctq/evaluate/packed_weights.hpp"
#include "ctq/evaluate/quantized_tensor.hpp"
#include "ctq/kernels/code/layers.hpp"
#include "ctq/kernels/code/plain_kernels.hpp"
#include "ctq/kernels/integer_arithmetic.hpp"
#include "ctq/runtime/fold.hpp"

// Convolutions and linear layers with shapes of run time, by the kernel conv2d of a set: its
// weights are packed once. On integers these are the bytes of compiled models.

namespace ctq {

/// A dtype and qparams that kernels compute with.
[[nodiscard]] inline bool has_kernels(const quantization& q) {
  if (q.is_per_channel() || !q.float_zero_point.empty() || q.scale.size() != 1) return false;
  const quant_range r = range_of(q.dtype);
  return kernels::is_int8(q.dtype) && q.zero_point[0] >= r.min && q.zero_point[0] <= r.max &&
         q.scale[0] >= 0x1p-126 && q.scale[0] <= 0x1p118;
}

[[nodiscard]] inline qparams qparams_of(const quantization& q) {
  const quant_range r = range_of(q.dtype);
  return {static_cast<float>(q.scale[0]), q.zero_point[0], static_cast<std::int32_t>(r.min),
          static_cast<std::int32_t>(r.max)};
}

/// A convolution, and in which order its activations lie; a linear layer is one of kernels of one
/// pixel, on an image of one row.
struct layer_shape {
  conv2d_shape conv{};
  layout order = layout::nhwc;
  float_ops::extents out{};
};

template <class Kernels>
class layer_calls {
  using conv2d = kernels::kernel_code<kernels::descriptors::conv2d>;

 public:
  /// bias  [O] or null
  /// Nothing if no kernel has these types, or if a sum could leave int32.
  [[nodiscard]] std::optional<quantized_tensor> on_integers(const layer_shape& s,
                                                            const quantized_tensor& in,
                                                            const node_value& weight,
                                                            const std::vector<float>* bias,
                                                            const quantization& out, bool relu) {
    if (!has_kernels(in.steps) || !has_kernels(out)) return {};
    return in.steps.dtype == quint8 ? on_integers_as<std::uint8_t>(s, in, weight, bias, out, relu)
                                    : on_integers_as<std::int8_t>(s, in, weight, bias, out, relu);
  }

  [[nodiscard]] float_ops::tensor on_floats(const layer_shape& s, const float_ops::tensor& in,
                                            const std::shared_ptr<const float_ops::tensor>& weight,
                                            const float_ops::tensor* bias) {
    const layer_key key{s.conv, {}, {}, bias == nullptr ? std::vector<float>() : bias->data};
    const packed_layer& p = packed_.of(weight, key, [&] { return pack_floats(key, *weight); });
    float_ops::tensor out = float_ops::filled(s.out);
    const float* const to = run<float>(s, in.data.data(), in.data.size(), out.data.size(), p, {});
    std::copy_n(to, out.data.size(), out.data.begin());
    return out;
  }

 private:
  struct layer_key {
    conv2d_shape shape{};
    quantization in{}, out{};
    std::vector<float> bias{};

    friend bool operator==(const layer_key&, const layer_key&) = default;
  };
  struct packed_layer {
    aligned_buffer bytes{};
    bool exact = false;  // the weight is int8, and no sum leaves int32
  };

  /// Outputs of the other type are those of the input's type, 128 away: it takes less to compile.
  template <class Q>
  std::optional<quantized_tensor> on_integers_as(const layer_shape& s, const quantized_tensor& in,
                                                 const node_value& weight,
                                                 const std::vector<float>* bias,
                                                 const quantization& out, bool relu) {
    const layer_key key{s.conv, in.steps, out, bias == nullptr ? std::vector<float>() : *bias};
    const packed_layer& p =
        packed_.of(weight.share_integers(), key, [&] { return pack<Q>(key, *weight.integers()); });
    if (!p.exact) return {};
    const std::size_t count = in.q.data.size();
    Q* const from = in_.of<Q>(count);
    std::transform(in.q.data.begin(), in.q.data.end(), from,
                   [](std::int32_t q) { return static_cast<Q>(q); });
    const auto shift =
        static_cast<std::int32_t>(range_of(dtype_of<Q>).min - range_of(out.dtype).min);
    const kernels::output_range to = kernels::output_range_of(qparams_of(out), relu);
    const step_data data{.in = {qparams_of(in.steps)},
                         .steps = {to.zero_point + shift, to.lo + shift, to.hi + shift}};
    quantized_tensor result{out, {s.out, std::vector<std::int32_t>(float_ops::numel(s.out))}};
    const Q* const q = run<Q>(s, from, count, result.q.data.size(), p, data);
    std::transform(q, q + result.q.data.size(), result.q.data.begin(),
                   [shift](Q x) { return x - shift; });
    return result;
  }

  /// Returns where the outputs are.
  template <class T>
  const T* run(const layer_shape& s, const T* in, std::size_t inputs, std::size_t outputs,
               const packed_layer& p, const step_data& data) {
    const conv2d_shape& c = s.conv;
    T* out = out_.of<T>(outputs);
    if (s.order == layout::nchw) {
      T* const nhwc = transposed_in_.of<T>(inputs);
      transpose<kernels::descriptors::to_nhwc>({c.batch, c.in_channels, c.in_h * c.in_w}, in, nhwc);
      in = nhwc;
    }
    conv2d::template run<Kernels, T, T>(
        c, {},
        {.in = {in},
         .out = out,
         .packed = p.bytes.data(),
         .workspace = workspace_.of(conv2d::template workspace_bytes<Kernels>(c, dtype_of<T>)),
         .data = &data});
    if (s.order == layout::nchw) {
      T* const nchw = transposed_out_.of<T>(outputs);
      transpose<kernels::descriptors::to_nchw>({c.batch, c.out_channels, c.out_h() * c.out_w()},
                                               out, nchw);
      out = nchw;
    }
    return out;
  }

  template <class Descriptor, class T>
  static void transpose(transpose_shape s, const T* in, T* out) {
    kernels::kernel_code<Descriptor>::template run<Kernels, T, T>(s, {}, {.in = {in}, .out = out});
  }

  template <class In>
  static packed_layer pack(const layer_key& k, const quantized_tensor& weight) {
    const auto outputs = static_cast<std::size_t>(k.shape.out_channels);
    const std::size_t terms = weight.q.data.size() / outputs;
    const quantization& steps = weight.steps;
    const auto is_zero = [](std::int32_t zero_point) { return zero_point == 0; };
    if (steps.axis > 0 || !steps.float_zero_point.empty() ||
        !std::all_of(steps.zero_point.begin(), steps.zero_point.end(), is_zero))
      return {};
    std::vector<std::int32_t> bias(outputs);
    std::vector<float> multiplier(outputs);
    for (std::size_t n = 0; n < outputs; ++n) {
      kernels::channel_sums sums;
      for (std::size_t i = 0; i < terms; ++i) {
        const std::int32_t w = weight.q.data[n * terms + i];
        if (w < INT8_MIN || w > INT8_MAX) return {};
        sums.add(w);
      }
      const auto scale = static_cast<float>(steps.scale[steps.is_per_channel() ? n : 0]);
      const auto c =
          kernels::channel_arithmetic_of(k.bias.empty() ? 0.0F : k.bias[n], sums, qparams_of(k.in),
                                         k.in.dtype, scale, static_cast<float>(k.out.scale[0]));
      if (!c.exact) return {};
      bias[n] = c.bias;
      multiplier[n] = c.multiplier;
    }
    const std::vector<std::int8_t> narrow(weight.q.data.begin(), weight.q.data.end());
    return packed<In>(k.shape, narrow, bias.data(), multiplier.data());
  }

  static packed_layer pack_floats(const layer_key& k, const float_ops::tensor& weight) {
    return packed<float>(k.shape, weight.data, k.bias.empty() ? nullptr : k.bias.data(), nullptr);
  }

  template <class In, class Weight, class Bias>
  static packed_layer packed(const conv2d_shape& s, const std::vector<Weight>& weight,
                             const Bias* bias, const float* multiplier) {
    const std::vector<Weight> ordered = channels_last(
        weight, static_cast<std::size_t>(s.out_channels), static_cast<std::size_t>(s.in_group()));
    packed_layer p{aligned_buffer(conv2d::template weight_bytes<Kernels>(s, dtype_of<In>)), true};
    conv2d::template pack<Kernels, In>(s, ordered.data(), bias, multiplier, p.bytes.data());
    return p;
  }

  packed_weights<layer_key, packed_layer> packed_;
  scratch_memory in_, transposed_in_, out_, transposed_out_, workspace_;
};

}  // namespace ctq
