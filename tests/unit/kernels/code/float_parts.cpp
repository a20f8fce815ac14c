// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/code/float_parts.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "ctq/core/isa.hpp"
#include "ctq/core/packing.hpp"
#include "ctq/kernels/code/plain_kernels.hpp"
#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

// Large units are parts of their own; of small ones a part has as many as fit.
static_assert(parts_of(channels_shape{100, 64}).per_part == 32);
static_assert(parts_of(channels_shape{7, 64}).per_part == 7);
static_assert(parts_of(channels_shape{7, 5000}).per_part == 1);
static_assert(parts_of(channels_shape{7, 5000}).bytes() == 20032);
static_assert(parts_of(softmax_shape{.rows = 60, .count = 10, .stride = 6}).units == 10);
static_assert(part_of(softmax_shape{.rows = 60, .count = 10, .stride = 6}, 2).rows == 12);
// Layer norms of rows, and group norms of images of few elements and of many.
static_assert(parts_of(layer_norm_shape{.rows = 9, .count = 8, .channels = 8}).units == 9);
static_assert(parts_of(layer_norm_shape{.rows = 9, .count = 9000, .channels = 9000}).per_part == 1);
static_assert(
    parts_of(layer_norm_shape{.rows = 6, .count = 40, .channels = 12, .pixels = 10}).unit == 120);
static_assert(parts_of(layer_norm_shape{.rows = 6, .count = 4000, .channels = 12, .pixels = 1000})
                  .unit == 4000);
static_assert(
    parts_of(layer_norm_shape{.rows = 6, .count = 1000, .channels = 3, .pixels = 1000}).unit ==
        1000 &&
    parts_of(layer_norm_shape{.rows = 6, .count = 1000, .channels = 3, .pixels = 1000}).per_part ==
        1);

