// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/float_ops/function_call.hpp"

#include <doctest/doctest.h>

#include <utility>

#include "ctq/ops/in_float/addmm.hpp"
#include "ctq/ops/in_float/multihead_attention.hpp"
#include "run_op.hpp"

using namespace ctq;
using namespace ctq::float_ops;
using run_op::cause;

namespace {

/// What the function has computed, with what follows the output.
result<value> all_of(float_ops::operands& from) {
  const auto computed = call_function(from, {"query", "key", "value"});
  if (!computed) return unexpected{computed.error()};
  return value(tensor{{static_cast<int>(computed->all.size())}, computed->all});
}
result<value> output_of(float_ops::operands& from) {
  return call_for_output(from, {"input", "mat1", "mat2"});
}

constexpr float_op attention[] = {
    {"multihead_attention", "...", all_of, "query, key, value"},
};
constexpr float_op product[] = {{"addmm", "input, mat1, mat2, ...", output_of}};

}  // namespace

TEST_CASE("a function of three tensors, which has no parameters") {
  const tensor row{{1, 2}, {1, 2}};
  const tensor identity{{2, 2}, {1, 0, 0, 1}};
  const auto y = run_op::run(product, fn::addmm, {.positional = {row, row, identity}});
  REQUIRE(cause(y) == "");
  CHECK(y->get_if<tensor>()->shape == extents{1, 2});
  CHECK(y->get_if<tensor>()->data == std::vector<float>{2, 4});
  CHECK(cause(run_op::run(product, fn::addmm, {.positional = {row, row, row}}))
            .starts_with("mat1 and mat2"));
  CHECK(cause(run_op::run(product, fn::addmm,
                          {.positional = {row, filled({1, 1, 1, 1, 1, 1, 1}), row}})) ==
        "mat1 has too many axes");
}

TEST_CASE("parameters have the shapes that the op declares, and room follows the output") {
  const tensor x{{1, 1}, {2}};
  const auto run = [&x](tensor in_projection) {
    return run_op::run(attention, nn::multihead_attention,
                       {.positional = {x, x, x},
                        .attributes = {{"num_heads", 1},
                                       {"bias", false},
                                       {"in_proj_weight", std::move(in_projection)},
                                       {"out_proj.weight", tensor{{1, 1}, {3}}}}});
  };
  const auto all = run({{3, 1}, {1, 1, 1}});
  REQUIRE(cause(all) == "");
  // The output, the weight, and a query, key, value and score.
  CHECK(all->get_if<tensor>()->data.size() == 6);
  CHECK(all->get_if<tensor>()->data[0] == 6);
  CHECK(all->get_if<tensor>()->data[1] == 1);
  CHECK(cause(run({{3}, {1, 1, 1}})) == "in_proj_weight does not fit the input");
}
