// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/core/shapes/sequence_shapes.hpp"
#include "ctq/evaluate/float_ops/float_op.hpp"
#include "ctq/evaluate/float_ops/getitem.hpp"

// Lookup of rows in a table: one row per index, or a reduction per bag of indices.

namespace ctq::float_ops {

/// The reduction of a bag. The result of a bag without indices is zeros.
struct bag_options {
  bag_mode mode = bag_mode::mean;
  std::int64_t padding_index = -1;  // an index that is ignored; -1: none
};

/// out[b] = sum, mean or max of weight[indices[i]] for starts[b] <= i < starts[b + 1]
///
/// Shapes  indices (L) · starts (B + 1) · weight (rows, width) · factors (L) or null ·
///         out (B, width)
inline result<tensor> embedding_bag(const index_tensor& indices,
                                    const std::vector<std::int64_t>& starts, const tensor& weight,
                                    const tensor* factors, const bag_options& o) {
  const auto width = static_cast<std::size_t>(weight.shape[1]);
  const auto bags = starts.size() - 1;
  tensor out = filled({static_cast<int>(bags), weight.shape[1]});
  std::vector<double> total(width);
  for (std::size_t b = 0; b < bags; ++b) {
    total.assign(width, 0.0);
    std::size_t count = 0;
    for (auto i = static_cast<std::size_t>(starts[b]); i < static_cast<std::size_t>(starts[b + 1]);
         ++i) {
      const auto row =
          indexing::index_of(indices.data[i], static_cast<std::size_t>(weight.shape[0]));
      if (!row || indices.data[i] < 0) return fail({}, "an index is outside the table");
      if (indices.data[i] == o.padding_index) continue;
      const float* const from = weight.data.data() + *row * width;
      const double factor = factors == nullptr ? 1.0 : static_cast<double>(factors->data[i]);
      for (std::size_t x = 0; x < width; ++x) {
        const double value = factor * static_cast<double>(from[x]);
        if (o.mode != bag_mode::max)
          total[x] += value;
        else if (count == 0 || value > total[x])
          total[x] = value;
      }
      ++count;
    }
    const double divisor =
        o.mode == bag_mode::mean && count != 0 ? static_cast<double>(count) : 1.0;
    for (std::size_t x = 0; x < width; ++x)
      out.data[b * width + x] = static_cast<float>(total[x] / divisor);
  }
  return out;
}

namespace implementation {

inline result<value> embedding(operands& from) {
  const index_tensor& indices = from.indices("input");
  const tensor& weight = from.floats("weight");
  from.require(rank(weight.shape) == 2, "the weight needs two axes");
  from.require(from.is_none("max_norm"), "cannot have max_norm in ctq");
  if (from.failed()) return from.failure();
  for (const std::int64_t i : indices.data) from.require(i >= 0, "an index is negative");
  if (from.failed()) return from.failure();
  return from.answer(indexing::take(weight, 0, indices));
}

/// Bags are the rows of a matrix of indices, or start at offsets in a vector of indices.
inline result<value> embedding_bag(operands& from) {
  const index_tensor& indices = from.indices("input");
  const tensor& weight = from.floats("weight");
  const index_tensor* const offsets = from.indices_or_null("offsets");
  const tensor* const factors = from.floats_or_null("per_sample_weights");
  const std::string mode = from.text("mode");
  const bool last_is_end = from.flag("include_last_offset");
  bag_options o;
  if (!from.is_none("padding_idx")) o.padding_index = from.integer64("padding_idx");
  from.require(mode == "sum" || mode == "mean" || mode == "max", "mode is sum, mean or max");
  o.mode = mode == "sum" ? bag_mode::sum : mode == "max" ? bag_mode::max : bag_mode::mean;
  from.require(factors == nullptr || o.mode == bag_mode::sum,
               "supports per_sample_weights in mode sum only");
  from.require(factors == nullptr || factors->shape == indices.shape,
               "per_sample_weights has another shape than the input");
  from.require(rank(weight.shape) == 2, "the weight needs two axes");
  from.require(rank(indices.shape) == (offsets == nullptr ? 2 : 1),
               "needs a matrix of indices, or a list of them and offsets");
  from.require(from.is_none("max_norm"), "cannot have max_norm in ctq");
  from.require(!last_is_end || offsets != nullptr, "include_last_offset needs offsets");
  if (from.failed()) return from.failure();
  if (o.padding_index < 0 && !from.is_none("padding_idx")) o.padding_index += weight.shape[0];
  std::vector<std::int64_t> starts;
  if (offsets == nullptr) {
    for (int b = 0; b <= indices.shape[0]; ++b)
      starts.push_back(std::int64_t{b} * indices.shape[1]);
  } else {
    starts = offsets->data;
    if (!last_is_end || starts.empty()) starts.push_back(indices.shape[0]);
  }
  const auto count = static_cast<std::int64_t>(indices.data.size());
  from.require(starts.front() == 0 && starts.back() <= count,
               "offsets begin at 0 and end within the input");
  for (std::size_t b = 1; b < starts.size(); ++b)
    from.require(starts[b - 1] <= starts[b], "offsets must not decrease");
  if (from.failed()) return from.failure();
  return from.answer(float_ops::embedding_bag(indices, starts, weight, factors, o));
}

inline constexpr float_op embeddings[] = {
    {"embedding",
     "input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, "
     "sparse=False",
     embedding},
    {"embedding_bag",
     "input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, "
     "mode='mean', sparse=False, per_sample_weights=None, include_last_offset=False, "
     "padding_idx=None",
     embedding_bag, "input, offsets=None, per_sample_weights=None"},
};

}  // namespace implementation
}  // namespace ctq::float_ops
