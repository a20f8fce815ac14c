// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/schedule/sequence_steps.hpp"

#include <doctest/doctest.h>

#include "ctq/backends/qconfigs.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/passes/schedule/schedule.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

/// The second layer begins with the last state of the first one.
constexpr auto net = model(
    "words"_n = nn::placeholder({4, 3}, i64),
    "table"_n = nn::embedding("words"_n, {.num_embeddings = 9, .embedding_dim = 5}),
    "lstm"_n = nn::lstm("table"_n, {.hidden_size = 6}),
    "y"_n = op::getitem("lstm"_n, {.index = {0}}),
    "state"_n = op::getitem("lstm"_n, {.index = {1}}),
    "h"_n = op::getitem("state"_n, {.index = {0}}), "c"_n = op::getitem("state"_n, {.index = {1}}),
    "next"_n = nn::lstm("y"_n, "h"_n, "c"_n, {.hidden_size = 6}),
    "z"_n = op::getitem("next"_n, {.index = {-2}}), "out"_n = nn::output("z"_n));

}  // namespace

TEST_CASE("a recurrent layer is one step, whose tensors are views of its output") {
  const dynamic_schedule s = schedule(net.view());
  REQUIRE_FALSE(s.problem.any());
  REQUIRE(s.steps.size() == 8);
  CHECK(s.steps[0].key.as<embedding_shape>() ==
        embedding_shape{.indices = 12, .rows = 9, .width = 5});
  const auto first = s.steps[1].key.as<recurrent_shape>();
  CHECK(s.steps[1].key.kernel == kernel::rnn);
  CHECK(first ==
        recurrent_shape{
            .cell = recurrent_cell::lstm, .steps = 4, .batch = 3, .input = 5, .hidden = 6});
  // The state is two parts of it, which are copied, then joined.
  CHECK(s.steps[2].key.as<reorder_shape>().offset == first.sequence_elements());
  const step& next = s.steps[6];
  CHECK(next.key.as<recurrent_shape>().has_state == 1);
  CHECK(next.in[0] == s.steps[1].out);
  CHECK(next.in[1] == s.steps[5].out);
  // What the model returns is smaller than what the layer writes.
  CHECK(s.steps[7].key.kernel == kernel::concat);
  CHECK(s.steps[7].out.in == place::area::output);
  CHECK(s.inputs[0].dtype == i64);
}

TEST_CASE("a table of a dtype that no kernel reads is an error") {
  dynamic_graph<stage::traced> g;
  const auto from = net.view();
  for (int i = 0; i < from.size(); ++i) g.add(from[i], from.args_of(i).begin(), from[i].arg_count);
  g.nodes[1].weight = &float16_static_qconfig::value.weight;
  const dynamic_schedule s = schedule(g.view());
  REQUIRE(s.problem.any());
  CHECK(
      s.problem.message() ==
      "no kernel for node table:\na table of float16; there are\nfloat32, quint8, qint8, quint4x2");
}
