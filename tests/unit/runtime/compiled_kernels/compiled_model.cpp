// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/compiled_kernels/compiled_model.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "../small_net.hpp"
#include "ctq/runtime/compiled_kernels/define_kernel_set.hpp"
#include "ctq/runtime/float_model.hpp"
#include "ctq/runtime/interpreter.hpp"
#include "ctq/runtime/session.hpp"

// A library of the reference alone, under two names. tests/integration/compiled_kernels has the
// real one.

namespace {

constexpr ctq::kernel_set named(const char* name) {
  ctq::kernel_set set = ctq::compiled_kernels::set_of<ctq::reference_kernels>;
  set.isa = name;
  return set;
}
constexpr ctq::kernel_set fast = named("fast"), slow = named("slow");
constexpr const ctq::kernel_set* sets[] = {&fast, &slow};
std::size_t set_count = 2;

}  // namespace

namespace ctq::compiled_kernels {

template <int, int, int, std::size_t>
span<const kernel_set* const> of_release() noexcept {
  return span(sets).first(set_count);
}
template span<const kernel_set* const>
of_release<headers.major, headers.minor, headers.patch, headers.layout>() noexcept;

}  // namespace ctq::compiled_kernels

namespace {

using namespace ctq;
using namespace ctq::literals;

using net_plan = plan<small::net, x86, small::int8>;
using model = quantized_model<net_plan, isa::compiled>;
using input = model::input;

static_assert(compiled_kernels::release_of("1.20.3").major == 1);
static_assert(compiled_kernels::release_of("1.20.3").minor == 20);
static_assert(compiled_kernels::release_of("1.20.3").patch == 3);
static_assert(compiled_kernels::release_of("1.20.3").layout == compiled_kernels::headers.layout);

const weights& net_weights() {
  static const weights w = small::random_weights<small::net>(4);
  return w;
}

quantized_state state() {
  std::vector<qparams> all(static_cast<std::size_t>(net_plan::prepared.observers),
                           qparams{.scale = 0.05F, .zero_point = 100});
  return {*quantize_parameters<net_plan>(net_weights()), all};
}

input any_input(int seed) {
  input x;
  for (std::size_t i = 0; i < x.size; ++i)
    x[i] = static_cast<float>((i * 37 + static_cast<std::size_t>(seed) * 11) % 101) / 50 - 1;
  return x;
}

constexpr auto two = ctq::model("x"_n = nn::placeholder({1, 4}), "y"_n = nn::placeholder({1, 4}),
                                "sum"_n = op::add("x"_n, "y"_n), "act"_n = nn::relu("sum"_n),
                                "out"_n = nn::output("sum"_n, "y"_n, "act"_n));

}  // namespace

TEST_CASE("compiled kernels read several inputs and write several outputs") {
  float_model<two, x86, isa::compiled> run{small::checked_weights<two>(1)};
  const auto [sum, y, act] = run(tensor<float, 1, 4>{1.0F, -2.0F, 0.5F, 0.0F},
                                 tensor<float, 1, 4>{2.0F, 1.0F, 0.0F, -1.0F});
  CHECK(sum.values == std::array{3.0F, -1.0F, 0.5F, -1.0F});
  CHECK(y.values == std::array{2.0F, 1.0F, 0.0F, -1.0F});
  CHECK(act.values == std::array{3.0F, 0.0F, 0.5F, 0.0F});
}

TEST_CASE("a model with compiled kernels has the bytes of the interpreter") {
  const auto made = model::make(state());
  REQUIRE(made);
  CHECK(made->isa() == "fast");
  auto oracle =
      interpreter<reference_kernels>::make(net_plan::lowered.view(), net_weights(), made->qparams(),
                                           net_plan::backend, net_plan::mapping);
  REQUIRE(oracle);
  session run{*made};
  for (int seed = 0; seed < 5; ++seed) {
    const input x = any_input(seed);
    const auto ours = run(x);
    auto expected = ours;
    oracle->run(x.data(), expected.data());
    CHECK(std::memcmp(ours.data(), expected.data(), sizeof ours.values) == 0);
  }
}

