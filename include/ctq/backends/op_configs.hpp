// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "ctq/backends/op_categories.hpp"

// The pattern configs that PyTorch's backends share, by kind of op, each for a list of dtype
// configs. Convolutions are in conv_configs.hpp.

namespace ctq {

// ---- Fully connected layers: alone, with relu, with batch norm, and their modules for training.

namespace linear_parts {

template <class Dtypes>
using alone = configs<rows::trainable<Dtypes, nn::linear, nn::linear, nnqat::linear, nnqr::linear>,
                      rows::rooted<Dtypes, nnqat::linear, nn::linear, nnqr::linear>,
                      rows::function<Dtypes, fn::linear, {.weight = 1, .bias = 2}>>;

template <class Dtypes>
using fused = configs<
    rows::fused<Dtypes, pattern<nn::linear, nn::relu>, nni::linear_relu>,
    rows::fused<Dtypes, pattern<nn::linear, fn::relu>, nni::linear_relu>,
    rows::trainable<Dtypes, nni::linear_relu, nn::linear, nniqat::linear_relu, nnqr::linear>,
    rows::rooted<Dtypes, nniqat::linear_relu, nn::linear, nnqr::linear>,
    rows::plain<Dtypes, fn::linear, nn::relu>, rows::plain<Dtypes, fn::linear, fn::relu>,
    rows::fused_by<Dtypes, pattern<nn::linear, nn::batch_norm1d>, nni::linear_bn1d, fuse_linear_bn>,
    rows::trainable<Dtypes, nni::linear_bn1d, nn::linear, nniqat::linear_bn1d, nnqr::linear>,
    rows::rooted<Dtypes, nniqat::linear_bn1d, nn::linear, nnqr::linear>>;

}  // namespace linear_parts

/// Linear layers without fusion: 3 rows.
template <class... DtypeConfig>
using unfused_linear_configs = linear_parts::alone<dtype_configs<DtypeConfig...>>;

/// Linear layers: 12 rows.
template <class... DtypeConfig>
using linear_configs = configs<linear_parts::alone<dtype_configs<DtypeConfig...>>,
                               linear_parts::fused<dtype_configs<DtypeConfig...>>>;

// ---- Addition and multiplication of two values.

namespace binary_parts {

/// An op followed by each form of relu, and alone.
template <class Dtypes, auto Op>
using with_relu =
    configs<rows::arithmetic<Dtypes, Op, nn::relu>, rows::arithmetic<Dtypes, Op, fn::relu>,
            rows::arithmetic<Dtypes, Op, fn::torch_relu>, rows::arithmetic<Dtypes, Op>>;

/// 4 rows for each op.
template <class Dtypes, auto... Op>
using each_with_relu = configs<with_relu<Dtypes, Op>...>;

}  // namespace binary_parts

/// Sums and products as operators and as functions, and matmul: 17 rows.
template <class... DtypeConfig>
using binary_op_configs =
    configs<categories::arithmetic<binary_parts::each_with_relu, dtype_configs<DtypeConfig...>>,
            rows::plain<dtype_configs<DtypeConfig...>, fn::matmul>>;

// ---- Activation functions whose output has another range than the input, and similar ops.

/// Activations with a scale of their own, instance and group norm, dropout: 14 rows.
template <class... DtypeConfig>
using default_op_configs = configs<
    categories::own_scale<dtype_configs<DtypeConfig...>>,
    rows::function<dtype_configs<DtypeConfig...>, fn::group_norm, {.weight = 2, .bias = 3}>,
    rows::function<dtype_configs<DtypeConfig...>, fn::instance_norm, {.weight = 3, .bias = 4}>>;

// ---- Ops whose output has a fixed range, and therefore fixed scale and zero point.

namespace fixed_qparams_parts {

/// A dtype config that requires these parameters wherever it has quint8; other dtypes are unchanged
/// (PyTorch's _add_fixed_qparams_to_dtype_configs).
template <class Config, real Scale, std::int64_t ZeroPoint>
struct exactly {
  static constexpr dtype_config_record value = [] {
    constexpr dtype_with_constraints_record fixed =
        dtype_with_constraints<quint8, quant_min<0>, quant_max<255>,
                               exact_qparams<Scale, ZeroPoint>>::value;
    dtype_config_record r = Config::value;
    if (r.input_dtype.dtype == fixed.dtype) r.input_dtype = fixed;
    if (r.output_dtype.dtype == fixed.dtype) r.output_dtype = fixed;
    return r;
  }();
};

template <class Config>
using exactly_0_to_1 = exactly<Config, 1.0 / 256, 0>;
template <class Config>
using exactly_neg1_to_1 = exactly<Config, 2.0 / 256, 128>;

template <class... Config>
using all = configs<categories::from_0_to_1<dtype_configs<exactly_0_to_1<Config>...>>,
                    categories::from_neg1_to_1<dtype_configs<exactly_neg1_to_1<Config>...>>>;

}  // namespace fixed_qparams_parts

/// Sigmoids and softmax, from 0 to 1, and tanh, from -1 to 1: 13 rows.
template <class... DtypeConfig>
using fixed_qparams_op_configs = fixed_qparams_parts::all<DtypeConfig...>;

// ---- Ops that move, compare or average values, so that the output keeps the input's quantization
// parameters, and ops that only query a tensor.

/// Pooling, relu, views and similar ops: 59 rows.
template <class... DtypeConfig>
using share_qparams_op_configs = categories::input_scale<dtype_configs<DtypeConfig...>>;

/// cat: all inputs share one scale.
template <class... DtypeConfig>
using cat_config = rows::sharing<dtype_configs<DtypeConfig...>, fn::cat>;

/// shape and size, which do not return a tensor: 2 rows.
template <class... DtypeConfig>
using tensor_info_op_configs = configs<
    backend_pattern_config<pattern<method::shape>, dtype_configs<DtypeConfig...>, not_observed>,
    backend_pattern_config<pattern<method::size>, dtype_configs<DtypeConfig...>, not_observed>>;

// ---- Batch norms that are not fused with a convolution, and layer norms.

namespace norm_parts {

template <class Dtypes>
using batch_norms =
    configs<rows::fused<Dtypes, pattern<nn::batch_norm2d, nn::relu>, nni::bn_relu2d>,
            rows::fused<Dtypes, pattern<nn::batch_norm2d, fn::relu>, nni::bn_relu2d>,
            rows::plain<Dtypes, nn::batch_norm2d>,
            rows::fused<Dtypes, pattern<nn::batch_norm3d, nn::relu>, nni::bn_relu3d>,
            rows::fused<Dtypes, pattern<nn::batch_norm3d, fn::relu>, nni::bn_relu3d>,
            rows::plain<Dtypes, nn::batch_norm3d>,
            rows::each_plain<Dtypes, nni::bn_relu2d, nni::bn_relu3d>>;

}  // namespace norm_parts

/// Batch norms, alone and with relu: 8 rows.
template <class... DtypeConfig>
using bn_configs = norm_parts::batch_norms<dtype_configs<DtypeConfig...>>;

/// Layer norm as a module and as a function: 2 rows.
template <class... DtypeConfig>
using ln_configs = categories::layer_norms<dtype_configs<DtypeConfig...>>;

// ---- Recurrent layers, with dynamic quantization only.

namespace rnn_parts {

/// A layer or a cell, with a reference module but no module for training.
template <class Dtypes, auto Module, auto Reference>
using row = rows::rooted<Dtypes, Module, Module, Reference>;

template <class Dtypes>
using all =
    configs<row<Dtypes, nn::gru_cell, nnqr::gru_cell>, row<Dtypes, nn::lstm_cell, nnqr::lstm_cell>,
            row<Dtypes, nn::rnn_cell, nnqr::rnn_cell>, row<Dtypes, nn::lstm, nnqr::lstm>,
            row<Dtypes, nn::gru, nnqr::gru>>;

}  // namespace rnn_parts

/// Cells, LSTM and GRU: 5 rows.
template <class... DtypeConfig>
using rnn_op_configs = rnn_parts::all<dtype_configs<DtypeConfig...>>;

// ---- Embeddings: only the table is quantized.

namespace embedding_parts {

/// A module and its counterpart for training.
template <class Dtypes, auto Module, auto Qat, auto Reference>
using pair = configs<rows::trainable<Dtypes, Module, Module, Qat, Reference>,
                     rows::rooted<Dtypes, Qat, Module, Reference>>;

}  // namespace embedding_parts

/// nn.Embedding: 2 rows.
template <class... DtypeConfig>
using embedding_configs = embedding_parts::pair<dtype_configs<DtypeConfig...>, nn::embedding,
                                                nnqat::embedding, nnqr::embedding>;

/// nn.EmbeddingBag: 2 rows.
template <class... DtypeConfig>
using embedding_bag_configs =
    embedding_parts::pair<dtype_configs<DtypeConfig...>, nn::embedding_bag, nnqat::embedding_bag,
                          nnqr::embedding_bag>;

/// Both: 4 rows.
template <class... DtypeConfig>
using embedding_op_configs =
    configs<embedding_configs<DtypeConfig...>, embedding_bag_configs<DtypeConfig...>>;

}  // namespace ctq
