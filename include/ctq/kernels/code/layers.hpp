// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/packing.hpp"
#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/core/shapes/matrix_shapes.hpp"
#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/kernels/code/blocking_text.hpp"
#include "ctq/kernels/epilogue.hpp"
#include "ctq/kernels/kernel_code.hpp"
#include "ctq/kernels/reference/dequantize.hpp"
#include "ctq/kernels/reference/epilogue.hpp"
#include "ctq/kernels/simd/elementwise/dequantize_accumulators.hpp"
#include "ctq/kernels/simd/epilogue/epilogue.hpp"

// Convolutions and linear layers. The packed parameters are weights, biases and multipliers in the
// order in which the implementation reads them, and the table of an op that is fused into the
// kernel.

namespace ctq::kernels {

/// The shared shape of a layer whose parts are compiled for their forms: all its extents are
/// constant.
template <class Shape>
struct code_of_parts {
  template <class Set, kernel_signature Signature>
  static constexpr auto shared_shape() {
    constexpr auto s = Signature.template as<Shape>();
    if constexpr (is_reference<Set>) {
      return s;
    } else {
      return std::integral_constant<Shape, s>{};
    }
  }
};

/// What a layer reads outside of its input: the zero point; 0 for floats.
template <class In>
[[nodiscard]] In border_of(const operands& x) noexcept {
  if constexpr (std::is_same_v<In, float>) {
    return 0.0F;
  } else {
    return static_cast<In>(x.data->in[0].zero_point);
  }
}

/// What the reference reads: weight (O, kh, kw, I/groups) as it is | bias | multipliers, each part
/// 64-byte aligned.
template <class In>
struct reference_weights {
  using weight_type = std::conditional_t<std::same_as<In, float>, float, std::int8_t>;
  using bias_type = std::conditional_t<std::same_as<In, float>, float, std::int32_t>;

  const weight_type* weight;
  const bias_type* bias;
  const float* multiplier;

  reference_weights(const conv2d_shape& s, const std::byte* packed)
      : weight(reinterpret_cast<const weight_type*>(packed)),
        bias(reinterpret_cast<const bias_type*>(packed + bias_at(s))),
        multiplier(reinterpret_cast<const float*>(packed + multiplier_at(s))) {}

  static constexpr std::size_t weights(const conv2d_shape& s) {
    return static_cast<std::size_t>(s.out_channels) * static_cast<std::size_t>(s.in_group()) *
           static_cast<std::size_t>(s.kernel_h) * static_cast<std::size_t>(s.kernel_w);
  }
  static constexpr std::size_t bias_at(const conv2d_shape& s) {
    return packing::padded(weights(s) * sizeof(weight_type));
  }
  static constexpr std::size_t multiplier_at(const conv2d_shape& s) {
    return bias_at(s) + packing::vector_bytes(s.out_channels);
  }
  static constexpr std::size_t bytes(const conv2d_shape& s) {
    return multiplier_at(s) + packing::vector_bytes(s.out_channels);
  }
  static void pack(const conv2d_shape& s, const simd::unpacked<weight_type, bias_type>& from,
                   std::byte* packed) {
    const auto outputs = static_cast<std::size_t>(s.out_channels);
    std::memcpy(packed, from.weight, weights(s) * sizeof(weight_type));
    std::memset(packed + bias_at(s), 0, bytes(s) - bias_at(s));
    if (from.bias != nullptr) std::memcpy(packed + bias_at(s), from.bias, outputs * 4);
    if (from.multiplier != nullptr)
      std::memcpy(packed + multiplier_at(s), from.multiplier, outputs * 4);
  }
};

/// Calls the reference of a layer, of floats or of integers.
///   with_weight  the convolution along two axes that has the same weight
template <class In, class Out, class Shape, class Reference>
void run_reference(const Shape& s, const conv2d_shape& with_weight, call_options o,
                   const operands& x, const Reference& reference) noexcept {
  const reference_weights<In> w(with_weight, x.packed);
  if constexpr (std::is_same_v<In, float>) {
    reference(s, x.input<In>(), w.weight, w.bias, o.relu, x.output<Out>());
  } else {
    reference(s, x.input<In>(), w.weight, w.bias, w.multiplier, x.data->out_range,
              x.data->in[0].zero_point, x.output<Out>());
  }
}

/// Every layer is a convolution. Shape: a record, or a constant.
template <class Shape>
[[nodiscard]] constexpr auto conv2d_shape_of(const Shape& s) {
  if constexpr (std::convertible_to<Shape, conv2d_shape>) {
    return s;
  } else {
    return simd::as_conv2d(s);
  }
}

template <class Descriptor>
struct layer_code {
  using shape = typename Descriptor::shape;

