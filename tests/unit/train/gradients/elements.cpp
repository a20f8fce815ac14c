// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/train/gradients/elements.hpp"

#include <doctest/doctest.h>

#include "../differences.hpp"

using namespace ctq;
using differences::vector;

TEST_CASE("gradients of a concatenation go to its parts") {
  for (int axis = 1; axis < 4; ++axis) {
    shape first{2, 2, 3, 2}, second = first, whole = first;
    second[axis] = 3;
    whole[axis] = first[axis] + 3;
    vector a = differences::random(numel(first), 1), b = differences::random(numel(second), 2);
    const vector grad_out = differences::random(numel(whole), 3);
    const training::concatenated_rows of_a(first, whole, axis, 0);
    const training::concatenated_rows of_b(second, whole, axis,
                                           static_cast<std::size_t>(first[axis]));
    vector out(numel(whole), 100.0);
    const auto run = [&] {
      training::apply_concatenation(of_a, a.data(), out.data());
      training::apply_concatenation(of_b, b.data(), out.data());
      return differences::loss(out, grad_out);
    };
    run();
    CHECK(*std::max_element(out.begin(), out.end()) < 100.0);  // all are written
    vector grad_a(a.size()), grad_b(b.size());
    training::add_concatenation_gradient(of_a, grad_out.data(), grad_a.data());
    training::add_concatenation_gradient(of_b, grad_out.data(), grad_b.data());
    differences::check(a, grad_a, run);
    differences::check(b, grad_b, run);
  }
}

TEST_CASE("dropout drops a part and keeps the mean") {
  constexpr std::size_t count = 20000;
  const vector x(count, 3.0);
  vector out(count), factors;
  training::random_source random(5);
  training::apply_dropout(count, 0.25F, random, x.data(), out.data(), factors);
  const auto dropped = static_cast<double>(std::count(out.begin(), out.end(), 0.0));
  CHECK(dropped == doctest::Approx(0.25 * count).epsilon(0.03));
  for (std::size_t i = 0; i < count; ++i) {
    REQUIRE(out[i] == x[i] * factors[i]);
    REQUIRE((factors[i] == 0.0 || factors[i] == doctest::Approx(4.0 / 3.0)));
  }
  vector again(count), same;
  training::random_source same_seed(5);
  training::apply_dropout(count, 0.25F, same_seed, x.data(), again.data(), same);
  CHECK(again == out);
  training::apply_dropout(count, 1.0F, random, x.data(), out.data(), factors);
  CHECK(out == vector(count, 0.0));
}
