// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>

#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/float_op.hpp"
#include "ctq/evaluate/float_ops/function_call.hpp"
#include "ctq/ops/in_float/multihead_attention.hpp"
#include "ctq/ops/in_float/transformer_layers.hpp"
#include "ctq/ops/in_float/window_attention.hpp"

// Ops that are computed by their function in ops/in_float, which compiled models call, too:
// attention and the layers of nn.Transformer, distances, elements at indices, images sampled at
// points, sorting.

namespace ctq::float_ops {

namespace attending {

/// Records an error if a call has one of these masks.
inline void require_none(operands& from, std::initializer_list<const char*> masks) {
  for (const char* mask : masks) from.require(from.is_none(mask), "has no " + std::string(mask));
}
inline void require_false(operands& from, std::initializer_list<const char*> flags) {
  for (const char* name : flags) from.require(!from.flag(name), "has no " + std::string(name));
}

}  // namespace attending

namespace implementation {

/// Returns (output, weights), the weights None if they are not needed.
inline result<value> multihead_attention(operands& from) {
  attending::require_none(from, {"key_padding_mask", "attn_mask"});
  for (const char* tensors : {"bias_k", "bias_v"})
    from.require(from.floats_or_null(tensors) == nullptr, "has no add_bias_kv");
  attending::require_false(from, {"add_zero_attn", "is_causal"});
  const auto computed = call_function(from, {"query", "key", "value"});
  if (!computed) return unexpected{computed.error()};
  list tensors;
  for (int item = 0; item < 2; ++item) {
    const strided_view v = from.op()->descriptor->tuple_item(
        computed->options, contiguous_view(computed->out, layout::nchw), item);
    tensors.push_back(v.shape.rank == 0 ? value() : value(computed->part(v)));
  }
  return value(std::move(tensors));
}

inline result<value> transformer_encoder_layer(operands& from) {
  attending::require_none(from, {"src_mask", "src_key_padding_mask"});
  attending::require_false(from, {"is_causal"});
  return call_for_output(from, {"src"});
}

inline result<value> transformer_decoder_layer(operands& from) {
  attending::require_none(
      from, {"tgt_mask", "memory_mask", "tgt_key_padding_mask", "memory_key_padding_mask"});
  attending::require_false(from, {"tgt_is_causal", "memory_is_causal"});
  return call_for_output(from, {"tgt", "memory"});
}

/// torchvision's attention within windows; the bias is that of relative positions.
inline result<value> shifted_window_attention(operands& from) {
  return call_for_output(from, {"input", "bias"});
}

/// (values, indices)
inline result<value> in_sorted_order(operands& from) {
  const auto computed = call_function(from, {"input"});
  if (!computed) return unexpected{computed.error()};
  const strided_view whole = contiguous_view(computed->out, layout::nchw);
  const tensor floats = computed->part(from.op()->descriptor->tuple_item({}, whole, 1));
  index_tensor indices{floats.shape, {}};
  for (const float index : floats.data) indices.data.push_back(static_cast<std::int64_t>(index));
  return value(list{computed->output(), std::move(indices)});
}

/// Ops whose function reads tensors with these names.
inline result<value> of_x1_and_x2(operands& from) { return call_for_output(from, {"x1", "x2"}); }
inline result<value> of_input_and_index(operands& from) {
  return call_for_output(from, {"input", "index"});
}
inline result<value> of_input_index_and_other(operands& from) {
  return call_for_output(from, {"input", "index", "other"});
}
inline result<value> of_input_and_grid(operands& from) {
  return call_for_output(from, {"input", "grid"});
}
inline result<value> of_input1_and_input2(operands& from) {
  return call_for_output(from, {"input1", "input2"});
}

inline constexpr float_op tensor_functions[] = {
    {"multihead_attention", "add_bias_kv=False, add_zero_attn=False, ...", multihead_attention,
     "query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, "
     "average_attn_weights=True, is_causal=False"},
    {"transformer_encoder_layer", "...", transformer_encoder_layer,
     "src, src_mask=None, src_key_padding_mask=None, is_causal=False"},
    {"transformer_decoder_layer", "...", transformer_decoder_layer,
     "tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, "
     "memory_key_padding_mask=None, tgt_is_causal=False, memory_is_causal=False"},
    {"shifted_window_attention", "...", shifted_window_attention, "input, bias"},
    {"topk sort", "input, ...", in_sorted_order},
    {"cosine_similarity pairwise_distance", "x1, x2, ...", of_x1_and_x2, "x1, x2"},
    {"cdist", "x1, x2, p=2.0, compute_mode=None", of_x1_and_x2},
    {"index_select gather", "input, dim, index, *, sparse_grad=False", of_input_and_index},
    {"index_along", "input, index, ...", of_input_and_index},
    {"index_pairs", "input, index, other, ...", of_input_index_and_other},
    {"grid_sample", "input, grid, ...", of_input_and_grid},
    {"bilinear", "...", of_input1_and_input2, "input1, input2"},
};

}  // namespace implementation
}  // namespace ctq::float_ops
