// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/json/read_pattern.hpp"

#include <doctest/doctest.h>

#include <string>

#include "parsed.hpp"

using namespace ctq;

namespace {

struct reading {
  list<pattern_element> elements;
  findings found;

  constexpr reading(std::string_view text, bool flat) {
    const json::parsed in{text};
    elements.push_back({nn::tanh.id(), 0});  // of the config before
    json::pattern_reader{ops<builtin>::value, found, elements}.read(in.root(), flat);
  }
  [[nodiscard]] constexpr pattern_record pattern() const {
    return {{elements.data() + 1, static_cast<int>(elements.size()) - 1}};
  }
};

template <auto... Op>
constexpr bool is(std::string_view text, bool flat) {
  const reading r{text, flat};
  return r.found.total() == 0 && r.pattern() == pattern<Op...>::value;
}

constexpr bool flat = true;
constexpr bool nested_form = false;

static_assert(is<nn::linear>(R"("nn.Linear")", flat));
static_assert(is<nn::linear>(R"(["nn.Linear"])", flat));
static_assert(is<nn::conv2d, nn::relu>(R"(["nn.Conv2d", "nn.ReLU"])", flat));
static_assert(is<nn::conv2d, nn::batch_norm2d, nn::relu>(
    R"(["nn.Conv2d", "nn.BatchNorm2d", "nn.ReLU"])", flat));
static_assert(is<nn::linear>(R"("nn.Linear")", nested_form));
static_assert(is<nn::conv2d, nn::relu>(R"(["nn.ReLU", "nn.Conv2d"])", nested_form));
static_assert(is<nested<op::add, match_all, nested<nn::batch_norm2d, nn::conv2d>>, nn::relu>(
    R"(["nn.ReLU", ["operator.add", "MatchAllNode", ["nn.BatchNorm2d", "nn.Conv2d"]]])",
    nested_form));

TEST_CASE("an empty list is not a pattern, in either form") {
  CHECK(reading{"[]", flat}.pattern().element.empty());
  const reading r{"[]", nested_form};
  CHECK(r.pattern().element.empty());
  REQUIRE(r.found.size() == 1);
  CHECK(r.found[0].rule == rule::pattern_form);
}

TEST_CASE("a pattern in which something is wrong is empty, those before it stay") {
  for (const char* const text : {R"(["nn.ReLU", ["MatchAllNode", "nn.ReLU"]])",
                                 R"(["nn.ReLU", "nn.Relux"])", R"(["nn.ReLU", 7])"}) {
    const reading r{text, nested_form};
    CHECK(r.found.total() == 1);
    CHECK(r.elements.size() == 1);
  }
}

}  // namespace
