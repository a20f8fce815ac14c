// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/ops/define_ops.hpp"
#include "ctq/ops/in_float/along_axes.hpp"

// torch.cumsum and torch.cumprod: cumulative sums and products along an axis, which PyTorch's
// backends leave in float.

namespace ctq {

struct cumulative_options {
  int dim{};
};

}  // namespace ctq

// clang-format off
#define CTQ_CUMULATIVE(OP) \
  CTQ_FUNCTION_AND_METHOD(OP, cumsum, cumulative_options, cumsum) \
  CTQ_FUNCTION_AND_METHOD(OP, cumprod, cumulative_options, cumprod)
// clang-format on

CTQ_CUMULATIVE(CTQ_DECLARE_OP)

namespace ctq::descriptors {

namespace functions {

/// Accumulates in double, as PyTorch.
template <bool Product, class Isa>
[[gnu::noinline]] void cumulative(const op_arguments<float>& x, const attributes& a) noexcept {
  along_axis(x.in[0], a.as<cumulative_options>().dim, [&](strided_elements e, auto, auto) {
    float* const out = x.out.data + (e.first - x.in[0].data);
    double all = Product ? 1.0 : 0.0;
    for (std::size_t k = 0; k < e.count; ++k) {
      const auto next = static_cast<double>(e[k]);
      all = Product ? all * next : all + next;
      out[k * e.stride] = static_cast<float>(all);
    }
  });
}

}  // namespace functions

constexpr shape cumulative_rule(ctq::view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0)) return {};
  auto o = a.as<cumulative_options>();
  if (!shape_rules::settle_axis(d, "dim", o.dim, in[0].rank)) return {};
  a = attributes{o};
  return in[0];
}
constexpr op_descriptor cumulating(op_functions::function<float> apply) {
  return keeping_integers(of_tensor(&cumulative_rule, apply), integers_if::all_are_or_masks);
}
inline constexpr op_descriptor cumsum = cumulating(&functions::cumulative<false, isa::native>);
inline constexpr op_descriptor cumprod = cumulating(&functions::cumulative<true, isa::native>);

}  // namespace ctq::descriptors

CTQ_CUMULATIVE(CTQ_DESCRIBE_OP)
