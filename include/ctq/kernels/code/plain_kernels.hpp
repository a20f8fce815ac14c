// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>

#include "ctq/core/packing.hpp"
#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/core/shapes/matrix_shapes.hpp"
#include "ctq/core/shapes/row_shapes.hpp"
#include "ctq/kernels/code/float_parts.hpp"
#include "ctq/kernels/code/without_weights.hpp"
#include "ctq/kernels/kernel_code.hpp"
#include "ctq/kernels/reference/argmax.hpp"
#include "ctq/kernels/reference/attention_softmax.hpp"
#include "ctq/kernels/reference/batch_norm2d.hpp"
#include "ctq/kernels/reference/binary_add.hpp"
#include "ctq/kernels/reference/binary_add_within_one_step.hpp"
#include "ctq/kernels/reference/binary_broadcast.hpp"
#include "ctq/kernels/reference/binary_mul.hpp"
#include "ctq/kernels/reference/data_movement/concat.hpp"
#include "ctq/kernels/reference/data_movement/convert.hpp"
#include "ctq/kernels/reference/data_movement/pad.hpp"
#include "ctq/kernels/reference/data_movement/pixel_shuffle.hpp"
#include "ctq/kernels/reference/data_movement/reorder.hpp"
#include "ctq/kernels/reference/data_movement/resampling.hpp"
#include "ctq/kernels/reference/data_movement/transpose.hpp"
#include "ctq/kernels/reference/dequantize.hpp"
#include "ctq/kernels/reference/embedding.hpp"
#include "ctq/kernels/reference/layer_norm.hpp"
#include "ctq/kernels/reference/matmul.hpp"
#include "ctq/kernels/reference/pooling_avg.hpp"
#include "ctq/kernels/reference/pooling_max.hpp"
#include "ctq/kernels/reference/prelu.hpp"
#include "ctq/kernels/reference/quantize.hpp"
#include "ctq/kernels/reference/reduction.hpp"
#include "ctq/kernels/reference/relu.hpp"
#include "ctq/kernels/reference/softmax.hpp"
#include "ctq/kernels/reference/tanh.hpp"
#include "ctq/kernels/simd/data_movement/concat.hpp"
#include "ctq/kernels/simd/data_movement/convert.hpp"
#include "ctq/kernels/simd/data_movement/embedding.hpp"
#include "ctq/kernels/simd/data_movement/pad.hpp"
#include "ctq/kernels/simd/data_movement/pixel_shuffle.hpp"
#include "ctq/kernels/simd/data_movement/reorder.hpp"
#include "ctq/kernels/simd/data_movement/resampling.hpp"
#include "ctq/kernels/simd/data_movement/transpose.hpp"
#include "ctq/kernels/simd/elementwise/attention_softmax.hpp"
#include "ctq/kernels/simd/elementwise/batch_norm2d.hpp"
#include "ctq/kernels/simd/elementwise/binary_add.hpp"
#include "ctq/kernels/simd/elementwise/binary_add_within_one_step.hpp"
#include "ctq/kernels/simd/elementwise/binary_broadcast.hpp"
#include "ctq/kernels/simd/elementwise/binary_mul.hpp"
#include "ctq/kernels/simd/elementwise/dequantize.hpp"
#include "ctq/kernels/simd/elementwise/layer_norm.hpp"
#include "ctq/kernels/simd/elementwise/prelu.hpp"
#include "ctq/kernels/simd/elementwise/quantize.hpp"
#include "ctq/kernels/simd/elementwise/quantize_sum.hpp"
#include "ctq/kernels/simd/elementwise/relu.hpp"
#include "ctq/kernels/simd/elementwise/softmax.hpp"
#include "ctq/kernels/simd/elementwise/tanh.hpp"
#include "ctq/kernels/simd/matrix/matmul.hpp"
#include "ctq/kernels/simd/pooling/argmax.hpp"
#include "ctq/kernels/simd/pooling/pooling_avg.hpp"
#include "ctq/kernels/simd/pooling/pooling_max.hpp"
#include "ctq/kernels/simd/pooling/reduction.hpp"

// Kernels whose reference and whose code for an instruction set are functions of the same name and
// arguments.

