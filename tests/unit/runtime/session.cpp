// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/session.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <utility>

#include "../death.hpp"
#include "ctq/runtime/convert.hpp"
#include "small_net.hpp"

using namespace ctq;

namespace {

tensor<float, 3, 21> sample() {
  std::mt19937 random{1};
  tensor<float, 3, 21> x;
  small::fill(x, random);
  return x;
}

auto converted() {
  auto observed = prepare<small::mlp, x86, small::int8>(small::checked_weights<small::mlp>(5));
  observed(sample());
  return convert(observed).value_or_exit();
}

}  // namespace

TEST_CASE("a model gives its output, or fills one, with a session or without") {
  const auto model = converted();
  const auto x = sample();
  const auto y = model(x);
  tensor<float, 3, 5> filled;
  model(x, filled);
  CHECK(filled.values == y.values);
  session run{model};
  CHECK(run(x).values == y.values);
  run(x, filled);
  CHECK(filled.values == y.values);
  auto memory = std::make_unique<decltype(model)::arena>();
  filled = {};
  model.run(x, filled, *memory);
  CHECK(filled.values == y.values);
}

TEST_CASE("a run without an arena, or with one that is not aligned, ends with a message") {
  const auto model = converted();
  const auto memory = std::make_unique<decltype(model)::arena>();
  const auto x = sample();
  tensor<float, 3, 5> y;
  for (std::byte* const wrong : {static_cast<std::byte*>(nullptr), memory->data() + 32}) {
    const death d = death_of([&] { model.run(x, y, wrong); });
    CHECK(d.signal == SIGABRT);
    CHECK(d.said ==
          "ctq: precondition violated: run needs an arena: arena_bytes bytes, 64-byte aligned\n");
  }
}

TEST_CASE("a session keeps its model alive, and takes temporary inputs") {
  session run{converted()};
  CHECK(run(sample()).values == converted()(sample()).values);
}

TEST_CASE("a model that was moved from is still a model") {
  auto model = converted();
  const auto other = std::move(model);
  CHECK(model(sample()).values == other(sample()).values);  // NOLINT(bugprone-use-after-move)
}

TEST_CASE("a session that was moved from aborts with words") {
  session run{converted()};
  session other = std::move(run);
  CHECK(other(sample()).values == converted()(sample()).values);
  const death d = death_of([&] { run(sample()); });  // NOLINT(bugprone-use-after-move)
  CHECK(d.signal == SIGABRT);
  CHECK(d.said.find("this session was moved from") != std::string::npos);
}

TEST_CASE("who does not trust the data asks whether it is finite") {
  const session run{converted()};
  auto x = sample();
  CHECK(run.check_finite(x));
  x[20] = -std::numeric_limits<float>::infinity();
  CHECK(run.check_finite(x).error().message() == "element 20: is infinite");
}

TEST_CASE("NaN counts as the zero point, infinity as an end of the range") {
  session run{converted()};
  auto x = sample();
  x[3] = 0.0F;
  x[4] = 1e30F;
  const auto wanted = run(x);
  x[3] = std::numeric_limits<float>::quiet_NaN();
  x[4] = std::numeric_limits<float>::infinity();
  CHECK(run(x).values == wanted.values);
}
