// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ctq/core/isa.hpp"
#include "ctq/kernels/reference/add.hpp"
#include "ctq/kernels/reference/add_within_one_step.hpp"
#include "ctq/kernels/reference/avg_pool2d.hpp"
#include "ctq/kernels/reference/batch_norm2d.hpp"
#include "ctq/kernels/reference/concat.hpp"
#include "ctq/kernels/reference/conv2d.hpp"
#include "ctq/kernels/reference/dequantize.hpp"
#include "ctq/kernels/reference/epilogue.hpp"
#include "ctq/kernels/reference/linear.hpp"
#include "ctq/kernels/reference/max_pool2d.hpp"
#include "ctq/kernels/reference/mul.hpp"
#include "ctq/kernels/reference/quantize.hpp"
#include "ctq/kernels/reference/relu.hpp"
#include "ctq/kernels/reference/rescale.hpp"
#include "ctq/kernels/reference/transpose.hpp"
#include "ctq/kernels/reference/user_op.hpp"
#include "ctq/runtime/operands.hpp"

// The scalar oracle, one overload a kernel: from a step's operands to the kernel's arguments.
// simd_kernels.hpp is the same for vectorized kernels. Weights are "packed" as they are:
//   weight (O, kh, kw, I/groups) | bias | multipliers, each part 64-byte aligned

namespace ctq {

struct reference_kernels {
  using isa = isa::scalar;

  template <kernel Op>
  using op = kernel_c<Op>;

  template <class In, class Out>
  static void run(op<kernel::quantize>, elementwise_shape s, bool, const operands& x) noexcept {
    kernels::reference::quantize(s, x.input<In>(), x.data->out, x.output<Out>());
  }
  template <class In, class Out>
  static void run(op<kernel::dequantize>, elementwise_shape s, bool, const operands& x) noexcept {
    kernels::reference::dequantize(s, x.input<In>(), x.data->in[0], x.output<Out>());
  }
  template <class In, class Out>
  static void run(op<kernel::requantize>, elementwise_shape s, bool, const operands& x) noexcept {
    kernels::reference::requantize(s, x.input<In>(), x.data->in[0], x.data->out, x.output<Out>());
  }

  template <class In, class Out>
  static void run(op<kernel::relu>, elementwise_shape s, bool, const operands& x) noexcept {
    if constexpr (std::same_as<In, float>) {
      kernels::reference::relu(s, x.input<float>(), x.output<float>());
    } else {
      kernels::reference::relu(s, x.input<In>(), x.data->in[0], x.data->out, x.output<Out>());
    }
  }

  template <class In, class Out>
  static void run(op<kernel::add>, elementwise_shape s, bool, const operands& x) noexcept {
    add<In>(s, x, false);
  }
  template <class In, class Out>
  static void run(op<kernel::add_relu>, elementwise_shape s, bool, const operands& x) noexcept {
    add<In>(s, x, true);
  }
  template <class In, class Out>
  static void run(op<kernel::add_within_one_step>, elementwise_shape s, bool relu,
                  const operands& x) noexcept {
    kernels::reference::add_within_one_step(s, x.input<In>(0), x.data->in[0], x.input<In>(1),
                                            x.data->in[1], x.data->out, x.output<In>(), relu);
  }
  template <class In, class Out>
  static void run(op<kernel::mul>, elementwise_shape s, bool relu, const operands& x) noexcept {
    if constexpr (std::same_as<In, float>) {
      kernels::reference::mul(s, x.input<float>(0), x.input<float>(1), x.output<float>(), relu);
    } else {
      kernels::reference::mul(s, x.input<In>(0), x.data->in[0], x.input<In>(1), x.data->in[1],
                              x.data->out, x.output<In>(), relu);
    }
  }

