// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/report.hpp"

#include <doctest/doctest.h>

#include <string>
#include <type_traits>
#include <vector>

#include "ctq/core/diagnostic.hpp"

// What fails to compile is tested in tests/fail. Here: how words become lines.

using namespace ctq;

namespace {

struct nothing_wrong {
  static constexpr bool bad() { return false; }
  static constexpr auto message() { return diagnostic{}.text; }
};
struct checked : report<nothing_wrong> {};
static_assert(std::is_empty_v<checked>);
static_assert(ok<> && !ok<line<2>{"a"}>);

static_assert(wrap::count_lines("") == 0);
static_assert(wrap::count_lines("one") == 1);
static_assert(wrap::count_lines("one\ntwo") == 2);
static_assert(wrap::count_lines("one\n") == 1);
static_assert(wrap::count_lines("one\n\ntwo") == 3);

std::vector<std::string> lines(std::string_view text) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < wrap::count_lines(text); ++i) {
    const wrap::range r = wrap::nth_line(text, i);
    all.emplace_back(text.substr(r.begin, r.end - r.begin));
  }
  return all;
}

TEST_CASE("a newline ends a line") {
  CHECK(lines("node pool1:\nno earlier node is named\nrleu1") ==
        std::vector<std::string>{"node pool1:", "no earlier node is named", "rleu1"});
}

TEST_CASE("a long line breaks at the last space that fits") {
  CHECK(lines("pattern: (torch.nn.Conv2d, torch.nn.ReLU)") ==
        std::vector<std::string>{"pattern: (torch.nn.Conv2d,", "torch.nn.ReLU)"});
}

TEST_CASE("a line as long as the width is kept whole") {
  const std::string exact(wrap::width, 'x');
  CHECK(lines(exact) == std::vector<std::string>{exact});
  CHECK(lines(exact + " y") == std::vector<std::string>{exact, "y"});
  CHECK(lines(exact + "\ny") == std::vector<std::string>{exact, "y"});
}

TEST_CASE("a word longer than the width is cut, and nothing is lost") {
  const std::string word(2 * wrap::width + 5, 'w');
  CHECK(lines(word) == std::vector<std::string>{std::string(wrap::width, 'w'),
                                                std::string(wrap::width, 'w'), "wwwww"});
}

TEST_CASE("no line is wider than what clang prints") {
  std::string text;
  for (int i = 0; i < 200; ++i) text += std::string(static_cast<std::size_t>(i % 50), 'a') + ' ';
  for (const std::string& l : lines(text)) CHECK(l.size() <= wrap::width);
}

}  // namespace