  /// The shape that layers with the signature's code share, for the kernels of run-time extents.
  template <class Set, kernel_signature Signature>
  static constexpr auto shared_shape() {
    constexpr conv2d_shape s = conv2d_shape_of(Signature.template as<shape>());
    if constexpr (is_reference<Set>) {
      return s;
    } else {
      using in = std::conditional_t<Signature.in == f32, float, std::int8_t>;
      return simd::formed_shape_of<typename Set::isa, in, s>();
    }
  }

  /// Bytes of the packed weights, biases and multipliers of a layer that reads `in`.
  template <class Set, class Shape>
  static constexpr std::size_t weight_bytes(const Shape& s, dtype in) {
    const conv2d_shape c = conv2d_shape_of(s);
    if constexpr (!is_reference<Set>)
      return packing::padded(
          simd::conv2d_packed_bytes<typename Set::isa, has_depthwise<Set>>(c, in));
    return in == f32 ? reference_weights<float>::bytes(c)
                     : reference_weights<std::int8_t>::bytes(c);
  }
  template <class Set>
  static constexpr std::size_t workspace_bytes(const shape& s, dtype in) {
    if constexpr (is_reference<Set>) return 0;
    return simd::conv2d_workspace_bytes<typename Set::isa>(conv2d_shape_of(s), in);
  }
  template <class Set>
  static constexpr std::size_t packed_bytes(const kernel_signature& signature) {
    return weight_bytes<Set>(signature.template as<shape>(), signature.in) +
           (signature.then == fused_op::table ? 256 : 0) + multiplier_bytes(signature);
  }
  /// Bytes of the multipliers that come last, which only layers from integers to floats have.
  static constexpr std::size_t multiplier_bytes(const kernel_signature& signature) {
    if (signature.in == f32 || signature.out != f32) return 0;
    return packing::padded(
        static_cast<std::size_t>(conv2d_shape_of(signature.as<shape>()).out_channels) *
        sizeof(float));
  }
  template <class Set>
  static constexpr std::size_t workspace_bytes(const kernel_signature& signature) {
    return workspace_bytes<Set>(signature.as<shape>(), signature.in);
  }
  template <class Set, class Text>
  static constexpr void append_blocking(Text& out, const kernel_signature& signature) {
    constexpr bool tables_in_registers =
        simd::post_op_in_registers<typename Set::isa, lookup_table<std::uint8_t>>;
    // A table that is looked up in registers is an epilogue; sums of tensors come after the layer.
    ctq::kernels::append_blocking<typename Set::isa, has_depthwise<Set>>(
        out, conv2d_shape_of(signature.as<shape>()), signature.in,
        !(signature.then == fused_op::table && tables_in_registers));
  }

  /// weight (O, kh, kw, I/groups) · bias (O) or null · multiplier (O), of floats null
  template <class Set, class In, class Weight, class Bias>
  static void pack(const shape& s, const Weight* weight, const Bias* bias, const float* multiplier,
                   std::byte* packed) {
    const simd::unpacked<Weight, Bias> from{weight, bias, multiplier};
    if constexpr (is_reference<Set>) {
      reference_weights<In>::pack(conv2d_shape_of(s), from, packed);
    } else {
      simd::pack<typename Set::isa, In, has_depthwise<Set>>(conv2d_shape_of(s), from, packed);
    }
  }

  template <class Set, class In, class Out, fused_op Fused = fused_op::nothing, class Shape>
  static void run(const Shape& s, call_options o, const operands& x) noexcept {
    if constexpr (std::same_as<In, float>) {
      run_to<Set, In, Out>(s, o.relu, x);
    } else if constexpr (std::same_as<Out, float>) {
      run_to_floats<Set, In>(s, x);
    } else if constexpr (!std::same_as<In, Out> && std::same_as<Shape, shape> &&
                         !is_reference<Set>) {
      run_with_output_of_input_type<Set, In, Out, Fused>(s, x);
    } else if constexpr (Fused == fused_op::nothing) {
      run_to<Set, In, Out>(s, x.data->out_range, x);
    } else if constexpr (Fused == fused_op::table) {
      run_to<Set, In, Out>(
          s, epilogue{requantize_per_channel<Out>{x.data->out_range}, table_of<Set, In, Out>(s, x)},
          x);
    } else {
      run_to<Set, In, Out>(
          s, epilogue{requantize_per_channel<Out>{x.data->out_range}, sum_of<Out, Fused>(x)}, x);
    }
  }

