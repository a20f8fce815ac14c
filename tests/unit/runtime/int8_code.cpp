// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/int8_code.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ctq/core/isa.hpp"
#include "small_net.hpp"

using namespace ctq;

namespace {

using plan_of_mlp = ctq::plan<small::mlp, ctq::x86, small::int8>;
using code = int8_code<plan_of_mlp, isa::native>;
constexpr auto steps = static_cast<std::size_t>(plan_of_mlp::int8_schedule.count);

/// What f writes to the standard error; it must fit in a pipe.
template <class F>
std::string errors_of(F f) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const int before = ::dup(STDERR_FILENO);
  ::dup2(ends[1], STDERR_FILENO);
  f();
  ::dup2(before, STDERR_FILENO);
  ::close(before);
  ::close(ends[1]);
  std::string text(1 << 14, '\0');
  const auto count = ::read(ends[0], text.data(), text.size());
  ::close(ends[0]);
  text.resize(static_cast<std::size_t>(std::max<decltype(count)>(count, 0)));
  return text;
}

}  // namespace

TEST_CASE("a verbose run writes a line a step, and gives the same bytes") {
  const auto weights = small::checked_weights<small::mlp>(3);
  const std::vector<qparams> observed(static_cast<std::size_t>(plan_of_mlp::prepared.observers),
                                      {0.05F, 120, 0, 255});
  const auto p = code::make(small::state_of<plan_of_mlp>(weights.get(), {}).tensors, observed);
  REQUIRE(p);
  std::mt19937 random{5};
  tensor<float, 3, 21> x;
  small::fill(x, random);
  tensor<float, 3, 5> quiet, aloud;
  const void* const in[] = {x.data()};
  void* const to_quiet[] = {quiet.data()};
  void* const to_aloud[] = {aloud.data()};
  aligned_buffer arena(code::arena_bytes);

  verbose::state.store(0);
  const std::string nothing = errors_of([&] { code::run(*p, in, to_quiet, arena.data()); });
  verbose::state.store(1);
  const std::string lines = errors_of([&] { code::run(*p, in, to_aloud, arena.data()); });
  verbose::state.store(0);

  CHECK(nothing.empty());
  CHECK(quiet.values == aloud.values);
  CHECK(static_cast<std::size_t>(std::ranges::count(lines, '\n')) == steps);
  const std::string start = "ctq_verbose,run," + std::string{isa::native::name} + ",";
  CHECK(lines.starts_with(start));
  CHECK(lines.find(",linear+relu,quint8:quint8,3x21:3x17,dense:") != std::string::npos);
  // prefix, run, isa, node, kernel, dtypes, shape, blocking, bytes, time
  CHECK(static_cast<std::size_t>(std::ranges::count(lines, ',')) == 9 * steps);
}
