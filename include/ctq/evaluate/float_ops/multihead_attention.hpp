// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/float_op.hpp"
#include "ctq/evaluate/float_ops/function_call.hpp"
#include "ctq/ops/in_float/multihead_attention.hpp"
#include "ctq/ops/in_float/transformer_layers.hpp"
#include "ctq/ops/in_float/window_attention.hpp"

// nn.MultiheadAttention and the layers of nn.Transformer, by the functions that compiled models
// call.

namespace ctq::float_ops {

namespace attending {

/// Requires that a call has none of these masks.
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
  const auto computed = call_function(from, {"src"});
  if (!computed) return unexpected{computed.error()};
  return value(computed->output());
}

inline result<value> transformer_decoder_layer(operands& from) {
  attending::require_none(
      from, {"tgt_mask", "memory_mask", "tgt_key_padding_mask", "memory_key_padding_mask"});
  attending::require_false(from, {"tgt_is_causal", "memory_is_causal"});
  const auto computed = call_function(from, {"tgt", "memory"});
  if (!computed) return unexpected{computed.error()};
  return value(computed->output());
}

/// torchvision's attention within windows; the bias is that of relative positions.
inline result<value> shifted_window_attention(operands& from) {
  const auto computed = call_function(from, {"input", "bias"});
  if (!computed) return unexpected{computed.error()};
  return value(computed->output());
}

inline constexpr float_op attentions[] = {
    {"multihead_attention", "add_bias_kv=False, add_zero_attn=False, ...", multihead_attention,
     "query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, "
     "average_attn_weights=True, is_causal=False"},
    {"transformer_encoder_layer", "...", transformer_encoder_layer,
     "src, src_mask=None, src_key_padding_mask=None, is_causal=False"},
    {"transformer_decoder_layer", "...", transformer_decoder_layer,
     "tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, "
     "memory_key_padding_mask=None, tgt_is_causal=False, memory_is_causal=False"},
    {"shifted_window_attention", "...", shifted_window_attention, "input, bias"},
};

}  // namespace implementation
}  // namespace ctq::float_ops
