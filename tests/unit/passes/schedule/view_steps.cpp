// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/schedule/view_steps.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ctq/graph/model.hpp"
#include "ctq/ops/builtin_ops.hpp"
#include "ctq/passes/schedule/schedule.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

/// The kernels of a model, or its problem.
template <class Model>
std::string steps_of(const Model& m) {
  REQUIRE(m.problem.message() == "");
  const dynamic_schedule s = schedule(m.view());
  if (s.problem.any()) return std::string{s.problem.message()};
  std::string out;
  for (const step& one : s.steps) out += std::string{name_of(one.signature.kernel)} + ' ';
  return out;
}

TEST_CASE("a view is copied when its elements are needed in order") {
  CHECK(steps_of(model("x"_n = nn::placeholder({2, 3, 4}),
                       "t"_n = fn::transpose("x"_n, {.dim0 = 1, .dim1 = 2}),
                       "y"_n = nn::relu("t"_n), "out"_n = nn::output("y"_n))) == "reorder relu ");
  CHECK(steps_of(model("x"_n = nn::placeholder({2, 3, 4}),
                       "t"_n = fn::transpose("x"_n, {.dim0 = 1, .dim1 = 2}),
                       "u"_n = fn::transpose("t"_n, {.dim0 = 2, .dim1 = 1}),
                       "v"_n = method::view("u"_n, {.shape = {6, 4}}), "y"_n = nn::relu("v"_n),
                       "out"_n = nn::output("y"_n))) == "relu ");
  // A part that lies at the start is copied as well: its value has more elements.
  CHECK(steps_of(model("x"_n = nn::placeholder({4, 3}),
                       "fc"_n = nn::linear("x"_n, {.out_features = 3}),
                       "p"_n = op::getitem("fc"_n, {.index = {index::slice(0, 2)}}),
                       "y"_n = nn::sigmoid("p"_n), "out"_n = nn::output("y"_n))) ==
        "linear reorder elementwise ");
}

TEST_CASE("the channels of an image are its last axis in memory") {
  constexpr auto convolved = nn::conv2d("x"_n, {.out_channels = 5, .kernel_size = 1});
  // As in ViT: tokens of pixels. As in ConvNeXt: a norm of the channels, and back.
  CHECK(steps_of(model("x"_n = nn::placeholder({1, 3, 4, 4}), "conv"_n = convolved,
                       "f"_n = fn::flatten("conv"_n, {.start_dim = 2}),
                       "t"_n = fn::transpose("f"_n, {.dim0 = 1, .dim1 = 2}),
                       "n"_n = nn::layer_norm("t"_n), "out"_n = nn::output("n"_n))) ==
        "to_nhwc conv2d layer_norm ");
  CHECK(steps_of(
            model("x"_n = nn::placeholder({1, 3, 4, 4}), "conv"_n = convolved,
                  "p"_n = fn::permute("conv"_n, {.dims = {0, 2, 3, 1}}),
                  "n"_n = nn::layer_norm("p"_n), "q"_n = fn::permute("n"_n, {.dims = {0, 3, 1, 2}}),
                  "next"_n = nn::conv2d("q"_n, {.out_channels = 2, .kernel_size = 1}),
                  "out"_n = nn::output("next"_n))) == "to_nhwc conv2d layer_norm conv2d to_nchw ");
}

TEST_CASE("one of several tensors is selected") {
  CHECK(steps_of(model(
            "x"_n = nn::placeholder({2, 6}), "c"_n = fn::chunk("x"_n, {.chunks = 2, .dim = 1}),
            "a"_n = op::getitem("c"_n, {.index = {0}}), "b"_n = op::getitem("c"_n, {.index = {1}}),
            "y"_n = op::mul("a"_n, "b"_n), "out"_n = nn::output("y"_n))) ==
        "reorder reorder binary_mul ");
  CHECK(steps_of(model("x"_n = nn::placeholder({2, 6}), "c"_n = fn::unbind("x"_n, {.dim = 1}),
                       "y"_n = nn::relu("c"_n), "out"_n = nn::output("y"_n))) ==
        "node y reads several tensors,\nall of c; op::getitem selects one");
}

