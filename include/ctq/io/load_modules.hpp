// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/evaluate/module_state.hpp"
#include "ctq/evaluate/node_call.hpp"
#include "ctq/io/file_path.hpp"
#include "ctq/io/fx_graph.hpp"
#include "ctq/io/message.hpp"
#include "ctq/io/read_safetensors.hpp"
#include "ctq/io/safetensors.hpp"

// Options and tensors of the modules of a traced model, for evaluation: options from its rows,
// tensors from a safetensors file.

namespace ctq {

namespace loading {

/// Converts elements to the element type of values.
template <stored_element From, class To>
[[nodiscard]] result<float_ops::value> converted(const stored_tensor& from,
                                                 float_ops::extents shape) {
  auto elements = values_of<From>(from);
  if (!elements) return unexpected{elements.error()};
  float_ops::array<To> to{std::move(shape), {}};
  to.data.reserve(elements->size());
  for (const From x : *elements) {
    if constexpr (std::is_same_v<From, double>)
      if (std::isfinite(x) && std::abs(x) > std::numeric_limits<To>::max())
        return fail("tensor " + shown(from.name), "holds a number that float32 does not reach");
    to.data.push_back(static_cast<To>(x));
  }
  return float_ops::value(std::move(to));
}

[[nodiscard]] inline float_ops::value mask(const stored_tensor& from, float_ops::extents shape) {
  float_ops::tensor to{std::move(shape), {}};
  to.data.reserve(from.data.size());
  for (const std::byte element : from.data) to.data.push_back(element == std::byte{} ? 0.0F : 1.0F);
  return float_ops::value(std::move(to));
}

}  // namespace loading

/// Converts a tensor of a file for evaluation: float64 is rounded to float32; integers are indices;
/// a mask is floats, 0 and 1, as comparisons give.
/// Errors  other element types; an extent over 2^31; finite numbers beyond float32
[[nodiscard]] inline result<float_ops::value> value_of(const stored_tensor& t) {
  using index = std::int64_t;
  float_ops::extents shape;
  for (const std::int64_t extent : t.shape) {
    if (extent > std::numeric_limits<int>::max())
      return fail("tensor " + shown(t.name), "an extent is larger than any model's");
    shape.push_back(static_cast<int>(extent));
  }
  switch (t.dtype) {
    case stored_dtype::f32: return loading::converted<float, float>(t, std::move(shape));
    case stored_dtype::f64: return loading::converted<double, float>(t, std::move(shape));
    case stored_dtype::i64: return loading::converted<std::int64_t, index>(t, std::move(shape));
    case stored_dtype::i32: return loading::converted<std::int32_t, index>(t, std::move(shape));
    case stored_dtype::i16: return loading::converted<std::int16_t, index>(t, std::move(shape));
    case stored_dtype::i8: return loading::converted<std::int8_t, index>(t, std::move(shape));
    case stored_dtype::u8: return loading::converted<std::uint8_t, index>(t, std::move(shape));
    case stored_dtype::boolean: return loading::mask(t, std::move(shape));
    default:
      return fail("tensor " + shown(t.name), "holds " + std::string(name_of(t.dtype)) +
                                                 "; F32, F64, BOOL and integers can be evaluated");
  }
}

namespace loading {

/// The name of the weight that a convolution, linear layer, embedding or recurrent layer needs, if
/// the file has no tensor whose name begins so.
[[nodiscard]] inline std::string missing_weight(const node& n, const tensor_file& file) {
  const bool needs_one = n.op->builtin && n.op->kind == op_kind::module &&
                         n.op->descriptor->weights == op_weights::quantizable;
  if (!needs_one) return {};
  std::string name = std::string(path_of(n)) + ".weight";
  for (const stored_tensor& t : file.tensors)
    if (t.name.starts_with(name)) return {};
  return name;
}

}  // namespace loading

/// The options of the modules that a model calls, and the tensors of its state_dict.
/// Errors  as value_of; a weight or an attribute that the model reads, but that is not in the file
[[nodiscard]] inline result<module_state> modules_of(const fx_graph& model,
                                                     const tensor_file& file) {
  module_state modules;
  for (const stored_tensor& t : file.tensors) {
    auto v = value_of(t);
    if (!v) return unexpected{v.error()};
    modules.set_tensor(t.name, *std::move(v));
  }
  const graph_view<stage::traced> g = model.view();
  for (int i = 0; i < g.size(); ++i) {
    const std::string_view path = path_of(g[i]);
    if (const std::string weight = loading::missing_weight(g[i], file); !weight.empty())
      return fail("node " + shown(g[i].name),
                  "needs " + shown(weight) + ", which is not among the tensors");
    const bool is_attribute = g[i].op->kind == op_kind::get_attr;
    if (is_attribute && modules.find(path) == nullptr)
      return fail("node " + shown(g[i].name),
                  "reads " + shown(path) + ", which is not among the tensors");
    if (is_attribute && is_index(g[i].dtype))  // compiled models store these as floats
      if (const auto* numbers = modules.find(path)->get_if<float_ops::tensor>())
        if (auto integers = as_indices(*numbers)) modules.set_tensor(path, *std::move(integers));
    const std::vector<float_ops::value> no_nodes;
    calling::argument_reader options(model.options_of(i), no_nodes);
    while (options.more()) {
      const std::string_view name = options.keyword();
      modules.set_option(path, name, options.next());
    }
  }
  return modules;
}

/// The same from a file, as tools/export_fx.py writes it. The file is read once and closed; an
/// evaluator keeps a reference to the result.
/// Errors  as read_safetensors and modules_of, with the file's name
[[nodiscard]] inline result<module_state> load_modules(const fx_graph& model,
                                                       const file_path& path) {
  const auto file = read_safetensors(path);
  if (!file) return unexpected{file.error()};
  auto modules = modules_of(model, *file);
  if (!modules) return fail(path.filename() + ": " + modules.error().place, modules.error().cause);
  return modules;
}

}  // namespace ctq
