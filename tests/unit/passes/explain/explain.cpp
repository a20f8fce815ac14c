// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/explain/explain.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <string>

#include "../../death.hpp"
#include "ctq/backends/qconfigs.hpp"
#include "ctq/backends/x86.hpp"
#include "user_ops.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

constexpr auto net =
    model("x"_n = nn::placeholder({1, 3, 8, 8}),
          "conv"_n = nn::conv2d("x"_n, {.out_channels = 4, .kernel_size = 3, .padding = 1}),
          "bn"_n = nn::batch_norm2d("conv"_n), "relu"_n = nn::relu("bn"_n),
          "sum"_n = op::add("relu"_n, "relu"_n), "flat"_n = fn::flatten("sum"_n, {.start_dim = 1}),
          "fc"_n = nn::linear("flat"_n, {.out_features = 2}), "out"_n = nn::output("fc"_n));

struct int8 : qconfig_mapping<global<qconfig<min_max_observer<>, per_channel_min_max_observer<>>>> {
};
struct without_fc : int8::set<allow_float<"fc">> {};
struct dynamic : qconfig_mapping<object_type<nn::linear, default_dynamic_qconfig>> {};
struct without_sum : int8::set<allow_float<"sum">> {};

}  // namespace

static_assert(explain<net, x86, int8>().fully_quantized());
static_assert(explain<net, x86, int8>().quantized("bn"));
static_assert(explain<net, x86, int8>().quantized("relu"));
static_assert(!explain<net, x86, without_fc>().quantized("fc"));
static_assert(explain<net, x86, without_fc>().quantized("conv"));
static_assert(!explain<net, x86, without_fc>().fully_quantized());
static_assert(explain<net, x86, dynamic>().quantized("fc"));  // which gives floats
static_assert(!explain<net, x86, dynamic>().quantized("conv"));

TEST_CASE("allow_float holds for a function too, by its node's name") {
  constexpr explanation e = explain<net, x86, without_sum>();
  CHECK(!e.quantized("sum"));
  CHECK(e.quantized("conv"));
}

// ---- what nothing reads, next to what something does

constexpr auto dead =
    model("x"_n = nn::placeholder({1, 4}), "a"_n = nn::linear("x"_n, {.out_features = 4}),
          "unread"_n = nn::linear("a"_n, {.out_features = 4}), "more"_n = nn::relu("unread"_n),
          "also"_n = nn::relu("a"_n), "sum"_n = op::add("a"_n, "x"_n), "relu"_n = fn::relu("sum"_n),
          "out"_n = nn::output("relu"_n));

static_assert(!explain<dead, x86, int8>().quantized("unread"));
static_assert(!explain<dead, x86, int8>().quantized("more"));
static_assert(!explain<dead, x86, int8>().quantized("also"));
static_assert(explain<dead, x86, int8>().quantized("relu"));

TEST_CASE("a node that nothing reads is in no other") {
  constexpr explanation e = explain<dead, x86, int8>();
  std::string table;
  e.append_to(table);
  for (const char* row : {"\nunread                 -", "\nmore                   -",
                          "\nalso                   -", "\nrelu                   in sum "}) {
    CAPTURE(row);
    CHECK(table.find(row) != std::string::npos);
  }
}

// ---- a tree whose first argument is not of it

struct with_swish
    : x86::set<"with_swish",
               backend_pattern_config<pattern<own::add_swish>, dtype_configs<activation_int8>>,
               backend_pattern_config<pattern<nested<op::add, match_all, own::swish>>,
                                      dtype_configs<activation_int8>, fused_module<own::add_swish>,
                                      extra_inputs_getter<path<1>>>> {};
constexpr auto tree =
    model("x"_n = nn::placeholder({1, 4}), "fc"_n = nn::linear("x"_n, {.out_features = 4}),
          "swish"_n = own::swish("x"_n), "sum"_n = op::add("fc"_n, "swish"_n),
          "out"_n = nn::output("sum"_n));

TEST_CASE("a fused node is in the one that owns the options, not in what it reads") {
  constexpr explanation e = explain<tree, with_swish, int8>();
  std::string table;
  e.append_to(table);
  CHECK(e.fully_quantized());
  CHECK(table.find("\nsum                    in swish ") != std::string::npos);
}

// ---- what the backend lists and no kernel runs

// own::sum has no form on integers.
struct with_sum
    : x86::set<"with_sum",
               backend_pattern_config<pattern<own::sum>, dtype_configs<activation_int8>>> {};
constexpr auto sums = model("x"_n = nn::placeholder({1, 3, 4, 4}), "sum"_n = own::sum("x"_n),
                            "out"_n = nn::output("sum"_n));

TEST_CASE("an op without integer kernel says so") {
  constexpr explanation e = explain<sums, with_sum, int8, unsupported::skip>();
  CHECK(!e.quantized("sum"));
  std::string table;
  e.append_to(table);
  CHECK(table.find("float32  no integer kernel for own.sum\n") != std::string::npos);
}

struct free_relu
    : x86::set<"free_relu", backend_pattern_config<pattern<nn::relu>,
                                                   dtype_configs<activation_int8>, not_observed>> {
};
constexpr auto alone = sequential({1, 4}, nn::relu());

TEST_CASE("an op that the backend observes nothing of says so") {
  constexpr explanation e = explain<alone, free_relu, int8>();
  std::string table;
  e.append_to(table);
  CHECK(table.find("float32  the backend observes nothing of it\n") != std::string::npos);
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

TEST_CASE("a question about a node that the model does not have ends the program") {
  constexpr explanation e = explain<net, x86, int8>();
  const death d = death_of([&] { static_cast<void>(e.quantized("no such node")); });
  CHECK(d.signal == SIGABRT);
  CHECK(d.said.find("explain().quantized: no node of the model has this name") !=
        std::string::npos);
}
