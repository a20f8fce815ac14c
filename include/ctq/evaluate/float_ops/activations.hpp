// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "ctq/core/diagnostic.hpp"
#include "ctq/core/no_contract.hpp"
#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/float_op.hpp"

// Activation functions in float32. The result for NaN is NaN.

namespace ctq::float_ops {

namespace implementation {

/// An op that computes element by element, with its function in ops/.
inline result<value> elementwise(operands& from) {
  tensor out = from.floats("input");
  attributes options = from.options();
  if (from.failed()) return from.failure();
  const shape elements{static_cast<int>(out.data.size())};
  const op_descriptor& d = *from.op()->descriptor;
  diagnostic problem;
  if (d.infer_shape != nullptr) d.infer_shape({&elements, 1}, options, problem);
  if (problem.any()) return from.failure(std::string(problem.message()));
  d.functions.apply({.in = {{out.data.data(), elements}}, .out = {out.data.data(), elements}},
                    options);
  return value(std::move(out));
}

/// Any other op that has functions.
inline result<value> by_shape_rule(operands& from) {
  const tensor& in = from.floats("input");
  attributes options = from.options();
  from.require(in.shape.size() <= max_rank, "input has too many axes");
  if (from.failed()) return from.failure();
  shape x;
  for (const int extent : in.shape) x[x.rank++] = extent;
  diagnostic problem;
  const op_descriptor& d = *from.op()->descriptor;
  const shape y = d.infer_shape({&x, 1}, options, problem);
  if (problem.any()) return from.failure(std::string(problem.message()));
  tensor out{extents(y.extent, y.extent + y.rank), std::vector<float>(numel(y))};
  d.functions.apply({.in = {{in.data.data(), x}}, .out = {out.data.data(), y}}, options);
  return value(std::move(out));
}

/// The slope is fixed; only training draws it at random.
inline result<value> rrelu(operands& from) {
  from.require(!from.flag("training"), "cannot be trained");
  return elementwise(from);
}

/// x >= 0 ? x : x * weight, with one weight for all or one per channel (axis 1).
inline result<value> prelu(operands& from) {
  tensor out = from.floats("input");
  const tensor& weight = from.floats("weight");
  const std::size_t slopes = weight.data.size();
  const std::size_t channels = rank(out.shape) < 2 ? 1 : static_cast<std::size_t>(out.shape[1]);
  from.require(slopes == 1 || (slopes != 0 && slopes == channels),
               "needs one weight, or one a channel");
  if (from.failed()) return from.failure();
  std::size_t pixels = 1;
  for (std::size_t a = 2; a < out.shape.size(); ++a)
    pixels *= static_cast<std::size_t>(out.shape[a]);
  for (std::size_t i = 0; i < out.data.size(); ++i) {
    float& x = out.data[i];
    if (!(x > 0.0F)) x *= weight.data[slopes == 1 ? 0 : i / pixels % slopes];
  }
  return value(std::move(out));
}

/// Dropout, identity, contiguous, detach: return the input, since values are immutable.
inline result<value> nothing(operands& from) {
  const value in = from.any("input");
  if (from.failed()) return from.failure();
  return in;
}

inline constexpr float_op activations[] = {
    {"flip", "input, *dims", by_shape_rule},
    {"cumsum cumprod", "input, dim, *, dtype=None", by_shape_rule},
    {"prelu", "input, weight", prelu},
    {"rrelu", "input, lower=0.125, upper=0.33333334, training=False, inplace=False", rrelu},
    {"softmin", "input, dim=None, _stacklevel=3, dtype=None", by_shape_rule},
    {"identity dropout dropout?d alpha_dropout feature_alpha_dropout stochastic_depth contiguous "
     "detach clone",
     "input, p=0.5, training=True, inplace=False, train=True, memory_format=None, "
     "mode=None",
     nothing},
};

}  // namespace implementation
}  // namespace ctq::float_ops
