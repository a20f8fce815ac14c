// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/embeddings/pack_rows.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace ctq;

TEST_CASE("a table is packed as its rows, then its scales, then its zero points") {
  const node n{.name = "words"};
  const step s{.signature = signature_of(kernel::embedding, i64, f32,
                                         embedding_shape{.rows = 2, .width = 3, .bits = 4})};
  state_dict state;
  std::vector<std::byte> packed(192);
  CHECK(packing::pack_rows(s, n, state, packed.data()).error().message() ==
        "tensor words.weight: is missing");
  state.set("words.weight", {2, 2}, std::vector<std::uint8_t>{1, 2, 3, 4});
  state.set("words.weight_scale", {2}, std::vector<float>{0.5F, 2});
  state.set("words.weight_zero_point", {2}, std::vector<float>{1, 7});
  REQUIRE(packing::pack_rows(s, n, state, packed.data()));
  CHECK(packed[3] == std::byte{4});
  float values[2];
  std::memcpy(values, packed.data() + 64, 8);
  CHECK(values[1] == 2);
  std::memcpy(values, packed.data() + 128, 8);
  CHECK(values[1] == 7);
}
