// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "ctq/kernels/simd/convolution/conv2d.hpp"
#include "ctq/kernels/simd/data_movement/concat.hpp"
#include "ctq/kernels/simd/data_movement/transpose.hpp"
#include "ctq/kernels/simd/elementwise/add.hpp"
#include "ctq/kernels/simd/elementwise/add_within_one_step.hpp"
#include "ctq/kernels/simd/elementwise/batch_norm2d.hpp"
#include "ctq/kernels/simd/elementwise/dequantize.hpp"
#include "ctq/kernels/simd/elementwise/mul.hpp"
#include "ctq/kernels/simd/elementwise/quantize.hpp"
#include "ctq/kernels/simd/elementwise/relu.hpp"
#include "ctq/kernels/simd/elementwise/rescale.hpp"
#include "ctq/kernels/simd/elementwise/user_op.hpp"
#include "ctq/kernels/simd/epilogue/epilogue.hpp"
#include "ctq/kernels/simd/matrix/linear.hpp"
#include "ctq/kernels/simd/pooling/avg_pool2d.hpp"
#include "ctq/kernels/simd/pooling/max_pool2d.hpp"
#include "ctq/runtime/operands.hpp"

// The vectorized kernels of one instruction set, one overload a kernel: from a step's operands to
// the kernel's arguments. A shape is a record, or an integral_constant of one: then the kernel is
// compiled for it alone. reference_kernels.hpp is the same for the scalar oracle.

namespace ctq {

template <class Isa>
struct simd_kernels {
  using isa = Isa;

  template <kernel Op>
  using op = kernel_c<Op>;

  template <class In, class Out>
  static void run(op<kernel::quantize>, elementwise_shape s, bool, const operands& x) noexcept {
    kernels::simd::quantize<Isa>(s, x.input<In>(), x.data->out, x.output<Out>());
  }
  template <class In, class Out>
  static void run(op<kernel::dequantize>, elementwise_shape s, bool, const operands& x) noexcept {
    kernels::simd::dequantize<Isa>(s, x.input<In>(), x.data->in[0], x.output<Out>());
  }
  template <class In, class Out>
  static void run(op<kernel::requantize>, elementwise_shape s, bool, const operands& x) noexcept {
    kernels::simd::requantize<Isa>(s, x.input<In>(), x.data->in[0], x.data->out, x.output<Out>());
  }

