// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/pack_parameters.hpp"

#include <doctest/doctest.h>

#include "ctq/runtime/bind_kernels.hpp"
#include "small_net.hpp"

namespace {

using plan = ctq::plan<small::mlp, ctq::x86, small::int8>;
constexpr auto& schedule = plan::int8_schedule;

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
  const auto p = make({{.scale = 1.0F}, {.scale = 1e-20F}, {.scale = 1.0F}});
  REQUIRE(!p);
  CHECK(p.error().place.starts_with("node 0, accumulator_overflow, channel"));
}

TEST_CASE("inputs that are almost zero leave a layer its biases") {
  CHECK(make({{.scale = 1e-20F}, {.scale = 1.0F}, {.scale = 1.0F}}));
}
