// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/kernels/kernel_calls.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <random>

#include "ctq/evaluate/float_ops/call.hpp"

using namespace ctq;

namespace {

/// The calls of one set of kernels.
template <class Kernels>
struct calls_of : kernel_calls {
  calls_of() : kernel_calls(*kernel_functions_of<Kernels>()) {}
};
using plain = calls_of<reference_kernels>;
using fast = calls_of<fast_kernels>;

class random_integers {
 public:
  explicit random_integers(unsigned seed) : random_(seed) {}

  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  quantized_tensor tensor(tensor_qparams qparams, float_ops::extents shape) {
    const quant_range r = range_of(qparams.dtype);
    std::vector<std::int32_t> all(float_ops::numel(shape));
    for (std::int32_t& q : all)
      q = static_cast<std::int32_t>(r.min) + below(static_cast<int>(r.max - r.min + 1));
    return {std::move(qparams), std::move(shape), all};
  }

  std::vector<float> bias(int count) {
    std::vector<float> out(static_cast<std::size_t>(count));
    for (float& x : out) x = static_cast<float>(below(2001) - 1000) * 0.01F;
    return out;
  }

 private:
  std::mt19937 random_;
};

tensor_qparams per_tensor(dtype d, double scale, std::int32_t zero_point) {
  return {d, -1, {scale}, {zero_point}, {}};
}

tensor_qparams per_channel(int channels) {
  tensor_qparams s{qint8, 0, {}, {}, {}};
  for (int c = 0; c < channels; ++c) {
    s.scale.push_back(0.001 * (1 + c % 7));
    s.zero_point.push_back(0);
  }
  return s;
}

/// By definition: the float op on what integers stand for, in double. Kernels round bias and
/// multipliers, so they are one step away at most.
bool is_near(const quantized_tensor& q, const result<float_ops::tensor>& wanted, bool relu) {
  REQUIRE(wanted.has_value());
  float_ops::tensor real = *wanted;
  if (relu)
    for (float& x : real.data) x = std::max(x, 0.0F);
  const quantized_tensor rounded = quantize(real, q.qparams);
  if (q.shape() != rounded.shape()) return false;
  const std::vector<std::int32_t> a = q.int_repr(), b = rounded.int_repr();
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::abs(a[i] - b[i]) > 1) return false;
  return true;
}

bool are_equal(const std::optional<quantized_tensor>& a, const std::optional<quantized_tensor>& b) {
  return a && b && a->shape() == b->shape() && a->int_repr() == b->int_repr() &&
         a->qparams == b->qparams;
}

/// A layer of x; nullopt if there is none of these types.
template <class Calls, class Layer>
std::optional<quantized_tensor> layer_of(Calls&& calls, const std::optional<Layer>& shape,
                                         const quantized_tensor& x, const node_value& weight,
                                         const std::vector<float>* bias, const tensor_qparams& to,
                                         bool relu) {
  const auto layer = calls.layer(shape, x.qparams, weight, bias, to, relu);
  return layer ? std::optional(layer(calls, x)) : std::nullopt;
}

/// Any convolution along one or two axes, by both sets, from any type to any.
void compare_convolution(random_integers& random, dtype d, dtype to) {
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
  const float_ops::tensor bias{{outputs}, random.bias(outputs)};
  const bool has_bias = random.below(3) != 0;
  const auto* const terms = has_bias ? &bias.data : nullptr;
  const tensor_qparams out = per_tensor(to, 0.3, to == quint8 ? 100 : -20);
  const bool relu = random.below(2) == 0;
  const auto shape = convolution_layer(in, weight, w);
  const auto wanted = layer_of(plain{}, shape, x, by, terms, out, relu);
  REQUIRE(wanted.has_value());
  CHECK(is_near(
      *wanted,
      float_ops::convolution(dequantize(x), dequantize(*by.integers()), has_bias ? &bias : nullptr,
                             {w.stride, w.padding, w.dilation, w.groups}),
      relu));
  CHECK(are_equal(wanted, layer_of(fast{}, shape, x, by, terms, out, relu)));
}

