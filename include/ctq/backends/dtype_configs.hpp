// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/spec/dtype_config.hpp"

// The dtype configs of PyTorch's backends: input / output / weight / bias. Omitted dtypes are not
// constrained. Each is a struct, so that symbols and messages contain a short name.

namespace ctq {

namespace dtype_parts {

using u8 = dtype_with_constraints<quint8>;
using s8 = dtype_with_constraints<qint8>;
using float32 = dtype_with_constraints<f32>;
using float16 = dtype_with_constraints<f16>;

// XNNPACK needs a requantization scale of at least 2^-32 and weights without -128.
using xnnpack_activation = dtype_with_constraints<qint8, scale_min<0x1p-12>>;
using xnnpack_weight =
    dtype_with_constraints<qint8, quant_min<-127>, quant_max<127>, scale_min<0x1p-12>>;

template <class Activation, class Weight>
using weighted = dtype_config<input_dtype<Activation>, output_dtype<Activation>,
                              weight_dtype<Weight>, bias_dtype<f32>>;

template <class Activation>
using unweighted = dtype_config<input_dtype<Activation>, output_dtype<Activation>>;

template <class Activation, class Weight>
using dynamic = dtype_config<input_dtype<Activation>, output_dtype<float32>, weight_dtype<Weight>,
                             bias_dtype<f32>, is_dynamic>;

template <class Weight>
using weight_only = dtype_config<input_dtype<float32>, output_dtype<float32>, weight_dtype<Weight>>;

}  // namespace dtype_parts

/// quint8 / quint8 / qint8 / float32: conv and linear layers.
struct weighted_int8 : dtype_parts::weighted<dtype_parts::u8, dtype_parts::s8> {};

/// quint8 / quint8: ops without a weight.
struct activation_int8 : dtype_parts::unweighted<dtype_parts::u8> {};

/// quint8 / quint8 / float32 / float32: a layer norm, whose weight stays in float.
struct layer_norm_int8 : dtype_parts::weighted<dtype_parts::u8, dtype_parts::float32> {};

/// quint8 / float32 / qint8 / float32, dynamic: the input is quantized at run time.
struct dynamic_int8 : dtype_parts::dynamic<dtype_parts::u8, dtype_parts::s8> {};

/// float16 / float32 / float16 / float32, dynamic: a weight of half the size.
struct dynamic_float16 : dtype_parts::dynamic<dtype_parts::float16, dtype_parts::float16> {};

/// float32 / float32 / quint8: a table of embeddings in 8 bits.
struct weight_only_quint8 : dtype_parts::weight_only<dtype_with_constraints<quint8>> {};

/// float32 / float32 / quint4x2: in 4 bits.
struct weight_only_quint4x2 : dtype_parts::weight_only<dtype_with_constraints<quint4x2>> {};

/// float32 / float32 / qint8: in signed 8 bits, as in oneDNN.
struct weight_only_qint8 : dtype_parts::weight_only<dtype_with_constraints<qint8>> {};

/// qint8 / qint8 / qint8 / float32: signed activations, as in TensorRT.
struct signed_weighted_int8 : dtype_parts::weighted<dtype_parts::s8, dtype_parts::s8> {};

/// qint8 / qint8: signed activations without a weight.
struct signed_activation_int8 : dtype_parts::unweighted<dtype_parts::s8> {};

/// qint8 / qint8 / qint8 in [-127, 127] / float32, scales of at least 2^-12, for XNNPACK.
struct symmetric_weighted_int8
    : dtype_parts::weighted<dtype_parts::xnnpack_activation, dtype_parts::xnnpack_weight> {};

/// The same without a weight.
struct symmetric_activation_int8 : dtype_parts::unweighted<dtype_parts::xnnpack_activation> {};

/// The same, dynamic.
struct symmetric_dynamic_int8
    : dtype_parts::dynamic<dtype_parts::xnnpack_activation, dtype_parts::xnnpack_weight> {};

}  // namespace ctq
