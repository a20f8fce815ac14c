// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/node_quantizer.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

using namespace ctq;

namespace {

struct quantizer : node_quantizer {
  explicit quantizer(evaluation_options options)
      : node_quantizer(*kernel_functions_of<reference_kernels>(), std::move(options)) {}
};

constexpr observer_record seen{observer_class::min_max, {}};
constexpr observer_record fake{observer_class::min_max, {}, fake_quantize_class::fake_quantize};

node_value some() { return float_ops::tensor{{2}, {0.0F, 2.5F}}; }

std::vector<float> elements_of(const node_value& v) {
  return v.real().get_if<float_ops::tensor>()->data;
}

node observing(const observer_record* observer_config) {
  node n{.name = "observer", .op = q::activation_post_process.id()};
  n.observer = 1;
  n.observer_config = observer_config;
  return n;
}

const node computed{.name = "relu", .op = nn::relu.id()};

}  // namespace

TEST_CASE("an observer sees the value and gives it back; a fake quantize rounds it") {
  observer_set observers;
  quantizer r({.observers = &observers});
  const node_value in = some();
  const auto out = r.observe(observing(&seen), computed, in);
  REQUIRE(out.has_value());
  CHECK(out->real().is_same(in.real()));
  CHECK(observers.qparams(1).has_value());

  observer_set fakes;
  const auto rounded = quantizer({.observers = &fakes}).observe(observing(&fake), computed, in);
  REQUIRE(rounded.has_value());
  CHECK(elements_of(*rounded)[1] == doctest::Approx(2.5));
  CHECK(fakes.qparams(1).has_value());
}

TEST_CASE("infinite values have no place in the range of a constant") {
  observer_set observers;
  quantizer r({.observers = &observers});
  const node mask{.name = "mask", .op = nn::get_attr.id()};
  const node_value in(float_ops::tensor{{2}, {0.0F, -HUGE_VALF}});
  CHECK(r.observe(observing(&seen), mask, in).error().message() ==
        std::string("node mask: ") + observers::infinite_operand);
  CHECK(r.observe(observing(&seen), mask, some()).has_value());
}

TEST_CASE("values are quantized with what was found for the observer") {
  model_qparams qparams;
  qparams.activations[4] = {quint8, -1, {0.5}, {3}, {}};
  quantizer r({.qparams = &qparams});
  const auto out = r.quantized(some().real(), 4);
  REQUIRE(out.has_value());
  CHECK(out->integers()->int_repr() == std::vector<std::int32_t>{3, 8});
  CHECK(r.quantized(some().real(), 5).error().cause ==
        "has no scale and zero point: none are given, or its observer saw no values, or some that "
        "are "
        "NaN or infinite");
  CHECK(r.quantized(float_ops::value(1), 4).error().cause == "requires a tensor");
  CHECK(r.decomposed(observing(nullptr), {some()}).error().cause == "has no observer");
}

TEST_CASE("an attribute is rounded, and dequantized, once") {
  model_qparams qparams;
  qparams.activations[4] = {quint8, -1, {0.5}, {3}, {}};
  quantizer r({.qparams = &qparams});
  const float_ops::value weight = some().real();
  const auto first = r.quantized_attribute(weight, 4);
  REQUIRE(first.has_value());
  CHECK(first->integers()->int_repr() == std::vector<std::int32_t>{3, 8});
  CHECK(r.quantized_attribute(weight, 4)->integers() == first->integers());
  const float_ops::value real = r.dequantized(*first);
  CHECK(real.get_if<float_ops::tensor>()->data == std::vector<float>{0.0F, 2.5F});
  CHECK(r.dequantized(*first).is_same(real));

  CHECK(r.quantized_attribute(some().real(), 4)->integers() != first->integers());
  CHECK_FALSE(r.dequantized(*first).is_same(real));  // another attribute has its place
  qparams.activations[4].scale = {0};                // what has changed is checked again
  CHECK_FALSE(r.quantized_attribute(weight, 4).has_value());
  CHECK_FALSE(r.quantized_attribute(weight, 4).has_value());
  qparams.activations[4].scale = {2.5};
  const auto coarse = r.quantized_attribute(weight, 4);
  CHECK(coarse->integers()->int_repr() == std::vector<std::int32_t>{3, 4});
  CHECK(r.dequantized(*coarse).get_if<float_ops::tensor>()->data == std::vector<float>{0.0F, 2.5F});
  CHECK_FALSE(r.quantized_attribute(weight, 5).has_value());
  CHECK(r.quantized_attribute(float_ops::value(1), 4).error().cause == "requires a tensor");
  CHECK(r.dequantized(node_value(float_ops::value(1))).is_same(float_ops::value(1)));
}

TEST_CASE("integers and masks are quantized as floats") {
  model_qparams qparams;
  qparams.activations[4] = {quint8, -1, {0.5}, {3}, {}};
  quantizer r({.qparams = &qparams});
  const node_value mask(float_ops::index_tensor{{3}, {0, 1, -1}});
  const auto out = r.quantized(mask.real(), 4);
  REQUIRE(out.has_value());
  CHECK(out->integers()->int_repr() == std::vector<std::int32_t>{3, 5, 1});
  observer_set observers;
  const node computed{.name = "gt", .op = op::gt.id()};
  const auto observed =
      quantizer({.observers = &observers}).observe(observing(&seen), computed, mask);
  REQUIRE(observed.has_value());
  CHECK(observers.qparams(1).has_value());
}

TEST_CASE("without qparams of their own values are quantized with their range") {
  quantizer r({});
  const auto integers = r.dynamically_quantized(nullptr, some());
  REQUIRE(integers.has_value());
  CHECK(integers->integers()->int_repr() == std::vector<std::int32_t>{0, 255});
  const auto reduced =
      quantizer({.halve_dynamic_range = true}).dynamically_quantized(nullptr, some());
  REQUIRE(reduced.has_value());
  CHECK(reduced->integers()->int_repr() == std::vector<std::int32_t>{0, 127});
  constexpr observer_record half{observer_class::placeholder, {.dtype = f16}};
  const auto halves = r.dynamically_quantized(&half, node_value(float_ops::tensor{{1}, {1.0001F}}));
  REQUIRE(halves.has_value());
  CHECK(elements_of(*halves)[0] == 1.0F);
}

TEST_CASE("qparams of values are checked before they are used") {
  const auto error_with = [](tensor_qparams given) {
    const model_qparams qparams{{{1, std::move(given)}}, {}};
    return quantizer({.qparams = &qparams}).quantized(some().real(), 1).error().message();
  };
  CHECK(error_with({quint8, -1, {}, {}, {}}) ==
        "the number of scales is 0, that of zero points 0; both must be 1");
  CHECK(error_with({quint8, 1, {1.0}, {0}, {}}) == "there is no axis 1 for the scales");
  CHECK(error_with({quint8, 0, {1.0}, {0}, {}}) ==
        "the number of scales is 1, that of zero points 1; both must be 2");
  CHECK(error_with({quint8, -1, {1.0}, {256}, {}}) == "the zero point 256 is not in [0, 255]");
  CHECK(error_with({quint8, -1, {-1.0}, {0}, {}}) == "the scale -1 is not positive");
}
