// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/backends/rows.hpp"

// Convolutions in one to three dimensions: alone, with relu, with batch norm, and their modules for
// training.

namespace ctq {

namespace conv_parts {

/// PyTorch's ops of one dimension.
struct ops1d {
  static constexpr auto conv = nn::conv1d;
  static constexpr auto function = fn::conv1d;
  static constexpr auto batch_norm = nn::batch_norm1d;
  static constexpr auto conv_relu = nni::conv_relu1d;
  static constexpr auto conv_bn = nni::conv_bn1d;
  static constexpr auto conv_bn_relu = nni::conv_bn_relu1d;
  static constexpr auto qat_conv = nnqat::conv1d;
  static constexpr auto qat_conv_relu = nniqat::conv_relu1d;
  static constexpr auto qat_conv_bn = nniqat::conv_bn1d;
  static constexpr auto qat_conv_bn_relu = nniqat::conv_bn_relu1d;
  static constexpr auto reference = nnqr::conv1d;
  static constexpr auto transpose = nn::conv_transpose1d;
  static constexpr auto transpose_function = fn::conv_transpose1d;
  static constexpr auto transpose_reference = nnqr::conv_transpose1d;
};

struct ops2d {
  static constexpr auto conv = nn::conv2d;
  static constexpr auto function = fn::conv2d;
  static constexpr auto batch_norm = nn::batch_norm2d;
  static constexpr auto conv_relu = nni::conv_relu2d;
  static constexpr auto conv_bn = nni::conv_bn2d;
  static constexpr auto conv_bn_relu = nni::conv_bn_relu2d;
  static constexpr auto qat_conv = nnqat::conv2d;
  static constexpr auto qat_conv_relu = nniqat::conv_relu2d;
  static constexpr auto qat_conv_bn = nniqat::conv_bn2d;
  static constexpr auto qat_conv_bn_relu = nniqat::conv_bn_relu2d;
  static constexpr auto reference = nnqr::conv2d;
  static constexpr auto transpose = nn::conv_transpose2d;
  static constexpr auto transpose_function = fn::conv_transpose2d;
  static constexpr auto transpose_reference = nnqr::conv_transpose2d;
};

struct ops3d {
  static constexpr auto conv = nn::conv3d;
  static constexpr auto function = fn::conv3d;
  static constexpr auto batch_norm = nn::batch_norm3d;
  static constexpr auto conv_relu = nni::conv_relu3d;
  static constexpr auto conv_bn = nni::conv_bn3d;
  static constexpr auto conv_bn_relu = nni::conv_bn_relu3d;
  static constexpr auto qat_conv = nnqat::conv3d;
  static constexpr auto qat_conv_relu = nniqat::conv_relu3d;
  static constexpr auto qat_conv_bn = nniqat::conv_bn3d;
  static constexpr auto qat_conv_bn_relu = nniqat::conv_bn_relu3d;
  static constexpr auto reference = nnqr::conv3d;
  static constexpr auto transpose = nn::conv_transpose3d;
  static constexpr auto transpose_function = fn::conv_transpose3d;
  static constexpr auto transpose_reference = nnqr::conv_transpose3d;
};

// Two irregular rows are as in PyTorch: it registers conv_relu twice and keeps the second config,
// which has no root module; of the chains with a batch norm only the one that ends in F.relu has
// one. Neither has an effect, since PyTorch collects root modules over all configs.
template <class Dtypes, class Ops>
using conv_rows =
    configs<rows::trainable<Dtypes, Ops::conv, Ops::conv, Ops::qat_conv, Ops::reference>,
            rows::rooted<Dtypes, Ops::qat_conv, Ops::conv, Ops::reference>,
            rows::function<Dtypes, Ops::function, {.weight = 1, .bias = 2}>,
            rows::fused<Dtypes, pattern<Ops::conv, nn::relu>, Ops::conv_relu>,
            rows::fused<Dtypes, pattern<Ops::conv, fn::relu>, Ops::conv_relu>,
            rows::trained<Dtypes, Ops::conv_relu, Ops::qat_conv_relu>,
            rows::rooted<Dtypes, Ops::qat_conv_relu, Ops::conv, Ops::reference>,
            rows::plain<Dtypes, Ops::function, nn::relu>,
            rows::plain<Dtypes, Ops::function, fn::relu>,
            rows::fused_by<Dtypes, pattern<Ops::conv, Ops::batch_norm>, Ops::conv_bn, fuse_conv_bn>,
            rows::fused_by<Dtypes, pattern<Ops::conv, Ops::batch_norm, nn::relu>, Ops::conv_bn_relu,
                           fuse_conv_bn_relu>,
            backend_pattern_config<pattern<Ops::conv, Ops::batch_norm, fn::relu>, Dtypes,
                                   root_module<Ops::conv>, fused_module<Ops::conv_bn_relu>,
                                   fuser_method<fuse_conv_bn_relu>>,
            rows::trained<Dtypes, Ops::conv_bn, Ops::qat_conv_bn>,
            rows::trained<Dtypes, Ops::conv_bn_relu, Ops::qat_conv_bn_relu>,
            rows::rooted<Dtypes, Ops::qat_conv_bn, Ops::conv, Ops::reference>,
            rows::rooted<Dtypes, Ops::qat_conv_bn_relu, Ops::conv, Ops::reference>>;

template <class Dtypes, class Ops>
using conv_transpose_rows = configs<
    rows::rooted<Dtypes, Ops::transpose, Ops::transpose, Ops::transpose_reference>,
    backend_pattern_config<
        pattern<Ops::transpose, Ops::batch_norm>, Dtypes, root_module<Ops::transpose>,
        reference_quantized_module<Ops::transpose_reference>, fuser_method<fuse_convtranspose_bn>>,
    rows::function<Dtypes, Ops::transpose_function, {.weight = 1, .bias = 2}>>;

template <class Dtypes, class Ops>
using all_rows = configs<conv_rows<Dtypes, Ops>, conv_transpose_rows<Dtypes, Ops>>;

}  // namespace conv_parts

/// 2d convolutions without the transposed ones: 16 rows.
template <class... DtypeConfig>
using conv2d_configs = conv_parts::conv_rows<dtype_configs<DtypeConfig...>, conv_parts::ops2d>;

/// Convolutions and transposed convolutions in one to three dimensions: 57 rows.
template <class... DtypeConfig>
using conv_configs =
    configs<conv_parts::all_rows<dtype_configs<DtypeConfig...>, conv_parts::ops1d>,
            conv_parts::all_rows<dtype_configs<DtypeConfig...>, conv_parts::ops2d>,
            conv_parts::all_rows<dtype_configs<DtypeConfig...>, conv_parts::ops3d>>;

}  // namespace ctq