/// The same of a transposed one, with a scale for each channel of a group or one for all.
void compare_transposed(random_integers& random, dtype d, dtype to) {
  const int groups = 1 + random.below(3);
  const int inputs = groups * (1 + random.below(9));
  const int outputs = 1 + random.below(9);  // of a group
  const int axes = 1 + random.below(2);
  float_ops::extents in{1 + random.below(2), inputs};
  float_ops::extents weight{inputs, outputs};
  float_ops::convolution_options o;
  o.groups = groups;
  for (int a = 0; a < axes; ++a) {
    in.push_back(2 + random.below(6));
    weight.push_back(1 + random.below(4));
    o.stride.push_back(1 + random.below(3));
    o.padding.push_back(random.below(2));
    o.dilation.push_back(1 + random.below(2));
    o.output_padding.push_back(random.below(std::max(o.stride.back(), o.dilation.back())));
  }
  tensor_qparams channels = per_channel(outputs);
  channels.axis = 1;
  const auto x = random.tensor(per_tensor(d, 0.02, d == quint8 ? 90 : -7), in);
  const node_value by =
      random.tensor(random.below(2) == 0 ? channels : per_tensor(qint8, 0.004, 0), weight);
  const float_ops::tensor bias{{groups * outputs}, random.bias(groups * outputs)};
  const tensor_qparams out = per_tensor(to, 0.3, to == quint8 ? 100 : -20);
  const auto shape = transposed_convolution_layer(
      in, weight, {o.stride, o.padding, o.dilation, groups}, o.output_padding);
  if (!shape) return;  // the padding leaves nothing
  const auto wanted = layer_of(plain{}, shape, x, by, &bias.data, out, false);
  REQUIRE(wanted.has_value());
  CHECK(is_near(
      *wanted,
      float_ops::transposed_convolution(dequantize(x), dequantize(*by.integers()), &bias, o),
      false));
  CHECK(are_equal(wanted, layer_of(fast{}, shape, x, by, &bias.data, out, false)));
}

float_ops::tensor random_tensor(std::mt19937& random, float_ops::extents shape) {
  std::normal_distribution<float> normal;
  float_ops::tensor t = float_ops::filled(std::move(shape));
  for (float& x : t.data) x = normal(random);
  return t;
}

/// The largest difference, as a part of the largest value.
double difference(const float_ops::tensor& a, const float_ops::tensor& b) {
  double largest = 0.0;
  double size = 1e-30;
  for (std::size_t i = 0; i < a.data.size(); ++i) {
    largest = std::max(largest, static_cast<double>(std::abs(a.data[i] - b.data[i])));
    size = std::max(size, static_cast<double>(std::abs(a.data[i])));
  }
  return largest / size;
}

void compare_float_convolution(fast& kernels, std::mt19937& random, float_ops::extents in,
                               float_ops::extents weight, const float_ops::convolution_options& o) {
  const float_ops::tensor x = random_tensor(random, std::move(in));
  const float_ops::value bias = random_tensor(random, {weight[0]});
  const float_ops::value w = random_tensor(random, std::move(weight));
  const auto wanted = float_ops::convolution(x, *w.get_if<float_ops::tensor>(),
                                             bias.get_if<float_ops::tensor>(), o);
  const auto by = kernels.float_layers(false);
  const auto got = by.convolution(by.state, x, w, bias, o);
  REQUIRE(got.has_value() == wanted.has_value());
  if (!wanted) {
    CHECK(got.error().message() == wanted.error().message());
    return;
  }
  REQUIRE(got->shape == wanted->shape);
  CHECK(difference(*wanted, *got) < 1e-5);
}

}  // namespace

TEST_CASE("convolutions give the same integers by both sets, near those of the float op") {
  random_integers random(1);
  const dtype types[] = {quint8, qint8};
  for (int i = 0; i < 160; ++i) {
    CAPTURE(i);
    compare_convolution(random, types[i % 2], types[i / 2 % 2]);
  }
}

TEST_CASE("transposed convolutions do so too") {
  random_integers random(8);
  const dtype types[] = {quint8, qint8};
  for (int i = 0; i < 80; ++i) {
    CAPTURE(i);
    compare_transposed(random, types[i % 2], types[i / 2 % 2]);
  }
}

TEST_CASE("linear layers do so too, whatever axes come before the features") {
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
    const float_ops::tensor bias{{outputs}, random.bias(outputs)};
    const tensor_qparams out = per_tensor(d, 0.2, 5);
    const auto layer = linear_layer(shape, {outputs, features});
    const auto wanted = layer_of(plain{}, layer, x, weight, &bias.data, out, i % 2 == 0);
    REQUIRE(wanted.has_value());
    CHECK(is_near(*wanted, float_ops::linear(dequantize(x), dequantize(*weight.integers()), &bias),
                  i % 2 == 0));
    CHECK(are_equal(wanted, layer_of(fast{}, layer, x, weight, &bias.data, out, i % 2 == 0)));
  }
}

