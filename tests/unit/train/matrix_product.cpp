// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/train/matrix_product.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "ctq/core/isa.hpp"
#include "differences.hpp"

namespace training = ctq::training;

namespace {

template <class Isa, class Real>
void compare(std::size_t m, std::size_t n, std::size_t k) {
  CAPTURE(m);
  CAPTURE(n);
  CAPTURE(k);
  const auto from = [](const differences::vector& x) {
    return std::vector<Real>(x.begin(), x.end());
  };
  const std::vector<Real> a = from(differences::random(m * k, 1));
  const std::vector<Real> b = from(differences::random(n * k, 2));
  const std::vector<Real> start = from(differences::random(m * n, 3));
  std::vector<Real> a_transposed(m * k), b_transposed(n * k);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t p = 0; p < k; ++p) a_transposed[p * m + i] = a[i * k + p];
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t p = 0; p < k; ++p) b_transposed[p * n + j] = b[j * k + p];
  std::vector<Real> rows = start, columns = start, transposed = start;
  training::add_product_of_rows<Isa, Real>(m, n, k, {a.data(), k}, {b.data(), k}, {rows.data(), n});
  training::add_product<Isa, Real>(m, n, k, {a.data(), k}, {b_transposed.data(), n},
                                   {columns.data(), n});
  training::add_product<Isa, Real>(m, n, k, {a_transposed.data(), 1, m}, {b_transposed.data(), n},
                                   {transposed.data(), n});
  const double bound = (sizeof(Real) == 4 ? 1e-6 : 1e-14) * std::sqrt(static_cast<double>(k) + 1);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double sum = static_cast<double>(start[i * n + j]);
      for (std::size_t p = 0; p < k; ++p)
        sum += static_cast<double>(a[i * k + p]) * static_cast<double>(b[j * k + p]);
      for (const auto* c : {&rows, &columns, &transposed})
        CHECK(std::fabs(static_cast<double>((*c)[i * n + j]) - sum) <= bound);
    }
}

template <class Isa>
void compare_all() {
  for (const std::size_t m : {1U, 4U, 7U})
    for (const std::size_t n : {1U, 8U, 13U, 50U})
      for (const std::size_t k : {0U, 1U, 9U, 200U}) {
        compare<Isa, float>(m, n, k);
        compare<Isa, double>(m, n, k);
      }
  compare<Isa, float>(5, 6, 900);
}

TEST_CASE("products equal their definition, for every remainder of a tile") {
  compare_all<ctq::isa::native>();
}
TEST_CASE("so they do without vectors") { compare_all<ctq::isa::scalar>(); }

TEST_CASE("rows hold whole cache lines, an odd number of them") {
  CHECK(training::spread_row<float>(1) == 16);
  CHECK(training::spread_row<float>(16) == 16);
  CHECK(training::spread_row<float>(17) == 48);
  CHECK(training::spread_row<double>(9) == 24);
}

}  // namespace