namespace ctq::kernels {

/// Kernels of float32, on integers part by part (float_parts.hpp): (shape, in, parameters…, out).
template <class Descriptor>
struct float_code : plain_code {
  template <class Set>
  static constexpr std::size_t workspace_bytes(const kernel_signature& signature) {
    return part_bytes<typename Descriptor::shape>(signature);
  }
};

template <class Descriptor>
struct softmax_code : float_code<Descriptor> {
  template <class Set, class In, class Out>
  static void run(const softmax_shape& s, call_options, const operands& x) noexcept {
    by_parts<Set, In>(s, x,
                      [](const softmax_shape& part, std::ptrdiff_t, const float* in, float* out) {
                        call<Set, Descriptor>(part, in, out);
                      });
  }
};

/// Packed    scale, then shift, one of each a channel
template <class Descriptor>
struct batch_norm_code : float_code<Descriptor> {
  template <class Set>
  static constexpr std::size_t packed_bytes(const kernel_signature& signature) {
    return static_cast<std::size_t>(signature.as<channels_shape>().channels) * 2 * sizeof(float);
  }
  template <class Set, class In, class Out>
  static void run(channels_shape s, call_options o, const operands& x) noexcept {
    const auto* const scale = reinterpret_cast<const float*>(x.packed);
    const float* const shift = scale + s.channels;
    by_parts<Set, In>(s, x, [&](channels_shape part, std::ptrdiff_t, const float* in, float* out) {
      call<Set, Descriptor>(part, in, scale, shift, o.relu, out);
    });
  }
};

/// Packed    weight, then bias, if the op has them, each padded to 64 bytes
template <class Descriptor>
struct layer_norm_code : float_code<Descriptor> {
  template <class Set>
  static constexpr std::size_t packed_bytes(const kernel_signature& signature) {
    const auto s = signature.as<layer_norm_shape>();
    return s.affine == 0 ? 0 : 2 * packing::vector_bytes(s.channels);
  }
  template <class Set, class In, class Out>
  static void run(const layer_norm_shape& s, call_options, const operands& x) noexcept {
    const parameter_refs own = parameters_in(x.data->parameters, x.packed);
    const float* const weight = own[0].floats;
    const float* const bias = own[1].floats;
    by_parts<Set, In>(
        s, x, [&](const layer_norm_shape& part, std::ptrdiff_t first, const float* in, float* out) {
          const std::ptrdiff_t channel = first == 0 ? 0 : first / s.pixels % s.channels;
          const auto from_channel = [channel](const float* all) {
            return all == nullptr ? all : all + channel;
          };
          call<Set, Descriptor>(part, in, from_channel(weight), from_channel(bias), out);
        });
  }
};

/// Packed    weight, padded to 64 bytes
template <class Descriptor>
struct prelu_code : float_code<Descriptor> {
  template <class Set>
  static constexpr std::size_t packed_bytes(const kernel_signature& signature) {
    return packing::padded(static_cast<std::size_t>(signature.as<channels_shape>().channels) *
                           sizeof(float));
  }
  template <class Set, class In, class Out>
  static void run(channels_shape s, call_options, const operands& x) noexcept {
    const parameter_refs own = parameters_in(x.data->parameters, x.packed);
    const float* const weight = own[0].floats;
    by_parts<Set, In>(s, x, [&](channels_shape part, std::ptrdiff_t, const float* in, float* out) {
      call<Set, Descriptor>(part, in, weight, out);
    });
  }
};

template <class Descriptor>
struct matmul_code : plain_code {
  template <class Set>
  static constexpr std::size_t workspace_bytes(const kernel_signature& signature) {
    if constexpr (is_reference<Set>) return 0;
    const auto sizes = signature.as<matmul_shape>();
    return signature.in == f32 ? simd::matmul_workspace<typename Set::isa>(sizes)
                               : simd::matmul_int8_workspace<typename Set::isa>(sizes);
  }
  template <class Set, class In, class Out>
  static void run(const matmul_shape& s, call_options, const operands& x) noexcept {
    auto* const workspace = reinterpret_cast<float*>(x.workspace);
    if constexpr (std::same_as<In, float>) {
      call<Set, Descriptor>(s, x.input<In>(0), x.input<In>(1), workspace, x.output<Out>());
    } else {
      call<Set, Descriptor>(s, x.input<In>(0), x.data->in[0], x.input<In>(1), x.data->in[1],
                            x.data->out, workspace, x.output<Out>());
    }
  }
};

/// Packed    the rows, then of integers their scales, then their zero points, each padded to 64
///           bytes
template <class Descriptor>
struct table_code : plain_code {
  [[nodiscard]] static constexpr std::size_t row_bytes(const embedding_shape& s) {
    return packing::padded(static_cast<std::size_t>(bytes_of_row(s) * s.rows));
  }
  template <class Set>
  static constexpr std::size_t packed_bytes(const kernel_signature& signature) {
    const auto s = signature.as<embedding_shape>();
    return row_bytes(s) + (s.bits == 32 ? 0 : 2 * packing::vector_bytes(s.rows));
  }
  template <class Set, class In, class Out>
  static void run(const embedding_shape& s, call_options, const operands& x) noexcept {
    const auto* const scale = reinterpret_cast<const float*>(x.packed + row_bytes(s));
    const embedding_table t{x.packed, scale, scale + packing::vector_bytes(s.rows) / sizeof(float)};
    if constexpr (std::same_as<Descriptor, descriptors::embedding>) {
      call<Set, Descriptor>(s, x.input<In>(), t, x.output<Out>());
    } else {
      call<Set, Descriptor>(s, x.input<In>(0), x.input<In>(1), t, x.output<Out>());
    }
  }
};

#define CTQ_KERNEL_CODE(kernel, base)                                      \
  template <>                                                              \
  struct kernel_code<descriptors::kernel> : base<descriptors::kernel> {    \
    static void reference(auto... x) noexcept { reference::kernel(x...); } \
    template <class Isa>                                                   \
    static void simd(auto... x) noexcept {                                 \
      simd::kernel<Isa>(x...);                                             \
    }                                                                      \
  };
CTQ_KERNEL_CODE(quantize, one_input_code)
CTQ_KERNEL_CODE(dequantize, one_input_code)
CTQ_KERNEL_CODE(requantize, one_input_code)
CTQ_KERNEL_CODE(relu, one_input_code)
CTQ_KERNEL_CODE(pooling_avg, avg_pool_code)
CTQ_KERNEL_CODE(pooling_max, max_pool_code)
CTQ_KERNEL_CODE(resampling, one_input_code)
CTQ_KERNEL_CODE(pixel_shuffle, copying_code)
CTQ_KERNEL_CODE(pad, one_input_code)
CTQ_KERNEL_CODE(concat, copying_code)
CTQ_KERNEL_CODE(convert, copying_code)
CTQ_KERNEL_CODE(reorder, copying_code)
CTQ_KERNEL_CODE(to_nhwc, copying_code)
CTQ_KERNEL_CODE(to_nchw, copying_code)
CTQ_KERNEL_CODE(reduction, one_input_code)
CTQ_KERNEL_CODE(argmax, copying_code)
CTQ_KERNEL_CODE(softmax, softmax_code)
CTQ_KERNEL_CODE(attention_softmax, one_input_code)
CTQ_KERNEL_CODE(layer_norm, layer_norm_code)
CTQ_KERNEL_CODE(prelu, prelu_code)
CTQ_KERNEL_CODE(matmul, matmul_code)
CTQ_KERNEL_CODE(embedding, table_code)
CTQ_KERNEL_CODE(embedding_bag, table_code)
CTQ_KERNEL_CODE(binary_add, two_input_code)
CTQ_KERNEL_CODE(binary_mul, two_input_code)
CTQ_KERNEL_CODE(binary_sub, two_input_code)
CTQ_KERNEL_CODE(binary_div, two_input_code)
CTQ_KERNEL_CODE(binary_add_broadcast, two_input_code)
CTQ_KERNEL_CODE(binary_mul_broadcast, two_input_code)
CTQ_KERNEL_CODE(binary_add_within_one_step, two_input_code)
CTQ_KERNEL_CODE(quantize_sum, two_input_code)
CTQ_KERNEL_CODE(tanh, one_input_code)
CTQ_KERNEL_CODE(batch_norm2d, batch_norm_code)
#undef CTQ_KERNEL_CODE

}  // namespace ctq::kernels
