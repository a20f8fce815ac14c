// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/explain.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ctq/backends/x86.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

constexpr auto net =
    model("x"_n = nn::placeholder({1, 3, 8, 8}),
          "conv"_n = nn::conv2d("x"_n, {.out_channels = 4, .kernel_size = 3, .padding = 1}),
          "bn"_n = nn::batch_norm2d("conv"_n), "relu"_n = nn::relu("bn"_n),
          "sum"_n = op::add("relu"_n, "relu"_n), "flat"_n = nn::flatten("sum"_n),
          "fc"_n = nn::linear("flat"_n, {.out_features = 2}), "out"_n = nn::output("fc"_n));

struct int8 : qconfig_mapping<global<qconfig<min_max_observer<>, per_channel_min_max_observer<>>>> {
};
struct without_fc : int8::set<allow_float<"fc">> {};
struct without_sum : int8::set<allow_float<"sum">> {};

}  // namespace

static_assert(explain<net, x86, int8>().fully_quantized());
static_assert(explain<net, x86, int8>().quantized("bn"));
static_assert(explain<net, x86, int8>().quantized("relu"));
static_assert(!explain<net, x86, without_fc>().quantized("fc"));
static_assert(explain<net, x86, without_fc>().quantized("conv"));
static_assert(!explain<net, x86, without_fc>().fully_quantized());
static_assert(!explain<net, x86, int8>().quantized("no such node"));

TEST_CASE("allow_float holds for a function too, by its node's name") {
  constexpr explanation e = explain<net, x86, without_sum>();
  CHECK(!e.quantized("sum"));
  CHECK(e.quantized("conv"));
}

TEST_CASE("the table has a row a node, with the reason, and then the qconfigs") {
  constexpr explanation e = explain<net, x86, without_fc>();
  std::string table;
  e.append_to(table);
  CHECK(table.find("bn                     in conv ") != std::string::npos);
  CHECK(table.find("left in float by qconfig #1\n") != std::string::npos);
  CHECK(table.find("qconfig #0 (global): MinMaxObserver()") != std::string::npos);
  CHECK(table.find("qconfig #1 (module_name fc): float\n") != std::string::npos);
}
