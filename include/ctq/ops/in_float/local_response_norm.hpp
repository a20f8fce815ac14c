// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/no_contract.hpp"
#include "ctq/ops/define_ops.hpp"
#include "ctq/ops/in_float/along_axes.hpp"

// The normalization by neighbouring channels of AlexNet, which PyTorch's backends leave in float.

namespace ctq {

/// x / (k + alpha * mean)^beta, with the mean of the squares of `size` channels around each one;
/// outside of the channels there are zeros.
struct local_response_norm_options {
  int size{};
  float alpha = 1e-4F;
  float beta = 0.75F;
  float k = 1.0F;
};

}  // namespace ctq

// clang-format off
#define CTQ_LOCAL_RESPONSE_NORMS(OP) \
  CTQ_MODULE_AND_FUNCTION(OP, local_response_norm, "LocalResponseNorm", local_response_norm_options, local_response_norm)
// clang-format on

CTQ_LOCAL_RESPONSE_NORMS(CTQ_DECLARE_OP)

namespace ctq::descriptors {

namespace functions {

template <class Isa>
[[gnu::noinline]] void local_response_norm(const op_arguments<float>& x,
                                           const attributes& a) noexcept {
  const auto o = a.as<local_response_norm_options>();
  const auto size = static_cast<std::size_t>(o.size), before = size / 2;
  along_axis(x.in[0], 1, [&](strided_elements e, auto, auto) {
    float* const out = x.out.data + (e.first - x.in[0].data);
    for (std::size_t c = 0; c < e.count; ++c) {
      const std::size_t first = c < before ? 0 : c - before;
      const std::size_t end = c + size - before;
      float squares = 0.0F;
      for (std::size_t k = first; k < end && k < e.count; ++k) squares += no_contract(e[k] * e[k]);
      const float mean = squares / static_cast<float>(size);
      out[c * e.stride] = e[c] / __builtin_powf(no_contract(mean * o.alpha) + o.k, o.beta);
    }
  });
}

}  // namespace functions

constexpr shape local_response_norm_rule(ctq::view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0)) return {};
  if (in[0].rank < 3)
    return shape_rules::wrong_input(d, in[0], "requires an input of 3 axes or more");
  const int size = a.as<local_response_norm_options>().size;
  if (size < 1) return shape_rules::wrong_input(d, in[0], "size is ", size, ", not 1 or more");
  return in[0];
}
inline constexpr op_descriptor local_response_norm =
    of_tensor(&local_response_norm_rule, &functions::local_response_norm<isa::native>);

}  // namespace ctq::descriptors

CTQ_LOCAL_RESPONSE_NORMS(CTQ_DESCRIBE_OP)
