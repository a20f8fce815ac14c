// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/io/read_fx.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>

#include <limits>
#include <string>
#include <type_traits>

#include "ctq/ops/builtin_ops.hpp"

using namespace ctq;

static_assert(std::is_move_constructible_v<result<fx_graph>>);
static_assert(!std::is_copy_constructible_v<fx_graph>);

namespace {

constexpr std::string_view two_branches = R"([
  {"name": "x", "op": "placeholder", "target": "x", "args": []},
  {"name": "w", "op": "get_attr", "target": "head.w", "args": []},
  {"name": "_0", "op": "call_module", "target": "0", "args": [{"n": "x"}],
   "module": {"type": "nn.Conv2d", "kernel_size": [3, 5], "bias": false, "t": {"t": 1}}},
  {"name": "cat", "op": "call_function", "target": "torch.cat",
   "args": [[{"n": "_0"}, {"n": "x"}, {"n": "_0"}]], "kwargs": {"dim": -1}},
  {"name": "own", "op": "call_module", "target": "sub", "args": [{"n": "cat"}, null, 2.5, true],
   "module": {"type": "Sub"}},
  {"name": "erf", "op": "call_function", "target": "torch.erfinv", "args": [{"n": "own"}]},
  {"name": "erf_1", "op": "call_function", "target": "torch.erfinv", "args": [{"n": "erf"}]},
  {"name": "relu", "op": "call_method", "target": "relu", "args": [{"n": "erf_1"}]},
  {"name": "output", "op": "output", "target": "output", "args": [[{"n": "relu"}, {"n": "w"}]]}
])";

/// What read_fx says of rows that stand behind a placeholder x.
std::string problem_of(const std::string& rows) {
  const auto read =
      read_fx(R"([{"name": "x", "op": "placeholder", "target": "x", "args": []},)" + rows + "]");
  return read ? "" : read.error().message();
}

}  // namespace

TEST_CASE("rows become nodes with the ops that ctq knows, and with ops of their own") {
  const result<fx_graph> read = read_fx(two_branches);
  REQUIRE(read.has_value());
  const graph_view<stage::traced> g = read->view();
  REQUIRE(g.size() == 9);
  CHECK(g[0].op == nn::placeholder.id());
  CHECK(g[1].op == nn::get_attr.id());
  CHECK(g[2].op == nn::conv2d.id());
  CHECK(g[3].op == fn::cat.id());
  CHECK(g[4].op->name == "Sub");
  CHECK(g[4].op->kind == op_kind::module);
  CHECK(g[5].op == g[6].op);
  CHECK(g[7].op == method::relu.id());
  CHECK(g[8].op == nn::output.id());
  CHECK(read->own_ops().size() == 2);
  CHECK(path_of(g[2]) == "0");
  CHECK(path_of(g[1]) == "head.w");
}

TEST_CASE("a node reads the nodes of its arguments in the order of their appearance") {
  const result<fx_graph> read = read_fx(two_branches);
  REQUIRE(read.has_value());
  const graph_view<stage::traced> g = read->view();
  const argument_list cat = g.args_of(3);
  REQUIRE(cat.size() == 3);
  CHECK(cat[0] == 2);
  CHECK(cat[1] == 0);
  CHECK(cat[2] == 2);
  CHECK(g.args_of(8).size() == 2);
}

