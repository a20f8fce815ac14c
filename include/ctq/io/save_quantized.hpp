// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <utility>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/result.hpp"
#include "ctq/core/version.hpp"
#include "ctq/io/file_path.hpp"
#include "ctq/io/quantized_file.hpp"
#include "ctq/io/write_safetensors.hpp"
#include "ctq/runtime/named_tensors.hpp"
#include "ctq/runtime/state_dict.hpp"

// Writes int8 models: model.save(path).

namespace ctq {

/// The tensors and metadata of a file; the tensors refer to `state` and to `numbers`.
struct quantized_content {
  std::vector<stored_tensor> tensors;
  metadata_map metadata;
  std::list<std::vector<std::int32_t>> numbers;
};

namespace quantized_file {

template <int = 0>
[[nodiscard, gnu::cold]] quantized_content content_of(const quantized_state& state,
                                                      const plan_identity& plan,
                                                      span<const observed_activation> activations) {
  quantized_content c;
  for (const state_tensor& t : state.tensors.tensors()) {
    std::vector<std::int64_t> shape(t.shape.begin(), t.shape.end());
    if (t.dtype() == f32) {
      c.tensors.push_back(to_store<float>(t.name, std::move(shape), {t.floats.get(), t.size()}));
    } else if (t.dtype() == quint8) {
      c.tensors.push_back(
          to_store<std::uint8_t>(t.name, std::move(shape), {t.bytes.get(), t.size()}));
    } else {
      c.tensors.push_back(
          to_store<std::int8_t>(t.name, std::move(shape), {t.integers.get(), t.size()}));
    }
  }
  const auto add_numbers = [&c](std::string name, std::vector<std::int64_t> shape,
                                std::vector<std::int32_t> values) {
    c.tensors.push_back(to_store<std::int32_t>(std::move(name), std::move(shape),
                                               c.numbers.emplace_back(std::move(values))));
  };
  for (const observed_activation& a : activations) {
    const qparams& q = state.qparams[static_cast<std::size_t>(a.observer)];
    const std::string path = a.path();
    c.tensors.push_back(to_store<float>(path + ".output_scale", {}, {&q.scale, 1}));
    add_numbers(path + ".output_zero_point", {}, {q.zero_point});
    if (q.quant_min != a.range.min || q.quant_max != a.range.max)
      add_numbers(path + ".output_quant_range", {2}, {q.quant_min, q.quant_max});
  }
  sort_by_name(c.tensors);
  const auto set = [&c](std::string_view key, std::string value) {
    c.metadata.emplace(key, std::move(value));
  };
  set(keys::format, std::string{format});
  set(keys::version, std::string{version});
  set(keys::semantics, std::string{name_of(state.semantics)});
  set(keys::backend, std::string{plan.backend});
  set(keys::mapping, std::string{plan.mapping});
  set(keys::steps, plan.steps);
  set(keys::checksum, checksum_of(c.tensors, c.metadata));
  return c;
}

}  // namespace quantized_file

/// Writes or replaces the file atomically; model.save calls it.
/// Errors  a model that was loaded, which keeps no parameters but packed ones; as
///         write_safetensors
template <class Plan>
[[nodiscard, gnu::cold]] status save_quantized(const quantized_state& state,
                                               const file_path& path) {
  if (!state.is_kept)
    return fail(path.string(), "this model was loaded: copy the file that it was loaded from");
  const quantized_content c = quantized_file::content_of(
      state, quantized_file::identity_of<Plan>(), quantized_file::activations_of<Plan>.all());
  return write_safetensors(path, c.tensors, c.metadata);
}

}  // namespace ctq
