// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/kernels/layer_functions.hpp"
#include "ctq/evaluate/kernels/float_layers.hpp"
#include "ctq/evaluate/kernels/kernel_functions.hpp"
#include "ctq/evaluate/kernels/kernel_runner.hpp"
#include "ctq/evaluate/kernels/layer_shape.hpp"
#include "ctq/evaluate/kernels/packed_layer.hpp"
#include "ctq/evaluate/kernels/packed_recurrent.hpp"
#include "ctq/evaluate/kernels/packed_weights.hpp"
#include "ctq/evaluate/node_value.hpp"
#include "ctq/evaluate/quantized_tensor.hpp"
#include "ctq/kernels/integer_arithmetic.hpp"

// Calls the kernels of compiled models on tensors of run-time shape. If there is no kernel, the
// result is nullopt, and the evaluator computes the op by dequantize, the float op, quantize.

namespace ctq {

/// Whether there are kernels for this dtype, and they can compute with these qparams.
[[nodiscard]] inline bool has_kernels(const tensor_qparams& q) {
  if (q.is_per_channel() || !q.float_zero_point.empty() || q.scale.size() != 1) return false;
  const quant_range r = range_of(q.dtype);
  return kernels::is_int8(q.dtype) && q.zero_point[0] >= r.min && q.zero_point[0] <= r.max &&
         q.scale[0] >= 0x1p-126 && q.scale[0] <= 0x1p118;
}

/// Caches packed weights, so only one thread at a time may use it.
class kernel_calls : kernel_runner {
 public:
  explicit kernel_calls(const kernel_functions& kernels) : kernel_runner(kernels) {}

  [[nodiscard]] quantized_tensor quantize(const float_ops::tensor& x, const tensor_qparams& to) {
    if (!has_kernels(to) || x.data.size() > INT32_MAX) return ctq::quantize(x, to);
    const step_data data{.out = qparams_of(to)};
    const kernel_signature signature = signature_of(
        kernel::quantize, f32, to.dtype, elementwise_shape{static_cast<int>(x.data.size())});
    return quantized_tensor::of(to, x.shape, [&](auto* q) {
      run(signature, {.in = {x.data.data()}, .out = q, .data = &data});
    });
  }

  /// Calls the kernel of a step, which computes with integers of one dtype.
  ///   in  tensors of one shape, or that broadcast; as many as the step has
  [[nodiscard]] std::optional<quantized_tensor> step(const op_schedule& s,
                                                     const kernel_signature::sizes& sizes,
                                                     span<const quantized_tensor* const> in,
                                                     const float_ops::extents& shape,
                                                     const tensor_qparams& to) {
    if (!has_kernels(to) || !evaluator_kernels::is_plain(s.kernel) ||
        !kernels::exists(s.kernel, to.dtype, to.dtype))
      return {};
    step_data data{.out = qparams_of(to)};
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (!has_kernels(in[i]->qparams) || in[i]->qparams.dtype != to.dtype) return {};
      data.in[i] = qparams_of(in[i]->qparams);
    }
    const kernel_signature signature{
        .kernel = s.kernel, .in = to.dtype, .out = to.dtype, .relu = s.relu, .size = sizes};
    return quantized_tensor::of(to, shape, [&]<class Q>(Q* out) {
      if constexpr (sizeof(Q) == 1) {
        const Q* from[2]{};
        for (std::size_t i = 0; i < in.size(); ++i) from[i] = in[i]->as<Q>();
        in_order<Q>(s.layout, {from, in.size()}, in[0]->shape(), out, shape, [&](operands x) {
          x.data = &data;
          run(signature, x);
        });
      }
    });
  }

  /// A convolution or a linear layer of integers, to be called with its input.
  using integer_layer = std::function<quantized_tensor(kernel_calls&, const quantized_tensor&)>;

