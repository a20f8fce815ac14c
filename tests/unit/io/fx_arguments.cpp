// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/io/fx_arguments.hpp"

#include <doctest/doctest.h>

#include <string_view>

#include "ctq/json/document.hpp"
#include "ctq/ops/builtin_ops.hpp"

using namespace ctq;

namespace {

/// The arguments of a row that may read rows 0 and 1, x and y.
struct arguments_of {
  fx_graph graph;
  fx_reading::rows_by_name earlier{{"x", 0}, {"y", 1}};
  fx_reading::argument_reader read{graph, earlier};
  bool is_read;

  arguments_of(op_id op, std::string_view row) {
    const json::document d = json::parse(row.data(), row.size());
    REQUIRE(!d.error.any());
    is_read = read.read(d.root(row.data()), op);
  }
};

TEST_CASE("tensors that are given by keyword come first, in the order of the parameters") {
  const arguments_of matmul(
      fn::matmul.id(), R"({"args": [], "kwargs": {"other": {"n": "y"}, "input": {"n": "x"}}})");
  REQUIRE(matmul.is_read);
  CHECK(matmul.read.reads == std::vector{0, 1});
  REQUIRE(matmul.read.all.size() == 2);
  for (const argument& a : matmul.read.all) {
    CHECK(a.is == argument::kind::node);
    CHECK(a.keyword.empty());
  }
}

TEST_CASE("what is given by keyword follows what is given by position") {
  const arguments_of add(fn::add.id(),
                         R"({"args": [{"n": "x"}], "kwargs": {"alpha": 2, "other": {"n": "y"}}})");
  REQUIRE(add.is_read);
  REQUIRE(add.read.all.size() == 3);
  CHECK(add.read.all[1].is == argument::kind::node);
  CHECK(add.read.all[1].keyword.empty());
  CHECK(add.read.all[2].keyword == "alpha");
}

TEST_CASE("a keyword whose position is not the next one stays") {
  const arguments_of mul(fn::mul.id(), R"({"kwargs": {"other": {"n": "y"}}})");
  REQUIRE(mul.is_read);
  REQUIRE(mul.read.all.size() == 1);
  CHECK(mul.read.all[0].keyword == "other");
}

TEST_CASE("keywords of NumPy become PyTorch's") {
  const arguments_of sum(fn::sum.id(),
                         R"({"args": [{"n": "x"}], "kwargs": {"axis": [1], "keepdims": true}})");
  REQUIRE(sum.is_read);
  REQUIRE(sum.read.all.size() == 4);
  CHECK(sum.read.all[1].keyword == "dim");
  CHECK(sum.read.all[3].keyword == "keepdim");
}

TEST_CASE("an unknown row and a slice of two bounds are wrong") {
  CHECK(arguments_of(fn::relu.id(), R"({"args": [{"n": "z"}]})").read.cause ==
        "no earlier row is named z");
  CHECK(arguments_of(op::getitem.id(), R"({"args": [{"n": "x"}, {"s": [1, 2]}]})").read.cause ==
        "a slice is a list of start, stop and step");
  CHECK(arguments_of(fn::relu.id(), R"({"kwargs": []})").read.cause == "kwargs is not an object");
}

TEST_CASE("the options of a module are arguments without nodes") {
  arguments_of conv(nn::conv2d.id(), R"({"args": [{"n": "x"}]})");
  const std::string_view module = R"({"type": "nn.Conv2d", "stride": [2, 1], "own": {"n": "x"}})";
  const json::document d = json::parse(module.data(), module.size());
  conv.read.read_options(d.root(module.data()));
  REQUIRE(conv.read.options.size() == 3);
  CHECK(conv.read.options[0].keyword == "stride");
  CHECK(conv.read.options[2].integer == 1);
}

}  // namespace
