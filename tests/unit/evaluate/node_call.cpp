// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/node_call.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctq/evaluate/module_state.hpp"
#include "ctq/graph/fx_row.hpp"

using namespace ctq;

namespace {

constexpr argument in{.is = argument::kind::node};
constexpr argument number(std::int64_t i) { return {.is = argument::kind::integer, .integer = i}; }

}  // namespace

TEST_CASE("the nodes of a row are what was computed, everything else as it was written") {
  const std::vector<argument> written{{.is = argument::kind::list, .integer = 2},
                                      in,
                                      in,
                                      number(1),
                                      {.is = argument::kind::none, .keyword = "out"}};
  fx_row row;
  row.args = {written.data(), static_cast<int>(written.size())};
  node n{.name = "cat", .op = fn::cat.id()};
  n.row = &row;
  const float_ops::python_call c = call_of(n, {1.5, 2.5});
  REQUIRE(c.positional.size() == 2);
  const auto* items = c.positional[0].get_if<float_ops::list>();
  REQUIRE(items != nullptr);
  CHECK(float_ops::as_real((*items)[1]) == 2.5);
  CHECK(float_ops::as_integer(c.positional[1]) == 1);
  REQUIRE(c.keywords.size() == 1);
  CHECK(c.keywords[0].name == "out");
  CHECK(c.keywords[0].given.is<float_ops::none>());
}

TEST_CASE("a flag in the place of axes has its name") {
  const argument no{.is = argument::kind::boolean};
  const std::vector<argument> written{in, no};
  fx_row row;
  row.args = {written.data(), static_cast<int>(written.size())};
  node n{.name = "var", .op = fn::var.id()};
  n.row = &row;
  const float_ops::python_call c = call_of(n, {1.5});
  CHECK(c.positional.size() == 1);
  REQUIRE(c.keywords.size() == 1);
  CHECK(c.keywords[0].name == "unbiased");
  CHECK(float_ops::as_integer(c.keywords[0].given) == 0);

  node other{.name = "mean", .op = fn::mean.id()};
  other.row = &row;
  CHECK(call_of(other, {1.5}).positional.size() == 2);
}

TEST_CASE("slices and Ellipsis are those of Python") {
  using kind = argument::kind;
  const std::vector<argument> written{in,
                                      {.is = kind::list, .integer = 2},
                                      {.is = kind::ellipsis},
                                      {.is = kind::slice, .integer = 3},
                                      {.is = kind::none},
                                      in,
                                      number(2)};
  fx_row row;
  row.args = {written.data(), static_cast<int>(written.size())};
  node n{.name = "getitem", .op = op::getitem.id()};
  n.row = &row;
  const float_ops::python_call c = call_of(n, {1.5, -1});
  const auto* items = c.positional[1].get_if<float_ops::list>();
  REQUIRE(items != nullptr);
  CHECK((*items)[0].is<float_ops::ellipsis>());
  REQUIRE((*items)[1].is<float_ops::slice>());
  CHECK(*(*items)[1].get_if<float_ops::slice>() == float_ops::slice{{}, -1, 2});
}

TEST_CASE("what fusion appends follows the arguments that were written") {
  const std::vector<argument> written{in};
  fx_row row;
  row.args = {written.data(), 1};
  node n{.name = "add", .op = op::add.id()};
  n.row = &row;
  const float_ops::python_call c = call_of(n, {1, 2});
  REQUIRE(c.positional.size() == 2);
  CHECK(float_ops::as_integer(c.positional[1]) == 2);
}

TEST_CASE("a node that was written in C++ has its options by name") {
  node pool{.name = "pool", .op = nn::max_pool2d.id()};
  pool.attrs = attributes{max_pool2d_options{.kernel_size = 2}};
  const float_ops::python_call module = call_of(pool, {1.0});
  CHECK(module.positional.size() == 1);
  CHECK(module.keywords.empty());
  REQUIRE(!module.attributes.empty());
  CHECK(module.attributes[0].name == "kernel_size");
  pool.op = fn::max_pool2d.id();
  CHECK(call_of(pool, {1.0}).keywords.size() == module.attributes.size());
  CHECK(call_of(pool, {1.0}).attributes.empty());
}

