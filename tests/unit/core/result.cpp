// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/result.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <type_traits>
#include <utility>

#include "../death.hpp"

using namespace ctq;

namespace {

static_assert(std::is_same_v<result<int>::value_type, int>);
static_assert(std::is_convertible_v<int, result<int>>);
static_assert(std::is_convertible_v<unexpected, result<int>>);
static_assert(!std::is_convertible_v<result<int>, bool>);  // only where a bool is asked for

// What is read of a temporary is a value, so that nothing refers to what is gone.
static_assert(std::is_same_v<decltype(*std::declval<result<int>&>()), int&>);
static_assert(std::is_same_v<decltype(*std::declval<result<int>>()), int>);
static_assert(std::is_same_v<decltype(std::declval<result<int>>().error()), error>);
static_assert(std::is_same_v<decltype(std::declval<result<int>>().value_or_exit()), int>);
static_assert(std::is_same_v<decltype(std::declval<result<int>&>().value_or_exit()), int&>);

result<int> half_of(int x) {
  if (x % 2 != 0) return fail("argument", "odd");
  return x / 2;
}

status only_even(int x) {
  if (x % 2 != 0) return fail("", "odd");
  return done{};
}

TEST_CASE("a result holds the value") {
  const result<int> r = half_of(8);
  REQUIRE(r.has_value());
  CHECK(static_cast<bool>(r));
  CHECK(*r == 4);
}

TEST_CASE("a result holds the error, with its place and its cause") {
  const result<int> r = half_of(7);
  REQUIRE(!r.has_value());
  CHECK(r.error().place == "argument");
  CHECK(r.error().cause == "odd");
  CHECK(r.error().message() == "argument: odd");
}

TEST_CASE("an error without a place is its cause alone") {
  CHECK(only_even(3).error().message() == "odd");
  CHECK(only_even(2).has_value());
}

TEST_CASE("an error is handed on with another place") {
  const auto outer = []() -> result<std::string> {
    const auto r = half_of(1);
    if (!r) return unexpected{{"outer, " + r.error().place, r.error().cause}};
    return std::string{};
  };
  CHECK(outer().error().message() == "outer, argument: odd");
}

TEST_CASE("a value can be changed in place and moved out") {
  result<std::string> text = std::string{"conv"};
  *text += "1";
  CHECK(text->size() == 5);
  CHECK(*std::move(text) == "conv1");

  result<std::unique_ptr<int>> owner = std::make_unique<int>(3);
  const std::unique_ptr<int> taken = *std::move(owner);
  CHECK(*taken == 3);
}

TEST_CASE("value_or_exit gives the value, or ends the program with the error") {
  CHECK(half_of(8).value_or_exit() == 4);
  const death d = death_of([] { half_of(7).value_or_exit(); });
  CHECK(d.exit_code == 1);
  CHECK(d.said == "error: argument: odd\n");
}

TEST_CASE("what is not there is not read: the program aborts, and says the error") {
  const death d = death_of([] { static_cast<void>(*half_of(7)); });
  CHECK(d.signal == SIGABRT);
  CHECK(d.said.find("argument: odd") != std::string::npos);
  CHECK(death_of([] { static_cast<void>(half_of(7).operator->()); }).signal == SIGABRT);
  const death of_error = death_of([] { static_cast<void>(half_of(8).error()); });
  CHECK(of_error.signal == SIGABRT);
  CHECK(of_error.said.find("a result with a value has no error") != std::string::npos);
}

TEST_CASE("a value of type error is still a value") {
  const result<error> r = error{"a", "b"};
  CHECK(r.has_value());
  CHECK((*r).cause == "b");
}

}  // namespace
