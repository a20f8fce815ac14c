// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/no_contract.hpp"
#include "ctq/ops/attention.hpp"
#include "ctq/ops/define_ops.hpp"

// beta * input + alpha * (mat1 @ mat2), which TensorRT's backend quantizes and no kernel computes
// on integers.

namespace ctq {

struct addmm_options {
  float beta = 1.0F;
  float alpha = 1.0F;
};

}  // namespace ctq

// clang-format off
#define CTQ_ADDMM(OP) \
  OP(fn, ternary_op, addmm, "torch.addmm", addmm_options, addmm)
// clang-format on

CTQ_ADDMM(CTQ_DECLARE_OP)

namespace ctq::descriptors {

/// A tensor that broadcasts to the product of two matrices.
constexpr shape addmm_shape_rule(ctq::view<shape> in, attributes&, diagnostic& d) {
  if (!shape_rules::needs(d, in, 3, 0)) return {};
  const shape &added = in[0], &a = in[1], &b = in[2];
  const bool is_product = a.rank == 2 && b.rank == 2 && a[1] == b[0];
  const shape out = is_product ? shape{a[0], b[1]} : shape{};
  bool broadcasts = is_product && added.rank <= 2;
  for (int i = 0; i < added.rank && broadcasts; ++i) {
    const int extent = added[added.rank - 1 - i];
    broadcasts = extent == 1 || extent == out[1 - i];
  }
  if (broadcasts) return out;
  shape_rules::complain(d, is_product ? "input does not broadcast to the product"
                                      : "mat1 and mat2 are no matrices that fit");
  for (const shape& s : in) shape_rules::show_input(d, s);
  return {};
}

namespace functions {

/// Accumulates in double, as matmul.
template <class Isa>
[[gnu::noinline]] void addmm(const op_arguments<float>& x, const attributes& options) noexcept {
  constexpr std::size_t block = 8;  // columns, whose sums are in registers
  const auto o = options.as<addmm_options>();
  const shape& added = x.in[0].shape;
  const auto rows = static_cast<std::size_t>(x.out.shape[0]);
  const auto columns = static_cast<std::size_t>(x.out.shape[1]);
  const auto depth = static_cast<std::size_t>(x.in[1].shape[1]);
  const std::size_t column_stride = added.rank > 0 && added[added.rank - 1] > 1 ? 1 : 0;
  const std::size_t row_stride =
      added.rank > 1 && added[0] > 1 ? static_cast<std::size_t>(added[1]) : 0;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t first = 0; first < columns; first += block) {
      const std::size_t count = columns - first < block ? columns - first : block;
      double sum[block]{};
      for (std::size_t k = 0; k < depth; ++k) {
        const auto factor = static_cast<double>(x.in[1][i * depth + k]);
        const float* const from = x.in[2].data + k * columns + first;
        for (std::size_t c = 0; c < count; ++c) sum[c] += factor * static_cast<double>(from[c]);
      }
      for (std::size_t c = 0; c < count; ++c) {
        const auto product = static_cast<double>(static_cast<float>(sum[c]));
        const auto term =
            static_cast<double>(x.in[0][i * row_stride + (first + c) * column_stride]);
        x.out[i * columns + first + c] =
            static_cast<float>(no_contract(static_cast<double>(o.beta) * term) +
                               no_contract(static_cast<double>(o.alpha) * product));
      }
    }
}

}  // namespace functions

inline constexpr op_descriptor addmm{
    .infer_shape = &addmm_shape_rule,
    .functions = {.tensors = 3, .apply = &functions::addmm<isa::native>},
    .weights = op_weights::quantizable,
    .schedule = {.how = schedule_as::function}};

}  // namespace ctq::descriptors

CTQ_ADDMM(CTQ_DESCRIBE_OP)
