// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/equalization/equalized_weights.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "../../runtime/small_net.hpp"
#include "ctq/runtime/convert.hpp"
#include "ctq/runtime/float_model.hpp"

namespace {

/// Weights and data whose columns differ in range by powers of two.
ctq::model_weights<small::mlp> uneven_weights() {
  std::vector<ctq::weight_tensor> tensors = small::random_weights<small::mlp>(5).tensors();
  for (ctq::weight_tensor& t : tensors) {
    if (t.shape.size() < 2) continue;
    const auto columns = static_cast<std::size_t>(t.shape[1]);
    for (std::size_t i = 0; i < t.values.size(); ++i)
      t.values[i] = std::ldexp(t.values[i], static_cast<int>(i % columns % 5));
  }
  return *ctq::model_weights<small::mlp>::check(ctq::weights{std::move(tensors)});
}

std::vector<ctq::tensor<float, 3, 21>> uneven_data(int count) {
  std::mt19937 random{7};
  std::vector<ctq::tensor<float, 3, 21>> all(static_cast<std::size_t>(count));
  for (auto& x : all) {
    small::fill(x, random);
    for (std::size_t i = 0; i < x.size; ++i)
      x[i] = std::ldexp(x[i], -2 * static_cast<int>(i % 21 % 5));
  }
  return all;
}

struct only_the_last
    : ctq::qconfig_mapping<
          ctq::module_name<"2", ctq::qconfig<ctq::min_max_observer<>, ctq::min_max_observer<>>>> {};

auto equalized(const std::vector<ctq::tensor<float, 3, 21>>& data) {
  auto columns = ctq::observe_columns<small::mlp, ctq::x86>(uneven_weights());
  for (const auto& x : data) columns(x);
  return ctq::equalize(columns);
}

/// How far the int8 model with these weights is from the float model, squared and summed up.
///   prepared(x)  what the int8 model is given
template <class Prepared>
double error_of(const ctq::model_weights<small::mlp>& weights,
                const std::vector<ctq::tensor<float, 3, 21>>& data, Prepared prepared) {
  auto observed = ctq::prepare<small::mlp, ctq::x86, small::int8>(weights);
  for (const auto& x : data) observed(prepared(x));
  const auto int8 = ctq::convert(observed);
  REQUIRE(int8.has_value());
  ctq::session in_int8{*int8};
  ctq::float_model<small::mlp, ctq::x86> in_float{uneven_weights()};
  double sum = 0;
  ctq::tensor<float, 3, 5> expected, got;
  for (const auto& x : data) {
    in_float(x, expected);
    in_int8(prepared(x), got);
    for (std::size_t i = 0; i < got.size; ++i)
      sum += std::pow(static_cast<double>(expected[i] - got[i]), 2.0);
  }
  return sum;
}

}  // namespace

TEST_CASE("a compiled model with equalized weights computes what it did, given scaled data") {
  const auto data = uneven_data(4);
  const auto equal = equalized(data);
  REQUIRE(equal.has_value());
  CHECK(equal->layers().size() == 2);
  ctq::float_model<small::mlp, ctq::x86> before{uneven_weights()}, after{equal->weights};
  ctq::tensor<float, 3, 5> expected, got;
  for (const auto& x : data) {
    before(x, expected);
    after(equal->scaled(x), got);
    for (std::size_t i = 0; i < got.size; ++i)
      CHECK(got[i] == doctest::Approx(expected[i]).epsilon(1e-4));
  }
}

TEST_CASE("a model with batch norms, groups and branches computes what it did, too") {
  std::mt19937 random{3};
  const auto weights = small::checked_weights<small::net>(5);
  ctq::tensor<float, 1, 3, 9, 11> x;
  small::fill(x, random);
  auto columns = ctq::observe_columns<small::net, ctq::x86>(weights);
  columns(x);
  const auto equal = ctq::equalize(columns);
  REQUIRE(equal.has_value());
  REQUIRE(equal->layers().size() == 1);  // conv1; the others are behind branches, or flatten
  ctq::float_model<small::net, ctq::x86> before{weights}, after{equal->weights};
  ctq::tensor<float, 1, 7> expected, got;
  before(x, expected);
  after(equal->scaled(x), got);
  for (std::size_t i = 0; i < got.size; ++i)
    CHECK(got[i] == doctest::Approx(expected[i]).epsilon(1e-4));
}

TEST_CASE("where columns differ in range, equalized weights lose less in int8") {
  const auto data = uneven_data(16);
  const auto equal = equalized(data);
  REQUIRE(equal.has_value());
  const double plain = error_of(uneven_weights(), data, [](const auto& x) { return x; });
  const double better =
      error_of(equal->weights, data, [&equal](const auto& x) { return equal->scaled(x); });
  MESSAGE("squared error ", plain, " -> ", better);
  CHECK(better < plain / 2);
}

TEST_CASE(
    "a mapping selects layers, and the data stay as they are if the first is not among them") {
  const auto data = uneven_data(2);
  auto columns = ctq::observe_columns<small::mlp, ctq::x86, only_the_last>(uneven_weights());
  for (const auto& x : data) columns(x);
  const auto equal = ctq::equalize(columns);
  REQUIRE(equal.has_value());
  CHECK(equal->layers().size() == 1);
  CHECK(equal->scaled(data[0]).values == data[0].values);
}

TEST_CASE("no data, and data with NaN, are errors that name the node") {
  CHECK(!equalized({}));
  auto data = uneven_data(1);
  data[0][7] = std::numeric_limits<float>::quiet_NaN();
  const auto equal = equalized(data);
  REQUIRE(!equal);
  CHECK(equal.error().message() == "node 0, calibration data: channel 7 has NaN");
}
