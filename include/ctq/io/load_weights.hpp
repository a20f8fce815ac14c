// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ctq/io/read_safetensors.hpp"
#include "ctq/io/safetensors.hpp"
#include "ctq/runtime/weights.hpp"

// The weights of a model from a safetensors file, with PyTorch's names and layouts.

namespace ctq {

/// All float32 tensors of a file. Counters (int64) are skipped; other dtypes are errors.
[[nodiscard]] inline result<weights> weights_of(const tensor_file& file) {
  std::vector<weight_tensor> tensors;
  for (const stored_tensor& t : file.tensors) {
    if (t.dtype == stored_dtype::i64) continue;  // num_batches_tracked
    auto values = values_of<float>(t);
    if (!values) return unexpected{values.error()};
    weight_tensor w{t.name, {}, *std::move(values)};
    for (const std::int64_t extent : t.shape) {
      if (extent > std::numeric_limits<int>::max())
        return fail("tensor " + t.name, "an extent is larger than any model's");
      w.shape.push_back(static_cast<int>(extent));
    }
    tensors.push_back(std::move(w));
  }
  return weights{std::move(tensors)};
}

/// Errors  as read_safetensors; a tensor that is missing, is not in the model, or has another
///         shape. The message contains the names of file and tensor
template <const auto& Model>
[[nodiscard]] result<model_weights<Model>> load_weights(const std::filesystem::path& path) {
  const auto file = read_safetensors(path);
  if (!file) return unexpected{file.error()};
  const auto in_file = [&path](error e) {
    e.place = path.filename().string() + ": " + e.place;
    return unexpected{std::move(e)};
  };
  auto w = weights_of(*file);
  if (!w) return in_file(w.error());
  auto checked = model_weights<Model>::check(*std::move(w));
  if (!checked) return in_file(checked.error());
  return checked;
}

}  // namespace ctq
