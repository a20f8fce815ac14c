// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/float_ops/operands.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "run_op.hpp"

using namespace ctq;
using namespace ctq::float_ops;

namespace {

constexpr python_signature parameters_of_op{
    "input, weight=None, stride=1, dim=-1, dims=(), mode='zeros', p=0.5, flag=True"};
constexpr op_info some_op{op_kind::function, "op"};

constexpr layer_functions plain{};

/// Asks for operands of a call, and gives the problem that was remembered.
template <class Ask>
std::string problem(const arguments& given, Ask ask) {
  float_ops::operands from(&some_op, parameters_of_op, given, run_op::no_other, plain);
  ask(from);
  return from.failed() ? result<value>(from.failure()).error().message() : "";
}

}  // namespace

TEST_CASE("what a call leaves out has the default of the signature") {
  const arguments none_given;
  float_ops::operands from(&some_op, parameters_of_op, none_given, run_op::no_other, plain);
  CHECK(from.integer("stride") == 1);
  CHECK(from.real("p") == 0.5);
  CHECK(from.text("mode") == "zeros");
  CHECK(from.flag("flag"));
  CHECK(from.is_none("weight"));
  CHECK(from.floats_or_null("weight") == nullptr);
  CHECK(from.integers("stride", 3) == std::vector<int>{1, 1, 1});
  CHECK(from.integers("dims").empty());
  CHECK(from.axis("dim", 4) == 3);
  CHECK_FALSE(from.failed());
  CHECK(from.has("mode"));
  CHECK_FALSE(from.has("color"));
}

TEST_CASE("only the first problem is reported") {
  CHECK(problem({}, [](float_ops::operands& from) {
          from.floats("input");
          from.require(false, "later");
        }) == "op: input is not a float tensor");
  CHECK(problem({}, [](float_ops::operands& from) { from.require(true, "never"); }) == "");
  CHECK(problem({}, [](float_ops::operands& from) { from.any("input"); }) == "op: needs input");
}

TEST_CASE("an operand of another type is a problem") {
  const arguments given{{"input", tensor{{1}, {2.5F}}},
                        {"stride", 1.5},
                        {"p", "half"},
                        {"mode", 3},
                        {"dims", list{1, "a"}}};
  CHECK(problem(given, [](float_ops::operands& from) { from.floats("stride"); }) ==
        "op: stride is not a float tensor");
  CHECK(problem(given, [](float_ops::operands& from) { from.indices("input"); }) ==
        "op: input is not an integer tensor");
  CHECK(problem(given, [](float_ops::operands& from) { from.integer("stride"); }) ==
        "op: stride is not an integer");
  CHECK(problem(given, [](float_ops::operands& from) { from.real("p"); }) ==
        "op: p is not a number");
  CHECK(problem(given, [](float_ops::operands& from) { from.text("mode"); }) ==
        "op: mode is not a string");
  CHECK(problem(given, [](float_ops::operands& from) { from.integers("dims"); }) ==
        "op: dims holds what is not an integer");
  CHECK(problem(given, [](float_ops::operands& from) { from.integers("p"); }) ==
        "op: p is not a list of integers");
  CHECK(problem(given, [](float_ops::operands& from) { from.items("mode"); }) ==
        "op: mode is not a list");
}

TEST_CASE("integers are read as floats, and floats without a fraction as integers") {
  const arguments given{{"input", index_tensor{{2}, {2, -3}}}, {"weight", tensor{{2}, {5, -1}}}};
  float_ops::operands from(&some_op, parameters_of_op, given, run_op::no_other, plain);
  const tensor& input = from.floats("input");
  const index_tensor& weight = from.indices("weight");
  CHECK(from.floats("weight").data == std::vector<float>{5, -1});
  CHECK(from.indices("input").data == std::vector<std::int64_t>{2, -3});
  CHECK(input.data == std::vector<float>{2, -3});
  CHECK(weight.data == std::vector<std::int64_t>{5, -1});
  CHECK_FALSE(from.failed());
}

