// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/float_ops/call.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>

#include "ctq/ops/op_table.hpp"
#include "torch_cases.hpp"

using namespace ctq;

namespace {

constexpr const char* written[] = {
#include "torch_cases.inc"
};

static_assert(float_ops::has_float_op(nn::conv2d.id()) &&
              !float_ops::has_float_op(nn::output.id()));
static_assert(!float_ops::has_float_op(nn::get_attr.id()) && !float_ops::has_float_op(q::mul.id()));
static_assert(float_ops::signature_of(fn::matmul.id()).parameters == "input, other");

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
const float_ops::value rubbish[] = {
    float_ops::none{},
    true,
    -1,
    0,
    7,
    0.5,
    "text",
    float_ops::ellipsis{},
    float_ops::slice{},
    float_ops::list{},
    float_ops::list{2, -1},
    float_ops::list{1, 2, 3},
    float_ops::list{0, 0, 0, 0},
    float_ops::list{"a", float_ops::none{}},
    float_ops::tensor{{}, {1.0F}},
    float_ops::filled({0}),
    float_ops::filled({2, 3}, 1.0F),
    float_ops::filled({1, 0, 3}),
    float_ops::filled({2, 2, 3, 3}),
    float_ops::filled<std::int64_t>({2, 3}),
    float_ops::filled<std::int64_t>({4}, -2),
    float_ops::list{float_ops::filled({2, 3}), float_ops::filled({3, 2})},
};

/// Calls the op with each argument of the case replaced by each of these.
template <class Call>
void with_rubbish(const float_ops::python_call& right, Call call) {
  for (const float_ops::value& wrong : rubbish) {
    for (std::size_t i = 0; i < right.positional.size(); ++i) {
      float_ops::python_call c = right;
      c.positional[i] = wrong;
      call(c);
    }
    for (std::size_t i = 0; i < right.keywords.size(); ++i) {
      float_ops::python_call c = right;
      c.keywords[i].given = wrong;
      call(c);
    }
    for (std::size_t i = 0; i < right.attributes.size(); ++i) {
      float_ops::python_call c = right;
      c.attributes[i].given = wrong;
      call(c);
    }
  }
}

/// Values that the op gives have as many elements as they say.
bool is_whole(const result<float_ops::value>& y) { return !y || float_ops::is_whole(*y); }

/// Counts how often its functions are called.
struct counts {
  int convolutions = 0, linears = 0;

  [[nodiscard]] float_ops::layer_functions functions() {
    return {this,
            [](void* state, const float_ops::tensor& in, const float_ops::value& weight,
               const float_ops::value& bias, const float_ops::convolution_options& o) {
              ++static_cast<counts*>(state)->convolutions;
              return float_ops::convolution(in, *weight.get_if<float_ops::tensor>(),
                                            bias.get_if<float_ops::tensor>(), o);
            },
            [](void* state, const float_ops::tensor& in, const float_ops::value& weight,
               const float_ops::value& bias) {
              ++static_cast<counts*>(state)->linears;
              return float_ops::linear(in, *weight.get_if<float_ops::tensor>(),
                                       bias.get_if<float_ops::tensor>());
            }};
  }
};

}  // namespace

TEST_CASE("every op that PyTorch's backends name has a float implementation") {
  for (const op_id op : naming::builtin_ops) {
    CAPTURE(op->name);
    CHECK(float_ops::has_float_op(op));
  }
}