  /// Computes accumulators, then converts them to floats in place.
  template <class Set, class In, class Shape>
  static void run_to_floats(const Shape& s, const operands& x) noexcept {
    run_to<Set, In, std::int32_t>(s, epilogue{store_accumulators{}}, x);
    const conv2d_shape c = conv2d_shape_of(s);
    const channels_shape outputs{c.batch * c.out_h() * c.out_w(), c.out_channels};
    const auto* const multiplier =
        reinterpret_cast<const float*>(x.packed + weight_bytes<Set>(s, dtype_of<In>));
    if constexpr (is_reference<Set>) {
      reference::dequantize_accumulators(outputs, x.output<std::int32_t>(), multiplier,
                                         x.output<float>());
    } else {
      simd::dequantize_accumulators<typename Set::isa>(outputs, x.output<std::int32_t>(),
                                                       multiplier, x.output<float>());
    }
  }

  /// For run-time extents: computes outputs of the type of the inputs, then flips their sign bits,
  /// in which quint8 and qint8 differ. Code for outputs of the other type would take long to
  /// compile.
  template <class Set, class In, class Out, fused_op Fused>
  static void run_with_output_of_input_type(const shape& s, const operands& x) noexcept {
    constexpr std::int32_t from_out_to_in = std::is_signed_v<In> ? -128 : 128;
    output_range to = x.data->out_range;
    to.zero_point += from_out_to_in;
    to.lo += from_out_to_in;
    to.hi += from_out_to_in;
    run_to<Set, In, In>(s, to, x);
    const conv2d_shape c = conv2d_shape_of(s);
    const elementwise_shape outputs{c.batch * c.out_h() * c.out_w() * c.out_channels};
    auto* const bits = x.output<std::uint8_t>();
    for (int i = 0; i < outputs.count; ++i) bits[i] ^= std::uint8_t{128};
    if constexpr (Fused == fused_op::table) {
      simd::apply_in_place<typename Set::isa>(table_of<Set, In, Out>(s, x), outputs,
                                              x.output<Out>());
    } else if constexpr (Fused != fused_op::nothing) {
      simd::apply_in_place<typename Set::isa>(sum_of<Out, Fused>(x), outputs, x.output<Out>());
    }
  }

  /// The table of the op that is fused into the layer.
  template <class Set, class In, class Out, class Shape>
  static lookup_table<Out> table_of(const Shape& s, const operands& x) noexcept {
    return {reinterpret_cast<const Out*>(x.packed + weight_bytes<Set>(s, dtype_of<In>))};
  }
  template <class Out, fused_op Fused>
  static residual_add<Out> sum_of(const operands& x) noexcept {
    return {x.input<Out>(1), x.data->fused, x.data->in[1], x.data->out,
            Fused == fused_op::add_relu};
  }

  /// to  relu of floats, the range of outputs that are requantized, or an epilogue
  template <class Set, class In, class Out, class Shape, class To>
  [[gnu::always_inline]] static void run_to(const Shape& shape, const To& to,
                                            const operands& x) noexcept {
    const auto s = conv2d_shape_of(shape);
    const auto* const in = x.input<In>();
    auto* const out = x.output<Out>();
    // Floats and linear layers have no border that a zero point would fill.
    constexpr bool has_border =
        std::same_as<typename Descriptor::shape, conv2d_shape> && !std::same_as<In, float>;
    const std::int32_t zero_point = has_border ? x.data->in[0].zero_point : 0;
    if constexpr (is_reference<Set>) {
      const reference_weights<In> w(s, x.packed);
      if constexpr (std::same_as<In, float>) {
        reference::conv2d(s, in, w.weight, w.bias, to, out);
      } else {
        reference::conv2d(s, in, w.weight, w.bias, w.multiplier, to, zero_point, out);
      }
    } else if constexpr (std::same_as<In, float>) {
      simd::conv2d<typename Set::isa>(s, in, x.packed, to, out, x.workspace);
    } else {
      simd::conv2d<typename Set::isa>(s, in, x.packed, to, zero_point, out, x.workspace);
    }
  }
};

template <>
struct kernel_code<descriptors::conv2d> : layer_code<descriptors::conv2d> {};
template <>
struct kernel_code<descriptors::linear> : layer_code<descriptors::linear> {};

}  // namespace ctq::kernels
