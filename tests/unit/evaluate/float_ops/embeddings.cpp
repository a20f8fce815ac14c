// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/float_ops/embeddings.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "run_op.hpp"

using namespace ctq;
using namespace ctq::float_ops;
using run_op::cause;
using run_op::floats;

namespace {

const tensor table{{4, 2}, {0, 1, 10, -11, 20, 21, -30, 31}};
const index_tensor picked{{6}, {1, 3, 1, 2, 0, 3}};

result<value> bag(std::vector<value> given, std::vector<named_value> keywords) {
  return run_op::run(implementation::embeddings, fn::embedding_bag,
                     {.positional = std::move(given), .keywords = std::move(keywords)});
}

}  // namespace

TEST_CASE("an embedding has the rows that the indices name, in the indices' shape") {
  const auto look_up = [](const index_tensor& i) {
    return run_op::run(implementation::embeddings, fn::embedding, {.positional = {i, table}});
  };
  const tensor out = floats(look_up({{2, 1}, {3, 0}}));
  CHECK(out.shape == extents{2, 1, 2});
  CHECK(out.data == std::vector<float>{-30, 31, 0, 1});
  CHECK(floats(look_up({{0}, {}})).shape == extents{0, 2});
  CHECK(cause(look_up({{1}, {-1}})) == "an index is negative");
  CHECK_FALSE(look_up({{1}, {4}}).has_value());
  CHECK(cause(run_op::run(implementation::embeddings, fn::embedding,
                          {.positional = {index_tensor{{1}, {0}}, table},
                           .keywords = {{"max_norm", 1.0}}})) == "cannot have max_norm in ctq");
}

TEST_CASE("a bag is the sum, the mean or the maximum of its rows, zeros if it is empty") {
  const index_tensor offsets{{4}, {0, 2, 2, 5}};
  const auto of = [&](const char* mode) {
    return floats(bag({picked, table, offsets}, {{"mode", mode}}));
  };
  CHECK(of("sum").shape == extents{4, 2});
  CHECK(of("sum").data == std::vector<float>{-20, 20, 0, 0, 30, 11, -30, 31});
  CHECK(of("mean").data == std::vector<float>{-10, 10, 0, 0, 10, 11.0F / 3, -30, 31});
  CHECK(of("max").data == std::vector<float>{10, 31, 0, 0, 20, 21, -30, 31});
  CHECK(cause(bag({picked, table, offsets}, {{"mode", "min"}})) == "mode is sum, mean or max");
}

TEST_CASE("the rows of a matrix of indices are bags") {
  const index_tensor matrix{{3, 2}, picked.data};
  CHECK(floats(bag({matrix, table}, {{"mode", "sum"}})).data ==
        std::vector<float>{-20, 20, 30, 10, -30, 32});
  CHECK(cause(bag({matrix, table, index_tensor{{1}, {0}}}, {})) ==
        "needs a matrix of indices, or a list of them and offsets");
  CHECK(cause(bag({matrix, table}, {{"max_norm", 1.0}})) == "cannot have max_norm in ctq");
  CHECK(cause(bag({matrix, table}, {{"include_last_offset", true}})) ==
        "include_last_offset needs offsets");
}

TEST_CASE("samples have weights of their own in sums, and a padding index does not count") {
  const tensor factors{{3, 2}, {1, 2, -1, 0, 0.5F, 1}};
  const index_tensor matrix{{3, 2}, picked.data};
  CHECK(floats(bag({matrix, table}, {{"mode", "sum"}, {"per_sample_weights", factors}})).data ==
        std::vector<float>{-50, 51, -10, 11, -30, 31.5F});
  CHECK(cause(bag({matrix, table}, {{"per_sample_weights", factors}})) ==
        "supports per_sample_weights in mode sum only");
  // Row 1 is left out, also where it is counted from the end; a bag of nothing else is zeros.
  for (const int padding : {1, -3}) {
    const index_tensor ones{{2, 2}, {1, 2, 1, 1}};
    CHECK(floats(bag({ones, table}, {{"mode", "mean"}, {"padding_idx", padding}})).data ==
          std::vector<float>{20, 21, 0, 0});
    CHECK(floats(bag({ones, table}, {{"mode", "max"}, {"padding_idx", padding}})).data ==
          std::vector<float>{20, 21, 0, 0});
  }
}

TEST_CASE("the last offset may be the end, and offsets that do not fit are errors") {
  const auto with = [&](std::vector<std::int64_t> offsets, bool last) {
    const auto n = static_cast<int>(offsets.size());
    return bag({picked, table, index_tensor{{n}, std::move(offsets)}},
               {{"mode", "sum"}, {"include_last_offset", last}});
  };
  CHECK(floats(with({0, 2, 6}, true)).data == floats(with({0, 2}, false)).data);
  CHECK(cause(with({1, 2}, false)) == "offsets begin at 0 and end within the input");
  CHECK(cause(with({0, 7}, true)) == "offsets begin at 0 and end within the input");
  CHECK(cause(with({0, 4, 3}, false)) == "offsets must not decrease");
}