TEST_CASE("options that are not PyTorch's defaults are passed on") {
  const auto option = [](op_id op, const attributes& attrs, std::string_view name) {
    node n{.name = "n", .op = op};
    n.attrs = attrs;
    float_ops::python_call c = call_of(n, {1.0});
    std::vector<float_ops::named_value>& in = c.keywords.empty() ? c.attributes : c.keywords;
    const float_ops::value* const v = find(in, name);
    return v == nullptr ? 0.0 : float_ops::as_real(*v).value_or(0.0);
  };
  const attributes norm{batch_norm2d_options{.eps = 0.5F}};
  CHECK(option(nn::batch_norm2d.id(), norm, "eps") == 0.5);
  CHECK(option(nni::bn_relu2d.id(), norm, "eps") == 0.5);
  const attributes slope{leaky_relu_options{.negative_slope = 0.25F}};
  CHECK(option(nn::leaky_relu.id(), slope, "negative_slope") == 0.25);
  CHECK(option(fn::leaky_relu.id(), slope, "negative_slope") == 0.25);
  CHECK(option(nn::elu.id(), attributes{elu_options{.alpha = 2.0F}}, "alpha") == 2.0);
  const attributes range{hardtanh_options{.min_val = -2.0F, .max_val = 3.0F}};
  CHECK(option(nn::hardtanh.id(), range, "min_val") == -2.0);
  CHECK(option(fn::hardtanh.id(), range, "max_val") == 3.0);
  const attributes bounds{clamp_options{.min = -4.0F}};
  CHECK(option(fn::clamp.id(), bounds, "min") == -4.0);
  CHECK(option(method::clamp.id(), bounds, "min") == -4.0);
}

TEST_CASE("cat reads one list") {
  node n{.name = "cat", .op = fn::cat.id()};
  n.attrs = attributes{cat_options{.dim = 1}};
  const float_ops::python_call c = call_of(n, {1.0, 2.0, 3.0});
  REQUIRE(c.positional.size() == 1);
  CHECK(c.positional[0].get_if<float_ops::list>()->size() == 3);
}

TEST_CASE("of options that are 0 only those that mean a default are None") {
  const auto value_of = [](op_id op, std::string_view name) {
    for (const option_field& f : options_of(op).fields)
      if (f.name == name) return float_ops::python_value(options_of(op).defaults, f);
    return float_ops::value(std::string("no such option"));
  };
  CHECK(float_ops::as_integer(value_of(nn::conv_transpose2d.id(), "output_padding")) == 0);
  CHECK(float_ops::as_integer(value_of(nn::conv2d.id(), "padding")) == 0);
  for (const auto& [op, name] :
       {std::pair{nn::max_pool2d.id(), "stride"},
        std::pair{fn::avg_pool2d.id(), "divisor_override"}, std::pair{fn::interpolate.id(), "size"},
        std::pair{fn::interpolate.id(), "scale_factor"}})
    CHECK(value_of(op, name).is<float_ops::none>());
}

TEST_CASE("an item of a tuple keeps its integers") {
  const auto integers = [](int q) { return node_value(quantized_tensor{{}, {1}, {q}}); };
  const node_value tuple = std::vector<node_value>{
      integers(1), std::vector<node_value>{integers(2), float_ops::tensor{{1}, {3.0F}}}};
  const auto item = [&tuple](std::int64_t index) {
    const std::vector<argument> written{in, number(index)};
    fx_row row;
    row.args = {written.data(), 2};
    node n{.name = "item", .op = op::getitem.id()};
    n.row = &row;
    return item_of(n, tuple);
  };
  const auto first = item(0);
  REQUIRE(first.has_value());
  CHECK(first->integers()->int_repr() == std::vector<int>{1});
  const auto last = item(-1);
  REQUIRE(last.has_value());
  REQUIRE(last->items() != nullptr);
  CHECK((*last->items())[0].integers()->int_repr() == std::vector<int>{2});
  CHECK((*last->items())[1].integers() == nullptr);
  CHECK_FALSE(item(2).has_value());

  node in_cpp{.name = "item", .op = op::getitem.id()};
  in_cpp.attrs = attributes{getitem_options{.index = {1}}};
  const auto inner = item_of(in_cpp, tuple);
  REQUIRE(inner.has_value());
  REQUIRE(inner->items() != nullptr);
  CHECK(inner->items()->size() == 2);
}
