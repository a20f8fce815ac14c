// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/schedule/integer_steps.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ctq/graph/model.hpp"
#include "ctq/ops/builtin_ops.hpp"
#include "ctq/passes/schedule/schedule.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

constexpr embedding_options table{.num_embeddings = 9, .embedding_dim = 2};

/// The kernels of a schedule with the types that they convert between.
template <class Model>
std::string kernels_of(const Model& m) {
  const dynamic_schedule s = schedule(m.view());
  REQUIRE_FALSE(s.problem.any());
  std::string all;
  for (const step& each : s.steps) {
    static_text<80> one;
    kernels::append_signature(one, each.key.kernel, each.key.in, each.key.out);
    all.append(one.view()).append("; ");
  }
  return all;
}

}  // namespace

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
  CHECK(s.steps[3].key.as<concat_shape>() == concat_shape{1, 8, 8, 0});
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
