// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/json/write_op.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ctq/ops/builtin_ops.hpp"

using namespace ctq;

namespace {

TEST_CASE("ops are written by name, those of users declared with their kind") {
  constexpr op_info swish{op_kind::function, "my.\"swish\""};
  constexpr op_info cell{op_kind::module, "my.Cell"};
  constexpr op_info view{op_kind::method, "my_view"};
  std::string text;
  json::writer out{text};
  out.array([&] {
    json::write_op(out, nn::linear.id());
    json::write_op(out, &swish);
  });
  CHECK(text == R"(["torch.nn.Linear", "my.\"swish\""])");

  const op_id own[] = {&swish, &cell, &view};
  std::string declared;
  json::writer declarations{declared};
  json::write_declarations(declarations, own);
  CHECK(declared == R"([{"name": "my.\"swish\"", "kind": "function"}, )"
                    R"({"name": "my.Cell", "kind": "module"}, )"
                    R"({"name": "my_view", "kind": "method"}])");
}

}  // namespace
