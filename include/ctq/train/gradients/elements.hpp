// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "ctq/core/shape.hpp"
#include "ctq/train/random.hpp"

// Concatenation and dropout, which move elements or multiply them, and their gradients, which are
// added.

namespace ctq::training {

template <class Real>
void add_to(std::size_t count, const Real* from, Real* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] += from[i];
}

/// out[i] = a[i] * b[i], and a gradient with respect to one factor, given the other.
template <class Real>
void apply_factors(std::size_t count, const Real* a, const Real* b, Real* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = a[i] * b[i];
}
template <class Real>
void add_gradient_of_factors(std::size_t count, const Real* other, const Real* grad_out,
                             Real* grad_in) {
  for (std::size_t i = 0; i < count; ++i) grad_in[i] += grad_out[i] * other[i];
}

/// Where the elements of one input are in a concatenation along an axis.
struct concatenated_rows {
  std::size_t rows{}, length{};    // of the input
  std::size_t stride{}, before{};  // of the output: the length of its rows, and of earlier inputs

  concatenated_rows(const shape& in, const shape& out, int axis, std::size_t earlier)
      : rows(1), length(1) {
    std::size_t inner = 1;
    for (int a = 0; a < axis; ++a) rows *= static_cast<std::size_t>(in[a]);
    for (int a = axis + 1; a < in.rank; ++a) inner *= static_cast<std::size_t>(in[a]);
    length = inner * static_cast<std::size_t>(in[axis]);
    stride = inner * static_cast<std::size_t>(out[axis]);
    before = inner * earlier;
  }
};

template <class Real>
void apply_concatenation(const concatenated_rows& r, const Real* in, Real* out) {
  for (std::size_t row = 0; row < r.rows; ++row)
    std::copy_n(in + row * r.length, r.length, out + row * r.stride + r.before);
}
template <class Real>
void add_concatenation_gradient(const concatenated_rows& r, const Real* grad_out, Real* grad_in) {
  for (std::size_t row = 0; row < r.rows; ++row)
    add_to(r.length, grad_out + row * r.stride + r.before, grad_in + row * r.length);
}

/// Drops each element with probability p and scales the others by 1 / (1 - p); stores in `factors`
/// what each element was multiplied by.
template <class Real>
void apply_dropout(std::size_t count, float p, random_source& random, const Real* in, Real* out,
                   std::vector<Real>& factors) {
  const Real kept = p < 1.0F ? Real{1} / (Real{1} - static_cast<Real>(p)) : Real{0};
  factors.resize(count);
  for (Real& f : factors) f = random.uniform() < p ? Real{0} : kept;
  apply_factors(count, in, factors.data(), out);
}

}  // namespace ctq::training