TEST_CASE("ops give what PyTorch gives") {
  for (const char* text : written) {
    torch_cases::torch_case c = torch_cases::parser(text).read();
    CAPTURE(c.text);
    const op_id op = ops<builtin>::value.find(c.op);
    REQUIRE(op != nullptr);
    const auto y = float_ops::call(op, c.call);
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

TEST_CASE("what is taken from integers, or written into them, is integers") {
  using float_ops::index_tensor;
  const index_tensor ids{{2, 2}, {7, 3, 1, 9}};
  const float_ops::tensor mask{{2, 2}, {1, 0, 0, 1}};
  const auto integers = [](op_id op, float_ops::python_call c) -> std::vector<std::int64_t> {
    const auto y = float_ops::call(op, std::move(c));
    if (!y || !y->is<index_tensor>()) return {};
    return y->get_if<index_tensor>()->data;
  };
  using list = std::vector<std::int64_t>;
  CHECK(integers(method::masked_fill.id(), {.positional = {ids, mask, 0}}) == list{0, 3, 1, 0});
  CHECK(integers(method::masked_fill.id(), {.positional = {ids, mask, 0.0}}) == list{0, 3, 1, 0});
  CHECK(integers(method::masked_fill.id(), {.positional = {ids, mask, 0.5}}) == list{});
  const index_tensor large{{2, 2}, {16777218, 0, 0, 0}};  // more than float32 holds exactly
  CHECK(integers(method::masked_fill.id(), {.positional = {large, mask, 0}}) == list{0, 0, 0, 0});
  CHECK(integers(fn::pad.id(), {.positional = {large, float_ops::list{0, -1}}}) == list{});
  CHECK(integers(fn::where.id(), {.positional = {mask, ids, ids}}) == list{7, 3, 1, 9});
  CHECK(integers(fn::where.id(), {.positional = {mask, ids, mask}}) == list{});
  CHECK(integers(fn::pad.id(), {.positional = {ids, float_ops::list{1, -1}}}) == list{0, 7, 0, 1});
  CHECK(integers(fn::cumsum.id(), {.positional = {ids, 1}}) == list{7, 10, 1, 10});
  CHECK(integers(fn::gather.id(), {.positional = {mask, 1, index_tensor{{1, 1}, {1}}}}) == list{});
  CHECK(integers(fn::clamp.id(), {.positional = {ids, 2, 9}}) == list{7, 3, 2, 9});
  CHECK(integers(fn::clamp.id(), {.positional = {ids, 0.5, 9}}) == list{});
  CHECK(integers(fn::clamp.id(), {.positional = {ids, 0, 9.5}}) == list{});
  CHECK(integers(fn::mean.id(), {.positional = {ids}}) == list{});
  const auto largest = float_ops::call(fn::topk.id(), {.positional = {ids, 1}});
  REQUIRE(largest);
  CHECK(largest->get_if<float_ops::list>()->at(0).get_if<index_tensor>()->data == list{7, 9});
}

TEST_CASE("every op is compared with PyTorch") {
  std::set<std::string> seen;
  for (const char* text : written) seen.insert(torch_cases::parser(text).read().op);
  for (const op_id op : naming::builtin_ops) {
    // Quantized forms have the float implementation of their modules; the others are
    // releases' own names for something that is compared.
    const std::string_view name = op->name;
    const bool another_form =
        name.find(".qat.") != name.npos || name.find("reference") != name.npos;
    const bool another_name = op == fn::concatenate.id() || op == fn::permute_copy.id() ||
                              op == method::shape.id() || op == method::hardsigmoid.id() ||
                              op == method::hardsigmoid_.id() || op == method::leaky_relu.id();
    const bool of_2_1 = op == nni::conv_add2d.id() || op == nni::conv_add_relu2d.id() ||
                        op == nni::linear_leaky_relu.id() || op == nni::linear_tanh.id() ||
                        op == nn::zero_pad1d.id() || op == nn::zero_pad3d.id() ||
                        op == fn::scaled_dot_product_attention.id();
    const bool of_others = name.starts_with("torchvision.") || name.starts_with("ctq.");
    if (another_form || another_name || of_2_1 || of_others) continue;
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
    with_rubbish(c.call, [&](const float_ops::python_call& wrong) {
      const auto y = float_ops::call(op, wrong);
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
    const auto y = float_ops::call(op, float_ops::arguments{});
    REQUIRE(!y);
    CHECK(y.error().place == op->name);
  }
}

TEST_CASE("errors say what is wrong") {
  const float_ops::value image = float_ops::filled({1, 3, 4, 4}),
                         weight = float_ops::filled({2, 3, 3, 3});
  const auto error_of = [](op_id op, float_ops::python_call c) {
    const auto y = float_ops::call(op, std::move(c));
    return y ? std::string() : y.error().message();
  };
  CHECK(error_of(fn::conv2d.id(), {.positional = {image}}) ==
        "torch.nn.functional.conv2d: weight is not a float tensor");
  CHECK(error_of(fn::conv2d.id(), {.positional = {image, float_ops::filled({2, 4, 3, 3})}}) ==
        "torch.nn.functional.conv2d: the input has 3 channels, not 4");
  CHECK(error_of(fn::conv2d.id(), {.positional = {image, weight}, .keywords = {{"pad", 1}}}) ==
        "torch.nn.functional.conv2d: has no parameter pad");
  CHECK(error_of(fn::relu.id(), {.positional = {image}, .keywords = {{"input", image}}}) ==
        "torch.nn.functional.relu: got two values for input");
  CHECK(error_of(fn::relu.id(), {.positional = {image, false, 3}}) ==
        "torch.nn.functional.relu: takes 2 positional arguments, not 3");
  CHECK(error_of(op::add.id(), {.positional = {image, float_ops::filled({3})}}) ==
        "_operator.add: extents 4 and 3 do not broadcast");
  CHECK(error_of(nn::relu.id(), {.positional = {float_ops::tensor{{2, 2}, {1.0F}}}}) ==
        "torch.nn.ReLU: input has a shape that does not match its data");
  for (const float_ops::python_call& c :
       {float_ops::python_call{}, float_ops::python_call{.positional = {image}}})
    CHECK(error_of(nn::output.id(), c) == std::string("output: ") + float_ops::no_float_op);
}

TEST_CASE("each mistake in a call has its message") {
  using float_ops::filled;
  using float_ops::index_tensor;
  using float_ops::list;
  using float_ops::none;
  const float_ops::value scalar = filled({}), three = filled({3}), grid = filled({2, 3}),
                         image = filled({1, 3, 4, 4}), indices = index_tensor{{2}, {0, 5}};
  struct mistake {
    const char* op;
    float_ops::python_call call;
    const char* words;
  };
  const mistake mistakes[] = {
      {"F.gelu",
       {.positional = {three}, .keywords = {{"approximate", "x"}}},
       "has no such approximate"},
      {"F.prelu", {.positional = {image, filled({2})}}, "needs one weight, or one a channel"},
      {"operator.add", {.positional = {three, "x"}}, "needs tensors and numbers"},
      {"operator.floordiv", {.positional = {indices, 0}}, "has no integer result"},
      {"torch.div",
       {.positional = {three, 2}, .keywords = {{"rounding_mode", "up"}}},
       "supports rounding_mode None and floor only"},
      {"torch.cat",
       {.positional = {float_ops::value(list{three, indices})}},
       "needs tensors of one type"},
      {"F.conv_transpose2d",
       {.positional = {filled({1, 3, 1, 1}), filled({3, 1, 1, 1})}, .keywords = {{"padding", 3}}},
       "the output has no such extent"},
      {"nn.ConvTranspose2d",
       {.positional = {image, list{4}}, .attributes = {{"weight", filled({3, 1, 3, 3})}}},
       "output_size needs one size per axis"},
      {"F.embedding_bag",
       {.positional = {index_tensor{{1, 2}, {0, 9}}, filled({3, 2})}},
       "an index is outside the table"},
      {"F.embedding", {.positional = {indices, three}}, "the weight needs two axes"},
      {"F.embedding_bag",
       {.positional = {index_tensor{{1, 2}, {0, 1}}, filled({3, 2})},
        .keywords = {{"mode", "sum"}, {"per_sample_weights", three}}},
       "per_sample_weights has another shape than the input"},
      {"nn.Softmax2d", {.positional = {grid}}, "needs three or four axes"},
      {"torch.split", {.positional = {scalar, 1}}, "a scalar cannot be split"},
      {"torch.addmm", {.positional = {grid, grid, three}}, "mat1 and mat2 need two axes"},
      {"torch.addmm",
       {.positional = {filled({5}), grid, filled({3, 4})}},
       "input does not broadcast"},
      {"nn.BatchNorm1d", {.positional = {three}}, "the input needs two axes"},
      {"torch.transpose", {.positional = {grid, 2, 0}}, "dimensions has no dimension"},
      {"F.adaptive_avg_pool2d",
       {.positional = {image, list{1, 2, 3}}},
       "output_size needs one size per axis"},
      {"F.adaptive_avg_pool2d", {.positional = {image, "x"}}, "output_size is not a size"},
      {"nn.LSTM", {.positional = {image}}, "the input needs two or three axes"},
      {"nn.LSTM",
       {.positional = {filled({2, 1, 3}), 7},
        .attributes = {{"weight_ih_l0", filled({4, 3})}, {"weight_hh_l0", filled({4, 1})}}},
       "the state is not a pair of tensors"},
      {"nn.GRU",
       {.positional = {filled({2, 1, 3}), 7},
        .attributes = {{"weight_ih_l0", filled({3, 3})}, {"weight_hh_l0", filled({3, 1})}}},
       "the state is not a tensor"},
      {"nn.GRU",
       {.positional = {filled({2, 1, 3})},
        .attributes = {{"num_layers", 0},
                       {"weight_ih_l0", filled({3, 3})},
                       {"weight_hh_l0", filled({3, 1})}}},
       "needs a layer"},
      {"nn.GRU",
       {.positional = {filled({2, 1, 3})},
        .attributes = {{"num_layers", 2},
                       {"weight_ih_l0", filled({3, 3})},
                       {"weight_hh_l0", filled({3, 1})},
                       {"weight_ih_l1", filled({6, 1})},
                       {"weight_hh_l1", filled({6, 2})}}},
       "the layers have different sizes"},
      {"nn.GRUCell",
       {.positional = {image},
        .attributes = {{"weight_ih", filled({3, 3})}, {"weight_hh", filled({3, 1})}}},
       "the input needs one or two axes"},
      {"repeat", {.positional = {grid, 1 << 30, 1 << 30}}, "repeats is too large"},
      {"torch.repeat_interleave",
       {.positional = {grid, std::int64_t{1} << 40}},
       "repeats is too large"},
      {"F.interpolate",
       {.positional = {image}, .keywords = {{"scale_factor", list{2.0}}}},
       "scale_factor needs one number per axis"},
      {"F.pixel_shuffle", {.positional = {grid, 2}}, "needs three axes and a factor of at least 1"},
      {"F.pixel_shuffle", {.positional = {image, 2}}, "the factor does not divide the extents"},
      {"torch.flatten", {.positional = {image, 2, 1}}, "start_dim comes after end_dim"},
      {"permute", {.positional = {grid, 0}}, "dims does not name each dimension"},
      {"permute", {.positional = {grid, 0, 0}}, "dims names a dimension twice"},
      {"torch.narrow", {.positional = {scalar, 0, 0, 1}}, "a scalar cannot be narrowed"},
      {"torch.narrow",
       {.positional = {grid, 1, 2, 2}},
       "start and length reach outside the dimension"},
      {"resize_", {.positional = {three, 4}}, "the tensor has fewer elements"},
  };
  for (const mistake& m : mistakes) {
    CAPTURE(m.op);
    const op_id op = ops<builtin>::value.find(m.op);
    REQUIRE(op != nullptr);
    const auto y = float_ops::call(op, m.call);
    REQUIRE_FALSE(y.has_value());
    CHECK_MESSAGE(y.error().cause.find(m.words) != std::string::npos, y.error().cause);
  }
}

TEST_CASE("layers, also in fused modules, are computed by the functions that are given") {
  counts calls;
  const float_ops::value weight = float_ops::tensor{{1, 1, 1, 1}, {-2.0F}};
  const float_ops::value image = float_ops::tensor{{1, 1, 1, 2}, {1.0F, -1.0F}};
  const auto fused = float_ops::call(nni::conv_relu2d.id(),
                                     {.positional = {image}, .attributes = {{"weight", weight}}},
                                     calls.functions());
  REQUIRE(fused.has_value());
  CHECK(fused->get_if<float_ops::tensor>()->data == std::vector<float>{0.0F, 2.0F});
  CHECK(calls.convolutions == 1);
  const float_ops::value matrix = float_ops::tensor{{1, 2}, {1.0F, 1.0F}};
  CHECK(float_ops::call(fn::linear.id(),
                        {.positional = {float_ops::tensor{{1, 2}, {1.0F, 1.0F}}, matrix}},
                        calls.functions())
            .has_value());
  CHECK(calls.linears == 1);
}
