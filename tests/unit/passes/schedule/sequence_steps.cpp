// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/schedule/sequence_steps.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ctq/backends/qconfigs.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/ops/builtin_ops.hpp"
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

constexpr embedding_options table{.num_embeddings = 9, .embedding_dim = 2};

/// The kernels of a schedule with the types that they convert between.
template <class Model>
std::string kernels_of(const Model& m) {
  const dynamic_schedule s = schedule(m.view());
  REQUIRE_FALSE(s.problem.any());
  std::string all;
  for (const step& each : s.steps) {
    static_text<80> one;
    kernels::append_signature(one, each.signature.kernel, each.signature.in, each.signature.out);
    all.append(one.view()).append("; ");
  }
  return all;
}

}  // namespace

TEST_CASE("a recurrent layer is one step, whose tensors are views of its output") {
  const dynamic_schedule s = schedule(net.view());
  REQUIRE_FALSE(s.problem.any());
  REQUIRE(s.steps.size() == 8);
  CHECK(s.steps[0].signature.as<embedding_shape>() ==
        embedding_shape{.indices = 12, .rows = 9, .width = 5});
  const auto first = s.steps[1].signature.as<recurrent_shape>();
  CHECK(s.steps[1].signature.kernel == kernel::rnn);
  CHECK(first ==
        recurrent_shape{
            .cell = recurrent_cell::lstm, .steps = 4, .batch = 3, .input = 5, .hidden = 6});
  // The state is two parts of it, which are copied, then joined.
  CHECK(s.steps[2].signature.as<reorder_shape>().offset == first.sequence_elements());
  const step& next = s.steps[6];
  CHECK(next.signature.as<recurrent_shape>().has_state == 1);
  CHECK(next.in[0] == s.steps[1].out);
  CHECK(next.in[1] == s.steps[5].out);
  // What the model returns is smaller than what the layer writes.
  CHECK(s.steps[7].signature.kernel == kernel::concat);
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

TEST_CASE("indices that embeddings alone read, or that are returned, are not converted") {
  CHECK(kernels_of(model("i"_n = nn::placeholder({4}, i32), "row"_n = nn::embedding("i"_n, table),
                         "out"_n = nn::output("row"_n))) == "embedding, int32 to float32; ");
  CHECK(kernels_of(model("x"_n = nn::placeholder({2, 4}), "i"_n = fn::argmax("x"_n, {.dim = 1}),
                         "out"_n = nn::output("i"_n))) == "argmax, float32 to int64; ");
}

TEST_CASE("integers are computed in float and are indices again where they are read as such") {
  CHECK(kernels_of(model("i"_n = nn::placeholder({4}, i64), "next"_n = op::add("i"_n, 1),
                         "row"_n = nn::embedding("next"_n, table),
                         "also"_n = nn::embedding("next"_n, table),
                         "first"_n = nn::embedding("i"_n, table),
                         "out"_n = nn::output("row"_n, "also"_n, "first"_n, "next"_n))) ==
        "convert, int64 to float32; elementwise, float32 to float32; convert, float32 to int64; "
        "embedding, int64 to float32; embedding, int64 to float32; embedding, int64 to float32; ");
}

TEST_CASE("an input of indices that is computed with is looked up as it came") {
  const auto m =
      model("i"_n = nn::placeholder({4}, i64), "next"_n = op::add("i"_n, 1),
            "row"_n = nn::embedding("i"_n, table), "out"_n = nn::output("row"_n, "next"_n));
  const dynamic_schedule s = schedule(m.view());
  REQUIRE_FALSE(s.problem.any());
  for (const step& each : s.steps)
    if (each.signature.kernel == kernel::embedding) CHECK(each.in[0].in == place::area::input);
}

TEST_CASE("a view of indices is copied before it is read") {
  CHECK(kernels_of(model("i"_n = nn::placeholder({2, 4}, i64),
                         "column"_n = op::getitem("i"_n, {.index = {index::slice(), 1}}),
                         "row"_n = nn::embedding("column"_n, table),
                         "out"_n = nn::output("row"_n))) ==
        "convert, int64 to float32; reorder, float32 to float32; convert, float32 to int64; "
        "embedding, int64 to float32; ");
}

TEST_CASE("integers that are returned twice are copied whole") {
  const auto m = model("i"_n = nn::placeholder({4}, i64), "next"_n = op::add("i"_n, 1),
                       "out"_n = nn::output("next"_n, "next"_n));
  const dynamic_schedule s = schedule(m.view());
  REQUIRE_FALSE(s.problem.any());
  REQUIRE(s.steps.size() == 4);
  CHECK(s.steps[3].signature.as<concat_shape>() == concat_shape{1, 8, 8, 0});
}

TEST_CASE("computed indices of a table that floats cannot count are an error") {
  const embedding_options large{.num_embeddings = (1 << 24) + 1, .embedding_dim = 2};
  const auto read = model("i"_n = nn::placeholder({4}, i64), "row"_n = nn::embedding("i"_n, large),
                          "out"_n = nn::output("row"_n));
  CHECK_FALSE(schedule(read.view()).problem.any());
  const auto computed =
      model("i"_n = nn::placeholder({4}, i64), "next"_n = op::add("i"_n, 1),
            "row"_n = nn::embedding("next"_n, large), "out"_n = nn::output("row"_n));
  CHECK(schedule(computed.view()).problem.message() ==
        "no kernel for node row:\ncomputed indices are exact up to 2^24;\nits table has 16777217 "
        "rows");
}

TEST_CASE("indices are in the order of the axes") {
  CHECK(kernels_of(model("x"_n = nn::placeholder({1, 2, 3, 3}),
                         "y"_n = nn::conv2d("x"_n, {.out_channels = 4, .kernel_size = 1}),
                         "i"_n = method::long_("y"_n), "row"_n = nn::embedding("i"_n, table),
                         "out"_n = nn::output("row"_n))) ==
        "to_nhwc, float32 to float32; conv2d, float32 to float32; elementwise, float32 to float32; "
        "to_nchw, float32 to float32; convert, float32 to int64; embedding, int64 to float32; ");
}

TEST_CASE("what argmax gives can be computed with and looked up") {
  CHECK(kernels_of(model("x"_n = nn::placeholder({2, 4}), "i"_n = fn::argmax("x"_n, {.dim = 1}),
                         "row"_n = nn::embedding("i"_n, table), "mask"_n = op::eq("i"_n, 2),
                         "out"_n = nn::output("row"_n, "mask"_n))) ==
        "argmax, float32 to int64; convert, int64 to float32; embedding, int64 to float32; "
        "elementwise, float32 to float32; ");
}