  /// The layer with these weights; empty if no kernel has these types, or a sum could leave int32.
  ///   s     a layer_shape_of
  ///   in    the qparams of the input
  ///   bias  [O] or null
  template <class Layer = layer_shape>
  [[nodiscard]] integer_layer layer(const std::optional<Layer>& s, const tensor_qparams& in,
                                    const node_value& weight, const std::vector<float>* bias,
                                    const tensor_qparams& to, bool relu) {
    if (!s || !has_kernels(in) || !has_kernels(to)) return {};
    const qparams out = qparams_of(to);
    integer_layer ready;
    with_type(in.dtype, [&]<class Q>(Q) {
      const layer_key key{to_block<kernel_signature::sizes>(s->conv), in, to,
                          bias == nullptr ? std::vector<float>() : *bias};
      const auto p = packed_.of(weight.share_integers(), key, [&] {
        return pack_integer_layer(kernels_.packing, s->conv, *weight.integers(), key.bias, in,
                                  &out);
      });
      if (!p->exact) return;
      // An output of the other integer type is computed as one of the input's type and offset by
      // 128: half as many kernels to compile.
      const auto shift = static_cast<std::int32_t>(range_of(in.dtype).min - range_of(to.dtype).min);
      const kernels::output_range r = kernels::output_range_of(out, relu);
      const step_data data{.in = {qparams_of(in)},
                           .out_range = {r.zero_point + shift, r.lo + shift, r.hi + shift}};
      ready = [s = *s, p, data, to, shift](kernel_calls& calls, const quantized_tensor& x) {
        return quantized_tensor::of(to, s.out, [&]<class Out>(Out* out) {
          auto* const q = reinterpret_cast<Q*>(out);
          calls.run_layer(s, x.as<Q>(), x.shape(), q, *p, data);
          if (shift != 0)
            for (std::size_t i = 0; i < float_ops::numel(s.out); ++i)
              out[i] = static_cast<Out>(q[i] - shift);
        });
      };
    });
    return ready;
  }

  /// The output of such a layer in float, before relu and quantization.
  [[nodiscard]] std::optional<float_ops::tensor> layer_in_float(const std::optional<layer_shape>& s,
                                                                const quantized_tensor& in,
                                                                const node_value& weight,
                                                                const std::vector<float>* bias) {
    if (!s || !has_kernels(in.qparams)) return {};
    std::optional<float_ops::tensor> out;
    with_type(in.qparams.dtype, [&]<class Q>(Q) {
      const layer_key key{to_block<kernel_signature::sizes>(s->conv),
                          in.qparams,
                          {.dtype = f32},
                          bias == nullptr ? std::vector<float>() : *bias};
      const auto p = packed_.of(weight.share_integers(), key, [&] {
        return pack_integer_layer(kernels_.packing, s->conv, *weight.integers(), key.bias,
                                  in.qparams, nullptr);
      });
      if (!p->exact) return;
      const step_data data{.in = {qparams_of(in.qparams)}};
      out = float_ops::filled(s->out);
      run_layer(*s, in.as<Q>(), in.shape(), out->data.data(), *p, data);
    });
    return out;
  }

  /// A linear layer whose input is quantized with its own range; nullopt if no kernel computes it.
  ///   bias       [O] or null
  ///   to_signed  to qint8, else to quint8
  [[nodiscard]] std::optional<float_ops::tensor> dynamic_linear(const float_ops::tensor& in,
                                                                const node_value& weight,
                                                                const float_ops::tensor* bias,
                                                                bool relu, bool to_signed = false) {
    const float_ops::extents& w = weight.integers()->shape();
    const auto layer = linear_layer(in.shape, w);
    const bool fits = layer && !in.data.empty() &&
                      (bias == nullptr || bias->data.size() == static_cast<std::size_t>(w[0]));
    if (!fits) return {};
    const linear_shape s{static_cast<int>(in.data.size()) / w[1], w[1], w[0], to_signed ? 1 : 0,
                         weight.integers()->qparams.group_size};
    if (s.group_size > 0 && !to_signed) return {};
    const layer_key key{to_block<kernel_signature::sizes>(s),
                        {.dtype = f32},
                        {},
                        bias == nullptr ? std::vector<float>() : bias->data};
    const auto p = packed_.of(weight.share_integers(), key, [&] {
      return pack_dynamic_layer(kernels_.packing, s, *weight.integers(), key.bias);
    });
    if (!p->exact) return {};
    float_ops::tensor out{layer->out, std::vector<float>(float_ops::numel(layer->out))};
    kernel_signature signature = dynamic_signature(s);
    signature.relu = relu;
    run(signature, {.in = {in.data.data()}, .out = out.data.data(), .packed = p->bytes.data()});
    return out;
  }

