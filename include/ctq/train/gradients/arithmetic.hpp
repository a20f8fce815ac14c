// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/shape.hpp"
#include "ctq/ops/op_descriptor.hpp"

// Sums, differences, products and quotients of two values, which are broadcast as in PyTorch, and
// their gradients: that of a value that was repeated is the sum of all its copies.

namespace ctq::training {

/// One of two values, with as many axes as the result. An axis of one element is repeated.
template <class Real>
struct operand_ref {
  const Real* data{};
  ctq::shape shape{};
  Real* gradient{};  // gradients are added to it; null: not wanted
};

namespace broadcasting {

/// The distances between elements along all axes, of which the operand may lack the first ones; 0
/// where it is repeated.
struct strides {
  std::size_t of[max_rank]{};

  strides(const shape& s, const shape& out) {
    std::size_t stride = 1;
    for (int axis = out.rank - 1; axis >= 0; --axis) {
      const auto at = static_cast<std::size_t>(axis + static_cast<int>(max_rank) - out.rank);
      of[at] = s[axis] == 1 ? 0 : stride;
      stride *= static_cast<std::size_t>(s[axis]);
    }
  }
};

/// Calls visit(first element of out, of a, of b, count, stride of a, stride of b) for rows.
template <class Visit>
void for_each_row(const shape& out, const shape& a, const shape& b, Visit visit) {
  if (a == out && b == out) {
    visit(0, 0, 0, numel(out), 1, 1);
    return;
  }
  std::size_t extent[max_rank];
  for (int axis = 0; axis < static_cast<int>(max_rank); ++axis) {
    const int own = axis + out.rank - static_cast<int>(max_rank);
    extent[axis] = own < 0 ? 1 : static_cast<std::size_t>(out[own]);
  }
  const strides of_a(a, out), of_b(b, out);
  constexpr std::size_t last = max_rank - 1;
  std::size_t index[last]{};
  for (std::size_t at = 0; at < numel(out); at += extent[last]) {
    const auto first = [&](const strides& s) {
      std::size_t sum = 0;
      for (std::size_t axis = 0; axis < last; ++axis) sum += index[axis] * s.of[axis];
      return sum;
    };
    visit(at, first(of_a), first(of_b), extent[last], of_a.of[last], of_b.of[last]);
    for (std::size_t axis = last; axis-- > 0;) {
      if (++index[axis] < extent[axis]) break;
      index[axis] = 0;
    }
  }
}

/// Calls f(function of two numbers, its derivative by the first, its derivative by the second).
template <class Real, class F>
void with_function(gradient_rule rule, F f) {
  switch (rule) {
    case gradient_rule::sum:
      return f([](Real a, Real b) { return a + b; }, [](Real, Real) { return Real{1}; },
               [](Real, Real) { return Real{1}; });
    case gradient_rule::difference:
      return f([](Real a, Real b) { return a - b; }, [](Real, Real) { return Real{1}; },
               [](Real, Real) { return Real{-1}; });
    case gradient_rule::product:
      return f([](Real a, Real b) { return a * b; }, [](Real, Real b) { return b; },
               [](Real a, Real) { return a; });
    case gradient_rule::quotient:
      return f([](Real a, Real b) { return a / b; }, [](Real, Real b) { return Real{1} / b; },
               [](Real a, Real b) { return -a / (b * b); });
    default: break;
  }
}

}  // namespace broadcasting

/// Computes out from both values.
/// Requires  rule is sum, difference, product or quotient
template <class Real>
void apply_arithmetic(gradient_rule rule, const shape& out_shape, const operand_ref<Real>& a,
                      const operand_ref<Real>& b, Real* out) {
  broadcasting::with_function<Real>(rule, [&](auto value, auto, auto) {
    broadcasting::for_each_row(out_shape, a.shape, b.shape,
                               [&](std::size_t at, std::size_t of_a, std::size_t of_b,
                                   std::size_t count, std::size_t step_a, std::size_t step_b) {
                                 for (std::size_t i = 0; i < count; ++i)
                                   out[at + i] =
                                       value(a.data[of_a + i * step_a], b.data[of_b + i * step_b]);
                               });
  });
}

template <class Real>
void add_arithmetic_gradient(gradient_rule rule, const shape& out_shape, const operand_ref<Real>& a,
                             const operand_ref<Real>& b, const Real* grad_out) {
  broadcasting::with_function<Real>(rule, [&](auto, auto by_a, auto by_b) {
    broadcasting::for_each_row(
        out_shape, a.shape, b.shape,
        [&](std::size_t at, std::size_t of_a, std::size_t of_b, std::size_t count,
            std::size_t step_a, std::size_t step_b) {
          const auto add = [&](Real* to, std::size_t step, auto slope) {
            if (to == nullptr) return;
            for (std::size_t i = 0; i < count; ++i)
              to[i * step] +=
                  grad_out[at + i] * slope(a.data[of_a + i * step_a], b.data[of_b + i * step_b]);
          };
          add(a.gradient == nullptr ? nullptr : a.gradient + of_a, step_a, by_a);
          add(b.gradient == nullptr ? nullptr : b.gradient + of_b, step_b, by_b);
        });
  });
}

}  // namespace ctq::training