TEST_CASE("a list of integers has as many as are wanted, or one for all") {
  const arguments given{{"stride", list{2, 3}}, {"dims", list{}}, {"p", list{5}}};
  float_ops::operands from(&some_op, parameters_of_op, given, run_op::no_other, plain);
  CHECK(from.integers("stride", 2) == std::vector<int>{2, 3});
  CHECK(from.integers("p", 2) == std::vector<int>{5, 5});
  CHECK(from.integers("dims", 2, "stride") == std::vector<int>{2, 3});
  CHECK(from.integers("weight", 2, "stride") == std::vector<int>{2, 3});
  CHECK_FALSE(from.failed());
  CHECK(from.integers("stride", 3).size() == 3);
  CHECK(result<value>(from.failure()).error().cause == "stride needs one or 3 numbers");
}

TEST_CASE("axes count from either end, and all of them are meant by None or by no axis") {
  const auto axis = [](int given, int rank) {
    const arguments a{{"dim", given}};
    float_ops::operands from(&some_op, parameters_of_op, a, run_op::no_other, plain);
    const int found = from.axis("dim", rank);
    return from.failed() ? -1 : found;
  };
  for (int rank = 1; rank <= 3; ++rank)
    for (int i = -5; i <= 5; ++i)
      CHECK(axis(i, rank) == (i >= -rank && i < rank ? (i + rank) % rank : -1));
  CHECK(axis(0, 0) == 0);  // of a scalar, as in PyTorch
  CHECK(axis(-1, 0) == 0);
  CHECK(axis(1, 0) == -1);
  const arguments given{{"dims", none{}}};
  float_ops::operands from(&some_op, parameters_of_op, given, run_op::no_other, plain);
  CHECK(from.axes("dims", 3) == std::vector<int>{0, 1, 2});
  CHECK(from.axes("dim", 3) == std::vector<int>{2});
}

TEST_CASE("integers that sums of would overflow are too large") {
  for (const std::int64_t i :
       {std::int64_t{1} << 29, -(std::int64_t{1} << 29), std::int64_t{1} << 40}) {
    const arguments given{{"stride", i}};
    CHECK(problem(given, [](float_ops::operands& from) { from.integer("stride"); }) ==
          "op: stride is too large");
    CHECK(problem(given,
                  [&](float_ops::operands& from) { CHECK(from.integer64("stride") == i); }) == "");
  }
}

TEST_CASE("options have the values of arguments, then their defaults") {
  constexpr python_signature pool{"input, ...", &fields_of<max_pool2d_options>};
  const arguments given{
      {"kernel_size", 3}, {"padding", list{0, 1}}, {"stride", none{}}, {"ceil_mode", true}};
  float_ops::operands from(&some_op, pool, given, run_op::no_other, plain);
  const auto o = from.options().as<max_pool2d_options>();
  CHECK_FALSE(from.failed());
  CHECK(o.kernel_size == extent2d{3, 3});
  CHECK(o.padding == extent2d{0, 1});
  CHECK(o.stride == extent2d{0, 0});
  CHECK(o.dilation == extent2d{1, 1});
  CHECK(o.ceil_mode);
  const arguments wrong{{"kernel_size", "three"}};
  float_ops::operands bad(&some_op, pool, wrong, run_op::no_other, plain);
  bad.options();
  CHECK(bad.failed());
}

TEST_CASE("the axes of windows are those of the op's name") {
  const auto axes = [](op_id op) {
    const arguments none_given;
    return float_ops::operands(op, {}, none_given, run_op::no_other, plain).window_axes();
  };
  CHECK(axes(nn::conv1d.id()) == 1);
  CHECK(axes(fn::conv_transpose2d.id()) == 2);
  CHECK(axes(nn::max_pool3d.id()) == 3);
  CHECK(axes(fn::batch_norm.id()) == 0);
  CHECK(axes(method::expand.id()) == 0);
}
