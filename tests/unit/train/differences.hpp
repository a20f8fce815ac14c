// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "ctq/train/random.hpp"

// Gradients compared with central differences in float64.

namespace differences {

using vector = std::vector<double>;

/// From -1 to 1.
inline vector random(std::size_t count, std::uint64_t seed) {
  ctq::training::random_source source(seed);
  vector x(count);
  for (double& v : x) v = 2.0 * static_cast<double>(source.uniform()) - 1.0;
  return x;
}

/// The loss whose gradient with respect to out is `weights`.
inline double loss(const vector& out, const vector& weights) {
  double sum = 0;
  for (std::size_t i = 0; i < out.size(); ++i) sum += out[i] * weights[i];
  return sum;
}

/// Checks `gradient`, of loss_of() with respect to x, which is changed element by element. The
/// error is relative to the largest element.
template <class Loss>
void check(vector& x, const vector& gradient, Loss loss_of, double step = 1e-5) {
  REQUIRE(gradient.size() == x.size());
  vector difference(x.size());
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double kept = x[i];
    x[i] = kept + step;
    const double above = loss_of();
    x[i] = kept - step;
    difference[i] = (above - loss_of()) / (2 * step);
    x[i] = kept;
    largest = std::max(largest, std::fabs(difference[i]));
  }
  REQUIRE(largest > 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    CAPTURE(i);
    CHECK(std::fabs(gradient[i] - difference[i]) <= 1e-7 * largest);
  }
}

}  // namespace differences
