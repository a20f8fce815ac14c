// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/eager/call.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "ctq/core/op_table.hpp"
#include "torch_cases.hpp"

using namespace ctq;

namespace {

constexpr const char* written[] = {
#include "torch_cases.inc"
};

static_assert(eager::has_meaning(nn::conv2d.id()) && !eager::has_meaning(nn::output.id()));
static_assert(eager::signature_of(fn::matmul.id()) == "input, other");

/// Equal but for rounding: 1e-6 of the number, or of the largest one.
bool near(const std::vector<double>& wanted, const std::vector<double>& got) {
  double largest = 0;
  for (const double x : wanted) largest = std::max(largest, std::abs(x));
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double tolerance = 1e-6 * (std::abs(wanted[i]) + largest);
    if (!(std::abs(wanted[i] - got[i]) <= tolerance)) return false;
  }
  return true;
}

/// What an argument may be instead of what fits.
const eager::value rubbish[] = {
    eager::none{},
    true,
    -1,
    0,
    7,
    0.5,
    "text",
    eager::ellipsis{},
    eager::slice{},
    eager::list{},
    eager::list{2, -1},
    eager::list{1, 2, 3},
    eager::list{0, 0, 0, 0},
    eager::list{"a", eager::none{}},
    eager::tensor{{}, {1.0F}},
    eager::filled({0}),
    eager::filled({2, 3}, 1.0F),
    eager::filled({1, 0, 3}),
    eager::filled({2, 2, 3, 3}),
    eager::filled<std::int64_t>({2, 3}),
    eager::filled<std::int64_t>({4}, -2),
    eager::list{eager::filled({2, 3}), eager::filled({3, 2})},
};

/// Calls the op with each argument of the case replaced by each of these.
template <class Call>
void with_rubbish(const eager::python_call& right, Call call) {
  for (const eager::value& wrong : rubbish) {
    for (std::size_t i = 0; i < right.positional.size(); ++i) {
      eager::python_call c = right;
      c.positional[i] = wrong;
      call(c);
    }
    for (std::size_t i = 0; i < right.keywords.size(); ++i) {
      eager::python_call c = right;
      c.keywords[i].given = wrong;
      call(c);
    }
    for (std::size_t i = 0; i < right.attributes.size(); ++i) {
      eager::python_call c = right;
      c.attributes[i].given = wrong;
      call(c);
    }
  }
}

/// Values that the op gives have as many elements as they say.
bool is_whole(const result<eager::value>& y) { return !y || eager::is_whole(*y); }

/// Counts how often it is asked.
class counting_kernels final : public eager::kernel_set {
 public:
  [[nodiscard]] result<eager::tensor> convolution(
      const eager::tensor& in, const eager::value& weight, const eager::value& bias,
      const eager::convolution_options& o) const override {
    ++convolutions;
    return eager::plain.convolution(in, weight, bias, o);
  }
  [[nodiscard]] result<eager::tensor> linear(const eager::tensor& in, const eager::value& weight,
                                             const eager::value& bias) const override {
    ++linears;
    return eager::plain.linear(in, weight, bias);
  }

  mutable int convolutions = 0, linears = 0;
};

}  // namespace

TEST_CASE("every op that PyTorch's backends name has a float meaning") {
  for (const op_id op : naming::builtin_ops) {
    CAPTURE(op->name);
    CHECK(eager::has_meaning(op));
  }
}

TEST_CASE("ops give what PyTorch gives") {
  for (const char* text : written) {
    torch_cases::torch_case c = torch_cases::parser(text).read();
    CAPTURE(c.text);
    const op_id op = ops<builtin>::value.find(c.op);
    REQUIRE(op != nullptr);
    const auto y = eager::call(op, c.call);
    const std::string problem = y ? "" : y.error().message();
    CHECK(problem == "");
    if (!y) continue;
    torch_cases::flat got;
    torch_cases::flatten(got, *y);
    const torch_cases::flat wanted = torch_cases::expected(c.expected);
    CHECK(got.shapes == wanted.shapes);
    REQUIRE(got.numbers.size() == wanted.numbers.size());
    CHECK(near(wanted.numbers, got.numbers));
  }
}