TEST_CASE("slices, Ellipsis and None are indices, and inputs have their shapes") {
  const result<fx_graph> read = read_fx(R"rows([
    {"name": "x", "op": "placeholder", "target": "x", "args": [], "shape": [2, 5]},
    {"name": "n", "op": "call_method", "target": "size", "args": [{"n": "x"}, 1]},
    {"name": "a", "op": "call_function", "target": "operator.getitem",
     "args": [{"n": "x"}, [{"e": "..."}, {"s": [1, {"n": "n"}, null]}]]},
    {"name": "b", "op": "call_function", "target": "_operator.getitem",
     "args": [{"n": "a"}, ["slice(None, -1, 2)", "...", null, -1]]},
    {"name": "c", "op": "call_method", "target": "view", "args": [{"n": "b"}, "...", "slice(1)"]},
    {"name": "d", "op": "call_function", "target": "operator.getitem", "args": [{"n": "x"}, null]},
    {"name": "output", "op": "output", "target": "output", "args": [{"n": "c"}]}])rows");
  REQUIRE(read.has_value());
  const graph_view<stage::traced> g = read->view();
  CHECK(g[0].shape == shape{2, 5});
  CHECK(g.args_of(2).size() == 2);
  CHECK(g.args_of(2)[1] == 1);
  using kind = argument::kind;
  const view<argument> a = g[2].row->args;
  REQUIRE(a.size() == 7);
  CHECK(a[2].is == kind::ellipsis);
  CHECK(a[3].is == kind::slice);
  CHECK(a[4].integer == 1);
  CHECK(a[5].is == kind::node);
  CHECK(a[6].is == kind::none);
  const view<argument> b = g[3].row->args;
  REQUIRE(b.size() == 9);
  CHECK(b[2].is == kind::slice);
  CHECK(b[3].is == kind::none);
  CHECK(b[4].integer == -1);
  CHECK(b[5].integer == 2);
  CHECK(b[6].is == kind::ellipsis);
  CHECK(b[8].integer == -1);
  CHECK(g[4].row->args[1].is == kind::text);  // no index
  const view<argument> d = g[5].row->args;
  REQUIRE(d.size() == 3);
  CHECK(d[1].is == kind::list);
  CHECK(d[1].integer == 1);
  CHECK(d[2].is == kind::none);
  CHECK(problem_of(R"({"name": "y", "op": "call_function", "target": "operator.getitem",
                       "args": [{"n": "x"}, {"s": [1, 2]}]})")
            .ends_with("row 1 y: a slice is a list of start, stop and step"));
}

TEST_CASE("infinite numbers are written apart, of calls and of modules") {
  const result<fx_graph> read = read_fx(R"rows([
    {"name": "x", "op": "placeholder", "target": "x", "args": []},
    {"name": "y", "op": "call_method", "target": "masked_fill",
     "args": [{"n": "x"}, {"n": "x"}, {"f": "-inf"}]},
    {"name": "z", "op": "call_module", "target": "z", "args": [{"n": "y"}],
     "module": {"type": "nn.ConstantPad1d", "padding": [1, 1], "value": {"f": "inf"}}},
    {"name": "output", "op": "output", "target": "output", "args": [{"n": "z"}]}])rows");
  REQUIRE(read.has_value());
  const argument& value = read->view()[1].row->args[2];
  CHECK(value.is == argument::kind::real);
  CHECK(value.real == -std::numeric_limits<double>::infinity());
  const view<argument> options = read->options_of(2);
  REQUIRE(options.size() == 4);
  CHECK(options[3].real == std::numeric_limits<double>::infinity());
  CHECK(problem_of(R"({"name": "y", "op": "call_method", "target": "masked_fill",
                       "args": [{"n": "x"}, {"f": "nan"}]})")
            .ends_with("row 1 y: an argument is an object without \"n\""));
}

TEST_CASE("arguments are kept as they stand in the call") {
  const result<fx_graph> read = read_fx(two_branches);
  REQUIRE(read.has_value());
  const graph_view<stage::traced> g = read->view();
  const view<argument> cat = g[3].row->args;
  REQUIRE(cat.size() == 5);
  CHECK(cat[0].is == argument::kind::list);
  CHECK(cat[0].integer == 3);
  CHECK(cat[1].is == argument::kind::node);
  CHECK(cat[4].keyword == "dim");
  CHECK(cat[4].is == argument::kind::integer);
  CHECK(cat[4].integer == -1);
  const view<argument> own = g[4].row->args;
  CHECK(own[1].is == argument::kind::none);
  CHECK(own[2].is == argument::kind::real);
  CHECK(own[2].real == 2.5);
  CHECK(own[3].is == argument::kind::boolean);
  CHECK(own[3].integer == 1);
}

TEST_CASE("the options of a module are kept by name, without what is no argument") {
  const result<fx_graph> read = read_fx(two_branches);
  REQUIRE(read.has_value());
  const view<argument> options = read->options_of(2);
  REQUIRE(options.size() == 4);
  CHECK(options[0].keyword == "kernel_size");
  CHECK(options[0].integer == 2);
  CHECK(options[2].integer == 5);
  CHECK(options[3].keyword == "bias");
  CHECK(read->options_of(3).empty());
}

