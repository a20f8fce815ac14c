// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/fast_integers.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <random>

template class ctq::fast_integers<ctq::isa::native>;

using namespace ctq;

namespace {

using fast = fast_integers<isa::native>;

class random_integers {
 public:
  explicit random_integers(unsigned seed) : random_(seed) {}

  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  quantized_tensor tensor(quantization steps, float_ops::extents shape) {
    const quant_range r = range_of(steps.dtype);
    quantized_tensor out{std::move(steps), float_ops::filled<std::int32_t>(std::move(shape))};
    for (std::int32_t& q : out.q.data)
      q = static_cast<std::int32_t>(r.min) + below(static_cast<int>(r.max - r.min + 1));
    return out;
  }

  std::vector<float> bias(int count) {
    std::vector<float> out(static_cast<std::size_t>(count));
    for (float& x : out) x = static_cast<float>(below(2001) - 1000) * 0.01F;
    return out;
  }

 private:
  std::mt19937 random_;
};

quantization per_tensor(dtype d, double scale, std::int32_t zero_point) {
  return {d, -1, {scale}, {zero_point}, {}};
}

quantization per_channel(int channels) {
  quantization s{qint8, 0, {}, {}, {}};
  for (int c = 0; c < channels; ++c) {
    s.scale.push_back(0.001 * (1 + c % 7));
    s.zero_point.push_back(0);
  }
  return s;
}

/// Any convolution along one or two axes, both ways.
void compare_convolution(random_integers& random, dtype d) {
  const int zero_point = d == quint8 ? random.below(256) : random.below(256) - 128;
  const int kind = random.below(3);  // dense, grouped, depthwise
  const int groups = kind == 0 ? 1 : 1 + random.below(20);
  const int depth = kind == 2 ? 1 : 1 + random.below(20);
  const int outputs = groups * (kind == 2 ? 1 : 1 + random.below(20));
  const int axes = 1 + random.below(2);
  float_ops::extents in{1 + random.below(2), groups * depth};
  float_ops::extents weight{outputs, depth};
  window_steps w;
  w.groups = groups;
  for (int a = 0; a < axes; ++a) {
    in.push_back(5 + random.below(8));
    weight.push_back(1 + random.below(3));
    w.stride.push_back(1 + random.below(2));
    w.padding.push_back(random.below(3));
    w.dilation.push_back(1 + random.below(2));
  }
  const auto x = random.tensor(per_tensor(d, 0.02, zero_point), in);
  const node_value by = random.tensor(
      random.below(2) == 0 ? per_channel(outputs) : per_tensor(qint8, 0.004, 0), weight);
  const auto bias = random.bias(outputs);
  const auto* const terms = random.below(3) == 0 ? nullptr : &bias;
  const quantization out = per_tensor(d, 0.3, d == quint8 ? 100 : -20);
  const bool relu = random.below(2) == 0;
  const auto wanted = integer_convolution(x, *by.integers(), terms, w, out, relu);
  const auto got = fast{}.convolution(x, by, terms, w, out, relu);
  REQUIRE(got.q.shape == wanted.q.shape);
  CHECK(got.q.data == wanted.q.data);
  CHECK(got.steps == wanted.steps);
}

}  // namespace

TEST_CASE("convolutions give the integers of the plain loops") {
  random_integers random(1);
  for (int i = 0; i < 150; ++i) {
    CAPTURE(i);
    compare_convolution(random, i % 2 == 0 ? quint8 : qint8);
  }
}

TEST_CASE(
    "linear layers give the integers of the plain loops, whatever stands before the features") {
  random_integers random(2);
  for (int i = 0; i < 40; ++i) {
    const int features = 1 + random.below(70);
    const int outputs = 1 + random.below(40);
    const dtype d = i % 2 == 0 ? quint8 : qint8;
    const float_ops::extents shape = i % 3 == 0
                                         ? float_ops::extents{features}
                                         : float_ops::extents{2, 1 + random.below(9), features};
    const auto x = random.tensor(per_tensor(d, 0.02, 3), shape);
    const node_value weight = random.tensor(per_channel(outputs), {outputs, features});
    const auto bias = random.bias(outputs);
    const quantization out = per_tensor(d, 0.2, 5);
    const auto wanted = integer_linear(x, *weight.integers(), &bias, out, i % 2 == 0);
    const auto got = fast{}.linear(x, weight, &bias, out, i % 2 == 0);
    REQUIRE(got.q.shape == wanted.q.shape);
    CHECK(got.q.data == wanted.q.data);
  }
}

TEST_CASE("a weight is packed again when the scale of the input or the bias is another") {
  random_integers random(3);
  const node_value weight = random.tensor(per_channel(4), {4, 6});
  const fast kernels;
  for (const double scale : {0.02, 0.02, 0.5}) {
    const auto x = random.tensor(per_tensor(quint8, scale, 7), {3, 6});
    const auto bias = random.bias(4);
    const quantization out = per_tensor(quint8, 0.1, 9);
    CHECK(kernels.linear(x, weight, &bias, out, false).q.data ==
          integer_linear(x, *weight.integers(), &bias, out, false).q.data);
  }
}

TEST_CASE("sums that leave int32 and types without a kernel are left to the plain loops") {
  random_integers random(4);
  const auto x = random.tensor(per_tensor(quint8, 1e-6, 0), {2, 3});
  const node_value weight = random.tensor(per_tensor(qint8, 1e-6, 0), {2, 3});
  const std::vector<float> bias{1e9F, -1e9F};
  const quantization out = per_tensor(quint8, 0.1, 9);
  CHECK(fast{}.linear(x, weight, &bias, out, false).q.data ==
        integer_linear(x, *weight.integers(), &bias, out, false).q.data);

  const quantization wide = per_tensor(qint32, 0.1, 0);
  CHECK(fast{}.linear(x, weight, nullptr, wide, false).q.data ==
        integer_linear(x, *weight.integers(), nullptr, wide, false).q.data);

  const auto volume = random.tensor(per_tensor(quint8, 0.1, 3), {1, 2, 3, 3, 3});
  const node_value cube = random.tensor(per_tensor(qint8, 0.1, 0), {2, 2, 2, 2, 2});
  const window_steps w{{1, 1, 1}, {0, 0, 0}, {1, 1, 1}, 1};
  CHECK(fast{}.convolution(volume, cube, nullptr, w, out, false).q.data ==
        integer_convolution(volume, *cube.integers(), nullptr, w, out, false).q.data);
}

TEST_CASE("quantize and dequantize give what the plain loops give, also for what is no number") {
  constexpr float inf = std::numeric_limits<float>::infinity();
  float_ops::tensor x = float_ops::filled<float>({3, 1700});
  std::mt19937 random(5);
  for (float& v : x.data) v = static_cast<float>(random() % 4001) * 0.01F - 20.0F;
  x.data[0] = inf;
  x.data[1] = -inf;
  x.data[2] = std::numeric_limits<float>::quiet_NaN();
  x.data[3] = -0.0F;
  x.data[4] = 1e30F;
  quantization rows{quint8, 0, {0.1, 0.2, 0.3}, {1, 2, 3}, {}};
  for (const quantization& s : {per_tensor(quint8, 0.1, 128), per_tensor(qint8, 0.03, -5), rows,
                                per_tensor(qint32, 1e-3, 4), per_tensor(quint8, 1e-45, 0)}) {
    const auto wanted = quantize(x, s);
    const auto got = fast{}.quantize(x, s);
    CHECK(got.q.data == wanted.q.data);
    CHECK(got.steps == wanted.steps);
    CHECK(fast{}.dequantize(got).data == dequantize(wanted).data);
  }
}