  template <class In, class Out>
  static void run(op<kernel::conv2d>, const conv2d_shape& s, bool relu,
                  const operands& x) noexcept {
    if constexpr (std::same_as<In, float>) {
      kernels::reference::conv2d(s, x.input<float>(), weight<float>(x), bias<float, float>(s, x),
                                 relu, x.output<float>());
    } else {
      kernels::reference::conv2d(s, x.input<In>(), weight<std::int8_t>(x),
                                 bias<std::int8_t, std::int32_t>(s, x), requantize_params(s, x),
                                 x.data->in[0].zero_point, x.output<Out>());
    }
  }
  template <class In, class Out>
  static void run(op<kernel::linear>, const linear_shape& s, bool relu,
                  const operands& x) noexcept {
    if constexpr (std::same_as<In, float>) {
      kernels::reference::linear(s, x.input<float>(), weight<float>(x), bias<float, float>(s, x),
                                 relu, x.output<float>());
    } else {
      kernels::reference::linear(s, x.input<In>(), weight<std::int8_t>(x),
                                 bias<std::int8_t, std::int32_t>(s, x), requantize_params(s, x),
                                 x.output<Out>());
    }
  }

  /// With an op joined to them.
  template <class In, class Out, class... Stage>
  static void run(op<kernel::conv2d>, const conv2d_shape& s, const kernels::epilogue<Stage...>& to,
                  const operands& x) noexcept {
    kernels::reference::conv2d(
        s, x.input<In>(), weight<std::int8_t>(x), bias<std::int8_t, std::int32_t>(s, x),
        requantize_params(s, x).multiplier, to, x.data->in[0].zero_point, x.output<Out>());
  }
  template <class In, class Out, class... Stage>
  static void run(op<kernel::linear>, const linear_shape& s, const kernels::epilogue<Stage...>& to,
                  const operands& x) noexcept {
    kernels::reference::linear(s, x.input<In>(), weight<std::int8_t>(x),
                               bias<std::int8_t, std::int32_t>(s, x),
                               requantize_params(s, x).multiplier, to, x.output<Out>());
  }

  /// packed: scale, then shift, one of each a channel.
  template <class In, class Out>
  static void run(op<kernel::batch_norm2d>, channels_shape s, bool relu,
                  const operands& x) noexcept {
    const auto* const scale = reinterpret_cast<const float*>(x.packed);
    kernels::reference::batch_norm2d(s, x.input<In>(), scale, scale + s.channels, relu,
                                     x.output<Out>());
  }

  template <class In, class Out>
  static void run(op<kernel::max_pool2d>, const pool2d_shape& s, bool, const operands& x) noexcept {
    kernels::reference::max_pool2d(s, x.input<In>(), x.output<Out>());
  }
  template <class In, class Out>
  static void run(op<kernel::avg_pool2d>, const pool2d_shape& s, bool, const operands& x) noexcept {
    if constexpr (std::same_as<In, float>) {
      kernels::reference::avg_pool2d(s, x.input<float>(), x.output<float>());
    } else {
      kernels::reference::avg_pool2d(s, x.input<In>(), x.data->in[0], x.data->out, x.output<Out>());
    }
  }

  template <class In, class Out>
  static void run(op<kernel::concat>, const concat_shape& s, bool, const operands& x) noexcept {
    kernels::reference::concat(s, x.input<In>(), x.output<Out>());
  }
  template <class In, class Out>
  static void run(op<kernel::to_nhwc>, const transpose_shape& s, bool, const operands& x) noexcept {
    kernels::reference::to_nhwc(s, x.input<In>(), x.output<Out>());
  }
  template <class In, class Out>
  static void run(op<kernel::to_nchw>, const transpose_shape& s, bool, const operands& x) noexcept {
    kernels::reference::to_nchw(s, x.input<In>(), x.output<Out>());
  }