namespace {

template <class Set, class Descriptor, class Q, class Shape>
std::vector<Q> run(const Shape& s, bool relu, const std::vector<Q>& in,
                   const std::vector<std::byte>& packed, const step_data& data) {
  using code = kernel_code<Descriptor>;
  const dtype type = dtype_of<Q>;
  const std::size_t bytes =
      code::template workspace_bytes<Set>(signature_of(kernel_id{}, type, type, s));
  const samples::guarded<float> workspace(bytes / sizeof(float));
  const samples::fenced from(in);
  const samples::guarded<Q> out(in.size());
  code::template run<Set, Q, Q>(s, {.relu = relu},
                                {.in = {from.data()},
                                 .out = out.data(),
                                 .packed = packed.data(),
                                 .workspace = reinterpret_cast<std::byte*>(workspace.data()),
                                 .data = &data});
  CHECK(out.margin_intact());
  CHECK(workspace.margin_intact());
  return {out.data(), out.data() + in.size()};
}

/// Both sets against dequantize, the reference in float32 and quantize, each of the whole tensor.
template <class Descriptor, class Q, class Shape, class Float>
void check(const Shape& s, std::size_t count, bool relu, const std::vector<std::byte>& packed,
           const parameter_layout_of& parameters, unsigned seed, Float in_float) {
  samples::generator random(seed);
  step_data data{.in = {samples::random_qparams<Q>(random)},
                 .out = samples::random_qparams<Q>(random),
                 .parameters = parameters};
  data.in[0].scale = 0.03F;
  data.out.scale = 0.02F;
  const std::vector<Q> in = samples::integers<Q>(count, seed);
  const elementwise_shape all{static_cast<int>(count)};
  std::vector<float> floats(count);
  std::vector<float> computed(count);
  reference::dequantize(all, in.data(), data.in[0], floats.data());
  in_float(floats.data(), computed.data());
  std::vector<Q> expected(count);
  reference::quantize(all, computed.data(), data.out, expected.data());
  CHECK(run<reference_kernels, Descriptor>(s, relu, in, packed, data) == expected);
  CHECK(run<simd_kernels<isa::native>, Descriptor>(s, relu, in, packed, data) == expected);
}

/// Two parameters as they are packed, the second from byte `at` on.
std::vector<std::byte> bytes_of(const std::vector<float>& first, const std::vector<float>& second,
                                std::size_t at) {
  std::vector<std::byte> packed(
      std::max(first.size() * sizeof(float), at + second.size() * sizeof(float)));
  std::memcpy(packed.data(), first.data(), first.size() * sizeof(float));
  if (!second.empty())
    std::memcpy(packed.data() + at, second.data(), second.size() * sizeof(float));
  return packed;
}

template <class Q>
void check_norm(const layer_norm_shape& s, unsigned seed) {
  CAPTURE(s.rows);
  CAPTURE(s.count);
  CAPTURE(s.channels);
  const std::size_t count = static_cast<std::size_t>(s.rows) * static_cast<std::size_t>(s.count);
  const auto channels = static_cast<std::size_t>(s.channels);
  const std::vector<float> weight = samples::plain_floats(channels, seed + 1);
  const std::vector<float> bias = samples::plain_floats(channels, seed + 2);
  parameter_layout_of l;
  const bool affine = s.affine != 0;
  const std::size_t at = packing::padded(channels * sizeof(float));
  if (affine) {
    l.parameters = {op_parameter{"weight", {s.channels}}, op_parameter{"bias", {s.channels}}};
    l.floats[1] = at;
  }
  check<kernels::descriptors::layer_norm, Q>(
      s, count, false, bytes_of(weight, bias, at), l, seed, [&](const float* x, float* y) {
        reference::layer_norm(s, x, affine ? weight.data() : nullptr,
                              affine ? bias.data() : nullptr, y);
      });
}

template <class Q>
void check_all(samples::generator& random, unsigned seed) {
  const bool large = random.between(0, 5) == 0;
  const softmax_shape soft{.rows = random.between(1, 5) * 6,
                           .count = random.between(1, large ? 900 : 40),
                           .stride = random.between(0, 1) == 0 ? 1 : 6,
                           .logarithm = random.between(0, 1)};
  check<kernels::descriptors::softmax, Q>(
      soft, static_cast<std::size_t>(soft.rows) * static_cast<std::size_t>(soft.count), false, {},
      {}, seed, [&](const float* x, float* y) { reference::softmax(soft, x, y); });
  const int features = random.between(1, large ? 3000 : 70);
  check_norm<Q>({.rows = random.between(1, 90),
                 .count = features,
                 .channels = features,
                 .affine = random.between(0, 1),
                 .eps = 1e-5F},
                seed + 1);
  const int per_group = random.between(1, 4), groups = random.between(1, 3);
  const int pixels = random.between(1, large ? 1000 : 30);
  check_norm<Q>({.rows = groups * random.between(1, 9),
                 .count = per_group * pixels,
                 .channels = per_group * groups,
                 .pixels = pixels,
                 .affine = random.between(0, 1),
                 .eps = 1e-3F},
                seed + 2);
  const channels_shape s{random.between(1, 300),
                         random.between(0, 3) == 0 ? 1 : random.between(1, large ? 3000 : 90)};
  const std::size_t count = static_cast<std::size_t>(s.rows) * static_cast<std::size_t>(s.channels);
  const auto channels = static_cast<std::size_t>(s.channels);
  const std::vector<float> first = samples::plain_floats(channels, seed + 3);
  const std::vector<float> second = samples::plain_floats(channels, seed + 4);
  const bool relu = random.between(0, 1) == 1;
  check<kernels::descriptors::batch_norm2d, Q>(
      s, count, relu, bytes_of(first, second, channels * sizeof(float)), {}, seed + 3,
      [&](const float* x, float* y) {
        reference::batch_norm2d(s, x, first.data(), second.data(), relu, y);
      });
  parameter_layout_of slopes;
  slopes.parameters = {op_parameter{"weight", {s.channels}}};
  check<kernels::descriptors::prelu, Q>(
      s, count, false, bytes_of(first, {}, 0), slopes, seed + 4,
      [&](const float* x, float* y) { reference::prelu(s, x, first.data(), y); });
}

}  // namespace

TEST_CASE("float kernels on integers give the bytes of dequantize, the kernel and quantize") {
  samples::for_each_seed(samples::seeds(40, 5), [](samples::generator& random, unsigned seed) {
    check_all<std::uint8_t>(random, seed);
    check_all<std::int8_t>(random, seed);
  });
}