TEST_CASE_TEMPLATE("a weight is packed again when a scale or the bias is another", Calls, plain,
                   fast) {
  random_integers random(3);
  const node_value weight = random.tensor(per_channel(4), {4, 6});
  const auto layer = linear_layer({3, 6}, {4, 6});
  Calls kernels;
  for (const double scale : {0.02, 0.02, 0.5}) {
    const auto x = random.tensor(per_tensor(quint8, scale, 7), {3, 6});
    const auto bias = random.bias(4);
    const tensor_qparams out = per_tensor(quint8, scale * 5, 9);
    CHECK(are_equal(layer_of(kernels, layer, x, weight, &bias, out, false),
                    layer_of(Calls{}, layer, x, weight, &bias, out, false)));
  }
}

TEST_CASE_TEMPLATE("what has no kernel is left to the caller: other types, and sums beyond int32",
                   Calls, plain, fast) {
  random_integers random(4);
  const tensor_qparams bytes = per_tensor(quint8, 0.1, 9);
  const auto tiny = random.tensor(per_tensor(quint8, 1e-6, 0), {2, 3});
  const node_value weight = random.tensor(per_tensor(qint8, 1e-6, 0), {2, 3});
  const auto layer = linear_layer({2, 3}, {2, 3});
  const auto wide = random.tensor(per_tensor(quint8, 0.1, 0), {1, 70'000});
  const quantized_tensor largest{
      per_tensor(qint8, 0.1, 0), {1, 70'000}, std::vector<std::int32_t>(70'000, 127)};
  CHECK_FALSE(layer_of(Calls{}, linear_layer({1, 70'000}, {1, 70'000}), wide, largest, nullptr,
                       bytes, false)
                  .has_value());
  CHECK(layer_of(Calls{}, layer, tiny, weight, nullptr, bytes, false).has_value());
  CHECK_FALSE(layer_of(Calls{}, layer, tiny, weight, nullptr, per_tensor(qint32, 0.1, 0), false)
                  .has_value());
  const node_value affine = random.tensor(per_tensor(qint8, 0.1, 3), {2, 3});
  CHECK_FALSE(layer_of(Calls{}, layer, tiny, affine, nullptr, bytes, false).has_value());
  CHECK_FALSE(layer_of(Calls{}, std::optional<layer_shape>(), tiny, weight, nullptr, bytes, false)
                  .has_value());
}

TEST_CASE_TEMPLATE("sums and products are those of the float ops, step by step", Calls, plain,
                   fast) {
  random_integers random(6);
  for (const dtype d : {quint8, qint8}) {
    const auto a = random.tensor(per_tensor(d, 0.1, 20), {3, 50});
    const auto b = random.tensor(per_tensor(d, 0.03, -5 + (d == quint8 ? 100 : 0)), {3, 50});
    const tensor_qparams to = per_tensor(d, 0.12, 30);
    const quantized_tensor* const both[] = {&a, &b};
    const auto sizes = to_block<kernel_signature::sizes>(elementwise_shape{150});
    Calls calls;
    for (const op_id op : {op::add.id(), op::mul.id()})
      for (const bool relu : {false, true}) {
        op_schedule s = op->descriptor->schedule;
        s.relu = relu;
        auto y = float_ops::call(op, {.positional = {dequantize(a), dequantize(b)}});
        float_ops::tensor t = *y->template get_if<float_ops::tensor>();
        for (float& x : t.data) x = relu && x < 0.0F ? 0.0F : x;
        CHECK(are_equal(calls.step(s, sizes, both, {3, 50}, to), std::optional{quantize(t, to)}));
      }
    const op_schedule& s = op::add.id()->descriptor->schedule;
    const tensor_qparams other = per_tensor(qint32, 1.0, 0);
    CHECK_FALSE(calls.step(s, sizes, both, {3, 50}, other).has_value());
    const op_schedule& layer = nn::linear.id()->descriptor->schedule;
    CHECK_FALSE(calls.step(layer, sizes, both, {3, 50}, to).has_value());
  }
}

TEST_CASE_TEMPLATE("the average of each window of each channel", Calls, plain, fast) {
  const quantized_tensor in{
      per_tensor(quint8, 0.5, 10), {1, 2, 2, 2}, {10, 12, 14, 17, 30, 30, 30, 30}};
  const auto whole = to_block<kernel_signature::sizes>(pool_shape{.batch = 1,
                                                                  .in_h = 2,
                                                                  .in_w = 2,
                                                                  .channels = 2,
                                                                  .out_h = 1,
                                                                  .out_w = 1,
                                                                  .kernel_h = 2,
                                                                  .kernel_w = 2});
  const op_schedule& s = nn::avg_pool2d.id()->descriptor->schedule;
  const quantized_tensor* const one[] = {&in};
  const auto out = Calls{}.step(s, whole, one, {1, 2, 1, 1}, per_tensor(quint8, 0.25, 3));
  REQUIRE(out.has_value());
  CHECK(out->shape() == float_ops::extents{1, 2, 1, 1});
  CHECK(out->int_repr() == std::vector<std::int32_t>{3 + 6, 3 + 40});  // 13 / 4 * 2, a tie; 20 * 2
  CHECK_FALSE(Calls{}.step(s, whole, one, {1, 2, 1, 1}, per_tensor(qint8, 0.25, 3)).has_value());
}

TEST_CASE("quantize gives what its definition gives, also for what is not a number") {
  constexpr float inf = std::numeric_limits<float>::infinity();
  float_ops::tensor x = float_ops::filled<float>({3, 1700});
  std::mt19937 random(5);
  for (float& v : x.data) v = static_cast<float>(random() % 4001) * 0.01F - 20.0F;
  x.data[0] = inf;
  x.data[1] = -inf;
  x.data[2] = std::numeric_limits<float>::quiet_NaN();
  x.data[3] = -0.0F;
  x.data[4] = 1e30F;
  tensor_qparams rows{quint8, 0, {0.1, 0.2, 0.3}, {1, 2, 3}, {}};
  for (const tensor_qparams& s : {per_tensor(quint8, 0.1, 128), per_tensor(qint8, 0.03, -5), rows,
                                  per_tensor(qint32, 1e-3, 4), per_tensor(quint8, 1e-45, 0)}) {
    const auto wanted = quantize(x, s);
    CHECK(are_equal(plain{}.quantize(x, s), wanted));
    CHECK(are_equal(fast{}.quantize(x, s), wanted));
  }
}

TEST_CASE("convolutions differ from loops in double in the last bits at most") {
  std::mt19937 random(1);
  fast kernels;
  const float_ops::convolution_options one{.stride = {1}, .padding = {1}, .dilation = {1}};
  compare_float_convolution(kernels, random, {2, 5, 19}, {7, 5, 3}, one);
  const float_ops::convolution_options two{.stride = {2, 1}, .padding = {0, 2}, .dilation = {1, 2}};
  compare_float_convolution(kernels, random, {2, 9, 11, 13}, {33, 9, 3, 2}, two);
  float_ops::convolution_options grouped{
      .stride = {1, 1}, .padding = {1, 1}, .dilation = {1, 1}, .groups = 18};
  compare_float_convolution(kernels, random, {1, 18, 8, 8}, {18, 1, 3, 3}, grouped);
  grouped.groups = 3;
  compare_float_convolution(kernels, random, {1, 18, 8, 8}, {6, 6, 3, 3}, grouped);
}

TEST_CASE("what has no kernel is what the op's own loops give, errors too") {
  std::mt19937 random(2);
  fast kernels;
  const float_ops::convolution_options volume{
      .stride = {1, 1, 1}, .padding = {0, 0, 0}, .dilation = {1, 1, 1}};
  compare_float_convolution(kernels, random, {1, 2, 4, 4, 4}, {3, 2, 2, 2, 2}, volume);
  const float_ops::convolution_options same{
      .stride = {1}, .padding = {0}, .dilation = {1}, .padding_end = {1}};
  compare_float_convolution(kernels, random, {1, 2, 6}, {3, 2, 2}, same);
  const float_ops::convolution_options large{.stride = {1}, .padding = {0}, .dilation = {1}};
  compare_float_convolution(kernels, random, {1, 2, 6}, {3, 2, 7}, large);
  compare_float_convolution(kernels, random, {1, 3, 6}, {3, 2, 2}, large);
}

TEST_CASE("the reference leaves floats to the ops' own loops") {
  plain kernels;
  const auto by = kernels.float_layers(false);
  CHECK((by.convolution == nullptr));
  CHECK((by.linear == nullptr));
}

TEST_CASE(
    "in a lowered model layers on floats are the reference's, bit for bit, where there is fma") {
  std::mt19937 random(6);
  const float_ops::tensor x = random_tensor(random, {2, 7, 9, 5});
  const float_ops::value weight = random_tensor(random, {4, 7, 3, 2});
  const float_ops::value bias = random_tensor(random, {4});
  const float_ops::convolution_options o{.stride = {2, 1}, .padding = {1, 0}, .dilation = {1, 2}};
  const auto convolved = [&](kernel_calls& kernels) {
    const auto by = kernels.float_layers(true);
    return by.convolution == nullptr ? std::vector<float>()
                                     : by.convolution(by.state, x, weight, bias, o)->data;
  };
  plain reference;
  fast kernels;
  const std::vector<float> wanted = convolved(reference);
  REQUIRE(!wanted.empty());
  CHECK(convolved(kernels) ==
        (kernel_functions_of<fast_kernels>()->has_fma ? wanted : std::vector<float>()));
}

TEST_CASE("linear layers take any axes before the features") {
  std::mt19937 random(3);
  fast kernels;
  const auto by = kernels.float_layers(false);
  const float_ops::value weight = random_tensor(random, {5, 37});
  const float_ops::value bias = random_tensor(random, {5});
  for (const float_ops::extents& shape :
       {float_ops::extents{37}, {3, 37}, {2, 1, 4, 37}, {0, 37}}) {
    const float_ops::tensor x = random_tensor(random, shape);
    for (const float_ops::value& b : {bias, float_ops::value()}) {
      const auto wanted =
          float_ops::linear(x, *weight.get_if<float_ops::tensor>(), b.get_if<float_ops::tensor>());
      const auto got = by.linear(by.state, x, weight, b);
      REQUIRE(got.has_value());
      REQUIRE(got->shape == wanted->shape);
      CHECK(difference(*wanted, *got) < 1e-5);
    }
  }
  CHECK_FALSE(by.linear(by.state, random_tensor(random, {2, 36}), weight, bias).has_value());
}

TEST_CASE("a dynamic linear layer with qparams per group quantizes each row of its input") {
  std::mt19937 random(4);
  plain reference;
  fast kernels;
  tensor_qparams groups{qint8, 0, std::vector<double>(10, 0.25), std::vector<std::int32_t>(10)};
  groups.group_size = 3;
  const quantized_tensor w = quantize(random_tensor(random, {5, 6}), groups);
  const float_ops::tensor x{{2, 6}, {1000, 500, 0, -1000, 2, 1, 0.1F, -0.2F, 0.3F, 0, 0.1F, 0.2F}};
  const auto got = reference.dynamic_linear(x, node_value(w), nullptr, false, true);
  REQUIRE(got);
  CHECK(difference(*float_ops::linear(x, dequantize(w), nullptr), *got) < 10);
  CHECK(std::fabs((*float_ops::linear(x, dequantize(w), nullptr)).data[5] - got->data[5]) < 0.01);
  CHECK(kernels.dynamic_linear(x, node_value(w), nullptr, false, true)->data == got->data);
  CHECK_FALSE(kernels.dynamic_linear(x, node_value(w), nullptr, false, false));
  quantized_tensor shifted = w;
  shifted.qparams.zero_point[0] = 1;
  CHECK_FALSE(kernels.dynamic_linear(x, node_value(shifted), nullptr, false, true));
}

TEST_CASE("a dynamic linear layer is that of compiled models") {
  std::mt19937 random(3);
  random_integers integers(5);
  plain reference;
  fast kernels;
  const quantized_tensor w = integers.tensor(per_channel(5), {5, 37});
  const float_ops::tensor x = random_tensor(random, {2, 3, 37});
  const float_ops::tensor bias = random_tensor(random, {5});
  const quantized_tensor rounded = quantize(x, dynamic_qparams(x, quint8, false));
  for (const float_ops::tensor* b : {&bias, static_cast<const float_ops::tensor*>(nullptr)}) {
    const auto wanted = float_ops::linear(dequantize(rounded), dequantize(w), b);
    const node_value weight(w);
    const auto got = reference.dynamic_linear(x, weight, b, false);
    REQUIRE(got);
    CHECK(got->shape == float_ops::extents{2, 3, 5});
    CHECK(difference(*wanted, *got) < 1e-5);
    CHECK(kernels.dynamic_linear(x, weight, b, false)->data == got->data);
    const auto with_relu = kernels.dynamic_linear(x, weight, b, true);
    for (std::size_t i = 0; i < got->data.size(); ++i)
      CHECK(with_relu->data[i] == std::max(got->data[i], 0.0F));
  }
  quantized_tensor shifted = w;
  shifted.qparams.zero_point[0] = 1;
  CHECK_FALSE(kernels.dynamic_linear(x, node_value(shifted), &bias, false));
  CHECK_FALSE(kernels.dynamic_linear(random_tensor(random, {2, 36}), node_value(w), &bias, false));
}
