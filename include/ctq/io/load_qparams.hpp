// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctq/core/qparams.hpp"
#include "ctq/core/result.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/graph/place_of.hpp"
#include "ctq/io/message.hpp"
#include "ctq/io/read_safetensors.hpp"
#include "ctq/io/safetensors.hpp"
#include "ctq/runtime/check_qparams.hpp"
#include "ctq/runtime/quantize_weights.hpp"

// Scales and zero points that PyTorch has found in quantization-aware training, from the file that
// tools/export_fx.py --qat writes:
//
//   conv1.output_scale        F32 (): of the value that the node computes
//   conv1.output_zero_point   I32 ()
//   conv1.weight_scale        F32 (O), or () if one for all outputs
//   conv1.weight_zero_point   I32

namespace ctq {

/// The qparams in a file, by name.
struct named_qparams {
  std::map<std::string, qparams, std::less<>> values;          // by node, or path of its module
  std::map<std::string, weight_qparams, std::less<>> weights;  // by path; one element: for all

  /// The qparams of a node's output: by its name, else by the path of the module that it calls.
  /// Null if there are none.
  [[nodiscard]] const qparams* find(const node& n) const {
    std::string name;
    append_name(name, n);
    auto at = values.find(name);
    if (at == values.end()) at = values.find(path_of(n));
    return at == values.end() ? nullptr : &at->second;
  }
  /// The same for the value that an observer sees, as integers of the observer's dtype.
  /// Errors  there are none, or none of that dtype
  [[nodiscard]] result<qparams> of_observer(graph_view<stage::prepared> g, int i) const {
    const node& watched = g.arg(i, 0);
    const qparams* const found = find(watched);
    if (found == nullptr)
      return fail(place_of(watched), "the file of qparams has no scale and zero point of it");
    const dtype type = g[i].observer_config->args.dtype;
    const qparams all = with_whole_range(*found, type);
    if (std::string problem = problem_with(all, type); !problem.empty())
      return fail(place_of(watched), "in the file of qparams " + problem);
    return all;
  }
};

namespace named_qparams_of {

/// The name without its last part, if that is `part`; else empty.
[[nodiscard]] inline std::string_view owner(std::string_view name, std::string_view part) {
  return name.size() > part.size() && name.ends_with(part)
             ? name.substr(0, name.size() - part.size())
             : std::string_view{};
}

template <class T>
[[nodiscard]] result<std::vector<T>> numbers(const tensor_file& file, std::string_view owner,
                                             std::string_view part) {
  const std::string name = std::string{owner} + std::string{part};
  const stored_tensor* const t = file.find(name);
  if (t == nullptr) return fail("tensor " + shown(name), "is missing");
  return values_of<T>(*t);
}

/// Errors  a tensor that is missing, or has another dtype or number of elements
template <int = 0>
[[nodiscard, gnu::cold]] result<weight_qparams> pair(const tensor_file& file,
                                                     std::string_view owner,
                                                     std::string_view scale_name,
                                                     std::string_view zero_point_name) {
  auto scale = numbers<float>(file, owner, scale_name);
  if (!scale) return unexpected{scale.error()};
  auto zero_point = numbers<std::int32_t>(file, owner, zero_point_name);
  if (!zero_point) return unexpected{zero_point.error()};
  if (scale->empty() || scale->size() != zero_point->size())
    return fail("tensor " + shown(std::string{owner} + std::string{scale_name}),
                sentence("has ", scale->size(), " elements, its zero point ", zero_point->size()));
  return weight_qparams{*std::move(scale), *std::move(zero_point)};
}

/// Errors  as pair; a tensor of another name
template <int = 0>
[[nodiscard, gnu::cold]] result<named_qparams> read(const tensor_file& file) {
  named_qparams all;
  for (const stored_tensor& t : file.tensors) {
    if (const auto name = owner(t.name, ".output_scale"); !name.empty()) {
      const auto found = pair(file, name, ".output_scale", ".output_zero_point");
      if (!found) return unexpected{found.error()};
      if (found->scale.size() != 1)
        return fail("tensor " + shown(t.name),
                    sentence("has ", found->scale.size(), " elements, a value has one scale"));
      all.values[std::string{name}] = {found->scale[0], found->zero_point[0]};
    } else if (const auto path = owner(t.name, ".weight_scale"); !path.empty()) {
      auto found = pair(file, path, ".weight_scale", ".weight_zero_point");
      if (!found) return unexpected{found.error()};
      all.weights[std::string{path}] = *std::move(found);
    } else if (owner(t.name, "_zero_point").empty()) {
      return fail("tensor " + shown(t.name), "is no scale and no zero point");
    }
  }
  return all;
}

}  // namespace named_qparams_of

/// Reads the file that export_fx.py --qat writes beside the weights, NAME.qparams.safetensors.
/// Errors  as read_safetensors; a tensor that is missing, of another dtype or of another name
template <int = 0>
[[nodiscard, gnu::cold]] result<named_qparams> load_qparams(const file_path& path) {
  const auto file = read_safetensors(path);
  if (!file) return unexpected{file.error()};
  auto all = named_qparams_of::read(*file);
  if (!all) return fail(path.filename() + ": " + all.error().place, all.error().cause);
  return all;
}

}  // namespace ctq