TEST_CASE("a float model computes the same with compiled kernels") {
  const auto checked = small::checked_weights<small::net>(4);
  float_model<small::net, x86, isa::compiled> compiled{checked};
  float_model<small::net, x86, isa::scalar> in_headers{checked};
  const input x = any_input(1);
  const auto ours = compiled(x);
  const auto expected = in_headers(x);
  for (std::size_t i = 0; i < ours.size; ++i) CHECK(ours[i] == doctest::Approx(expected[i]));
}

TEST_CASE("the instruction set is chosen by name") {
  CHECK(model::make(state(), "slow")->isa() == "slow");
  const auto wrong = model::make(state(), "avx1024");
  REQUIRE(!wrong);
  CHECK(wrong.error().place == "ctq-kernels");
  CHECK(wrong.error().cause.ends_with("these are: fast, slow"));

  ::setenv("CTQ_ISA", "slow", 1);
  CHECK(model::make(state())->isa() == "slow");
  CHECK((*compiled_kernels::choose_or_fastest())->isa == "slow");
  ::setenv("CTQ_ISA", "avx1024", 1);
  CHECK(model::make(state()).error().place == "CTQ_ISA");
  CHECK((*compiled_kernels::choose_or_fastest())->isa == "fast");
  ::unsetenv("CTQ_ISA");
}

TEST_CASE("a library without code for the machine is an error") {
  const std::size_t all = std::exchange(set_count, 0);
  const auto none = model::make(state());
  REQUIRE(!none);
  CHECK(none.error().cause.find("kernels_isas") != std::string::npos);
  CHECK(!compiled_kernels::choose_or_fastest());
  set_count = all;
}

TEST_CASE("a library that lacks a kernel of a plan is an error with its signature") {
  ctq::kernel_set set = fast;
  set.function_of = [](const kernel_signature&) -> kernel_function { return nullptr; };
  constexpr auto& schedule = net_plan::int8_schedule;
  const quantized_state s = state();
  const auto made = compiled_kernels::make(set, std::span(schedule.steps).first(schedule.count),
                                           net_plan::lowered, s.tensors, s.qparams);
  REQUIRE(!made);
  CHECK(made.error().message().starts_with("ctq-kernels: no kernel has the signature quantize"));
}

TEST_CASE("a set has a kernel for each signature that exists, and no other") {
  const auto exists = [](kernel_id kernel, dtype in, dtype out, fused_op then) {
    kernel_signature signature;
    signature.kernel = kernel;
    signature.in = in;
    signature.out = out;
    signature.then = then;
    return fast.function_of(signature) != nullptr;
  };
  for (std::size_t k = 0; k < kernels::kernel_count; ++k)
    for (const dtype in : {f32, quint8, qint8, i32, i64})
      for (const dtype out : {f32, quint8, qint8, i64}) {
        const auto id = static_cast<kernel_id>(k);
        CHECK(exists(id, in, out, fused_op::nothing) == kernels::exists(id, in, out));
      }
  CHECK(exists(kernel::conv2d, quint8, quint8, fused_op::table));
  CHECK(exists(kernel::linear, qint8, qint8, fused_op::add_relu));
  CHECK_FALSE(exists(kernel::conv2d, f32, f32, fused_op::add));
  CHECK_FALSE(exists(kernel::relu, quint8, quint8, fused_op::add));
}

TEST_CASE("a set has an op of its own for each op of ctq, and none for a user's") {
  for (const op_id op : naming::all_ops) CHECK(fast.own_op(op) == op);  // in this program: the same
  static constexpr op_info swish{.name = "own.swish"};
  CHECK(fast.own_op(&swish) == &swish);
  CHECK(fast.own_op(nullptr) == nullptr);
}
