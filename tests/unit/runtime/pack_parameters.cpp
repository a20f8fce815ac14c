// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/pack_parameters.hpp"

#include <doctest/doctest.h>

#include <span>

#include "ctq/runtime/bind_kernels.hpp"
#include "small_net.hpp"

using namespace ctq::literals;

namespace {

using plan = ctq::plan<small::mlp, ctq::x86, small::int8>;
constexpr auto& schedule = plan::int8_schedule;

inline constexpr auto wide = ctq::model("x"_n = small::nn::placeholder({1, 70'000}),
                                        "fc"_n = small::nn::linear("x"_n, {.out_features = 2}),
                                        "out"_n = small::nn::output("fc"_n));

ctq::result<ctq::parameters> make(const std::vector<ctq::qparams>& qparams) {
  const ctq::weights w = small::random_weights<small::mlp>(6);
  return ctq::pack_parameters<ctq::reference_kernels>(
      std::span(schedule.steps).first(schedule.count), plan::lowered,
      *ctq::quantize_parameters<plan>(w), qparams);
}

}  // namespace

static_assert(ctq::packed_end(ctq::packing_of<ctq::reference_kernels>,
                              std::span(schedule.steps).first(schedule.count)) %
                  64 ==
              0);

TEST_CASE("each step gets the qparams of its operands, a relu in the lower bound") {
  const auto p = make({{.scale = 0.1F, .zero_point = 100},
                       {.scale = 0.2F, .zero_point = 30},
                       {.scale = 0.3F, .zero_point = 50}});
  REQUIRE(p);
  REQUIRE(schedule.steps[1].signature.kernel == ctq::kernel::linear);
  REQUIRE(schedule.steps[1].signature.relu);
  CHECK(p->data[1].in[0].zero_point == 100);
  CHECK(p->data[1].out_range.lo == 30);
  CHECK(p->data[1].out_range.hi == 255);
  CHECK(p->data[2].out_range.lo == 0);
  CHECK(p->data[2].out_range.zero_point == 50);
}

TEST_CASE("an overflow is an error that names the node and the channel") {
  using plan_of_wide = ctq::plan<wide, ctq::x86, small::int8>;
  constexpr auto& steps = plan_of_wide::int8_schedule;
  const ctq::weights largest{{{"fc.weight", {2, 70'000}, std::vector<float>(140'000, 1.0F)},
                              {"fc.bias", {2}, std::vector<float>(2)}}};
  const auto p = ctq::pack_parameters<ctq::reference_kernels>(
      std::span(steps.steps).first(steps.count), plan_of_wide::lowered,
      *ctq::quantize_parameters<plan_of_wide>(largest),
      std::vector<ctq::qparams>(2, {.scale = 1.0F}));
  REQUIRE(!p);
  CHECK(p.error().place == "node fc, accumulator_overflow, channel 0");
}

TEST_CASE("outputs that were equal in calibration leave a layer its sums") {
  CHECK(make({{.scale = 1.0F}, {.scale = 1e-20F}, {.scale = 1.0F}}));
}

TEST_CASE("inputs that are almost zero leave a layer its biases") {
  CHECK(make({{.scale = 1e-20F}, {.scale = 1.0F}, {.scale = 1.0F}}));
}
