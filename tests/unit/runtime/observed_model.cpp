// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/observed_model.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "../death.hpp"
#include "ctq/backends/default_qconfig_mappings.hpp"
#include "ctq/backends/qconfigs.hpp"
#include "ctq/passes/explain/explain.hpp"
#include "ctq/runtime/convert.hpp"
#include "ctq/runtime/float_model.hpp"
#include "small_net.hpp"

namespace {

namespace nn = ctq::nn;
namespace fn = ctq::fn;
namespace op = ctq::op;
using namespace ctq::literals;

using histograms_everywhere =
    ctq::qconfig<ctq::histogram_observer<>, ctq::per_channel_min_max_observer<>>;

inline constexpr auto masked =
    ctq::model("x"_n = nn::placeholder({2, 4}), "mask"_n = nn::get_attr({2, 4}),
               "fc"_n = nn::linear("x"_n, {.out_features = 4}), "add"_n = op::add("fc"_n, "mask"_n),
               "softmax"_n = fn::softmax("add"_n, {.dim = 1}), "out"_n = nn::output("softmax"_n));

/// Elements 3 and 6 of the mask are infinite.
ctq::model_weights<masked> masking_weights() {
  std::vector<ctq::weight_tensor> all = small::random_weights<masked>(5).tensors();
  for (ctq::weight_tensor& t : all) {
    if (t.name != "mask") continue;
    t.values.assign(8, 0.0F);
    t.values[3] = t.values[6] = -std::numeric_limits<float>::infinity();
  }
  return *ctq::model_weights<masked>::check(ctq::weights{all});
}

auto observed_mlp() {
  return ctq::prepare<small::mlp, ctq::x86, small::int8>(small::checked_weights<small::mlp>(5));
}

}  // namespace

TEST_CASE("the observed model computes what the float model computes") {
  std::mt19937 random{1};
  const auto weights = small::checked_weights<small::mlp>(5);
  auto observed = observed_mlp();
  ctq::float_model<small::mlp, ctq::x86> in_float{weights};
  ctq::tensor<float, 3, 21> x;
  ctq::tensor<float, 3, 5> y;
  small::fill(x, random);
  in_float(x, y);
  CHECK(observed(x).values == y.values);
}

TEST_CASE("observers see the values in the memory of the model") {
  auto observed = observed_mlp();
  ctq::tensor<float, 3, 21> x;
  x[0] = -2.0F;
  x[62] = 3.0F;
  observed(x);
  const auto& input = observed.observers()[0];
  REQUIRE(input.observed());
  CHECK(input.calculate_qparams()->scale == doctest::Approx(5.0 / 255));
}

TEST_CASE("converting without calibration is an error that names the node") {
  const auto int8 = ctq::convert(observed_mlp());
  REQUIRE(!int8);
  CHECK(int8.error().message() == "node input: its observer has seen no data: calibrate first");
}

TEST_CASE("infinite values alone are no calibration, and the error says so") {
  struct histograms : ctq::qconfig_mapping<ctq::global<histograms_everywhere>> {};
  auto observed =
      ctq::prepare<small::mlp, ctq::x86, histograms>(small::checked_weights<small::mlp>(5));
  ctq::tensor<float, 3, 21> x;
  for (float& v : x) v = std::numeric_limits<float>::infinity();
  observed(x);
  const auto int8 = ctq::convert(observed);
  REQUIRE(!int8);
  CHECK(int8.error().message() ==
        "node input: its observer has seen infinite values alone, which have no range");
}

TEST_CASE("an infinite mask is an error where integers would have to express it") {
  struct histograms
      : ctq::qconfig_mapping<ctq::global<histograms_everywhere>, ctq::allow_float<"softmax">> {};
  auto observed = ctq::prepare<masked, ctq::x86, histograms>(masking_weights());
  observed(ctq::tensor<float, 2, 4>{});
  const auto int8 = ctq::convert(observed);
  REQUIRE(!int8);
  CHECK(int8.error().message() ==
        "node mask: has infinite values, which integers cannot express: make them finite, or give "
        "the op that reads it no qconfig");
}

TEST_CASE("an infinite mask takes elements away where its reader computes in float") {
  struct all_but_add : ctq::qconfig_mapping<ctq::global<histograms_everywhere>,
                                            ctq::object_type<op::add, ctq::qconfig_none>,
                                            ctq::allow_float<"softmax">> {};
  auto observed = ctq::prepare<masked, ctq::x86, all_but_add>(masking_weights());
  std::mt19937 random{1};
  ctq::tensor<float, 2, 4> x;
  small::fill(x, random);
  const auto in_float = observed(x);
  auto int8 = ctq::convert(observed);
  REQUIRE(int8);
  const auto y = (*int8)(x);
  for (std::size_t i = 0; i < 8; ++i) {
    CHECK((y[i] == 0) == (i == 3 || i == 6));
    CHECK(y[i] == doctest::Approx(in_float[i]).epsilon(0.1));
  }
}

