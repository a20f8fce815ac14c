// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/float_ops/kernels/float_kernels.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <random>
#include <vector>

#include "ctq/evaluate/float_ops/linear.hpp"
#include "ctq/evaluate/kernels/kernel_calls.hpp"

using namespace ctq;
namespace float_kernels = ctq::float_ops::float_kernels;

namespace {

std::vector<float> random_floats(std::size_t count, unsigned seed) {
  std::mt19937 random{seed};
  std::uniform_real_distribution<float> values(-3.0F, 3.0F);
  std::vector<float> x(count);
  for (float& f : x) f = values(random);
  return x;
}

std::vector<std::uint32_t> bits_of(const std::vector<float>& x) {
  std::vector<std::uint32_t> bits;
  for (const float f : x) bits.push_back(std::bit_cast<std::uint32_t>(f));
  return bits;
}

/// Checks that run(functions, in and out) has the same bits with kernels as with references.
template <class Run>
void check(const std::vector<float>& in, Run run) {
  kernel_calls calls{*kernel_functions_of<fast_kernels>()};
  const float_ops::layer_functions by = calls.float_layers(/*is_lowered=*/false);
  REQUIRE((by.kernel != nullptr));
  std::vector<float> expected = in, found = in;
  run(float_ops::layer_functions{}, expected.data());
  run(by, found.data());
  CHECK(bits_of(found) == bits_of(expected));
  CHECK(bits_of(found) != bits_of(in));
}

}  // namespace

TEST_CASE("a kernel of an instruction set has the bits of its reference, also in place") {
  const std::vector<float> x = random_floats(4 * 37, 1);
  for (const int logarithm : {0, 1}) {
    const softmax_shape rows{.rows = 4, .count = 37, .logarithm = logarithm};
    const softmax_shape columns{.rows = 37, .count = 4, .stride = 37, .logarithm = logarithm};
    for (const softmax_shape& s : {rows, columns})
      check(x, [&](const float_ops::layer_functions& by, float* y) {
        float_kernels::softmax(by, s, y, y);
      });
  }
  check(x, [&](const float_ops::layer_functions& by, float* y) {
    float_kernels::attention_softmax(by, {4, 4, 37, /*causal=*/1, std::bit_cast<int>(0.25F)}, y, y);
  });
  check(x, [&](const float_ops::layer_functions& by, float* y) {
    const std::vector<float> from(y, y + x.size());
    float_kernels::matmul(by, {.batch = 2, .m = 2, .n = 3, .k = 37, .matrices = {2, 1}},
                          from.data(), from.data() + 1, y);
  });
}

TEST_CASE("layer norm has weight and bias, one of both, or neither") {
  const std::vector<float> x = random_floats(3 * 40, 2), weight = random_floats(40, 3),
                           bias = random_floats(40, 4);
  for (const float* const w : {static_cast<const float*>(nullptr), weight.data()})
    for (const float* const b : {static_cast<const float*>(nullptr), bias.data()})
      check(x, [&](const float_ops::layer_functions& by, float* y) {
        float_kernels::layer_norm(by, {.rows = 3, .count = 40, .channels = 40, .eps = 1e-5F}, y, w,
                                  b, y);
      });
}

TEST_CASE("matmul broadcasts the axes before those of the matrices, with kernels as without") {
  kernel_calls calls{*kernel_functions_of<fast_kernels>()};
  const auto multiply = [](const float_ops::layer_functions& by, float_ops::extents a,
                           float_ops::extents b) {
    const std::size_t left = float_ops::numel(a), right = float_ops::numel(b);
    return *float_ops::matmul(by, {std::move(a), random_floats(left, 5)},
                              {std::move(b), random_floats(right, 6)});
  };
  for (const auto& [a, b] :
       {std::pair<float_ops::extents, float_ops::extents>{{2, 1, 5, 7}, {3, 7, 9}},
        {{4, 5, 7}, {4, 7, 1}},
        {{5, 7}, {7}},
        {{0, 5, 7}, {7, 2}},
        {{5, 0}, {0, 2}}}) {
    const float_ops::tensor expected = multiply({}, a, b);
    const float_ops::tensor found = multiply(calls.float_layers(false), a, b);
    CHECK(found.shape == expected.shape);
    CHECK(bits_of(found.data) == bits_of(expected.data));
  }
}
