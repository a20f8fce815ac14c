// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/evaluate/convolution_shape.hpp"
#include "ctq/evaluate/float_ops/layer_functions.hpp"
#include "ctq/evaluate/float_ops/linear.hpp"
#include "ctq/evaluate/layer_calls.hpp"
#include "ctq/evaluate/node_value.hpp"
#include "ctq/evaluate/quantized_tensor.hpp"
#include "ctq/kernels/code/plain_kernels.hpp"

// The kernels of a set on tensors of run time. What there is no kernel for gives nothing: an
// evaluator then computes the op by its definition, dequantize, the float op, quantize.

namespace ctq {

/// Remembers packed weights, so one thread at a time may use it.
template <class Kernels>
class kernel_calls {
 public:
  [[nodiscard]] quantized_tensor quantize(const float_ops::tensor& x, quantization steps) {
    if (!has_kernels(steps) || x.data.size() > INT32_MAX) return ctq::quantize(x, std::move(steps));
    quantized_tensor out{std::move(steps), {x.shape, {}}};
    const step_data data{.out = qparams_of(out.steps)};
    with_type(out.steps.dtype, [&]<class Q>(Q) {
      run<kernels::descriptors::quantize, float, Q>(
          elementwise_shape{static_cast<int>(x.data.size())}, data, {.in = {x.data.data()}},
          x.data.size(), out);
    });
    return out;
  }

  /// add, add_relu or mul of two tensors of one shape.
  template <class Descriptor>
  [[nodiscard]] std::optional<quantized_tensor> of_two(const quantized_tensor& a,
                                                       const quantized_tensor& b,
                                                       const quantization& to, bool relu) {
    const auto fits = [&](const quantization& q) { return has_kernels(q) && q.dtype == to.dtype; };
    if (!fits(a.steps) || !fits(b.steps) || !fits(to) || a.q.shape != b.q.shape ||
        a.q.data.size() > INT32_MAX)
      return {};
    quantized_tensor out{to, {a.q.shape, {}}};
    const step_data data{.in = {qparams_of(a.steps), qparams_of(b.steps)}, .out = qparams_of(to)};
    with_type(to.dtype, [&]<class Q>(Q) {
      const Q* const in[] = {narrowed<Q>(a, 0), narrowed<Q>(b, 1)};
      run<Descriptor, Q, Q>(elementwise_shape{static_cast<int>(a.q.data.size())}, data,
                            {.in = {in[0], in[1]}}, a.q.data.size(), out, relu);
    });
    return out;
  }

  /// in [N, C, H, W]
  [[nodiscard]] std::optional<quantized_tensor> average(const quantized_tensor& in,
                                                        const pool2d_shape& s,
                                                        const quantization& to) {
    if (!has_kernels(in.steps) || !has_kernels(to) || in.steps.dtype != to.dtype) return {};
    quantized_tensor out{to, {{s.batch, s.channels, s.out_h, s.out_w}, {}}};
    const step_data data{.in = {qparams_of(in.steps)}, .out = qparams_of(to)};
    with_type(to.dtype, [&]<class Q>(Q) {
      // Each channel is an image of its own, of one channel: its pixels lie in both orders.
      pool2d_shape planes = s;
      planes.batch = s.batch * s.channels;
      planes.channels = 1;
      run<kernels::descriptors::pooling_avg, Q, Q>(planes, data, {.in = {narrowed<Q>(in, 0)}},
                                                   float_ops::numel(out.q.shape), out);
    });
    return out;
  }

  /// in [..., K] · weight [N, K] · out [..., N]
  [[nodiscard]] std::optional<quantized_tensor> linear(const quantized_tensor& in,
                                                       const node_value& weight,
                                                       const std::vector<float>* bias,
                                                       const quantization& to, bool relu) {
    const auto s = linear_layer(in.q.shape, weight.integers()->q.shape);
    return s ? layers_.on_integers(*s, in, weight, bias, to, relu) : std::nullopt;
  }

