// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "ctq/ops/op.hpp"

// Descriptors of ops, asked for what they compute and for shapes.

namespace ctq {

/// What the op makes of x.
template <class Op>
float value_of(const Op& op, float x, const typename Op::options& o = {}) {
  float out = 0;
  op.id()->descriptor->functions.apply({.in = {{&x, {1}}}, .out = {&out, {1}}}, attributes{o});
  return out;
}
template <class Op>
float value_of_two(const Op& op, float x, float y) {
  float out = 0;
  op.id()->descriptor->functions.apply({.in = {{&x, {1}}, {&y, {1}}}, .out = {&out, {1}}}, {});
  return out;
}

/// What the shape rule says: the shape, or words.
struct rule_answer {
  shape out{};
  attributes options{};
  diagnostic problem{};
};
template <class Op>
constexpr rule_answer answer_of(const Op& op, view<shape> in, const typename Op::options& o = {}) {
  rule_answer a{.options = attributes{o}};
  a.out = op.id()->descriptor->infer_shape(in, a.options, a.problem);
  return a;
}
template <class Op>
constexpr shape shape_by(const Op& op, const shape& in, const typename Op::options& o = {}) {
  return answer_of(op, {&in, 1}, o).out;
}
template <class Op>
constexpr bool refuses(const Op& op, const shape& in, const typename Op::options& o = {}) {
  return answer_of(op, {&in, 1}, o).problem.any();
}

/// What a function of a matrix gives.
template <class Op>
std::vector<float> values_of_matrix(const Op& op, const typename Op::options& o = {}) {
  const float x[] = {1, -2, 3, 0.5F, 2, 0, -1, 4};
  const shape in{2, 4};
  const rule_answer a = answer_of(op, {&in, 1}, o);
  std::vector<float> out(numel(a.out));
  op.id()->descriptor->functions.apply({.in = {{x, in}}, .out = {out.data(), a.out}}, a.options);
  return out;
}

/// A tensor and its elements.
struct test_tensor {
  ctq::shape shape{};
  std::vector<float> values{};
};

/// What a function of several tensors gives.
template <class Op>
std::vector<float> values_of(const Op& op, const std::vector<test_tensor>& in,
                             const typename Op::options& o = {}) {
  shape shapes[3];
  op_arguments<float> x;
  for (std::size_t i = 0; i < in.size(); ++i) {
    REQUIRE(in[i].values.size() == numel(in[i].shape));
    shapes[i] = in[i].shape;
    x.in[i] = {in[i].values.data(), in[i].shape};
  }
  const rule_answer a = answer_of(op, {shapes, static_cast<int>(in.size())}, o);
  REQUIRE(!a.problem.any());
  std::vector<float> out(numel(a.out));
  x.out = {out.data(), a.out};
  op.id()->descriptor->functions.apply(x, a.options);
  return out;
}

/// The same of a vector and a number, before it or after it.
template <class Op>
std::vector<float> values_with_number(const Op& op, const std::vector<float>& x,
                                      const scalar_operand& number) {
  const shape s{static_cast<int>(x.size())};
  std::vector<float> out(x.size());
  op.id()->descriptor->functions.apply({.in = {{x.data(), s}}, .out = {out.data(), s}},
                                       attributes{number});
  return out;
}

/// The elements from a first one on, each one more.
inline test_tensor counted(const shape& s, float first = 1.0F) {
  test_tensor t{s, std::vector<float>(numel(s))};
  for (float& x : t.values) x = first++;
  return t;
}

inline void check_values(const std::vector<float>& got, const std::vector<double>& wanted) {
  REQUIRE(got.size() == wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    CHECK(static_cast<double>(got[i]) == doctest::Approx(wanted[i]).epsilon(1e-6));
}

}  // namespace ctq