  /// A layer on floats.
  ///   bias  [O] or null
  template <class Sizes>
  float_ops::tensor layer(const layer_shape_of<Sizes>& s, const float_ops::tensor& in,
                          const std::shared_ptr<const float_ops::tensor>& weight,
                          const float_ops::tensor* bias) {
    const layer_key key{to_block<kernel_signature::sizes>(s.conv),
                        {},
                        {},
                        bias == nullptr ? std::vector<float>() : bias->data};
    const auto p = packed_.of(weight, key, [&] {
      return pack_float_layer(kernels_.packing, s.conv, weight->data,
                              bias == nullptr ? nullptr : key.bias.data());
    });
    float_ops::tensor out = float_ops::filled(s.out);
    run_layer(s, in.data.data(), in.shape, out.data.data(), *p, {});
    return out;
  }

  /// A recurrent network: what its kernel returns, the sequence and the last state; nullopt if no
  /// kernel supports these weights.
  ///   k        kernel::rnn or kernel::rnn_dynamic
  ///   weights  as pack_recurrent
  [[nodiscard]] std::optional<std::vector<float>> recurrent(
      kernel_id k, const recurrent_shape& s, span<const float> sequence, span<const float> initial,
      span<const recurrent_weight_values> weights) {
    recurrent_key key{k, s, {}};
    for (const recurrent_weight_values& w : weights) {
      key.tensors.emplace_back(w.shared_weight());
      key.tensors.emplace_back(w.bias.share<float_ops::tensor>());
    }
    const auto p = packed_recurrent_.of(weights.front().shared_weight(), key, [&] {
      return pack_recurrent(kernels_.packing, k, s, weights);
    });
    if (!p->exact) return {};
    std::vector<float> out(static_cast<std::size_t>(s.sequence_elements()) +
                           static_cast<std::size_t>(s.state_elements()));
    run(signature_of(k, f32, f32, s),
        {.in = {sequence.data(), initial.data()}, .out = out.data(), .packed = p->bytes.data()});
    return out;
  }

  [[nodiscard]] bool are_reference() const { return kernels_.is_reference; }

  /// The kernels of layers on floats, which accumulate in float32 with one fma per product; none
  /// means the loops of float_ops, which accumulate in double.
  ///   is_lowered  whether the graph is lowered: there all sets with fma, and the reference, use
  ///               kernels, so the bits are those of compiled models; else the reference has none
  [[nodiscard]] float_ops::layer_functions float_layers(bool is_lowered) {
    float_ops::layer_functions by{.state = this};
    if (is_lowered ? kernels_.has_fma : !kernels_.is_reference) {
      by.convolution = float_layers::convolution<kernel_calls>;
      by.linear = float_layers::linear<kernel_calls>;
      by.recurrent = float_layers::recurrent<kernel_calls>;
    }
    if (!kernels_.is_reference)
      by.kernel = [](void* state, const kernel_signature& signature, const operands& x) {
        static_cast<kernel_calls*>(state)->run(signature, x);
      };
    return by;
  }

 private:
  struct layer_key {
    kernel_signature::sizes shape{};
    tensor_qparams in{}, out{};
    std::vector<float> bias{};

    friend bool operator==(const layer_key&, const layer_key&) = default;
  };

  struct recurrent_key {
    kernel_id kernel{};
    recurrent_shape shape{};
    std::vector<std::weak_ptr<const void>> tensors{};  // compared by owner: addresses are reused

    friend bool operator==(const recurrent_key& a, const recurrent_key& b) {
      const auto are_same = [](const auto& x, const auto& y) {
        return !x.owner_before(y) && !y.owner_before(x);
      };
      return a.kernel == b.kernel && a.shape == b.shape &&
             std::ranges::equal(a.tensors, b.tensors, are_same);
    }
  };

  template <class F>
  static void with_type(dtype d, F f) {
    if (d == quint8) return f(std::uint8_t{});
    f(std::int8_t{});
  }

  packed_weights<layer_key, packed_layer> packed_;
  packed_weights<recurrent_key, packed_layer> packed_recurrent_;
};

}  // namespace ctq