TEST_CASE("an output can be a dict, a call knows the class of the module around it") {
  const result<fx_graph> read = read_fx(R"([
    {"name": "x", "op": "placeholder", "target": "x"},
    {"name": "y", "op": "call_function", "target": "F.relu", "args": [{"n": "x"}],
     "scope": "block", "scope_type": "Block"},
    {"name": "out", "op": "output", "target": "output",
     "args": [{"d": {"u": {"n": "y"}, "v\u0041": [{"n": "x"}]}}]}])");
  REQUIRE(read.has_value());
  const graph_view<stage::traced> g = read->view();
  REQUIRE(g[1].row->scope_type != nullptr);
  CHECK(g[1].row->scope_type->name == "Block");
  CHECK(read->own_ops()[0] == g[1].row->scope_type);
  const view<argument> out = g[2].row->args;
  REQUIRE(out.size() == 4);
  CHECK(out[0].is == argument::kind::dict);
  CHECK(out[0].integer == 2);
  CHECK(out[1].keyword == "u");
  CHECK(out[2].keyword == "vA");
  CHECK(g.args_of(2).size() == 2);
}

TEST_CASE("names stay valid when the graph is moved") {
  result<fx_graph> read = read_fx(two_branches);
  REQUIRE(read.has_value());
  const fx_graph moved = *std::move(read);
  CHECK(moved.view()[4].op->name == "Sub");
  CHECK(moved.view()[3].row->args[4].keyword == "dim");
}

TEST_CASE("a scope that the rows give is taken as it is") {
  const result<fx_graph> read = read_fx(
      R"([{"name": "a", "op": "call_module", "target": "m.a", "args": [],
           "module": {"type": "nn.ReLU"}, "scope": "m"},
          {"name": "b", "op": "call_method", "target": "relu", "args": [{"n": "a"}]}])");
  REQUIRE(read.has_value());
  CHECK(read->view()[0].row->scope == "m");
  CHECK(read->view()[1].row->scope.empty());
}

TEST_CASE("an error names the row and its place") {
  CHECK(problem_of(R"({"name": "y", "op": "call", "target": "y"})") ==
        "fx graph:1:64: row 1 y: op call is not a torch.fx op");
  CHECK(problem_of("\n"
                   R"({"name": "y", "op": "call_module", "target": "y", "args": []})") ==
        "fx graph:2:1: row 1 y: has no module");
  CHECK(problem_of("\n"
                   R"({"name": "y", "op": "call_method", "target": "t", "args": [{"n": "z"}]})") ==
        "fx graph:2:60: row 1 y: no earlier row is named z");
  CHECK(problem_of("\n"
                   R"({"name": "y", "op": "call_method", "target": "t", "args": [{"m": 1}]})") ==
        "fx graph:2:60: row 1 y: an argument is an object without \"n\"");
  CHECK(problem_of("\n"
                   R"({"name": "x", "op": "placeholder", "target": "x"})") ==
        "fx graph:2:1: row 1 x: has the name of an earlier row");
  CHECK(problem_of("\n"
                   R"({"name": "y", "op": "placeholder", "target": 1})") ==
        "fx graph:2:46: row 1 y: has no string target");
  CHECK(problem_of("\n3") == "fx graph:2:1: row 1: is not an object");
}

TEST_CASE("what is no list of rows is an error") {
  CHECK(read_fx("{}").error().message() == "fx graph:1:1: expected a list of rows");
  CHECK(read_fx("[]").error().message() == "fx graph:1:1: there is no row");
  CHECK(read_fx("[1,\n}").error().place == "fx graph:2:1");
  CHECK(read_fx("{", ops<builtin>::value, "net.json").error().place == "net.json:1:2");
  constexpr std::size_t size = 0x7FFFFFFF;
  void* const text =
      ::mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  REQUIRE(text != MAP_FAILED);
  CHECK(read_fx({static_cast<const char*>(text), size}).error().message() ==
        "fx graph: the text is larger than 2 GB");
  ::munmap(text, size);
}

namespace {

/// An input with this name and shape.
result<fx_graph> read_input(const std::string& name, const std::string& shape) {
  return read_fx(R"([{"name": ")" + name + R"(", "op": "placeholder", "target": "x", "shape": )" +
                 shape + "}]");
}

}  // namespace