  /// in [B, C, ...] · weight [N, C/groups, ...] · out [B, N, ...]
  [[nodiscard]] std::optional<quantized_tensor> convolution(const quantized_tensor& in,
                                                            const node_value& weight,
                                                            const std::vector<float>* bias,
                                                            const window_steps& w,
                                                            const quantization& to, bool relu) {
    const auto s = convolution_layer(in.q.shape, weight.integers()->q.shape, w);
    return s ? layers_.on_integers(*s, in, weight, bias, to, relu) : std::nullopt;
  }

  /// On floats the reference accumulates in double, other sets in float32, one fma a product: the
  /// last bits differ.
  [[nodiscard]] float_ops::layer_functions float_layers() {
    if constexpr (kernels::is_reference<Kernels>) {
      return {};
    } else {
      return {&layers_, float_convolution, float_linear};
    }
  }

 private:
  using layers = layer_calls<Kernels>;

  static std::optional<layer_shape> linear_layer(const float_ops::extents& in,
                                                 const float_ops::extents& weight) {
    if (in.empty() || weight.size() != 2 || in.back() != weight[1] || weight[1] == 0) return {};
    const std::size_t rows = float_ops::numel(in) / static_cast<std::size_t>(weight[1]);
    if (rows > INT32_MAX) return {};
    const auto s = convolution_shape({1, weight[1], static_cast<int>(rows)},
                                     {weight[0], weight[1], 1}, {{1}, {0}, {1}});
    if (!s) return {};
    layer_shape l{*s, layout::nhwc, in};
    l.out.back() = weight[0];
    return l;
  }

  static std::optional<layer_shape> convolution_layer(const float_ops::extents& in,
                                                      const float_ops::extents& weight,
                                                      const window_steps& w) {
    const auto s = convolution_shape(in, weight, w);
    if (!s) return {};
    return layer_shape{*s, layout::nchw, output_extents(*s, in.size())};
  }

  static result<float_ops::tensor> float_convolution(void* state, const float_ops::tensor& in,
                                                     const float_ops::value& weight,
                                                     const float_ops::value& bias,
                                                     const float_ops::convolution_options& o) {
    const auto w = weight.share<float_ops::tensor>();
    const auto* const b = bias.get_if<float_ops::tensor>();
    const bool symmetric = o.padding_end.empty() || o.padding_end == o.padding;
    if (symmetric && float_ops::convolving::check(in, *w, b, o, false).empty())
      if (const auto s =
              convolution_layer(in.shape, w->shape, {o.stride, o.padding, o.dilation, o.groups}))
        return static_cast<layers*>(state)->on_floats(*s, in, w, b);
    return float_ops::convolution(in, *w, b, o);
  }

  static result<float_ops::tensor> float_linear(void* state, const float_ops::tensor& in,
                                                const float_ops::value& weight,
                                                const float_ops::value& bias) {
    const auto w = weight.share<float_ops::tensor>();
    const auto* const b = bias.get_if<float_ops::tensor>();
    const auto s = linear_layer(in.shape, w->shape);
    const bool fits = b == nullptr || b->data.size() == static_cast<std::size_t>(w->shape[0]);
    if (!s || !fits || in.data.empty()) return float_ops::linear(in, *w, b);
    return static_cast<layers*>(state)->on_floats(*s, in, w, b);
  }

  template <class F>
  static void with_type(dtype d, F f) {
    if (d == quint8) return f(std::uint8_t{});
    f(std::int8_t{});
  }

  /// The elements of an input as a kernel reads them.
  template <class Q>
  const Q* narrowed(const quantized_tensor& x, std::size_t which) {
    Q* const to = in_[which].of<Q>(x.q.data.size());
    std::transform(x.q.data.begin(), x.q.data.end(), to,
                   [](std::int32_t q) { return static_cast<Q>(q); });
    return to;
  }

  /// Fills the elements of `out`.
  template <class Descriptor, class In, class Out>
  void run(const typename Descriptor::shape& s, const step_data& data, operands x,
           std::size_t count, quantized_tensor& out, bool relu = false) {
    Out* const to = out_.of<Out>(count);
    x.out = to;
    x.data = &data;
    kernels::kernel_code<Descriptor>::template run<Kernels, In, Out>(s, {.relu = relu}, x);
    out.q.data.assign(to, to + count);
  }

  layers layers_;
  scratch_memory in_[2], out_;
};

}  // namespace ctq
