// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/graph/integers.hpp"

#include "ctq/graph/model.hpp"
#include "ctq/ops/builtin_ops.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

static_assert(keeps_integers(*fn::cat.id()->descriptor) &&
              keeps_integers(*method::contiguous.id()->descriptor) &&
              !keeps_integers(*fn::softmax.id()->descriptor));

// Steps compute with integers in float.
static_assert(element_type(i64) == f32 && element_type(i32) == f32 &&
              element_type(quint8) == quint8);

// What is computed of integers and parameters alone is integers.
constexpr auto integers =
    model("i"_n = nn::placeholder({2, 6}, i32), "shift"_n = nn::get_attr({6}, i64),
          "part"_n = op::getitem("i"_n, {.index = {0}}), "shifted"_n = op::add("part"_n, "shift"_n),
          "half"_n = op::mul("shifted"_n, 0.5F), "twice"_n = op::mul("shifted"_n, 2),
          "mask"_n = op::ne("i"_n, 0), "float"_n = method::float_("i"_n),
          "sum"_n = op::add("float"_n, "i"_n), "whole"_n = method::long_("half"_n),
          "row"_n = nn::embedding("whole"_n, {.num_embeddings = 9, .embedding_dim = 2}),
          "out"_n = nn::output("row"_n, "twice"_n, "sum"_n, "mask"_n));
static_assert(!integers.problem.any());
static_assert(integers.nodes[0].dtype == i32 && integers.nodes[2].dtype == i64 &&
              integers.nodes[3].dtype == i64 && integers.nodes[5].dtype == i64 &&
              integers.nodes[9].dtype == i64);
static_assert(integers.nodes[4].dtype == f32 && integers.nodes[6].dtype == f32 &&
              integers.nodes[7].dtype == f32 && integers.nodes[8].dtype == f32 &&
              integers.nodes[10].dtype == f32);

// What is taken at indices is of the type of what it is taken from.
constexpr auto taken = model(
    "i"_n = nn::placeholder({4}, i64), "w"_n = nn::get_attr({9}), "n"_n = nn::get_attr({9}, i64),
    "float"_n = fn::index_along("w"_n, "i"_n), "integer"_n = fn::index_along("n"_n, "i"_n),
    "scaled"_n = op::mul("i"_n, "float"_n), "bounded"_n = fn::clamp("i"_n, {.min = 0, .max = 7}),
    "half"_n = fn::clamp("i"_n, {.min = 0.5F}), "at_half"_n = fn::index_along("n"_n, "half"_n),
    "out"_n = nn::output("scaled"_n, "integer"_n, "bounded"_n, "at_half"_n));
static_assert(!taken.problem.any());
static_assert(taken.nodes[3].dtype == f32 && taken.nodes[4].dtype == i64 &&
              taken.nodes[5].dtype == f32 && taken.nodes[6].dtype == i64 &&
              taken.nodes[7].dtype == f32 && taken.nodes[8].dtype == i64);

// Of what chooses between tensors, or writes into one, the mask does not count. Masks are counted
// as integers.
constexpr auto chosen = model(
    "i"_n = nn::placeholder({2, 4}, i64), "x"_n = nn::placeholder({2, 4}),
    "mask"_n = op::gt("x"_n, 0.0F), "or"_n = fn::where("mask"_n, "i"_n, "i"_n),
    "by_x"_n = fn::where("x"_n, "i"_n, "i"_n), "float"_n = fn::where("mask"_n, "i"_n, "x"_n),
    "filled"_n = fn::masked_fill("i"_n, "mask"_n, {.value = 3}),
    "by_half"_n = fn::masked_fill("i"_n, "mask"_n, {.value = 0.5F}),
    "lowest"_n = fn::masked_fill("i"_n, "mask"_n, {.value = -__builtin_huge_valf()}),
    "above"_n = fn::clamp("i"_n, {.min = 0}), "shifted"_n = fn::pad("i"_n, {.pad = {1, -1}}),
    "zeros"_n = fn::zeros_like("i"_n), "rows"_n = method::unsqueeze("mask"_n, {.dim = 0}),
    "count"_n = method::sum("rows"_n, {.dim = {2}}),
    "positions"_n = fn::cumsum("mask"_n, {.dim = 1}), "product"_n = op::mul("mask"_n, "i"_n),
    "masks"_n = op::mul("mask"_n, "mask"_n), "twice"_n = op::mul("mask"_n, 2),
    "most"_n = fn::max("i"_n, {.dim = {1}}), "value"_n = op::getitem("most"_n, {.index = {0}}),
    "not"_n = op::invert("mask"_n), "of_x"_n = fn::cumsum("x"_n, {.dim = 1}),
    "out"_n = nn::output("or"_n, "by_x"_n, "float"_n, "filled"_n, "by_half"_n, "lowest"_n,
                         "above"_n, "shifted"_n, "zeros"_n, "count"_n, "positions"_n, "product"_n,
                         "masks"_n, "twice"_n, "value"_n, "not"_n, "of_x"_n));