TEST_CASE("what was moved from is an error of convert, and aborts a run with words") {
  auto observed = observed_mlp();
  observed(ctq::tensor<float, 3, 21>{});
  const auto other = std::move(observed);
  CHECK(ctq::convert(other));
  const auto int8 = ctq::convert(observed);  // NOLINT(bugprone-use-after-move)
  REQUIRE(!int8);
  CHECK(int8.error().message().starts_with("observers: 0 are given, the model has "));
  const death d = death_of([&] { observed(ctq::tensor<float, 3, 21>{}); });
  CHECK(d.signal == SIGABRT);
  CHECK(d.said.find("this observed_model was moved from") != std::string::npos);
}

TEST_CASE("without a mapping the backend's default one holds") {
  const auto observed = ctq::prepare<small::mlp, ctq::x86>(small::checked_weights<small::mlp>(5));
  using mapping = ctq::default_qconfig_mapping<ctq::x86>;
  static_assert(std::is_same_v<decltype(observed)::plan, ctq::plan<small::mlp, ctq::x86, mapping>>);
  static_assert(ctq::explain<small::mlp, ctq::x86>().fully_quantized());
  CHECK(observed.observers()[0].record().type == ctq::observer_class::histogram);
}

TEST_CASE("what is quantized dynamically needs no calibration") {
  struct dynamic : ctq::qconfig_mapping<ctq::global<ctq::default_dynamic_qconfig>> {};
  using plan = ctq::plan<small::mlp, ctq::x86, dynamic>;
  const auto observers = ctq::make_observers(plan::prepared.view(), {});
  CHECK(observers.size() == 2);
  CHECK(ctq::calculate_qparams(plan::prepared.view(), plan::backend, observers));
}

TEST_CASE("data with NaN is an error that names the node") {
  auto observed = observed_mlp();
  ctq::tensor<float, 3, 21> x;
  x[7] = std::numeric_limits<float>::quiet_NaN();
  observed(x);
  const auto int8 = ctq::convert(observed);
  REQUIRE(!int8);
  CHECK(int8.error().place.starts_with("node input"));
  CHECK(int8.error().cause.find("NaN") != std::string::npos);
}

TEST_CASE("models that observed parts of the data are merged") {
  std::mt19937 random{4};
  auto all = observed_mlp(), first = observed_mlp(), second = observed_mlp();
  for (int i = 0; i < 6; ++i) {
    ctq::tensor<float, 3, 21> x;
    small::fill(x, random);
    all(x);
    (i < 4 ? first : second)(x);
  }
  const auto are_equal = [](const auto& a, const auto& b) {
    return std::ranges::equal(a.observers(), b.observers(), [](const auto& x, const auto& y) {
      return *x.calculate_qparams() == *y.calculate_qparams();
    });
  };
  CHECK_FALSE(are_equal(first, all));
  REQUIRE(first.merge(second).has_value());
  CHECK(are_equal(first, all));
}

TEST_CASE("merging what cannot be merged exactly is an error that changes nothing") {
  const auto weights = small::checked_weights<small::mlp>(5);
  auto one =
      ctq::prepare<small::mlp, ctq::x86, ctq::qconfig_mapping<ctq::global<histograms_everywhere>>>(
          weights);
  auto other = one;
  std::mt19937 random{4};
  ctq::tensor<float, 3, 21> x;
  small::fill(x, random);
  other(x);
  const auto error = one.merge(other);
  REQUIRE_FALSE(error.has_value());
  CHECK(error.error().message() ==
        "observer 0: HistogramObserver: depends on the order of the data and cannot be merged");
  for (const auto& o : one.observers()) CHECK_FALSE(o.observed());

  ctq::observed_model<small::mlp, decltype(observed_mlp())::plan> older{weights,
                                                                        ctq::semantics::torch_1_13};
  CHECK_FALSE(observed_mlp().merge(older).has_value());
}

TEST_CASE("shared observers are one observer") {
  using plan = ctq::plan<small::net, ctq::x86, small::int8>;
  const auto observers = ctq::make_observers(plan::prepared.view(), {});
  CHECK(static_cast<int>(observers.size()) == plan::prepared.observers);
}
