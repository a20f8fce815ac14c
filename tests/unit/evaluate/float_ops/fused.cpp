// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/float_ops/fused.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "run_op.hpp"

using namespace ctq;
using namespace ctq::float_ops;
using run_op::cause;

namespace {

/// What a part was asked: its op, and the names and numbers that it was given.
std::vector<std::string> asked;

/// Every op adds 1 to its input.
result<value> plus_one(op_id op, const arguments& given, const layer_functions&) {
  std::string text(op->name);
  for (const named_value& a : given)
    text += " " + a.name + "=" + std::to_string(as_integer(a.given).value_or(-1));
  asked.push_back(text);
  return value(as_integer(*given.find("input")).value_or(0) + 1);
}

result<value> failing(op_id, const arguments&, const layer_functions&) {
  return fail("torch.nn.Conv2d", "needs weight");
}

template <class Op>
result<value> run(const Op& op, const arguments& given,
                  float_ops::operands::caller any_op = plus_one) {
  asked.clear();
  const layer_functions none;
  for (const float_op& f : implementation::fused_sums)
    if (is_named(op.id()->name, f.names)) {
      float_ops::operands from(op.id(), signature_of(f, op.id()), given, any_op, none);
      return f.run(from);
    }
  float_ops::operands from(op.id(), {"input"}, given, any_op, none);
  return implementation::sequence(from);
}

static_assert(fusing::fused_form(nni::conv_relu2d.id()) == nni::conv_relu2d.id());
static_assert(fusing::fused_form(nniqat::conv_bn2d.id()) == nni::conv_bn2d.id());
static_assert(fusing::fused_form(nnqat::conv2d.id()) == nullptr);

}  // namespace

TEST_CASE("the parts of a fused module are called in turn, each with what belongs to it") {
  const auto y = run(nni::conv_bn_relu2d, {{"input", 5},
                                           {"0.stride", 2},
                                           {"weight", 7},  // of part 0, without its number
                                           {"1.eps", 3},
                                           {"2.inplace", 1}});
  REQUIRE(cause(y) == "");
  CHECK(as_integer(*y) == 8);
  CHECK(asked == std::vector<std::string>{"torch.nn.Conv2d input=5 stride=2 weight=7",
                                          "torch.nn.BatchNorm2d eps=3 input=6",
                                          "torch.nn.ReLU inplace=1 input=7"});
}

TEST_CASE("a module of quantization-aware training calls its batch norm bn") {
  const auto y = run(nniqat::conv_bn_relu2d, {{"input", 0}, {"weight", 7}, {"bn.eps", 3}});
  REQUIRE(cause(y) == "");
  REQUIRE(asked.size() == 3);
  CHECK(asked[0] == "torch.nn.Conv2d input=0 weight=7");
  CHECK(asked[1] == "torch.nn.BatchNorm2d eps=3 input=1");
  CHECK(asked[2] == "torch.nn.ReLU input=2");
}

TEST_CASE("a sum joins the second input between the convolution and its relu") {
  const auto y = run(nni::conv_add_relu2d, {{"input", 1}, {"other", 40}, {"0.weight", 7}});
  REQUIRE(cause(y) == "");
  CHECK(asked == std::vector<std::string>{"torch.nn.Conv2d input=1 other=40 weight=7",
                                          "_operator.add input=2 other=40",
                                          "torch.nn.ReLU input=3"});
  CHECK(as_integer(*run(nni::conv_add2d, {{"input", 1}, {"other", 40}})) == 3);
  CHECK(asked.size() == 2);
}

TEST_CASE("the error of a part names the part, and no other part is called") {
  const auto y = run(nni::conv_relu2d, {{"input", 1}}, failing);
  REQUIRE_FALSE(y.has_value());
  CHECK(y.error().place == nni::conv_relu2d.id()->name);
  CHECK(y.error().cause == "torch.nn.Conv2d: needs weight");
  CHECK(cause(run(nni::conv_relu2d, {})) == "needs input");
  CHECK(asked.empty());
}
