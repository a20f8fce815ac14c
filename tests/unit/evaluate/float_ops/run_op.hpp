// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "ctq/evaluate/float_ops/arguments.hpp"
#include "ctq/evaluate/float_ops/float_op.hpp"

// Calls one op of one header: the table that call.hpp looks an op up in contains all of them, and
// takes long to compile.

namespace run_op {

using namespace ctq::float_ops;

/// For ops that call no other.
inline ctq::result<value> no_other(ctq::op_id op, const arguments&, const layer_functions&) {
  return ctq::fail(std::string(op->name), "is not in this table");
}

/// What an op with this implementation gives, or why it gives nothing.
inline ctq::result<value> run(const float_op& f, ctq::op_id op, python_call c) {
  const python_signature s = signature_of(f, op);
  const auto bound = ctq::float_ops::bind(op->name, s, std::move(c));
  if (!bound) return ctq::unexpected{bound.error()};
  const layer_functions none;
  operands from(op, s, *bound, no_other, none);
  return f.run(from);
}

/// The same of an op of the table.
template <class Op, std::size_t N>
ctq::result<value> run(const float_op (&table)[N], const Op& op, python_call c) {
  for (const float_op& f : table)
    if (is_named(op.id()->name, f.names)) return run(f, op.id(), std::move(c));
  return no_other(op.id(), {}, {});
}

/// The cause of the error; empty if there is none.
inline std::string cause(const ctq::result<value>& y) { return y ? "" : y.error().cause; }

/// The tensor that an op gives.
inline tensor floats(const ctq::result<value>& y) {
  REQUIRE(cause(y) == "");
  REQUIRE(y->is<tensor>());
  return *y->get_if<tensor>();
}
/// The tensors of a list that an op gives.
inline std::vector<tensor> float_list(const ctq::result<value>& y) {
  REQUIRE(cause(y) == "");
  REQUIRE(y->is<list>());
  std::vector<tensor> all;
  for (const value& v : *y->get_if<list>()) {
    REQUIRE(v.is<tensor>());
    all.push_back(*v.get_if<tensor>());
  }
  return all;
}

/// Numbers between -2 and 2 that repeat late.
inline tensor some(extents shape, int seed = 1) {
  tensor t = filled(std::move(shape));
  for (std::size_t i = 0; i < t.data.size(); ++i)
    t.data[i] =
        static_cast<float>((static_cast<int>(i) * 7919 + seed * 104729) % 2003 - 1001) / 500;
  return t;
}

/// 0, 1, 2, …
inline tensor counted(extents shape) {
  tensor t = filled(std::move(shape));
  for (std::size_t i = 0; i < t.data.size(); ++i) t.data[i] = static_cast<float>(i);
  return t;
}

/// Equal but for the rounding of the result to float32, and a little of what led to it.
inline void check_near(const tensor& got, const extents& shape, const std::vector<double>& wanted,
                       double tolerance = 1e-6) {
  CHECK(got.shape == shape);
  REQUIRE(got.data.size() == wanted.size());
  double worst = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double off = std::abs(static_cast<double>(got.data[i]) - wanted[i]);
    worst = std::fmax(worst, off / (1 + std::abs(wanted[i])));
    if (std::isnan(off)) worst = off;
  }
  CHECK(worst <= tolerance);
}

}  // namespace run_op
