// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/kernels/xsimd.hpp"

// A register of an instruction set, or one number where there are no vectors, with the few
// operations that matrix products need.

namespace ctq::training {

/// A single number.
template <class Isa, class Real>
struct lanes {
  static constexpr std::size_t count = 1;
  Real value{};

  static lanes load(const Real* from) { return {*from}; }
  static lanes all(Real x) { return {x}; }
  void store(Real* to) const { *to = value; }
  [[nodiscard]] Real sum() const { return value; }
  /// this += a * b
  void add_product(const lanes& a, const lanes& b) { value += a.value * b.value; }
};

template <kernels::vectorized Isa, class Real>
struct lanes<Isa, Real> {
  using batch = kernels::batch<Isa, Real>;
  static constexpr std::size_t count = batch::size;
  batch value = batch(Real{0});

  static lanes load(const Real* from) { return {batch::load_unaligned(from)}; }
  static lanes all(Real x) { return {batch(x)}; }
  void store(Real* to) const { value.store_unaligned(to); }
  [[nodiscard]] Real sum() const {
    alignas(batch::arch_type::alignment()) Real parts[count];
    value.store_aligned(parts);
    Real total{0};
    for (const Real p : parts) total += p;
    return total;
  }
  void add_product(const lanes& a, const lanes& b) { value = xsimd::fma(a.value, b.value, value); }
};

}  // namespace ctq::training
