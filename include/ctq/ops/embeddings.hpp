// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/core/shapes/sequence_shapes.hpp"
#include "ctq/ops/convolutions.hpp"
#include "ctq/ops/define_ops.hpp"
#include "ctq/ops/view_rules.hpp"

// Lookup in tables: weight-only quantization.

namespace ctq {

struct embedding_options {
  int num_embeddings{};
  int embedding_dim{};
  int padding_idx = -1;  // without effect: of training alone
};

/// The output has a row for each bag of indices. The rows of a matrix of indices are bags; those in
/// a vector begin at the offsets, the second input.
struct embedding_bag_options {
  int num_embeddings{};
  int embedding_dim{};
  bag_mode mode = bag_mode::mean;
  flag include_last_offset = false;  // the last offset is the end of the last bag
  int padding_idx = -1;              // an index that is ignored; -1: none
};

inline constexpr std::string_view bag_mode_names[] = {"sum", "mean", "max"};
inline constexpr option_words_of bag_mode_words{"bag_mode", {bag_mode_names, 3}};

}  // namespace ctq

// clang-format off
#define CTQ_EMBEDDINGS(OP) \
  OP(nn, module_op, embedding, "torch.nn.Embedding", embedding_options, embedding) \
  OP(nn, one_or_two_inputs, embedding_bag, "torch.nn.EmbeddingBag", embedding_bag_options, embedding_bag) \
  OP(fn, function_op, embedding, "torch.nn.functional.embedding", no_options, functional_embedding) \
  OP(fn, function_op, embedding_bag, "torch.nn.functional.embedding_bag", no_options, functional_embedding) \
  OP(nnqat, module_op, embedding, "torch.ao.nn.qat.Embedding", no_options, qat_embedding) \
  OP(nnqat, module_op, embedding_bag, "torch.ao.nn.qat.EmbeddingBag", no_options, qat_embedding_bag) \
  OP(nnqr, module_op, embedding, "torch.ao.nn.quantized.reference.Embedding", no_options, none) \
  OP(nnqr, module_op, embedding_bag, "torch.ao.nn.quantized.reference.EmbeddingBag", no_options, none) \
  OP(q, pass_op, embedding, "torch.ao.nn.quantized.Embedding", embedding_options, q_embedding) \
  OP(q, pass_op, embedding_bag, "torch.ao.nn.quantized.EmbeddingBag", embedding_bag_options, q_embedding_bag)
// clang-format on

CTQ_EMBEDDINGS(CTQ_DECLARE_OP)

namespace ctq::descriptors {

/// Whether a table can have these sizes; else reports what is wrong with them.
constexpr bool is_table(diagnostic& d, int rows, int width) {
  if (rows >= 1 && width >= 1) return shape_rules::countable_weight(d, {rows, width});
  shape_rules::complain(d, "num_embeddings ", rows, ", embedding_dim ", width,
                        ":\neach is 1 or more");
  return false;
}

constexpr shape embedding_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0) || !has_room_for_axis(d, in[0])) return {};
  const auto o = a.as<embedding_options>();
  if (!is_table(d, o.num_embeddings, o.embedding_dim)) return {};
  shape out = in[0];
  out[out.rank++] = o.embedding_dim;
  return out;
}

constexpr shape embedding_bag_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  const bool has_offsets = in.count == 2;
  if (!shape_rules::needs(d, in, has_offsets ? 2 : 1, has_offsets ? 1 : 2)) return {};
  const auto o = a.as<embedding_bag_options>();
  if (!is_table(d, o.num_embeddings, o.embedding_dim)) return {};
  if (!has_offsets && o.include_last_offset) {
    shape_rules::complain(d, "include_last_offset needs offsets");
    return {};
  }
  if (!has_offsets) return {in[0][0], o.embedding_dim};
  const int bags = in[1].rank == 1 ? in[1][0] - (o.include_last_offset ? 1 : 0) : 0;
  if (bags >= 1) return {bags, o.embedding_dim};
  shape_rules::complain(d, "the offsets of bags need one axis");
  shape_rules::show_input(d, in[1]);
  return {};
}

template <class Options>
constexpr op_parameters table_of(const attributes& a) {
  const auto o = a.as<Options>();
  return {op_parameter{"weight", {o.num_embeddings, o.embedding_dim}}};
}

constexpr kernel_signature::sizes embedding_sizes(attributes a, shape in, shape) {
  const auto o = a.as<embedding_options>();
  return to_block<kernel_signature::sizes>(embedding_shape{
      .indices = static_cast<int>(numel(in)), .rows = o.num_embeddings, .width = o.embedding_dim});
}
constexpr kernel_signature::sizes embedding_bag_sizes(attributes a, shape in, shape out) {
  const auto o = a.as<embedding_bag_options>();
  const bool has_offsets = in.rank == 1;
  return to_block<kernel_signature::sizes>(
      embedding_shape{.indices = static_cast<int>(numel(in)),
                      .rows = o.num_embeddings,
                      .width = o.embedding_dim,
                      .bags = out[0],
                      .mode = o.mode,
                      .has_offsets = has_offsets ? (o.include_last_offset ? 2 : 1) : 0,
                      .padding_index = o.padding_idx});
}

inline constexpr op_descriptor q_embedding{
    .index_inputs = 1,
    .schedule = {
        .how = schedule_as::lookup, .kernel = kernel::embedding, .sizes = &embedding_sizes}};
inline constexpr op_descriptor q_embedding_bag{.index_inputs = 2,
                                               .schedule = {.how = schedule_as::lookup,
                                                            .kernel = kernel::embedding_bag,
                                                            .sizes = &embedding_bag_sizes}};
inline constexpr op_descriptor embedding{.infer_shape = &embedding_shape_rule,
                                         .index_inputs = 1,
                                         .weights = op_weights::quantizable,
                                         .parameters = &table_of<embedding_options>,
                                         .integer_form = &q::info_embedding,
                                         .only_weight = true,
                                         .schedule = q_embedding.schedule};
inline constexpr op_descriptor embedding_bag{.infer_shape = &embedding_bag_shape_rule,
                                             .index_inputs = 2,
                                             .weights = op_weights::quantizable,
                                             .parameters = &table_of<embedding_bag_options>,
                                             .integer_form = &q::info_embedding_bag,
                                             .only_weight = true,
                                             .schedule = q_embedding_bag.schedule};
inline constexpr op_descriptor functional_embedding = weighted;
constexpr op_descriptor trained_table(op_id float_form, const op_descriptor& table) {
  return with(trained(float_form, table),
              [&](op_descriptor& d) { d.index_inputs = table.index_inputs; });
}
inline constexpr op_descriptor qat_embedding = trained_table(&nn::info_embedding, embedding);
inline constexpr op_descriptor qat_embedding_bag =
    trained_table(&nn::info_embedding_bag, embedding_bag);

}  // namespace ctq::descriptors

CTQ_EMBEDDINGS(CTQ_DESCRIBE_OP)
