// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/executor.hpp"

#include <doctest/doctest.h>

#include <span>
#include <vector>

#include "ctq/runtime/interpreter.hpp"
#include "small_net.hpp"

namespace {

using plan = ctq::plan<small::mlp, ctq::x86, small::int8>;
constexpr auto& schedule = plan::int8_schedule;
using code = ctq::executor<schedule, ctq::reference_kernels>;

const std::vector<ctq::qparams> numbers{
    {.scale = 0.02F, .zero_point = 128}, {.scale = 0.05F}, {.scale = 0.1F, .zero_point = 90}};

ctq::parameters parameters_of(const ctq::weights& w) {
  return *ctq::pack_parameters<ctq::reference_kernels>(
      std::span(schedule.steps).first(schedule.count), plan::lowered,
      *ctq::quantize_parameters<plan>(w), numbers);
}

struct fixture {
  ctq::weights w = small::random_weights<small::mlp>(6);
  ctq::parameters p = parameters_of(w);
  ctq::tensor<float, 3, 21> x;
  ctq::tensor<float, 3, 5> y;
  ctq::aligned_buffer arena{code::arena_bytes};
  const void* in[1] = {x.data()};
  void* out[1] = {y.data()};

  fixture() {
    std::mt19937 random{3};
    small::fill(x, random);
  }
};

}  // namespace

static_assert(code::arena_bytes >= static_cast<std::size_t>(schedule.arena_bytes));
static_assert(code::packed_size % 64 == 0 && code::packed_size > 0);

TEST_CASE("the executor gives the bytes of the interpreter over the same kernels") {
  fixture f;
  auto oracle = ctq::interpreter<ctq::reference_kernels>::make(plan::lowered.view(), f.w, numbers,
                                                               plan::backend, plan::mapping);
  REQUIRE(oracle);
  ctq::tensor<float, 3, 5> expected;
  oracle->run(f.x.data(), expected.data());
  code::run(f.p, f.in, f.out, f.arena.data());
  CHECK(f.y.values == expected.values);
}

TEST_CASE("the hook is called before the first step and after each, in order") {
  fixture f;
  std::vector<int> seen;
  code::run(f.p, f.in, f.out, f.arena.data(), [&](auto step) { seen.push_back(step); });
  std::vector<int> all{-1};
  for (int i = 0; i < static_cast<int>(schedule.count); ++i) all.push_back(i);
  CHECK(seen == all);
}
