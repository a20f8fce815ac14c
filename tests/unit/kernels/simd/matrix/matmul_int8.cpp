// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/matrix/matmul_int8.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "ctq/core/isa.hpp"
#include "kernels/samples.hpp"
#include "kernels/simd/matrix/matmul_shapes.hpp"

using namespace ctq;
using namespace ctq::kernels;
using samples::elements_of;
using samples::random_matmul;

namespace {

template <class Q>
void check_integers(const matmul_shape& s, samples::generator& random) {
  const int least = std::numeric_limits<Q>::min(), most = std::numeric_limits<Q>::max();
  const auto bytes = [&](std::size_t count) {
    std::vector<Q> all(count);
    for (Q& q : all)
      q = static_cast<Q>(random.between(0, 3) == 0 ? most : random.between(least, most));
    return samples::fenced<Q>(all);
  };
  const auto a = bytes(elements_of(s.matrices[0], s.m, s.k));
  const auto b = bytes(elements_of(s.matrices[1], s.k, s.n));
  const auto steps = [&](float scale) {
    return qparams{scale, random.between(least, most), least, most};
  };
  // Of a tiny scale all outputs are at the ends.
  const qparams a_q = steps(0.03F), b_q = steps(0.002F);
  const qparams out_q = steps(random.between(0, 5) == 0 ? 1e-30F : 0.07F);
  std::vector<Q> expected(elements_of(s.batch, s.m, s.n));
  std::vector<float> workspace(simd::matmul_int8_workspace<isa::native>(s) / sizeof(float));
  samples::guarded<Q> out(expected.size());
  reference::matmul(s, a.data(), a_q, b.data(), b_q, out_q, nullptr, expected.data());
  simd::matmul<isa::native>(s, a.data(), a_q, b.data(), b_q, out_q, workspace.data(), out.data());
  CHECK(out.holds(expected));
}

}  // namespace

TEST_CASE("matmul multiplies matrices of integers") {
  const std::vector<std::uint8_t> p = {11, 12}, q = {20, 22};
  std::vector<std::uint8_t> r(1);
  reference::matmul({.batch = 1, .m = 1, .n = 1, .k = 2, .matrices = {1, 1}}, p.data(),
                    qparams{0.5F, 10}, q.data(), qparams{2.0F, 20}, qparams{0.25F, 3}, nullptr,
                    r.data());
  CHECK(r[0] == 3 + (1 * 0 + 2 * 2) * 4);
}

TEST_CASE("so do the products that tiles compute") {
  samples::for_each_seed(samples::seeds(12), [](samples::generator& random, unsigned) {
    matmul_shape s = random_matmul(random);
    s.m = random.between(16, 50);
    s.n = random.between(60, 140);
    s.k = random.between(1, 3) == 1 ? 64 * random.between(3, 4) : random.between(140, 270);
    CAPTURE(s.m);
    CAPTURE(s.n);
    CAPTURE(s.k);
    CAPTURE(s.transposed);
    CHECK(simd::by_tiles(s));
    check_integers<std::uint8_t>(s, random);
    check_integers<std::int8_t>(s, random);
  });
}

TEST_CASE("simd matmul of integers gives the bytes of the reference") {
  samples::for_each_seed(samples::seeds(100), [](samples::generator& random, unsigned) {
    const matmul_shape s = random_matmul(random);
    CAPTURE(s.m);
    CAPTURE(s.n);
    CAPTURE(s.k);
    CAPTURE(s.transposed);
    check_integers<std::uint8_t>(s, random);
    check_integers<std::int8_t>(s, random);
  });
}
