// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/float_ops/tensor_functions.hpp"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "run_op.hpp"

using namespace ctq;
using namespace ctq::float_ops;
using run_op::cause;

namespace {

const tensor x{{2, 2}, {1, 0, 0, 3}};

/// Of one head and projections that give what they get, if nothing else is given.
result<value> run(python_call c) {
  const tensor identity{{2, 2}, {1, 0, 0, 1}};
  tensor three{{6, 2}, {}};
  for (int i = 0; i < 3; ++i)
    three.data.insert(three.data.end(), identity.data.begin(), identity.data.end());
  std::vector<named_value> attributes{{"num_heads", 1},
                                      {"bias", false},
                                      {"in_proj_weight", std::move(three)},
                                      {"out_proj.weight", identity}};
  attributes.insert(attributes.end(), c.attributes.begin(), c.attributes.end());
  c.attributes = std::move(attributes);
  if (c.positional.empty()) c.positional = {x, x, x};
  return run_op::run(implementation::tensor_functions, nn::multihead_attention, std::move(c));
}

}  // namespace

TEST_CASE("attention gives a pair, whose weights are None if nothing needs them") {
  const std::vector<tensor> both = run_op::float_list(run({}));
  REQUIRE(both.size() == 2);
  CHECK(both[0].shape == extents{2, 2});
  CHECK(both[1].shape == extents{2, 2});
  CHECK(both[1].data[0] + both[1].data[1] == doctest::Approx(1));
  CHECK(both[0].data[0] == both[1].data[0]);
  CHECK(both[0].data[1] == doctest::Approx(3 * both[1].data[1]));
  const auto alone = run({.keywords = {{"need_weights", false}}});
  REQUIRE(cause(alone) == "");
  const list& parts = *alone->get_if<list>();
  CHECK(parts[0].get_if<tensor>()->data == both[0].data);
  CHECK((parts.size() == 2 && parts[1].is<none>()));
}

TEST_CASE("an option of a module in C++ is one of the call in PyTorch") {
  const auto alone = run({.attributes = {{"need_weights", false}}});
  REQUIRE(cause(alone) == "");
  CHECK((*alone->get_if<list>())[1].is<none>());
}

TEST_CASE("what attention does not compute is an error") {
  CHECK(cause(run({.keywords = {{"attn_mask", x}}})) == "has no attn_mask");
  CHECK(cause(run({.keywords = {{"key_padding_mask", x}}})) == "has no key_padding_mask");
  CHECK(cause(run({.keywords = {{"is_causal", true}}})) == "has no is_causal");
  CHECK(cause(run({.attributes = {{"add_zero_attn", true}}})) == "has no add_zero_attn");
  CHECK(cause(run({.attributes = {{"bias_k", x}}})) == "has no add_bias_kv");
  CHECK(cause(run({.attributes = {{"in_proj_weight", x}}})) ==
        "in_proj_weight does not fit the input");
  CHECK(cause(run({.attributes = {{"bias", true}}})) == "in_proj_bias is not a float tensor");
  CHECK(cause(run({.positional = {filled({1, 1, 1, 1, 1, 1, 1}), x, x}})) ==
        "query has too many axes");
  CHECK(cause(run({.positional = {x, x, filled({2, 1})}})).starts_with("queries, keys and values"));
}

TEST_CASE("layers of transformers have no masks") {
  const auto encoder = [](std::vector<named_value> keywords) {
    return run_op::run(implementation::tensor_functions, nn::transformer_encoder_layer,
                       {.positional = {x}, .keywords = std::move(keywords)});
  };
  CHECK(cause(encoder({{"src_mask", x}})) == "has no src_mask");
  CHECK(cause(encoder({{"src_key_padding_mask", x}})) == "has no src_key_padding_mask");
  CHECK(cause(encoder({{"is_causal", true}})) == "has no is_causal");
  CHECK(cause(encoder({})) == "num_heads is 0;\nit divides embed_dim, 2");
  const auto decoder = [](std::vector<named_value> keywords) {
    return run_op::run(implementation::tensor_functions, nn::transformer_decoder_layer,
                       {.positional = {x, x}, .keywords = std::move(keywords)});
  };
  CHECK(cause(decoder({{"tgt_mask", x}})) == "has no tgt_mask");
  CHECK(cause(decoder({{"memory_mask", x}})) == "has no memory_mask");
  CHECK(cause(decoder({{"tgt_key_padding_mask", x}})) == "has no tgt_key_padding_mask");
  CHECK(cause(decoder({{"memory_key_padding_mask", x}})) == "has no memory_key_padding_mask");
  CHECK(cause(decoder({{"tgt_is_causal", true}})) == "has no tgt_is_causal");
  CHECK(cause(decoder({{"memory_is_causal", true}})) == "has no memory_is_causal");
}

TEST_CASE("distances are of vectors that broadcast, or an error that names what is wrong") {
  const tensor a{{2, 2}, {1, 2, 4, 6}}, b{{2}, {1, 2}}, c{{3}, {0, 0, 0}};
  CHECK(run_op::floats(
            run_op::run(implementation::tensor_functions, fn::cdist, {.positional = {a, a}}))
            .data == std::vector<float>{0, 5, 5, 0});
  CHECK(run_op::floats(run_op::run(implementation::tensor_functions, fn::pairwise_distance,
                                   {.positional = {a, b}, .keywords = {{"eps", 0.0}}}))
            .data == std::vector<float>{0, 5});
  CHECK(cause(run_op::run(implementation::tensor_functions, fn::pairwise_distance,
                          {.positional = {a, c}}))
            .starts_with("reads shapes that do not broadcast"));
  CHECK(cause(run_op::run(implementation::tensor_functions, fn::cdist,
                          {.positional = {a, a, 3.0}})) == "p is neither 1 nor 2");
}
