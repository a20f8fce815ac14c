// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/evaluate/convolution_shape.hpp"
#include "ctq/evaluate/float_ops/plain_kernels.hpp"
#include "ctq/evaluate/packed_weights.hpp"
#include "ctq/kernels/simd/convolution/conv2d.hpp"
#include "ctq/kernels/simd/data_movement/transpose.hpp"
#include "ctq/kernels/simd/matrix/linear.hpp"
#include "ctq/runtime/aligned_buffer.hpp"
#include "ctq/runtime/fold.hpp"

// Float convolutions along one or two axes and linear layers by the vectorized kernels. Sums are
// kept in float32, one fma a product: the last bits differ from those of the plain loops, whose
// sums are doubles. What has no kernel goes to the plain loops.

namespace ctq {

template <class Isa>
class fast_floats final : public float_ops::kernel_set {
 public:
  [[nodiscard]] result<float_ops::tensor> convolution(
      const float_ops::tensor& in, const float_ops::value& weight, const float_ops::value& bias,
      const float_ops::convolution_options& o) const override {
    const auto w = weight.share<float_ops::tensor>();
    const auto* const b = bias.get_if<float_ops::tensor>();
    const bool symmetric = o.padding_end.empty() || o.padding_end == o.padding;
    if (w == nullptr || !symmetric || !float_ops::convolving::check(in, *w, b, o, false).empty())
      return float_ops::plain.convolution(in, weight, bias, o);
    const auto shape =
        convolution_shape(in.shape, w->shape, {o.stride, o.padding, o.dilation, o.groups});
    if (!shape) return float_ops::plain.convolution(in, weight, bias, o);

    const conv2d_shape& s = *shape;
    float_ops::tensor out = float_ops::filled(output_extents(s, in.shape.size()));
    float* const from = in_.of<float>(in.data.size());
    float* const to = out_.of<float>(out.data.size());
    kernels::simd::to_nhwc<Isa>({s.batch, s.in_channels, s.in_h * s.in_w}, in.data.data(), from);
    run(s, w, b, from, to);
    kernels::simd::to_nchw<Isa>({s.batch, s.out_channels, s.out_h() * s.out_w()}, to,
                                out.data.data());
    return out;
  }

  [[nodiscard]] result<float_ops::tensor> linear(const float_ops::tensor& in,
                                                 const float_ops::value& weight,
                                                 const float_ops::value& bias) const override {
    const auto w = weight.share<float_ops::tensor>();
    const auto* const b = bias.get_if<float_ops::tensor>();
    const bool fits = w != nullptr && w->shape.size() == 2 && !in.shape.empty() &&
                      in.shape.back() == w->shape[1] && w->shape[1] > 0 &&
                      (b == nullptr || b->data.size() == static_cast<std::size_t>(w->shape[0]));
    if (!fits || in.data.empty()) return float_ops::plain.linear(in, weight, bias);
    const int features = w->shape[1];
    const int rows = static_cast<int>(in.data.size() / static_cast<std::size_t>(features));
    const auto shape =
        convolution_shape({1, features, rows}, {w->shape[0], features, 1}, {{1}, {0}, {1}, 1});
    if (!shape) return float_ops::plain.linear(in, weight, bias);
    float_ops::extents extents = in.shape;
    extents.back() = w->shape[0];
    float_ops::tensor out = float_ops::filled(std::move(extents));
    run(*shape, w, b, in.data.data(), out.data.data());
    return out;
  }

 private:
  struct key {
    conv2d_shape shape{};
    std::vector<float> bias{};

    friend bool operator==(const key&, const key&) = default;
  };

  /// in [N, H, W, I] · out [N, H', W', O]
  void run(const conv2d_shape& s, const std::shared_ptr<const float_ops::tensor>& weight,
           const float_ops::tensor* bias, const float* in, float* out) const {
    const key k{s, bias == nullptr ? std::vector<float>() : bias->data};
    const aligned_buffer& packed = packed_.of(weight, k, [&] {
      aligned_buffer p(kernels::simd::conv2d_packed_bytes<Isa>(s, f32));
      const std::vector<float> ordered =
          channels_last(weight->data, static_cast<std::size_t>(s.out_channels),
                        static_cast<std::size_t>(s.in_group()));
      kernels::simd::pack_conv2d<Isa>(s, ordered.data(), bias == nullptr ? nullptr : k.bias.data(),
                                      p.data());
      return p;
    });
    kernels::simd::conv2d<Isa>(s, in, packed.data(), false, out,
                               workspace_.of(kernels::simd::conv2d_workspace_bytes<Isa>(s, f32)));
  }

  mutable packed_weights<key, aligned_buffer> packed_;
  mutable scratch_memory in_, out_, workspace_;
};

}  // namespace ctq
