// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/json/embedded_file.hpp"

#include <doctest/doctest.h>

#include <string_view>
#include <type_traits>

using namespace ctq;

namespace {

constexpr embedded_file npu{"npu.json", R"({"name": "npu"})"};
constexpr embedded_file same{"npu.json", R"({"name": "npu"})"};

// A constant that costs nothing and that a type can be made of.
static_assert(std::is_trivially_copyable_v<embedded_file> && std::is_aggregate_v<embedded_file>);
static_assert(npu.name == "npu.json" && npu.text.size() == 15);
static_assert(embedded_file{}.name.empty() && embedded_file{}.text.empty());

template <const embedded_file& File>
struct of {};

// The address is the identity, not what stands there.
static_assert(std::is_same_v<of<npu>, of<npu>> && !std::is_same_v<of<npu>, of<same>>);

TEST_CASE("a text keeps all its bytes, zeros included") {
  using namespace std::string_view_literals;
  static constexpr embedded_file file{"zero", "a\0b"sv};
  CHECK(file.text.size() == 3);
  CHECK(file.text[2] == 'b');
}

}  // namespace