TEST_CASE("parts may be of different sizes") {
  const auto part = [](const auto& net) {
    const dynamic_schedule s = schedule(net.view());
    REQUIRE(!s.problem.any());
    return s.steps[0].signature.template as<reorder_shape>();
  };
  constexpr reorder_shape of_split{{1, 1, 1, 1, 2, 4}, {0, 0, 0, 0, 7, 1}, 3};
  CHECK(part(model("x"_n = nn::placeholder({2, 7}),
                   "s"_n = fn::split("x"_n, {.split_size_or_sections = {3, 4}, .dim = 1}),
                   "b"_n = op::getitem("s"_n, {.index = {1}}), "y"_n = nn::relu("b"_n),
                   "out"_n = nn::output("y"_n))) == of_split);
  constexpr reorder_shape of_chunk{{1, 1, 1, 1, 1, 2}, {0, 0, 0, 0, 0, 7}, 6};
  CHECK(
      part(model("x"_n = nn::placeholder({2, 7}), "c"_n = fn::chunk("x"_n, {.chunks = 3, .dim = 1}),
                 "b"_n = op::getitem("c"_n, {.index = {-1}}), "y"_n = nn::relu("b"_n),
                 "out"_n = nn::output("y"_n))) == of_chunk);
}

TEST_CASE("what is repeated is copied at once") {
  const auto copied = [](const auto& net) {
    const dynamic_schedule s = schedule(net.view());
    REQUIRE(!s.problem.any());
    CHECK(s.steps[0].signature.kernel == kernel::reorder);
    return s.steps[0].signature.template as<reorder_shape>();
  };
  constexpr reorder_shape tiled{{1, 1, 3, 2, 2, 4}, {0, 0, 0, 4, 0, 1}, 0};
  CHECK(copied(model("x"_n = nn::placeholder({2, 4}),
                     "r"_n = method::repeat("x"_n, {.repeats = {3, 2}}), "y"_n = nn::relu("r"_n),
                     "out"_n = nn::output("y"_n))) == tiled);
  constexpr reorder_shape each{{1, 1, 1, 2, 5, 4}, {0, 0, 0, 4, 0, 1}, 0};
  CHECK(copied(model("x"_n = nn::placeholder({2, 4}),
                     "r"_n = fn::repeat_interleave("x"_n, {.repeats = 5, .dim = {0}}),
                     "y"_n = nn::relu("r"_n), "out"_n = nn::output("y"_n))) == each);
  CHECK(steps_of(model("x"_n = nn::placeholder({2, 2, 2, 2}),
                       "r"_n = method::repeat("x"_n, {.repeats = {2, 2, 2, 2}}),
                       "y"_n = nn::relu("r"_n), "out"_n = nn::output("y"_n))) ==
        "no kernel for node r:\nit repeats too many axes");
}

TEST_CASE("matrices are read transposed") {
  constexpr auto net = model("x"_n = nn::placeholder({2, 3, 4}), "y"_n = nn::sigmoid("x"_n),
                             "t"_n = fn::transpose("y"_n, {.dim0 = 1, .dim1 = 2}),
                             "m"_n = fn::matmul("x"_n, "t"_n), "out"_n = nn::output("m"_n));
  const dynamic_schedule s = schedule(net.view());
  CHECK(s.steps[1].signature.as<matmul_shape>() ==
        matmul_shape{.batch = 2, .m = 3, .n = 3, .k = 4, .matrices = {2, 2}, .transposed = 1});
}

TEST_CASE("what no kernel reads is an error") {
  CHECK(steps_of(model("x"_n = nn::placeholder({2, 1, 2, 1, 2, 1}), "y"_n = nn::relu("x"_n),
                       "p"_n = fn::permute("x"_n, {.dims = {1, 0, 3, 2, 5, 4}}),
                       "s"_n = op::add("y"_n, "p"_n), "out"_n = nn::output("s"_n))) ==
        "no kernel for node s:\nit broadcasts along more than 4 axes");
  dynamic_graph<stage::lowered> g;
  const auto add = [&g](std::string_view name, op_id op, const shape& s, const int* args,
                        int count) {
    g.add({.name = name, .op = op, .shape = s, .dtype = quint8, .observer = 0}, args, count);
  };
  add("x", nn::placeholder.id(), {1, 40000}, nullptr, 0);
  const int x[] = {0}, both[] = {0, 1}, last[] = {2};
  add("y", method::view.id(), {40000, 1}, x, 1);
  add("m", q::matmul.id(), {1, 1}, both, 2);
  add("out", nn::output.id(), {1, 1}, last, 1);
  CHECK(std::string{schedule(g.view()).problem.message()} ==
        "no kernel for node m:\nsums of 40000 products of integers;\nat most 33025 fit in int32");
}

}  // namespace