  template <class In, class Out>
  static void run(op<kernel::relu>, elementwise_shape s, bool, const operands& x) noexcept {
    if constexpr (std::same_as<In, float>) {
      kernels::simd::relu<Isa>(s, x.input<float>(), x.output<float>());
    } else {
      kernels::simd::relu<Isa>(s, x.input<In>(), x.data->in[0], x.data->out, x.output<Out>());
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
    kernels::simd::add_within_one_step<Isa>(s, x.input<In>(0), x.data->in[0], x.input<In>(1),
                                            x.data->in[1], x.data->out, x.output<In>(), relu);
  }
  template <class In, class Out>
  static void run(op<kernel::mul>, elementwise_shape s, bool relu, const operands& x) noexcept {
    if constexpr (std::same_as<In, float>) {
      kernels::simd::mul<Isa>(s, x.input<float>(0), x.input<float>(1), x.output<float>(), relu);
    } else {
      kernels::simd::mul<Isa>(s, x.input<In>(0), x.data->in[0], x.input<In>(1), x.data->in[1],
                              x.data->out, x.output<In>(), relu);
    }
  }

  template <class In, class Out, class Shape>
  static void run(op<kernel::conv2d>, const Shape& s, bool relu, const operands& x) noexcept {
    if constexpr (std::same_as<In, float>) {
      kernels::simd::conv2d<Isa>(s, x.input<float>(), x.packed, relu, x.output<float>(),
                                 x.workspace);
    } else {
      kernels::simd::conv2d<Isa>(s, x.input<In>(), x.packed, x.data->steps,
                                 x.data->in[0].zero_point, x.output<Out>(), x.workspace);
    }
  }
  template <class In, class Out, class Shape>
  static void run(op<kernel::linear>, const Shape& s, bool relu, const operands& x) noexcept {
    if constexpr (std::same_as<In, float>) {
      kernels::simd::linear<Isa>(s, x.input<float>(), x.packed, relu, x.output<float>(),
                                 x.workspace);
    } else {
      kernels::simd::linear<Isa>(s, x.input<In>(), x.packed, x.data->steps, x.output<Out>(),
                                 x.workspace);
    }
  }

  /// With an op joined to them.
  template <class In, class Out, class Shape, class... Stage>
  static void run(op<kernel::conv2d>, const Shape& s, const kernels::epilogue<Stage...>& to,
                  const operands& x) noexcept {
    kernels::simd::conv2d<Isa>(s, x.input<In>(), x.packed, to, x.data->in[0].zero_point,
                               x.output<Out>(), x.workspace);
  }
  template <class In, class Out, class Shape, class... Stage>
  static void run(op<kernel::linear>, const Shape& s, const kernels::epilogue<Stage...>& to,
                  const operands& x) noexcept {
    kernels::simd::linear<Isa>(s, x.input<In>(), x.packed, to, x.output<Out>(), x.workspace);
  }

  /// packed: scale, then shift, one of each a channel.
  template <class In, class Out>
  static void run(op<kernel::batch_norm2d>, channels_shape s, bool relu,
                  const operands& x) noexcept {
    const auto* const scale = reinterpret_cast<const float*>(x.packed);
    kernels::simd::batch_norm2d<Isa>(s, x.input<In>(), scale, scale + s.channels, relu,
                                     x.output<Out>());
  }

  template <class In, class Out>
  static void run(op<kernel::max_pool2d>, const pool2d_shape& s, bool, const operands& x) noexcept {
    kernels::simd::max_pool2d<Isa>(s, x.input<In>(), x.output<Out>());
  }
  template <class In, class Out>
  static void run(op<kernel::avg_pool2d>, const pool2d_shape& s, bool, const operands& x) noexcept {
    if constexpr (std::same_as<In, float>) {
      kernels::simd::avg_pool2d<Isa>(s, x.input<float>(), x.output<float>());
    } else {
      kernels::simd::avg_pool2d<Isa>(s, x.input<In>(), x.data->in[0], x.data->out, x.output<Out>());
    }
  }

  template <class In, class Out>
  static void run(op<kernel::concat>, const concat_shape& s, bool, const operands& x) noexcept {
    kernels::simd::concat<Isa>(s, x.input<In>(), x.output<Out>());
  }
  template <class In, class Out>
  static void run(op<kernel::to_nhwc>, const transpose_shape& s, bool, const operands& x) noexcept {
    kernels::simd::to_nhwc<Isa>(s, x.input<In>(), x.output<Out>());
  }
  template <class In, class Out>
  static void run(op<kernel::to_nchw>, const transpose_shape& s, bool, const operands& x) noexcept {
    kernels::simd::to_nchw<Isa>(s, x.input<In>(), x.output<Out>());
  }

  /// packed: the table, if one stands for the op.
  template <class In, class Out>
  static void run(op<kernel::elementwise>, elementwise_shape s, const op_functions& own,
                  const operands& x) noexcept {
    if constexpr (std::same_as<In, float>) {
      own.apply(own_arguments<float>(s, x), x.data->options);
    } else if (own.run<In>() != nullptr) {
      own.run<In>()(own_arguments<In>(s, x), x.data->options);
    } else if (own.tensors == 1) {
      kernels::simd::look_up<Isa>(s, x.input<In>(), reinterpret_cast<const In*>(x.packed),
                                  x.output<In>());
    } else {
      kernels::simd::elementwise<Isa>(own, x.data->options, own_arguments<In>(s, x));
    }
  }
  template <class In, class Out>
  static void run(op<kernel::function>, const function_shape& s, const op_functions& own,
                  const operands& x) noexcept {
    if constexpr (std::same_as<In, float>) {
      own.apply(own_arguments<float>(s, x), x.data->options);
    } else {
      own.run<In>()(own_arguments<In>(s, x), x.data->options);
    }
  }
  static constexpr bool uses_table(const op_functions& own, dtype in) {
    return own.needs_table(in);
  }
  static constexpr std::size_t workspace_bytes(const function_shape&, dtype) { return 0; }

  static constexpr std::size_t packed_bytes(const conv2d_shape& s, dtype in) {
    return kernels::simd::conv2d_packed_bytes<Isa>(s, in);
  }
  static constexpr std::size_t packed_bytes(const linear_shape& s, dtype in) {
    return kernels::simd::linear_packed_bytes<Isa>(s, in);
  }
  static constexpr std::size_t workspace_bytes(const conv2d_shape& s, dtype in) {
    return kernels::simd::conv2d_workspace_bytes<Isa>(s, in);
  }
  static constexpr std::size_t workspace_bytes(const linear_shape& s, dtype in) {
    return kernels::simd::linear_workspace_bytes<Isa>(s, in);
  }

  template <class In>
  static void pack(const conv2d_shape& s, const std::int8_t* weight, const std::int32_t* bias,
                   const float* multiplier, std::byte* packed) {
    kernels::simd::pack_conv2d<Isa, In>(s, weight, bias, multiplier, packed);
  }
  template <class In>
  static void pack(const linear_shape& s, const std::int8_t* weight, const std::int32_t* bias,
                   const float* multiplier, std::byte* packed) {
    kernels::simd::pack_linear<Isa, In>(s, weight, bias, multiplier, packed);
  }
  static void pack(const conv2d_shape& s, const float* weight, const float* bias,
                   std::byte* packed) {
    kernels::simd::pack_conv2d<Isa>(s, weight, bias, packed);
  }
  static void pack(const linear_shape& s, const float* weight, const float* bias,
                   std::byte* packed) {
    kernels::simd::pack_linear<Isa>(s, weight, bias, packed);
  }

 private:
  template <class T>
  static void add(elementwise_shape s, const operands& x, bool relu) noexcept {
    if constexpr (std::same_as<T, float>) {
      kernels::simd::add<Isa>(s, x.input<float>(0), x.input<float>(1), x.output<float>(), relu);
    } else {
      kernels::simd::add<Isa>(s, x.input<T>(0), x.data->in[0], x.input<T>(1), x.data->in[1],
                              x.data->out, x.output<T>(), relu);
    }
  }
};

}  // namespace ctq
