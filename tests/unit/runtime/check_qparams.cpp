// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/check_qparams.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "ctq/runtime/quantized_model.hpp"
#include "small_net.hpp"

using namespace ctq;

namespace {

using plan_of_mlp = plan<small::mlp, x86, small::int8>;

using namespace ctq::literals;
inline constexpr auto with_sum =
    model("x"_n = nn::placeholder({1, 4, 4, 4}),
          "conv"_n = nn::conv2d("x"_n, {.out_channels = 4, .kernel_size = 1}),
          "sum"_n = op::add("conv"_n, "x"_n), "out"_n = nn::output("sum"_n));

/// What a model says whose first observer has these qparams.
std::string cause_of(const qparams& first) {
  std::vector<qparams> all(static_cast<std::size_t>(plan_of_mlp::prepared.observers),
                           {0.05F, 120, 0, 255});
  all[0] = first;
  const auto w = small::checked_weights<small::mlp>(1);
  const auto model =
      quantized_model<plan_of_mlp>::make(small::state_of<plan_of_mlp>(w.get(), std::move(all)));
  return model ? "" : model.error().message();
}

}  // namespace

TEST_CASE("qparams of the dtype's range are taken, and so are narrower ones") {
  CHECK(cause_of({0.05F, 120, 0, 255}).empty());
  CHECK(cause_of({0.05F, 0, 0, 127}).empty());
  CHECK(cause_of({0.05F, 7, 7, 7}).empty());
  CHECK(problem_with(qparams{largest_scale, 255, 0, 255}, quint8).empty());
  CHECK(problem_with(qparams{0.5F, -128, -128, 127}, qint8).empty());
}

TEST_CASE("what is wrong with qparams is said with the observer's number") {
  constexpr float inf = std::numeric_limits<float>::infinity();
  CHECK(cause_of({0.0F, 120, 0, 255}) == "qparams #0: the scale 0 is not positive");
  CHECK(cause_of({-1.0F, 120, 0, 255}) == "qparams #0: the scale -1 is not positive");
  CHECK(cause_of({std::numeric_limits<float>::quiet_NaN(), 120, 0, 255}) ==
        "qparams #0: the scale nan is not positive");
  CHECK(
      cause_of({1e38F, 120, 0, 255}) ==
      "qparams #0: the scale 1e+38 is too large: at most 2^118, or 255 steps of it leave float32");
  CHECK(cause_of({inf, 120, 0, 255}).starts_with("qparams #0: the scale inf is too large"));
  CHECK(cause_of({0.05F, 120, 200, 100}) ==
        "qparams #0: quant_min 200 is larger than quant_max 100");
  CHECK(cause_of({0.05F, 0, -128, 127}) ==
        "qparams #0: the integers [-128, 127] are not all in quint8, [0, 255]");
  CHECK(cause_of({0.05F, 0, 0, 256}) ==
        "qparams #0: the integers [0, 256] are not all in quint8, [0, 255]");
  CHECK(cause_of({0.05F, 128, 0, 127}) == "qparams #0: the zero point 128 is not in [0, 127]");
  CHECK(cause_of({0.05F, std::numeric_limits<std::int32_t>::min(), 0, 255}) ==
        "qparams #0: the zero point -2147483648 is not in [0, 255]");
}

TEST_CASE("too few qparams are an error") {
  const auto w = small::checked_weights<small::mlp>(1);
  const auto model = quantized_model<plan_of_mlp>::make(small::state_of<plan_of_mlp>(w.get(), {}));
  REQUIRE(!model);
  CHECK(model.error().message().starts_with("qparams: 0 are given, the plan has "));
  const auto observers = static_cast<std::size_t>(plan_of_mlp::prepared.observers);
  const auto one_less = quantized_model<plan_of_mlp>::make(small::state_of<plan_of_mlp>(
      w.get(), std::vector<qparams>(observers - 1, {0.05F, 120, 0, 255})));
  REQUIRE(!one_less);
  CHECK(one_less.error().message().starts_with("qparams: " + std::to_string(observers - 1) +
                                               " are given, the plan has "));
}

TEST_CASE("the qparams between a layer and what is fused into it are looked at, too") {
  using plan_of_sum = plan<with_sum, x86, small::int8>;
  constexpr auto& schedule = plan_of_sum::int8_schedule;
  int fused = -1;
  for (int i = 0; i < schedule.count; ++i)
    if (schedule.steps[i].fused_observer >= 0) fused = schedule.steps[i].fused_observer;
  REQUIRE(fused >= 0);
  std::vector<qparams> all(static_cast<std::size_t>(plan_of_sum::prepared.observers),
                           {0.05F, 120, 0, 255});
  const auto steps = std::span(schedule.steps).first(schedule.count);
  CHECK(check_qparams(steps, all));
  all[static_cast<std::size_t>(fused)].scale = 0.0F;
  CHECK(check_qparams(steps, all).error().message() ==
        "qparams #" + std::to_string(fused) + ": the scale 0 is not positive");
}

TEST_CASE("the qparams of all values in the cells of an LSTM are looked at") {
  const step steps[] = {
      {.signature = signature_of(
           kernel::lstm_static, quint8, quint8,
           recurrent_shape{.cell = recurrent_cell::lstm, .input = 2, .hidden = 2, .layers = 2}),
       .out_observer = 1}};
  std::vector<qparams> all(1 + 2 * 7);
  CHECK(check_qparams(steps, all).has_value());
  all.back().scale = -1.0F;
  CHECK(check_qparams(steps, all).error().message() == "qparams #14: the scale -1 is not positive");
  all.pop_back();
  CHECK(check_qparams(steps, all).error().message() ==
        "qparams: 14 are given, the plan has 15 observers");
}
