// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/matrix/blocking.hpp"

#include <doctest/doctest.h>

#include "kernels/emulated_tiles.hpp"
#include "kernels/square_shape.hpp"

using namespace ctq;
using namespace ctq::kernels;
using simd::blocking_of;
using simd::method;

namespace {

using tiled = emulation::with_tiles;

constexpr conv2d_shape gemm(int m, int n, int k) {
  return as_conv2d({.rows = m, .in_features = k, .out_features = n});
}
constexpr conv2d_shape square(int kernel, int stride, int in, int out, int size) {
  return samples::square_shape(kernel, stride, in, out, size);
}
constexpr method by(const conv2d_shape& s) { return blocking_of<tiled, std::uint8_t>(s).by; }

// Which core: the measured crossover.
static_assert(by(gemm(8, 16, 32)) == method::dense);
static_assert(by(gemm(1, 1024, 1024)) == method::dense);
static_assert(by(gemm(2, 1024, 1024)) == method::tiles);
static_assert(by(gemm(16, 64, 64)) == method::dense);
static_assert(by(gemm(64, 64, 64)) == method::tiles);
static_assert(by(gemm(0, 64, 64)) == method::dense);
static_assert(by(gemm(64, 64, 0)) == method::dense);
static_assert(by(square(3, 1, 1, 8, 28)) == method::dense);
static_assert(by(square(3, 1, 8, 16, 14)) == method::tiles);
static_assert(by({1, 14, 14, 384, 384, 3, 3, 1, 1, 1, 1, 1, 1, 384}) == method::depthwise);
static_assert(blocking_of<tiled, float>(gemm(64, 64, 64)).by == method::dense);
static_assert(blocking_of<isa::avx512vnni, std::uint8_t>(gemm(64, 64, 64)).by == method::dense);

}  // namespace