TEST_CASE("the shape of an input is read, whatever escapes its name has") {
  const auto read = read_input("\\u0078", "[1, 3, 2147483647]");
  REQUIRE(read.has_value());
  CHECK(read->view()[0].name == "x");
  CHECK(read->shape_of(0) == shape{1, 3, 2147483647});
  CHECK(read->offset_of(0) == 1);
  CHECK(!read_input("x", "null")->shape_of(0));
  CHECK(!read_input("x", "[1, 2, 3, 4, 5, 6, 7]")->shape_of(0));
}

TEST_CASE("extents are whole numbers that an int holds") {
  for (const char* const extent : {"1e300", "2147483648", "0", "-1", "1.5", "1.0", "true", "\"3\"",
                                   "[1]", "99999999999999999999", "1e2"}) {
    CAPTURE(extent);
    const auto read = read_input("x", std::string("[1, ") + extent + "]");
    REQUIRE(!read.has_value());
    CHECK(read.error().place.starts_with("fx graph:1:"));
    CHECK(read.error().cause.find("not a whole number from 1 to 2147483647") != std::string::npos);
  }
  CHECK(read_input("x", "3").error().cause == "row 0 x: shape is not a list");
  CHECK(read_input("x", "[1, 2, 3, 4, 0.5]").error().place == "fx graph:1:74");
}
TEST_CASE("each part of a row has its form") {
  const auto wrong = [](const std::string& rest) {
    return read_fx(R"([{"name": "f", "op": "call_module", "target": "f")" + rest + "}]")
        .error()
        .cause;
  };
  CHECK(wrong(R"(, "module": {}, "args": [])") == "row 0 f: its module has no type");
  CHECK(wrong(R"(, "module": {"type": "nn.ReLU"}, "args": 7)") == "row 0 f: args is not a list");
  CHECK(wrong(R"(, "module": {"type": "nn.ReLU"}, "args": [], "kwargs": [])") ==
        "row 0 f: kwargs is not an object");
  CHECK(read_fx(R"([{"name": "x", "op": "placeholder", "target": "x", "shape": [0]}])")
            .error()
            .cause == "row 0 x: an extent is 0, not a whole number from 1 to 2147483647");
}

TEST_CASE("what was given to the exporter is read with the rows") {
  constexpr std::string_view one = R"([{"name": "x", "op": "placeholder", "target": "x"}])";
  const auto read_with = [&](const std::string& rest) {
    return read_fx("{\"rows\": " + std::string(one) + rest + "}", ops<builtin>::value, "f");
  };
  const auto read = read_with(R"(, "non_traceable_module_name": ["a.b", "c\\d"],
    "non_traceable_module_class": ["nn.LSTM", "my.Block"], "standalone_module_class": ["my.Block"],
    "preserved_attributes": ["tag"], "modules": {})");
  REQUIRE_MESSAGE(read.has_value(), read.error().message());
  const prepare_custom_config c = read->custom();
  REQUIRE(c.non_traceable_module_names.size() == 2);
  CHECK(c.non_traceable_module_names[1] == "c\\d");
  CHECK(c.non_traceable_module_classes[0] == nn::lstm.id());
  CHECK(c.non_traceable_module_classes[1] == c.standalone[0].type);
  CHECK(c.preserved_attributes[0] == "tag");
  CHECK(read->modules().empty());

  const auto wrong = [&](const std::string& rest) { return read_with(rest).error().message(); };
  CHECK(wrong(R"(, "tags": [])") == "f:1:63: tags is not a known key");
  CHECK(wrong(R"(, "preserved_attributes": "tag")") ==
        "f:1:87: preserved_attributes is not a list");
  CHECK(wrong(R"(, "preserved_attributes": [""])") ==
        "f:1:88: preserved_attributes has an element that is not a name");
  CHECK(wrong(R"(, "modules": [])") == "f:1:74: modules is not an object");
  CHECK(wrong(R"(, "modules": {"a": {}})") == "f:1:80: expected a list of rows");
  CHECK(wrong(R"(, "modules": {"a": [7]})").find("row 0: is not an object") != std::string::npos);
  CHECK(read_fx("{}", ops<builtin>::value, "f").error().message() ==
        "f:1:1: expected a list of rows");
}
