// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/ops/define_ops.hpp"
#include "ctq/ops/in_float/along_axes.hpp"

// Sums and products of the elements up to each, along an axis, which PyTorch's backends leave in
// float.

namespace ctq {

struct running_sum_options {
  int dim{};
};

}  // namespace ctq

// clang-format off
#define CTQ_RUNNING_SUMS(OP) \
  CTQ_FUNCTION_AND_METHOD(OP, cumsum, running_sum_options, cumsum) \
  CTQ_FUNCTION_AND_METHOD(OP, cumprod, running_sum_options, cumprod)
// clang-format on

CTQ_RUNNING_SUMS(CTQ_DECLARE_OP)

namespace ctq::descriptors {

namespace functions {

/// Accumulates in double, as PyTorch.
template <bool Product, class Isa>
[[gnu::noinline]] void running_sum(const op_arguments<float>& x, const attributes& a) noexcept {
  along_axis(x.in[0], a.as<running_sum_options>().dim, [&](strided_elements e, auto, auto) {
    float* const out = x.out.data + (e.first - x.in[0].data);
    double all = Product ? 1.0 : 0.0;
    for (std::size_t k = 0; k < e.count; ++k) {
      const auto next = static_cast<double>(e[k]);
      all = Product ? all * next : all + next;
      out[k * e.step] = static_cast<float>(all);
    }
  });
}

}  // namespace functions

constexpr shape running_sum_rule(ctq::view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0)) return {};
  auto o = a.as<running_sum_options>();
  if (!shape_rules::settle_axis(d, "dim", o.dim, in[0].rank)) return {};
  a = attributes{o};
  return in[0];
}
inline constexpr op_descriptor cumsum =
    of_tensor(&running_sum_rule, &functions::running_sum<false, isa::native>);
inline constexpr op_descriptor cumprod =
    of_tensor(&running_sum_rule, &functions::running_sum<true, isa::native>);

}  // namespace ctq::descriptors

CTQ_RUNNING_SUMS(CTQ_DESCRIBE_OP)
