// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/float_op.hpp"
#include "ctq/ops/in_float/multihead_attention.hpp"

// nn.MultiheadAttention, by the function that compiled models call.

namespace ctq::float_ops {

namespace attending {

/// Sets the shape; false: there are too many axes for one.
inline bool to_shape(const tensor& t, shape& s) {
  if (t.shape.size() > max_rank) return false;
  for (const int extent : t.shape) s[s.rank++] = extent;
  return true;
}

/// A tensor with the elements at this place in a value.
inline tensor part(const std::vector<float>& all, const strided_view& v) {
  const auto begin = all.begin() + v.offset;
  const auto count = static_cast<std::ptrdiff_t>(numel(v.shape));
  return {extents(v.shape.extent, v.shape.extent + v.shape.rank), {begin, begin + count}};
}

}  // namespace attending

namespace implementation {

/// Returns (output, weights), the weights None if they are not needed.
inline result<value> multihead_attention(operands& from) {
  const op_descriptor& d = *from.op()->descriptor;
  op_arguments<float> x;
  shape in[3];
  const char* const names[] = {"query", "key", "value"};
  for (int i = 0; i < 3; ++i) {
    const tensor& t = from.floats(names[i]);
    from.require(attending::to_shape(t, in[i]), std::string(names[i]) + " has too many axes");
    x.in[i] = {t.data.data(), in[i]};
  }
  for (const char* mask : {"key_padding_mask", "attn_mask"})
    from.require(from.is_none(mask), "has no " + std::string(mask));
  for (const char* tensors : {"bias_k", "bias_v"})
    from.require(from.floats_or_null(tensors) == nullptr, "has no add_bias_kv");
  from.require(!from.flag("add_zero_attn"), "has no add_zero_attn");
  from.require(!from.flag("is_causal"), "has no is_causal");
  attributes options = from.options();
  if (from.failed()) return from.failure();
  diagnostic problem;
  const shape y = d.infer_shape({in, 3}, options, problem);
  if (problem.any()) return from.failure(std::string(problem.message()));
  const op_parameters parameters = d.parameters(options);
  for (int p = 0; p < parameters.count; ++p) {
    const op_parameter& wanted = parameters.item[p];
    const tensor& t = from.floats(wanted.name);
    shape found;
    from.require(attending::to_shape(t, found) && found == wanted.shape,
                 std::string(wanted.name) + " does not fit embed_dim");
    x.parameters.item[p] = {.shape = wanted.shape, .floats = t.data.data()};
  }
  if (from.failed()) return from.failure();
  const int elements = d.schedule.sizes(options, in[0], y)[0];
  std::vector<float> all(static_cast<std::size_t>(elements));
  x.out = {all.data(), y};
  d.functions.apply(x, options);
  list tensors;
  for (int item = 0; item < 2; ++item) {
    const strided_view v = d.tuple_item(options, contiguous_view(y, layout::nchw), item);
    tensors.push_back(v.shape.rank == 0 ? value() : value(attending::part(all, v)));
  }
  return value(std::move(tensors));
}

inline constexpr float_op attentions[] = {
    {"multihead_attention", "add_bias_kv=False, add_zero_attn=False, ...", multihead_attention,
     "query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, "
     "average_attn_weights=True, is_causal=False"},
};

}  // namespace implementation
}  // namespace ctq::float_ops
