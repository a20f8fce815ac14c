// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/backends/rows.hpp"

// Embeddings: only the table is quantized.

namespace ctq {

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
