// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/train/gradients/arithmetic.hpp"

#include <doctest/doctest.h>

#include "../differences.hpp"

using namespace ctq;
using differences::vector;

namespace {

constexpr gradient_rule rules[] = {gradient_rule::sum, gradient_rule::difference,
                                   gradient_rule::product, gradient_rule::quotient};

void compare(gradient_rule rule, const shape& out_shape, const shape& a_shape,
             const shape& b_shape) {
  CAPTURE(static_cast<int>(rule));
  vector a = differences::random(numel(a_shape), 1), b = differences::random(numel(b_shape), 2);
  for (double& v : b) v = v < 0 ? v - 0.5 : v + 0.5;  // a divisor
  const vector grad_out = differences::random(numel(out_shape), 3);
  vector out(numel(out_shape)), grad_a(a.size()), grad_b(b.size());
  const auto run = [&] {
    training::apply_arithmetic<double>(rule, out_shape, {a.data(), a_shape}, {b.data(), b_shape},
                                       out.data());
    return differences::loss(out, grad_out);
  };
  run();
  training::add_arithmetic_gradient<double>(rule, out_shape, {a.data(), a_shape, grad_a.data()},
                                            {b.data(), b_shape, grad_b.data()}, grad_out.data());
  differences::check(a, grad_a, run);
  differences::check(b, grad_b, run);
  const vector kept = grad_a;
  training::add_arithmetic_gradient<double>(rule, out_shape, {a.data(), a_shape, nullptr},
                                            {b.data(), b_shape, nullptr}, grad_out.data());
  CHECK(grad_a == kept);
}

TEST_CASE("gradients of arithmetic equal central differences") {
  for (const gradient_rule rule : rules) {
    compare(rule, {2, 3, 2, 2}, {2, 3, 2, 2}, {2, 3, 2, 2});
    compare(rule, {2, 3, 2, 2}, {2, 3, 2, 2}, {2, 3, 1, 1});
    compare(rule, {2, 3, 2, 4}, {2, 1, 2, 4}, {2, 3, 1, 1});
    compare(rule, {2, 3, 4}, {2, 3, 1}, {1, 1, 4});
    compare(rule, {5, 4}, {5, 4}, {1, 1});
  }
}

TEST_CASE("arithmetic has the values of its ops") {
  const vector a{6, 8}, b{2, 4};
  const vector expected[] = {{8, 12}, {4, 4}, {12, 32}, {3, 2}};
  for (std::size_t i = 0; i < 4; ++i) {
    vector out(2);
    training::apply_arithmetic<double>(rules[i], {1, 2}, {a.data(), {1, 2}}, {b.data(), {1, 2}},
                                       out.data());
    CHECK(out == expected[i]);
  }
}

}  // namespace