  // Ops of the user's own, by definition: their run is what this is compared with.
  template <class In, class Out>
  static void run(op<kernel::elementwise>, elementwise_shape s, const op_functions& own,
                  const operands& x) noexcept {
    if constexpr (std::same_as<In, float>) {
      own.apply(own_arguments<float>(s, x), x.data->options);
    } else {
      kernels::reference::elementwise(own, x.data->options, own_arguments<In>(s, x));
    }
  }
  template <class In, class Out>
  static void run(op<kernel::function>, const function_shape& s, const op_functions& own,
                  const operands& x) noexcept {
    if constexpr (std::same_as<In, float>) {
      own.apply(own_arguments<float>(s, x), x.data->options);
    } else {
      kernels::reference::function(own, x.data->options, own_arguments<In>(s, x),
                                   reinterpret_cast<float*>(x.workspace));
    }
  }
  static constexpr bool uses_table(const op_functions&, dtype) { return false; }
  static constexpr std::size_t workspace_bytes(const function_shape& s, dtype in) {
    return in == f32 ? 0 : (numel(s.in[0]) + numel(s.in[1]) + numel(s.out)) * sizeof(float);
  }

  template <class Shape>
  static constexpr std::size_t packed_bytes(const Shape& s, dtype in) {
    const std::size_t element = in == f32 ? sizeof(float) : sizeof(std::int8_t);
    return packing::padded(weights(s) * element) + 2 * packing::padded(outputs(s) * sizeof(float));
  }
  template <class Shape>
  static constexpr std::size_t workspace_bytes(const Shape&, dtype) {
    return 0;
  }

  template <class In, class Shape>
  static void pack(const Shape& s, const std::int8_t* weight, const std::int32_t* bias,
                   const float* multiplier, std::byte* packed) {
    packed = put(weight, weights(s), packed);
    packed = put(bias, outputs(s), packed);
    put(multiplier, outputs(s), packed);
  }
  template <class Shape>
  static void pack(const Shape& s, const float* weight, const float* bias, std::byte* packed) {
    packed = put(weight, weights(s), packed);
    put(bias, outputs(s), packed);
  }

 private:
  static constexpr std::size_t product(int a, int b) {
    return static_cast<std::size_t>(a) * static_cast<std::size_t>(b);
  }
  static constexpr std::size_t weights(const conv2d_shape& s) {
    return product(s.out_channels, s.in_group()) * product(s.kernel_h, s.kernel_w);
  }
  static constexpr std::size_t weights(const linear_shape& s) {
    return product(s.out_features, s.in_features);
  }
  static constexpr std::size_t outputs(const conv2d_shape& s) { return product(s.out_channels, 1); }
  static constexpr std::size_t outputs(const linear_shape& s) { return product(s.out_features, 1); }

  template <class T>
  static std::byte* put(const T* from, std::size_t count, std::byte* to) {
    if (count > 0) std::memcpy(to, from, count * sizeof(T));
    return to + packing::padded(count * sizeof(T));
  }

  template <class W>
  static const W* weight(const operands& x) {
    return reinterpret_cast<const W*>(x.packed);
  }
  template <class W, class B, class Shape>
  static const B* bias(const Shape& s, const operands& x) {
    return reinterpret_cast<const B*>(x.packed + packing::padded(weights(s) * sizeof(W)));
  }
  template <class Shape>
  static kernels::requantize_params requantize_params(const Shape& s, const operands& x) {
    const std::byte* const multiplier =
        x.packed + packing::padded(weights(s)) + packing::padded(outputs(s) * 4);
    return {reinterpret_cast<const float*>(multiplier), x.data->steps.zero_point, x.data->steps.lo,
            x.data->steps.hi};
  }

  template <class T>
  static void add(elementwise_shape s, const operands& x, bool relu) noexcept {
    if constexpr (std::same_as<T, float>) {
      kernels::reference::add(s, x.input<float>(0), x.input<float>(1), x.output<float>(), relu);
    } else {
      kernels::reference::add(s, x.input<T>(0), x.data->in[0], x.input<T>(1), x.data->in[1],
                              x.data->out, x.output<T>(), relu);
    }
  }
};

}  // namespace ctq
