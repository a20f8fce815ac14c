// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/schedule/parameter_steps.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ctq/graph/model.hpp"
#include "ctq/passes/schedule/schedule.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

/// The places that the kernels of a model read from, or its problem.
template <class Model>
std::string reads_of(const Model& m) {
  REQUIRE(m.problem.message() == "");
  const dynamic_schedule s = schedule(m.view());
  if (s.problem.any()) return std::string{s.problem.message()};
  std::string out;
  for (const step& one : s.steps) {
    out += name_of(one.signature.kernel);
    for (const place& p : one.in)
      if (p.in == place::area::constant) out += " constant " + std::to_string(p.offset);
    out += "; ";
  }
  return out;
}

TEST_CASE("a parameter is an operand, or packed, or both") {
  CHECK(reads_of(model("x"_n = nn::placeholder({4, 4}), "weight"_n = nn::get_attr({4, 4}),
                       "y"_n = fn::linear("x"_n, "weight"_n), "out"_n = nn::output("y"_n))) ==
        "linear; ");
  CHECK(reads_of(model("x"_n = nn::placeholder({4, 4}), "weight"_n = nn::get_attr({4, 4}),
                       "y"_n = fn::linear("x"_n, "weight"_n), "z"_n = op::add("y"_n, "weight"_n),
                       "out"_n = nn::output("z"_n))) == "linear; binary_add constant 0; ");
  // Packed parameters take no room among the constants.
  CHECK(reads_of(model("x"_n = nn::placeholder({4, 4}), "weight"_n = nn::get_attr({4, 4}),
                       "a"_n = nn::get_attr({4, 4}), "b"_n = nn::get_attr({4, 4}),
                       "y"_n = fn::linear("x"_n, "weight"_n), "z"_n = op::add("y"_n, "a"_n),
                       "s"_n = op::add("z"_n, "b"_n), "out"_n = nn::output("s"_n))) ==
        "linear; binary_add constant 0; binary_add constant 64; ");
}

TEST_CASE("a weight that is computed is an error with a message") {
  const std::string words = "its weight is computed; kernels read\nparameters, nn::get_attr";
  CHECK(reads_of(model("x"_n = nn::placeholder({4, 4}), "y"_n = fn::linear("x"_n, "x"_n),
                       "out"_n = nn::output("y"_n))) == "no kernel for node y:\n" + words);
  CHECK(reads_of(model("x"_n = nn::placeholder({4, 4}), "weight"_n = nn::get_attr({4, 4}),
                       "twice"_n = op::add("weight"_n, "weight"_n),
                       "y"_n = fn::linear("x"_n, "twice"_n), "out"_n = nn::output("y"_n))) ==
        "no kernel for node y:\n" + words);
}

}  // namespace
