// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/schedule/check_functions.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ctq/graph/model.hpp"
#include "ctq/passes/schedule/schedule.hpp"
#include "user_ops.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

/// What is said of a node of this op that reads these.
template <class Op>
std::string complaint(const Op&, std::initializer_list<node> inputs) {
  dynamic_graph<stage::fused> g;
  list<int> args;
  for (const node& n : inputs) args.push_back(g.add(n, nullptr, 0));
  const int at = g.add({.name = "n", .op = Op::id()}, args);
  diagnostic d;
  check_functions(g.view(), at, d);
  return std::string{d.message()};
}

const node four{.name = "x", .op = nn::placeholder.id(), .shape = {4}};
const node five{.name = "y", .op = nn::placeholder.id(), .shape = {5}};
const node four_bytes{.name = "z", .op = nn::placeholder.id(), .shape = {4}, .dtype = quint8};

}  // namespace

TEST_CASE("an op of a user's own that can be computed is not complained of") {
  CHECK(complaint(own::swish, {four}).empty());
  CHECK(complaint(own::add_swish, {four, four}).empty());
}

TEST_CASE("an op that cannot be computed is, with what is to be done") {
  CHECK(complaint(own::shaped, {four}) ==
        "no kernel for node n:\nown.shaped\nhas no float implementation: define\n"
        "static float apply(float)");
  CHECK(complaint(own::swish, {four, four}) ==
        "no kernel for node n:\nown.swish\ntakes 1 inputs, not 2");
  CHECK(complaint(own::add_swish, {four, five}) ==
        "no kernel for node n:\nown.add_swish\nreads tensors of different shapes");
  CHECK(complaint(own::add_swish, {four, four_bytes}) ==
        "no kernel for node n:\nown.add_swish\nreads float32 and quint8");
}

TEST_CASE("a model with such an op has no schedule") {
  constexpr auto net = sequential({1, 4}, own::shaped());
  CHECK(std::string{schedule(net.view()).problem.message()}.starts_with("no kernel for node 0:"));
}
