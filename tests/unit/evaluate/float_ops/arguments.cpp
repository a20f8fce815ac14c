// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/float_ops/arguments.hpp"

#include <doctest/doctest.h>

using namespace ctq::float_ops;

TEST_CASE("positional arguments and keywords get the names of their parameters") {
  const auto bound = bind("f", {"input, dim=None, keepdim=False"},
                          {.positional = {1}, .keywords = {{"keepdim", true}}});
  REQUIRE(bound);
  CHECK(as_integer(*bound->find("input")) == 1);
  CHECK(bound->find("dim") == nullptr);
  CHECK(as_integer(*bound->find("keepdim")) == 1);
}

TEST_CASE("*dims takes what is left, or one list") {
  const auto apart = bind("f", {"input, *dims"}, {.positional = {0, 2, 3}});
  const auto together = bind("f", {"input, *dims"}, {.positional = {0, list{2, 3}}});
  const auto keyword = bind("f", {"input, *dims"}, {.positional = {0}, .keywords = {{"dims", 2}}});
  REQUIRE((apart && together && keyword));
  CHECK(apart->find("dims")->get_if<list>()->size() == 2);
  CHECK(together->find("dims")->get_if<list>()->size() == 2);
  CHECK(as_integer(*keyword->find("dims")) == 2);
}

TEST_CASE("what Python rejects is an error with its place") {
  const auto cause = [](python_call c) {
    const auto bound = bind("f", {"input, *, alpha=1"}, std::move(c));
    return bound ? std::string() : bound.error().message();
  };
  CHECK(cause({.positional = {1, 2}}) == "f: takes 1 positional arguments, not 2");
  CHECK(cause({.keywords = {{"beta", 1}}}) == "f: has no parameter beta");
  CHECK(cause({.positional = {1}, .keywords = {{"input", 1}}}) == "f: got two values for input");
  CHECK(cause({.positional = {1}, .keywords = {{"alpha", 2}}}).empty());
}

TEST_CASE("a module's tensor takes the place of the flag that asked for it") {
  const auto bound = bind("Conv2d", {"input, *, bias=None"},
                          {.positional = {1}, .attributes = {{"bias", true}, {"bias", 2.5}}});
  REQUIRE(bound);
  CHECK(as_real(*bound->find("bias")) == 2.5);
}
