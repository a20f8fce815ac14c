// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/ops/define_ops.hpp"
#include "ctq/ops/in_float/along_axes.hpp"

// Matrices of which one side of a diagonal stays, and the other is 0, which PyTorch's backends
// leave in float.

namespace ctq {

struct triangle_options {
  int diagonal{};  // above the main one, negative below it
};

}  // namespace ctq

// clang-format off
#define CTQ_TRIANGLES(OP) \
  CTQ_FUNCTION_AND_METHOD(OP, tril, triangle_options, tril) \
  CTQ_FUNCTION_AND_METHOD(OP, triu, triangle_options, triu)
// clang-format on

CTQ_TRIANGLES(CTQ_DECLARE_OP)

namespace ctq::descriptors {

namespace functions {

template <bool Lower, class Isa>
[[gnu::noinline]] void triangle(const op_arguments<float>& x, const attributes& a) noexcept {
  const long diagonal = a.as<triangle_options>().diagonal;
  const shape& s = x.out.shape;
  const int rows = s[s.rank - 2], columns = s[s.rank - 1];
  const std::size_t elements = x.out.size();
  int row = 0, column = 0;
  for (std::size_t i = 0; i < elements; ++i) {
    const long above = static_cast<long>(column) - row;
    x.out[i] = (Lower ? above <= diagonal : above >= diagonal) ? x.in[0][i] : 0.0F;
    if (++column < columns) continue;
    column = 0;
    row = row + 1 == rows ? 0 : row + 1;
  }
}

}  // namespace functions

constexpr shape triangle_shape_rule(ctq::view<shape> in, attributes&, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0)) return {};
  if (in[0].rank < 2) return shape_rules::wrong_input(d, in[0], "requires matrices");
  return in[0];
}
inline constexpr op_descriptor tril =
    of_tensor(&triangle_shape_rule, &functions::triangle<true, isa::native>);
inline constexpr op_descriptor triu =
    of_tensor(&triangle_shape_rule, &functions::triangle<false, isa::native>);

}  // namespace ctq::descriptors

CTQ_TRIANGLES(CTQ_DESCRIBE_OP)
