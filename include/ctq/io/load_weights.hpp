// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctq/io/message.hpp"
#include "ctq/io/read_safetensors.hpp"
#include "ctq/io/safetensors.hpp"
#include "ctq/runtime/weights.hpp"

// The weights of a model from a safetensors file, with PyTorch's names and layouts.

namespace ctq {

/// Whether it is num_batches_tracked of a batch norm, int64, which inference does not use.
template <int = 0>
[[nodiscard]] bool is_batch_counter(const stored_tensor& t) {
  const std::string_view name = t.name;
  return t.dtype == stored_dtype::i64 && name.substr(name.rfind('.') + 1) == "num_batches_tracked";
}

/// All float32 tensors of a file; others are rejected, but batch counters are ignored.
template <int = 0>
[[nodiscard, gnu::cold]] result<weights> weights_of(const tensor_file& file) {
  std::vector<weight_tensor> tensors;
  for (const stored_tensor& t : file.tensors) {
    if (is_batch_counter(t)) continue;
    auto values = values_of<float>(t);
    if (!values) return unexpected{values.error()};
    weight_tensor w{t.name, {}, *std::move(values)};
    for (const std::int64_t extent : t.shape) {
      if (extent > std::numeric_limits<int>::max())
        return fail("tensor " + shown(t.name), "an extent is larger than any model's");
      w.shape.push_back(static_cast<int>(extent));
    }
    tensors.push_back(std::move(w));
  }
  return weights{std::move(tensors)};
}

/// The float weights of a model, as PyTorch's state_dict has them: names "conv1.weight" and so on,
/// float32, in PyTorch's layouts (O, I / groups, kh, kw), (out, in), (channels). The file is read
/// once and closed.
/// Errors  as read_safetensors; a tensor that is missing, is twice there, is not in the model, is
///         not float32 or has another shape; NaN, and infinity outside of operands. The place of
///         the error is file and tensor
template <const auto& Model>
[[nodiscard, gnu::cold]] result<model_weights<Model>> load_weights(const file_path& path) {
  const auto file = read_safetensors(path);
  if (!file) return unexpected{file.error()};
  const auto in_file = [&path](error e) {
    e.place = path.filename() + ": " + e.place;
    return unexpected{std::move(e)};
  };
  auto w = weights_of(*file);
  if (!w) return in_file(w.error());
  auto checked = model_weights<Model>::check(*std::move(w));
  if (!checked) return in_file(checked.error());
  return checked;
}

}  // namespace ctq
