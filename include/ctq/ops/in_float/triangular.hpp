// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/ops/define_ops.hpp"
#include "ctq/ops/in_float/along_axes.hpp"

// torch.tril and torch.triu: the lower and upper triangular parts of matrices, which PyTorch's
// backends leave in float.

namespace ctq {

struct triangular_options {
  int diagonal{};  // above the main one, negative below it
};

}  // namespace ctq

// clang-format off
#define CTQ_TRIANGULAR(OP) \
  CTQ_FUNCTION_AND_METHOD(OP, tril, triangular_options, tril) \
  CTQ_FUNCTION_AND_METHOD(OP, triu, triangular_options, triu)
// clang-format on

CTQ_TRIANGULAR(CTQ_DECLARE_OP)

namespace ctq::descriptors {

namespace functions {

template <bool Lower, class Isa>
[[gnu::noinline]] void triangular(const op_arguments<float>& x, const attributes& a) noexcept {
  const long diagonal = a.as<triangular_options>().diagonal;
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

constexpr shape triangular_shape_rule(ctq::view<shape> in, attributes&, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0)) return {};
  if (in[0].rank < 2) return shape_rules::wrong_input(d, in[0], "requires matrices");
  return in[0];
}
inline constexpr op_descriptor tril =
    keeping_integers(of_tensor(&triangular_shape_rule, &functions::triangular<true, isa::native>));
inline constexpr op_descriptor triu =
    keeping_integers(of_tensor(&triangular_shape_rule, &functions::triangular<false, isa::native>));

}  // namespace ctq::descriptors

CTQ_TRIANGULAR(CTQ_DESCRIBE_OP)
