// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/no_contract.hpp"
#include "ctq/ops/define_ops.hpp"

// nn.Bilinear, products of two vectors by a matrix for each output, which PyTorch's backends leave
// in float.

namespace ctq {

struct bilinear_options {
  int in1_features{};  // 0: found from the inputs
  int in2_features{};
  int out_features{};
  flag bias = true;
};

}  // namespace ctq

// clang-format off
#define CTQ_BILINEAR(OP) \
  OP(nn, one_or_two_inputs, bilinear, "torch.nn.Bilinear", bilinear_options, bilinear)
// clang-format on

CTQ_BILINEAR(CTQ_DECLARE_OP)

namespace ctq::descriptors {

constexpr op_parameters bilinear_parameters(const attributes& a) {
  const auto o = a.as<bilinear_options>();
  const op_parameter weight{"weight", {o.out_features, o.in1_features, o.in2_features}};
  if (!o.bias) return {weight};
  return {weight, op_parameter{"bias", {o.out_features}}};
}

/// Vectors along the last axes; the other axes must be the same.
constexpr shape bilinear_shape_rule(ctq::view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 2, 0)) return {};
  shape out = in[0], other = in[1];
  if (out.rank == 0 || other.rank == 0) return shape_rules::wrong_input(d, {}, "requires vectors");
  auto o = a.as<bilinear_options>();
  int &last = out[out.rank - 1], &other_last = other[other.rank - 1];
  if (!shape_rules::settle(d, "in1_features", o.in1_features, last, in[0]) ||
      !shape_rules::settle(d, "in2_features", o.in2_features, other_last, in[1]))
    return {};
  if (o.out_features < 1) {
    shape_rules::complain(d, "out_features is ", o.out_features, ", not 1 or more");
    return {};
  }
  last = other_last = o.out_features;
  const shape both[] = {out, other};
  shape_rules::same_shapes({both, 2}, d);
  if (d.any() ||
      !shape_rules::countable_weight(d, {o.out_features, o.in1_features, o.in2_features}))
    return {};
  a = attributes{o};
  return out;
}

namespace functions {

/// Accumulates in double, as linear layers in float.
template <class Isa>
[[gnu::noinline]] void bilinear(const op_arguments<float>& x, const attributes& a) noexcept {
  const auto o = a.as<bilinear_options>();
  const auto firsts = static_cast<std::size_t>(o.in1_features);
  const auto seconds = static_cast<std::size_t>(o.in2_features);
  const auto outputs = static_cast<std::size_t>(o.out_features);
  for (std::size_t i = 0; i < x.out.size(); ++i) {
    const float* const first = x.in[0].data + i / outputs * firsts;
    const float* const second = x.in[1].data + i / outputs * seconds;
    const float* weight = x.parameters[0].floats + i % outputs * firsts * seconds;
    double sum = 0;
    for (std::size_t k = 0; k < firsts; ++k, weight += seconds) {
      double row = 0;
      for (std::size_t l = 0; l < seconds; ++l)
        row += static_cast<double>(weight[l]) * static_cast<double>(second[l]);
      sum += no_contract(row * static_cast<double>(first[k]));
    }
    const float bias = o.bias ? x.parameters[1].floats[i % outputs] : 0.0F;
    x.out[i] = static_cast<float>(sum) + bias;
  }
}

}  // namespace functions

inline constexpr op_descriptor bilinear{
    .infer_shape = &bilinear_shape_rule,
    .functions = {.tensors = 2, .apply = &functions::bilinear<isa::native>},
    .parameters = &bilinear_parameters,
    .schedule = {.how = schedule_as::function}};

}  // namespace ctq::descriptors

CTQ_BILINEAR(CTQ_DESCRIBE_OP)
