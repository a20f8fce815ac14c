// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/matrix/matmul.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "ctq/core/isa.hpp"
#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

std::size_t elements(int matrices, int rows, int columns) {
  return static_cast<std::size_t>(matrices) * static_cast<std::size_t>(rows) *
         static_cast<std::size_t>(columns);
}

void check_floats(const matmul_shape& s, unsigned seed) {
  const samples::fenced a(samples::plain_floats(elements(s.matrices[0], s.m, s.k), seed));
  const samples::fenced b(samples::plain_floats(elements(s.matrices[1], s.k, s.n), seed + 1));
  std::vector<float> expected(elements(s.batch, s.m, s.n));
  std::vector<float> workspace(simd::matmul_workspace(s) / sizeof(float));
  samples::guarded<float> out(expected.size());
  reference::matmul(s, a.data(), b.data(), nullptr, expected.data());
  simd::matmul<isa::native>(s, a.data(), b.data(), workspace.data(), out.data());
  CHECK(out.holds(expected));
}

template <class Q>
void check_integers(const matmul_shape& s, samples::generator& random) {
  const int least = std::numeric_limits<Q>::min(), most = std::numeric_limits<Q>::max();
  const auto bytes = [&](std::size_t count) {
    std::vector<Q> all(count);
    for (Q& q : all)
      q = static_cast<Q>(random.between(0, 3) == 0 ? most : random.between(least, most));
    return samples::fenced<Q>(all);
  };
  const auto a = bytes(elements(s.matrices[0], s.m, s.k));
  const auto b = bytes(elements(s.matrices[1], s.k, s.n));
  const auto steps = [&](float scale) {
    return qparams{scale, random.between(least, most), least, most};
  };
  // Of a tiny scale all outputs are at the ends.
  const qparams a_q = steps(0.03F), b_q = steps(0.002F);
  const qparams out_q = steps(random.between(0, 5) == 0 ? 1e-30F : 0.07F);
  std::vector<Q> expected(elements(s.batch, s.m, s.n));
  std::vector<float> workspace(simd::matmul_workspace(s) / sizeof(float));
  samples::guarded<Q> out(expected.size());
  reference::matmul(s, a.data(), a_q, b.data(), b_q, out_q, nullptr, expected.data());
  simd::matmul<isa::native>(s, a.data(), a_q, b.data(), b_q, out_q, workspace.data(), out.data());
  CHECK(out.holds(expected));
}

matmul_shape random_shape(samples::generator& random) {
  matmul_shape s{.batch = random.between(1, 3),
                 .m = random.between(1, 9),
                 .n = random.between(1, 40),
                 .k = random.between(0, 9) == 0 ? random.between(250, 530) : random.between(1, 40),
                 .transposed = random.between(0, 1)};
  for (int& matrices : s.matrices) matrices = random.between(0, 3) == 0 ? 1 : s.batch;
  return s;
}

}  // namespace

TEST_CASE("matmul multiplies matrices") {
  const std::vector<float> a = {1, 2, 3, 4}, b = {5, 6, 7, 8};
  std::vector<float> out(4);
  reference::matmul({.batch = 1, .m = 2, .n = 2, .k = 2, .matrices = {1, 1}}, a.data(), b.data(),
                    nullptr, out.data());
  CHECK(out == std::vector<float>{19, 22, 43, 50});
  reference::matmul({.batch = 1, .m = 2, .n = 2, .k = 2, .matrices = {1, 1}, .transposed = 1},
                    a.data(), b.data(), nullptr, out.data());
  CHECK(out == std::vector<float>{17, 23, 39, 53});
  const std::vector<std::uint8_t> p = {11, 12}, q = {20, 22};
  std::vector<std::uint8_t> r(1);
  reference::matmul({.batch = 1, .m = 1, .n = 1, .k = 2, .matrices = {1, 1}}, p.data(),
                    qparams{0.5F, 10}, q.data(), qparams{2.0F, 20}, qparams{0.25F, 3}, nullptr,
                    r.data());
  CHECK(r[0] == 3 + (1 * 0 + 2 * 2) * 4);
}

TEST_CASE("simd matmul gives the bits of the reference") {
  samples::for_each_seed(samples::seeds(100), [](samples::generator& random, unsigned seed) {
    const matmul_shape s = random_shape(random);
    CAPTURE(s.m);
    CAPTURE(s.n);
    CAPTURE(s.k);
    CAPTURE(s.transposed);
    check_floats(s, seed);
    check_integers<std::uint8_t>(s, random);
    check_integers<std::int8_t>(s, random);
  });
}
