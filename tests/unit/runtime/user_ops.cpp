// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops of a user's own in whole models: floats, calibration, integers, both executors.

#include "user_ops.hpp"

#include <doctest/doctest.h>

#include "compare_executors.hpp"

using namespace ctq;
using namespace ctq::literals;
using small::compare_executors;
using small::differences;

namespace {

// ---- backends with rows for them, on unsigned and on signed integers

template <class Weighted, class Activation>
struct rows_of {
  using weighted = dtype_configs<Weighted>;
  using activation = dtype_configs<Activation>;
  template <auto... Op>
  using plain = configs<backend_pattern_config<pattern<Op>, activation>...>;
  using all =
      configs<backend_pattern_config<pattern<nn::conv2d>, weighted>,
              backend_pattern_config<pattern<op::add>, activation>,
              backend_pattern_config<pattern<fn::flatten>, activation, share_observer_with_input>,
              plain<own::swish, own::square, own::negate, own::add_swish>,
              backend_pattern_config<pattern<own::reverse>, activation, share_observer_with_input>,
              backend_pattern_config<pattern<nested<op::add, match_all, own::swish>>, activation,
                                     fused_module<own::add_swish>, root_node_getter<path<2>>,
                                     extra_inputs_getter<path<1>>>>;
};

struct unsigned_8 : backend_config<"unsigned_8", rows_of<weighted_int8, activation_int8>::all> {};
struct signed_8
    : backend_config<"signed_8", rows_of<signed_weighted_int8, signed_activation_int8>::all> {};

struct u8 : small::int8 {};
struct s8
    : qconfig_mapping<
          global<qconfig<min_max_observer<{.dtype = qint8}>, per_channel_min_max_observer<>>>> {};

// ---- models

constexpr conv2d_options conv{.out_channels = 5, .kernel_size = 3, .padding = 1};

/// Each kind of op, behind a convolution, whose values lie in N, H, W, C order.
inline constexpr auto each_kind =
    model("x"_n = nn::placeholder({1, 3, 7, 9}), "conv"_n = nn::conv2d("x"_n, conv),
          "swish"_n = own::swish("conv"_n, {.beta = 0.7F}), "square"_n = own::square("swish"_n),
          "negate"_n = own::negate("square"_n), "both"_n = own::add_swish("negate"_n, "conv"_n),
          "reverse"_n = own::reverse("both"_n),
          "last"_n = own::add_swish("reverse"_n, "conv"_n, {.beta = 2.0F}),
          "out"_n = nn::output("last"_n));

/// An add of a swish, in both orders of its arguments.
inline constexpr auto added =
    model("x"_n = nn::placeholder({1, 3, 5, 5}), "conv"_n = nn::conv2d("x"_n, conv),
          "a"_n = own::swish("conv"_n, {.beta = 3.0F}), "first"_n = op::add("a"_n, "conv"_n),
          "b"_n = own::swish("first"_n), "second"_n = op::add("first"_n, "b"_n),
          "out"_n = nn::output("second"_n));

}  // namespace

TEST_CASE("ops of a user's own run on integers, with the bytes of their definition") {
  using p = plan<each_kind, unsigned_8, u8>;
  for (const char* name : {"swish", "square", "negate", "both", "reverse", "last"})
    CHECK(p::lowered.nodes[static_cast<std::size_t>(find(p::lowered.view(), name))].dtype ==
          quint8);
  own::op_negate::calls = 0;
  const differences o = compare_executors<each_kind, unsigned_8, u8>(50);
  CHECK(own::op_negate::calls == 50);  // by the compiled model, not by the interpreter
  CHECK(o.other_bytes == 0);
  CHECK(o.error < 0.03F * o.size);
}

TEST_CASE("the same on signed integers") {
  using p = plan<each_kind, signed_8, s8>;
  CHECK(p::lowered.nodes[static_cast<std::size_t>(find(p::lowered.view(), "last"))].dtype == qint8);
  const differences o = compare_executors<each_kind, signed_8, s8>(50);
  CHECK(o.other_bytes == 0);
  CHECK(o.error < 0.03F * o.size);
}

TEST_CASE("an add of a swish becomes one op, whichever argument the swish is") {
  constexpr auto& g = fused_v<added, unsigned_8>;
  REQUIRE(g.count == 5);
  const auto at = [](std::string_view name) { return find(g.view(), name); };
  for (const char* name : {"a", "b"}) {
    CHECK(g.view()[at(name)].op == own::add_swish.id());
    CHECK(g.view()[at(name)].arg_count == 2);
  }
  CHECK(g.view()[at("a")].attrs.as<own::swish_options>().beta == 3.0F);
  CHECK(g.view().arg(at("a"), 0).name == "conv");
  CHECK(g.view().arg(at("a"), 1).name == "conv");
  CHECK(g.view().arg(at("b"), 0).name == "a");
  const differences u = compare_executors<added, unsigned_8, u8>(50);
  CHECK(u.other_bytes == 0);
  CHECK(u.error < 0.03F * u.size);
  const differences s = compare_executors<added, signed_8, s8>(50);
  CHECK(s.other_bytes == 0);
}

TEST_CASE("fusing changes no float") {
  std::mt19937 random{9};
  const auto weights = small::checked_weights<added>(4);
  struct unfused : backend_config<"unfused"> {};
  float_model<added, unsigned_8> fused{weights};
  float_model<added, unfused> plain{weights};
  io_types<fused_schedule_v<added, unsigned_8>>::input x;
  io_types<fused_schedule_v<added, unsigned_8>>::output a, b;
  small::fill(x, random);
  fused(x, a);
  plain(x, b);
  CHECK(a.values == b.values);
}

// ---- what stays in float

/// Without a form on integers, and with a shape of its own.
inline constexpr auto summed = model(
    "x"_n = nn::placeholder({1, 3, 5, 5}), "conv"_n = nn::conv2d("x"_n, conv),
    "sum"_n = own::sum("conv"_n), "act"_n = own::swish("sum"_n), "out"_n = nn::output("act"_n));

struct with_sum
    : unsigned_8::set<"with_sum",
                      backend_pattern_config<pattern<own::sum>, dtype_configs<activation_int8>>> {};
struct but_sum : u8::set<allow_float<"sum">> {};

TEST_CASE("an op without a form on integers stays in float if that is allowed") {
  using skipped = plan<summed, with_sum, u8, unsupported::skip>;
  static_assert(skipped::int8_schedule.outputs[0].shape == shape{1, 5, 5});
  const auto at = [](const auto& g, std::string_view name) {
    return g.nodes[static_cast<std::size_t>(find(g.view(), name))].dtype;
  };
  CHECK(at(skipped::lowered, "sum") == f32);
  CHECK(at(skipped::lowered, "act") == quint8);
  CHECK(compare_executors<summed, with_sum, u8, unsupported::skip>(20).other_bytes == 0);
  CHECK(at(plan<summed, unsigned_8, but_sum>::lowered, "sum") == f32);
  CHECK(compare_executors<summed, unsigned_8, but_sum>(20).other_bytes == 0);
}

TEST_CASE("ops of a user's own in float are what their apply says") {
  static constexpr auto tiny = sequential({1, 3}, own::square(), own::swish({.beta = 0.0F}));
  auto r = interpreter<reference_kernels>::make(tiny.view(), {});
  REQUIRE(r);
  const tensor<float, 1, 3> x{{1, -2, 3}};
  tensor<float, 1, 3> y;
  r->run(x.data(), y.data());
  CHECK(y.values == std::array<float, 3>{0.5F, 2, 4.5F});
}
