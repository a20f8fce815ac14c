// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctq/core/diagnostic.hpp"
#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/float_op.hpp"
#include "ctq/ops/strided_view.hpp"

// The functions that compiled models call, of ops of several tensors and of those with parameters.

namespace ctq::float_ops {

/// The shape of a tensor; false: there are too many axes for one.
inline bool to_shape(const tensor& t, shape& s) {
  if (t.shape.size() > max_rank) return false;
  for (const int extent : t.shape) s[s.rank++] = extent;
  return true;
}

/// Indices as numbers, as compiled models have them among their parameters.
[[nodiscard]] inline tensor as_floats(const index_tensor& t) {
  tensor numbers{t.shape, {}};
  for (const std::int64_t i : t.data) numbers.data.push_back(static_cast<float>(i));
  return numbers;
}

/// What the function of an op has computed: the output and, in ops that say so, what follows it in
/// memory.
struct function_value {
  std::vector<float> all{};
  shape out{};
  attributes options{};

  /// A tensor with the elements at this place.
  [[nodiscard]] tensor part(const strided_view& v) const {
    const auto begin = all.begin() + v.offset;
    const auto count = static_cast<std::ptrdiff_t>(numel(v.shape));
    return {extents(v.shape.extent, v.shape.extent + v.shape.rank), {begin, begin + count}};
  }
  [[nodiscard]] tensor output() const { return part(contiguous_view(out, layout::nchw)); }
};

/// Calls the function of an op.
///   names    of its tensors
///   options  as its shape rule gets them
[[nodiscard]] inline result<function_value> call_function(operands& from,
                                                          std::initializer_list<const char*> names,
                                                          const attributes& options) {
  const op_descriptor& d = *from.op()->descriptor;
  op_arguments<float> x;
  shape in[3];
  tensor numbers[3];  // of integers
  int tensors = 0;
  for (const char* name : names) {
    const index_tensor* const indices = from.indices_or_null(name);
    if (indices != nullptr) numbers[tensors] = as_floats(*indices);
    const tensor& t = indices != nullptr ? numbers[tensors] : from.floats(name);
    from.require(to_shape(t, in[tensors]), std::string(name) + " has too many axes");
    x.in[tensors] = {t.data.data(), in[tensors]};
    ++tensors;
  }
  function_value computed{.options = options};
  if (from.failed()) return from.failure();
  diagnostic problem;
  computed.out = d.infer_shape({in, tensors}, computed.options, problem);
  if (problem.any()) return from.failure(std::string(problem.message()));
  const op_parameters parameters =
      d.parameters == nullptr ? op_parameters{} : d.parameters(computed.options);
  for (int p = 0; p < parameters.count; ++p) {
    const op_parameter& wanted = parameters.item[p];
    const tensor& t = from.floats(wanted.name);
    shape found;
    from.require(to_shape(t, found) && found == wanted.shape,
                 std::string(wanted.name) + " does not fit the input");
    x.parameters.item[p] = {.shape = wanted.shape, .floats = t.data.data()};
  }
  if (from.failed()) return from.failure();
  const auto elements =
      d.schedule.sizes == nullptr
          ? numel(computed.out)
          : static_cast<std::size_t>(d.schedule.sizes(computed.options, in[0], computed.out)[0]);
  computed.all.resize(elements);
  x.out = {computed.all.data(), computed.out};
  d.functions.apply(x, computed.options);
  return computed;
}

/// The same with the options of the call.
[[nodiscard]] inline result<function_value> call_function(
    operands& from, std::initializer_list<const char*> names) {
  return call_function(from, names, from.options());
}

namespace implementation {

inline result<value> output_of(const result<function_value>& computed) {
  if (!computed) return unexpected{computed.error()};
  return value(computed->output());
}

/// Of vectors in two tensors.
inline result<value> distance(operands& from) {
  return output_of(call_function(from, {"x1", "x2"}));
}

/// What indices choose.
inline result<value> chosen(operands& from) {
  return output_of(call_function(from, {"input", "index"}));
}

inline result<value> grid_sample(operands& from) {
  return output_of(call_function(from, {"input", "grid"}));
}

inline result<value> bilinear(operands& from) {
  return output_of(call_function(from, {"input1", "input2"}));
}

/// Values and where they lie, which are integers again.
inline result<value> in_sorted_order(operands& from) {
  const auto computed = call_function(from, {"input"});
  if (!computed) return unexpected{computed.error()};
  const strided_view whole = contiguous_view(computed->out, layout::nchw);
  const tensor places = computed->part(from.op()->descriptor->tuple_item({}, whole, 1));
  index_tensor indices{places.shape, {}};
  for (const float place : places.data) indices.data.push_back(static_cast<std::int64_t>(place));
  return value(list{computed->output(), std::move(indices)});
}

inline constexpr float_op function_pairs[] = {
    {"topk", "input, ...", in_sorted_order},
    {"sort", "input, ...", in_sorted_order},
    {"cosine_similarity pairwise_distance", "x1, x2, ...", distance, "x1, x2"},
    {"cdist", "x1, x2, p=2.0, compute_mode=None", distance},
    {"index_select gather", "input, dim, index, *, sparse_grad=False", chosen},
    {"grid_sample", "input, grid, ...", grid_sample},
    {"bilinear", "...", bilinear, "input1, input2"},
};

}  // namespace implementation
}  // namespace ctq::float_ops
