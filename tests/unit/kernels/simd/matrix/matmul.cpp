// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/matrix/matmul.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "ctq/core/isa.hpp"
#include "kernels/samples.hpp"
#include "kernels/simd/matrix/matmul_shapes.hpp"

using namespace ctq;
using namespace ctq::kernels;
using samples::elements_of;
using samples::random_matmul;

namespace {

void check_floats(const matmul_shape& s, unsigned seed) {
  const samples::fenced a(samples::plain_floats(elements_of(s.matrices[0], s.m, s.k), seed));
  const samples::fenced b(samples::plain_floats(elements_of(s.matrices[1], s.k, s.n), seed + 1));
  std::vector<float> expected(elements_of(s.batch, s.m, s.n));
  std::vector<float> workspace(simd::matmul_workspace<isa::native>(s) / sizeof(float));
  samples::guarded<float> out(expected.size());
  reference::matmul(s, a.data(), b.data(), nullptr, expected.data());
  simd::matmul<isa::native>(s, a.data(), b.data(), workspace.data(), out.data());
  CHECK(out.holds(expected));
}

}  // namespace

TEST_CASE("matmul multiplies matrices of floats") {
  const std::vector<float> a = {1, 2, 3, 4}, b = {5, 6, 7, 8};
  std::vector<float> out(4);
  reference::matmul({.batch = 1, .m = 2, .n = 2, .k = 2, .matrices = {1, 1}}, a.data(), b.data(),
                    nullptr, out.data());
  CHECK(out == std::vector<float>{19, 22, 43, 50});
  reference::matmul({.batch = 1, .m = 2, .n = 2, .k = 2, .matrices = {1, 1}, .transposed = 1},
                    a.data(), b.data(), nullptr, out.data());
  CHECK(out == std::vector<float>{17, 23, 39, 53});
}

TEST_CASE("simd matmul of floats gives the bits of the reference") {
  samples::for_each_seed(samples::seeds(100), [](samples::generator& random, unsigned seed) {
    const matmul_shape s = random_matmul(random);
    CAPTURE(s.m);
    CAPTURE(s.n);
    CAPTURE(s.k);
    CAPTURE(s.transposed);
    check_floats(s, seed);
  });
}