static_assert(!chosen.problem.any());

constexpr bool is_chosen_integer(const char* name) {
  for (const node& n : chosen.nodes)
    if (n.name == name) return n.dtype == i64;
  return false;
}
static_assert(is_chosen_integer("or") && is_chosen_integer("by_x") && is_chosen_integer("filled") &&
              is_chosen_integer("shifted") && is_chosen_integer("zeros") &&
              is_chosen_integer("count") && is_chosen_integer("positions") &&
              is_chosen_integer("product") && is_chosen_integer("above") &&
              is_chosen_integer("value"));
static_assert(!is_chosen_integer("float") && !is_chosen_integer("lowest") &&
              !is_chosen_integer("by_half") && !is_chosen_integer("masks") &&
              !is_chosen_integer("twice") && !is_chosen_integer("not") &&
              !is_chosen_integer("of_x"));

// What is taken from a mask is a mask; a product of two masks is computed in float, and is none.
constexpr number_kind of_masks(op_id op, int inputs) {
  const node n{.op = op, .arg_count = inputs};
  return kind_of_result(n, [](int) { return number_kind::mask; });
}
static_assert(of_masks(method::unsqueeze.id(), 1) == number_kind::mask &&
              of_masks(fn::flip.id(), 1) == number_kind::mask &&
              of_masks(fn::cat.id(), 2) == number_kind::mask &&
              of_masks(op::mul.id(), 2) == number_kind::real &&
              of_masks(fn::cumsum.id(), 1) == number_kind::integer &&
              of_masks(op::ne.id(), 2) == number_kind::mask);

constexpr bool computes(const char* name) {
  const auto g = taken.view();
  for (int i = 0; i < g.size(); ++i)
    if (g[i].name == name) return computes_with_integers(taken.nodes, taken.args, i);
  return false;
}
static_assert(computes("scaled") && computes("float") && computes("integer") && !computes("w"));
constexpr auto row =
    model("i"_n = nn::placeholder({4}, i64),
          "row"_n = nn::embedding("i"_n, {.num_embeddings = 9, .embedding_dim = 2}),
          "out"_n = nn::output("row"_n));
static_assert(!computes_with_integers(row.nodes, row.args, 1));

constexpr auto bits = model("i"_n = nn::placeholder({4}, i64), "a"_n = op::invert("i"_n),
                            "out"_n = nn::output("a"_n));
static_assert(bits.problem.any());

constexpr auto pooled =
    model("i"_n = nn::placeholder({1, 1, 4, 4}, i64),
          "a"_n = nn::max_pool2d("i"_n, {.kernel_size = 2}), "out"_n = nn::output("a"_n));
static_assert(pooled.problem.message() ==
              "node a:\nreads int64 of i\nmethod::float_ makes floats of it");
constexpr auto returned = model("i"_n = nn::placeholder({4}, i64), "out"_n = nn::output("i"_n));
static_assert(returned.problem.message() ==
              "node out:\nreads int64 of i\nmethod::float_ makes floats of it");
constexpr auto looked_up =
    model("x"_n = nn::placeholder({4}), "a"_n = nn::relu("x"_n),
          "row"_n = nn::embedding("a"_n, {.num_embeddings = 9, .embedding_dim = 2}),
          "out"_n = nn::output("row"_n));
static_assert(looked_up.problem.message() ==
              "node row:\nreads float32 of a\nindices are an input of a model:\n"
              "nn::placeholder({...}, ctq::i64)");

}  // namespace
