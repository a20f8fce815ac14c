// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/embeddings/check_indices.hpp"

#include <doctest/doctest.h>

using namespace ctq;

namespace {

constexpr node table{.name = "table"};

step step_of(kernel_id k, dtype type, const embedding_shape& s) {
  step one{.signature = signature_of(k, type, f32, s), .node = 0};
  for (std::size_t i = 0; i < 2; ++i) one.in[i] = {place::area::input, i};
  return one;
}

}  // namespace

TEST_CASE("indices and offsets are checked against the table") {
  const step look_up = step_of(kernel::embedding, i32, {.indices = 3, .rows = 4, .width = 2});
  const std::int32_t good[] = {0, 3, 1}, bad[] = {0, 3, 4};
  const auto checked = [&](const step& s, const void* in, const void* offsets) {
    const void* const inputs[] = {in, offsets};
    return check_indices({&s, 1}, {&table, 1}, inputs);
  };
  CHECK(checked(look_up, good, nullptr));
  CHECK(checked(look_up, bad, nullptr).error().message() ==
        "node table: index 2 is 4; the table has 4 rows");

  embedding_shape s{.indices = 3, .rows = 4, .width = 2, .bags = 2, .has_offsets = 1};
  const std::int64_t index[] = {0, 3, -1}, first[] = {0, 2}, wrong[] = {1, 0}, late[] = {0, 4};
  CHECK_FALSE(checked(step_of(kernel::embedding_bag, i64, s), index, first));
  s.indices = 2;
  CHECK(checked(step_of(kernel::embedding_bag, i64, s), index, first));
  CHECK(checked(step_of(kernel::embedding_bag, i64, s), index, wrong).error().message() ==
        "node table: the offsets of bag 0 decrease or lie outside of the 2 indices");
  CHECK_FALSE(checked(step_of(kernel::embedding_bag, i64, s), index, late));
}

TEST_CASE("indices with which a model computes are those that floats hold") {
  const auto checked = [](std::int64_t last, place::area from) {
    const step converts{.signature = signature_of(kernel::convert, i64, f32, elementwise_shape{2}),
                        .node = 0,
                        .in = {{from, 0}}};
    const std::int64_t index[] = {-16777216, last};
    const void* const inputs[] = {index};
    return check_indices({&converts, 1}, {&table, 1}, inputs);
  };
  CHECK(checked(16777216, place::area::input));
  CHECK(checked(16777217, place::area::input).error().message() ==
        "node table: index 1 is 16777217; the model computes with it in float32, which holds "
        "integers up to 16777216");
  CHECK_FALSE(checked(-16777217, place::area::input));
  CHECK(checked(16777217, place::area::arena));
}

TEST_CASE("what a model computes is not checked before") {
  step computed = step_of(kernel::embedding, i64, {.indices = 3, .rows = 4, .width = 2});
  for (place& from : computed.in) from.in = place::area::arena;
  const void* const inputs[] = {nullptr};
  CHECK(check_indices({&computed, 1}, {&table, 1}, inputs));
}
