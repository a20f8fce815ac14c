// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "ctq/core/diagnostic.hpp"
#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/float_op.hpp"
#include "ctq/ops/strided_view.hpp"

// Calls the functions of ops with several tensors or with parameters, which compiled models call,
// too.

namespace ctq::float_ops {

/// Converts the shape of a tensor; false if it has too many axes.
inline bool to_shape(const tensor& t, shape& s) {
  if (t.shape.size() > max_rank) return false;
  for (const int extent : t.shape) s[s.rank++] = extent;
  return true;
}

/// What the function of an op has computed: the output and, for some ops, what follows it in
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
///   names    those of its tensors
///   options  as its shape rule reads them
[[nodiscard]] inline result<function_value> call_function(operands& from,
                                                          std::initializer_list<const char*> names,
                                                          const attributes& options) {
  const op_descriptor& d = *from.op()->descriptor;
  op_arguments<float> x;
  shape in[3];
  int tensors = 0;
  for (const char* name : names) {
    const tensor& t = from.floats(name);
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

/// Only the output.
[[nodiscard]] inline result<value> call_for_output(operands& from,
                                                   std::initializer_list<const char*> names) {
  const auto computed = call_function(from, names);
  if (!computed) return unexpected{computed.error()};
  return value(computed->output());
}

}  // namespace ctq::float_ops
