// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/packing.hpp"
#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/core/shapes/matrix_shapes.hpp"
#include "ctq/kernels/code/layers.hpp"
#include "ctq/kernels/code/plain_kernels.hpp"
#include "ctq/kernels/reference/dequantize.hpp"
#include "ctq/kernels/simd/elementwise/dequantize_dynamic.hpp"
#include "ctq/observers/aminmax.hpp"
#include "ctq/observers/choose_qparams.hpp"

// Dynamic quantization of a linear layer in a compiled model: its input and output are float32; the
// input is quantized with the qparams of its own range, in each run.

namespace ctq {

/// The qparams of an input that is quantized dynamically, from its range, ignoring NaN, to all of
/// quint8. For qint8 they are chosen for the range of qint8; integers and zero point are shifted by
/// 128.
template <class Isa>
[[nodiscard]] qparams dynamic_qparams(span<const float> in, bool is_signed = false) noexcept {
  const observers::extrema seen = observers::aminmax<Isa>(in);
  const auto p =
      observers::choose_qparams(seen.min, seen.max, range_of(is_signed ? qint8 : quint8));
  return {static_cast<float>(p.scale), p.zero_point + (is_signed ? 128 : 0), 0, 255};
}

namespace kernels {

/// Fully connected layer with float32 input and output that computes on integers, with the kernels
/// quantize and linear of the same set:
///
///   q[m,k]   = quantize(in[m,k]), with the qparams of the range of in
///   out[m,n] = fma(float(Σ_k (q[m,k] - zero_point) * weight[n,k]), scale * scale_w[n], bias[n])
///
/// Shapes    in [M,K] · weight [N,K] · scale_w, bias [N] · out [M,N]
/// Packed    the weights as the set's linear reads them | scale_w | bias | Σ_k weight[n,k]
/// Workspace q [M,K] | that of linear; out holds the accumulators before it holds the floats
/// Requires  255·Σ_k |weight[n,k]| < 2³¹ · out does not overlap the other operands
/// Rounding  in quantize; then once, in fma
/// Source    PyTorch quantized::linear_dynamic (FBGEMM, which rounds before it adds the bias)
template <>
struct kernel_code<descriptors::linear_dynamic> {
 private:
  using quantize = kernel_code<descriptors::quantize>;
  using linear = kernel_code<descriptors::linear>;

 public:
  template <class Set>
  static constexpr std::size_t packed_bytes(const kernel_signature& signature) {
    const auto s = signature.as<linear_shape>();
    return weight_bytes<Set>(s) + 3 * packing::vector_bytes(s.out_features);
  }
  template <class Set>
  static constexpr std::size_t workspace_bytes(const kernel_signature& signature) {
    const auto s = signature.as<linear_shape>();
    return packing::padded(input_count(s)) + linear::workspace_bytes<Set>(s, quint8);
  }
  template <class Set, class Text>
  static constexpr void append_blocking(Text& out, const kernel_signature& signature) {
    ctq::kernels::append_blocking<typename Set::isa>(
        out, conv2d_shape_of(signature.as<linear_shape>()), quint8, false);
  }

  template <class Set>
  static void pack(const linear_shape& s, const std::int8_t* weight, const float* scale,
                   const float* bias, std::byte* packed) {
    const auto outputs = static_cast<std::size_t>(s.out_features);
    const auto inputs = static_cast<std::size_t>(s.in_features);
    const std::vector<std::int32_t> no_bias(outputs);
    const std::vector<float> no_multiplier(outputs);
    linear::pack<Set, std::uint8_t>(s, weight, no_bias.data(), no_multiplier.data(), packed);
    const vectors<Set, std::byte> to(s, packed);
    std::copy_n(scale, outputs, reinterpret_cast<float*>(to.scale));
    std::copy_n(bias, outputs, reinterpret_cast<float*>(to.bias));
    for (std::size_t n = 0; n < outputs; ++n) {
      std::int32_t sum = 0;
      for (std::size_t k = 0; k < inputs; ++k) sum += weight[n * inputs + k];
      reinterpret_cast<std::int32_t*>(to.sum)[n] = sum;
    }
  }

  template <class Set, class In, class Out, class Shape>
  static void run(const Shape& shape, call_options o, const operands& x) noexcept {
    const linear_shape s = shape;
    const auto count = static_cast<int>(input_count(s));
    const auto* const in = x.input<float>();
    auto* const q = reinterpret_cast<std::uint8_t*>(x.workspace);
    const step_data steps{
        .out = dynamic_qparams<typename Set::isa>({in, input_count(s)}, s.signed_input != 0)};
    quantize::run<Set, float, std::uint8_t>({count}, {}, {.in = {in}, .out = q, .data = &steps});
    linear::run_to<Set, std::uint8_t, std::int32_t>(
        shape, epilogue{store_accumulators{}},
        {.in = {q},
         .out = x.out,
         .packed = x.packed,
         .workspace = x.workspace + packing::padded(input_count(s)),
         .data = &steps});
    dequantize<Set>(s, o.relu, steps.out, x);
  }

 private:
  /// The vectors after the weights in memory.
  template <class Set, class Byte>
  struct vectors {
    Byte *scale, *bias, *sum;

    vectors(const linear_shape& s, Byte* packed)
        : scale(packed + weight_bytes<Set>(s)),
          bias(scale + packing::vector_bytes(s.out_features)),
          sum(bias + packing::vector_bytes(s.out_features)) {}
  };

  static constexpr std::size_t input_count(const linear_shape& s) {
    return static_cast<std::size_t>(s.rows) * static_cast<std::size_t>(s.in_features);
  }
  template <class Set>
  static constexpr std::size_t weight_bytes(const linear_shape& s) {
    return linear::weight_bytes<Set>(s, quint8);
  }

  /// Converts accumulators to outputs in place.
  template <class Set>
  static void dequantize(const linear_shape& s, bool relu, const qparams& in,
                         const operands& x) noexcept {
    const vectors<Set, const std::byte> from(s, x.packed);
    const reference::dynamic_scales to{in.scale,
                                       in.zero_point,
                                       reinterpret_cast<const float*>(from.scale),
                                       reinterpret_cast<const float*>(from.bias),
                                       reinterpret_cast<const std::int32_t*>(from.sum),
                                       relu};
    const channels_shape outputs{s.rows, s.out_features};
    if constexpr (is_reference<Set>) {
      reference::dequantize_dynamic(outputs, x.output<std::int32_t>(), to, x.output<float>());
    } else {
      simd::dequantize_dynamic<typename Set::isa>(outputs, x.output<std::int32_t>(), to,
                                                  x.output<float>());
    }
  }
};

}  // namespace kernels

}  // namespace ctq
