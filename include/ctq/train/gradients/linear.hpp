// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>

#include "ctq/train/matrix_product.hpp"

// Linear layers and their gradients.

namespace ctq::training {

/// in [rows, inputs] · weight [outputs, inputs] · out [rows, outputs]
struct linear_geometry {
  std::size_t rows{}, inputs{}, outputs{};
};

/// out = in * weight^T + bias; bias [outputs] or null
template <class Isa, class Real>
void apply_linear(const linear_geometry& g, const Real* in, const Real* weight, const Real* bias,
                  Real* out) {
  for (std::size_t r = 0; r < g.rows; ++r)
    if (bias == nullptr)
      std::fill_n(out + r * g.outputs, g.outputs, Real{0});
    else
      std::copy_n(bias, g.outputs, out + r * g.outputs);
  add_product_of_rows<Isa, Real>(g.rows, g.outputs, g.inputs, {in, g.inputs}, {weight, g.inputs},
                                 {out, g.outputs});
}

/// Adds the gradients with respect to weight, and to in unless grad_in is null, given that of out.
template <class Isa, class Real>
void add_linear_gradient(const linear_geometry& g, const Real* in, const Real* weight,
                         const Real* grad_out, Real* grad_in, Real* grad_weight) {
  add_product<Isa, Real>(g.outputs, g.inputs, g.rows, {grad_out, 1, g.outputs}, {in, g.inputs},
                         {grad_weight, g.inputs});
  if (grad_in != nullptr)
    add_product<Isa, Real>(g.rows, g.inputs, g.outputs, {grad_out, g.outputs}, {weight, g.inputs},
                           {grad_in, g.inputs});
}

}  // namespace ctq::training
