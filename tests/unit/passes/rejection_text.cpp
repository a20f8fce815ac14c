// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/rejection_text.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace ctq;

namespace {

using clause = rejection::clause;
using value = rejection::value;

struct npu
    : backend_config<"npu", backend_pattern_config<
                                pattern<nn::linear>,
                                dtype_configs<dtype_config<>, dtype_config<>, dtype_config<>>>> {};

/// The words for a node that a pattern was found for, unless pattern is -1.
std::string words(const rejection& why, int pattern = 0) {
  const node n{.op = nn::linear.id(), .choice = {.pattern = pattern, .why = why}};
  std::string out;
  append_rejection(out, n, backend_v<npu>);
  return out;
}

double number(dtype d) { return static_cast<double>(d); }

const std::string head = "\npattern: torch.nn.Linear\ndtype_config: #2 of 3\n";

TEST_CASE("a clause says which value, what was asked and what is allowed") {
  CHECK(words({clause::dtype, value::input, number(quint8), number(qint8), 2}) ==
        head + "input.dtype: quint8\nthe backend allows: qint8");
  CHECK(words({clause::quant_min, value::weight, -128, -127, 2}) ==
        head + "weight.quant_min: -128\nthe backend allows: >= -127");
  CHECK(words({clause::quant_max, value::output, 255, 127, 2}) ==
        head + "output.quant_max: 255\nthe backend allows: <= 127");
  CHECK(words({clause::scale_min, value::input, 0x1p-23, 0x1p-12, 2}) ==
        head + "input.eps: 1.19209e-07\nthe backend allows scale_min: 0.000244141");
  const std::string only =
      "\nthe backend allows only\nscale 0.00390625, from\na fixed_qparams_observer";
  CHECK(words({clause::exact_match, value::output, 0.0, 0x1p-8, 2}) ==
        head + "output: not a fixed scale" + only);
  CHECK(words({clause::exact_match, value::output, 0x1p-7, 0x1p-8, 2}) ==
        head + "output: another scale or zero point" + only);
  CHECK(words({clause::is_dynamic, value::input, 1, 0, 2}) ==
        head + "is_dynamic: 1\nthe backend allows: 0");
  CHECK(words({clause::no_range, value::input, 0, 0, 2}) ==
        head + "input: the observer has no quant_min\nand quant_max");
}

TEST_CASE("what is no dtype config's fault names none") {
  CHECK(words({.why = clause::no_pattern}, -1) ==
        "\nno pattern with a dtype config for\ntorch.nn.Linear");
  CHECK(words({.why = clause::pattern_part}) ==
        "\npattern: torch.nn.Linear\n"
        "another node of the pattern\nhas no qconfig that fits");
  CHECK(words({.why = clause::no_qconfig}, -1) == "\nqconfig: none");
}

}  // namespace
