// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/io/fx_values.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "ctq/json/document.hpp"

using namespace ctq;

namespace {

argument number(std::string_view text) {
  const json::document d = json::parse(text.data(), text.size());
  argument a;
  fx_reading::set_number(d.root(text.data()), a);
  return a;
}

TEST_CASE("a number without a point is an integer, if it fits") {
  const argument whole = number("-3");
  CHECK(whole.is == argument::kind::integer);
  CHECK(whole.integer == -3);
  CHECK(whole.real == -3.0);
  CHECK(number("2.5").is == argument::kind::real);
  CHECK(number("1e2").is == argument::kind::real);
  const argument huge = number("100000000000000000000");
  CHECK(huge.is == argument::kind::real);
  CHECK(huge.integer == 0);
  CHECK(huge.real == 1e20);
}

TEST_CASE("a number that is too large is not infinity") {
  for (const std::string_view text : {"1e999", "-1e999"}) {
    CAPTURE(text);
    const argument a = number(text);
    CHECK(a.is == argument::kind::real);
    CHECK(std::abs(a.real) == std::numeric_limits<double>::max());
    CHECK((a.real < 0) == text.starts_with("-"));
  }
}

TEST_CASE("infinity is a word") {
  const auto read = [](std::string_view text, argument& a) {
    const json::document d = json::parse(text.data(), text.size());
    return fx_reading::set_infinity(d.root(text.data()), a);
  };
  argument a;
  CHECK(read(R"("inf")", a));
  CHECK(a.is == argument::kind::real);
  CHECK(a.real > 1e300);
  CHECK(read(R"("-inf")", a));
  CHECK(a.real < -1e300);
  CHECK(!read(R"("nan")", a));
  CHECK(!read("3", a));
}

TEST_CASE("escapes of a string become its characters") {
  constexpr std::string_view text = R"(["a\u0062\n", "plain"])";
  const json::document d = json::parse(text.data(), text.size());
  const json::element first = d.root(text.data()).first();
  CHECK(fx_reading::unescaped(first) == "ab\n");
  CHECK(fx_reading::unescaped(first.next()) == "plain");
}

TEST_CASE("a shape of as many axes as shapes have is kept, of a larger rank there is none") {
  const auto shape_of = [](std::string_view text) {
    const json::document d = json::parse(text.data(), text.size());
    std::optional<shape> out;
    json::element where;
    CHECK(fx_reading::read_shape(d.root(text.data()), out, where).empty());
    return out;
  };
  static_assert(max_rank == 6);
  CHECK(shape_of("[1, 2, 3, 4, 5, 6]") == shape{1, 2, 3, 4, 5, 6});
  CHECK_FALSE(shape_of("[1, 2, 3, 4, 5, 6, 7]").has_value());
}

}  // namespace