TEST_CASE("every op is compared with PyTorch") {
  std::set<std::string> seen;
  for (const char* text : written) seen.insert(torch_cases::parser(text).read().op);
  for (const op_id op : naming::builtin_ops) {
    // Quantized forms have the float meaning of the modules they stand for; the others are
    // releases' own names for something that is compared.
    const std::string_view name = op->name;
    const bool another_form =
        name.find(".qat.") != name.npos || name.find("reference") != name.npos;
    const bool another_name = op == fn::concatenate.id() || op == fn::permute_copy.id() ||
                              op == method::shape.id() || op == method::hardsigmoid.id() ||
                              op == method::hardsigmoid_.id() || op == method::leaky_relu.id();
    const bool of_2_1 = op == nni::conv_add2d.id() || op == nni::conv_add_relu2d.id() ||
                        op == nni::linear_leaky_relu.id() || op == nni::linear_tanh.id();
    if (another_form || another_name || of_2_1) continue;
    CAPTURE(name);
    CHECK(seen.count(std::string(name)) == 1);
  }
}

TEST_CASE("arguments that do not fit are errors with the name of the op") {
  for (const char* text : written) {
    const torch_cases::torch_case c = torch_cases::parser(text).read();
    CAPTURE(c.text);
    const op_id op = ops<builtin>::value.find(c.op);
    REQUIRE(op != nullptr);
    bool whole = true, placed = true;
    with_rubbish(c.call, [&](const eager::python_call& wrong) {
      const auto y = eager::call(op, wrong);
      whole = whole && is_whole(y);
      placed = placed && (y || (y.error().place == op->name && !y.error().cause.empty()));
    });
    CHECK(whole);
    CHECK(placed);
  }
}

TEST_CASE("a call without arguments is an error") {
  for (const op_id op : naming::builtin_ops) {
    CAPTURE(op->name);
    const auto y = eager::call(op, eager::arguments{});
    REQUIRE(!y);
    CHECK(y.error().place == op->name);
  }
}

TEST_CASE("errors say what is wrong") {
  const eager::value image = eager::filled({1, 3, 4, 4}), weight = eager::filled({2, 3, 3, 3});
  const auto error_of = [](op_id op, eager::python_call c) {
    const auto y = eager::call(op, std::move(c));
    return y ? std::string() : y.error().message();
  };
  CHECK(error_of(fn::conv2d.id(), {.positional = {image}}) ==
        "torch.nn.functional.conv2d: weight is not a float tensor");
  CHECK(error_of(fn::conv2d.id(), {.positional = {image, eager::filled({2, 4, 3, 3})}}) ==
        "torch.nn.functional.conv2d: the input has 3 channels, not 4");
  CHECK(error_of(fn::conv2d.id(), {.positional = {image, weight}, .keywords = {{"pad", 1}}}) ==
        "torch.nn.functional.conv2d: has no parameter pad");
  CHECK(error_of(fn::relu.id(), {.positional = {image}, .keywords = {{"input", image}}}) ==
        "torch.nn.functional.relu: got two values for input");
  CHECK(error_of(fn::relu.id(), {.positional = {image, false, 3}}) ==
        "torch.nn.functional.relu: takes 2 positional arguments, not 3");
  CHECK(error_of(op::add.id(), {.positional = {image, eager::filled({3})}}) ==
        "_operator.add: extents 4 and 3 do not broadcast");
  CHECK(error_of(nn::relu.id(), {.positional = {eager::tensor{{2, 2}, {1.0F}}}}) ==
        "torch.nn.ReLU: input is no whole tensor");
  CHECK(error_of(nn::output.id(), {}) == "output: has no float meaning");
}

TEST_CASE("ops and the parts of fused modules go to the set that is given") {
  const counting_kernels kernels;
  const eager::value weight = eager::tensor{{1, 1, 1, 1}, {-2.0F}};
  const eager::value image = eager::tensor{{1, 1, 1, 2}, {1.0F, -1.0F}};
  const auto fused = eager::call(
      nni::conv_relu2d.id(), {.positional = {image}, .attributes = {{"weight", weight}}}, kernels);
  REQUIRE(fused.has_value());
  CHECK(fused->get_if<eager::tensor>()->data == std::vector<float>{0.0F, 2.0F});
  CHECK(kernels.convolutions == 1);
  const eager::value matrix = eager::tensor{{1, 2}, {1.0F, 1.0F}};
  CHECK(eager::call(fn::linear.id(), {.positional = {eager::tensor{{1, 2}, {1.0F, 1.0F}}, matrix}},
                    kernels)
            .has_value());
  CHECK(kernels.linears == 1);
}
