// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/ops/convolutions.hpp"
#include "ctq/ops/define_ops.hpp"

// Lookup in tables: weight-only quantization.

// clang-format off
#define CTQ_EMBEDDINGS(OP) \
  OP(nn, module_op, embedding, "torch.nn.Embedding", no_options, embedding) \
  OP(nn, module_op, embedding_bag, "torch.nn.EmbeddingBag", no_options, embedding_bag) \
  OP(fn, function_op, embedding, "torch.nn.functional.embedding", no_options, functional_embedding) \
  OP(fn, function_op, embedding_bag, "torch.nn.functional.embedding_bag", no_options, functional_embedding) \
  OP(nnqat, module_op, embedding, "torch.ao.nn.qat.Embedding", no_options, qat_embedding) \
  OP(nnqat, module_op, embedding_bag, "torch.ao.nn.qat.EmbeddingBag", no_options, qat_embedding_bag) \
  OP(nnqr, module_op, embedding, "torch.ao.nn.quantized.reference.Embedding", no_options, none) \
  OP(nnqr, module_op, embedding_bag, "torch.ao.nn.quantized.reference.EmbeddingBag", no_options, none) \
  OP(q, pass_op, embedding, "torch.ao.nn.quantized.Embedding", no_options, none) \
  OP(q, pass_op, embedding_bag, "torch.ao.nn.quantized.EmbeddingBag", no_options, none)
// clang-format on

CTQ_EMBEDDINGS(CTQ_DECLARE_OP)

namespace ctq::descriptors {

constexpr op_descriptor look_up(op_id integer_form) {
  return {.weights = op_weights::quantizable, .integer_form = integer_form, .only_weight = true};
}

inline constexpr op_descriptor embedding = look_up(&q::info_embedding);
inline constexpr op_descriptor embedding_bag = look_up(&q::info_embedding_bag);
inline constexpr op_descriptor functional_embedding = weighted;
inline constexpr op_descriptor qat_embedding = trained(&nn::info_embedding);
inline constexpr op_descriptor qat_embedding_bag = trained(&nn::info_embedding_bag);

}  // namespace ctq::descriptors

CTQ_EMBEDDINGS(CTQ_DESCRIBE_OP)
