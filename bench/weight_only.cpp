// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear layers of few rows, whose time is dominated by reading the weights: int8, weight-only
// int8, and 4-bit groups. bench-weight-only [WINDOWS]

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>

#include "ctq/kernels/simd/convolution/conv2d.hpp"
#include "ctq/kernels/simd/matrix/linear_weight_int4.hpp"
#include "ctq/kernels/simd/matrix/linear_weight_int8.hpp"
#include "ctq/runtime/aligned_buffer.hpp"
#include "measure.hpp"

namespace bench {

namespace {

using isa = ctq::isa::native;
namespace kernels = ctq::kernels;
namespace simd = ctq::kernels::simd;
using buffer = std::shared_ptr<ctq::aligned_buffer>;

buffer memory(std::size_t bytes) { return std::make_shared<ctq::aligned_buffer>(bytes); }

template <class T>
std::shared_ptr<std::vector<T>> random_bytes(std::size_t n) {
  std::mt19937 random(1);
  auto out = std::make_shared<std::vector<T>>(n);
  for (T& x : *out) x = static_cast<T>(random());
  return out;
}

/// A layer and one row or more of its input.
struct operands {
  ctq::linear_shape shape;
  std::shared_ptr<std::vector<std::int8_t>> in, weight;
  std::shared_ptr<std::vector<float>> reals, scale, bias, out;

  explicit operands(const ctq::linear_shape& s) : shape(s) {
    const auto rows = static_cast<std::size_t>(s.rows);
    const auto k = static_cast<std::size_t>(s.in_features);
    const auto n = static_cast<std::size_t>(s.out_features);
    in = random_bytes<std::int8_t>(rows * k);
    weight = random_bytes<std::int8_t>(n * k);
    reals = std::make_shared<std::vector<float>>(in->begin(), in->end());
    scale = std::make_shared<std::vector<float>>(n * k / 32, 0x1p-12F);  // of the smallest groups
    bias = std::make_shared<std::vector<float>>(n, 0.5F);
    out = std::make_shared<std::vector<float>>(rows * n);
  }
};

subject int8(const operands& x) {
  const std::vector<std::int32_t> bias(x.bias->size(), 3);
  const ctq::conv2d_shape shape = simd::as_conv2d(x.shape);
  const auto packed = memory(simd::conv2d_packed_bytes<isa>(shape, ctq::qint8));
  const auto workspace = memory(simd::conv2d_workspace_bytes<isa>(shape, ctq::qint8));
  const auto out = memory(x.out->size());
  simd::pack<isa, std::int8_t>(
      shape, simd::unpacked{x.weight->data(), bias.data(), x.scale->data()}, packed->data());
  return {"int8",
          [=] {
            simd::conv2d<isa>(shape, x.in->data(), packed->data(), {0, -128, 127}, 0,
                              reinterpret_cast<std::int8_t*>(out->data()), workspace->data());
          },
          {}};
}

subject weight_int8(const operands& x) {
  const auto packed = memory(simd::linear_weight_int8_packed_bytes<isa>(x.shape));
  simd::pack_linear_weight_int8<isa>(x.shape, x.weight->data(), x.scale->data(), x.bias->data(),
                                     packed->data());
  return {"int8, float in",
          [=] {
            simd::linear_weight_int8<isa>(x.shape, x.reals->data(), packed->data(), x.out->data());
          },
          {}};
}

subject weight_int4(const operands& x, int group_size) {
  const auto packed = memory(simd::linear_weight_int4_packed_bytes<isa>(x.shape, group_size));
  const auto workspace = memory(simd::linear_weight_int4_workspace_bytes<isa>(x.shape, group_size));
  const kernels::int4_weights weight{group_size,
                                     reinterpret_cast<const std::uint8_t*>(x.weight->data()),
                                     x.scale->data(), nullptr};
  simd::pack_linear_weight_int4<isa>(x.shape, weight, packed->data());
  const std::vector<float> in_scale(static_cast<std::size_t>(x.shape.rows), 0.25F);
  return {"int4, groups of " + std::to_string(group_size),
          [=] {
            simd::linear_weight_int4<isa>(x.shape, group_size, x.in->data(), in_scale.data(),
                                          packed->data(), x.bias->data(), x.out->data(),
                                          workspace->data());
          },
          {}};
}

void run(const ctq::linear_shape& s, int windows) {
  const operands x(s);
  bench_case c{};
  c.subjects = {int8(x), weight_int8(x)};
  for (const int group_size : {32, 64, 128}) c.subjects.push_back(weight_int4(x, group_size));
  const result r = measure(c, windows, 0.004);
  std::printf("\n%dx%dx%d\n", s.rows, s.out_features, s.in_features);
  for (const timing& t : r.times) {
    std::printf("  %-20s %9.2f us  %5.2f of int8\n", t.name.c_str(), t.seconds * 1e6,
                r.seconds("int8") / t.seconds);
  }
}

}  // namespace

}  // namespace bench

int main(int count, char** arguments) {
  bench::stay_on_one_core(arguments);
  const int windows = count > 1 ? std::atoi(arguments[1]) : 21;
  for (const int rows : {1, 2, 4}) {
    bench::run({rows, 4096, 4096}, windows);
    bench::run({rows, 1024, 1024}, windows);
  }
}
