// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/name_regex.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>

using namespace ctq;

namespace {

// It fits at the start of the name: not a search, not the whole.
static_assert(regex_matches("conv", "conv1"));
static_assert(!regex_matches("conv", "layer1.conv"));
static_assert(regex_matches(".*conv", "layer1.conv"));
static_assert(!regex_matches("conv1$", "conv10"));
static_assert(regex_matches("", ""));
static_assert(regex_matches(R"(layer[1-3]\.\d+\.(conv|bn)2$)", "layer3.12.bn2"));
static_assert(!regex_matches(R"(layer[1-3]\.\d+\.(conv|bn)2$)", "layer4.12.bn2"));

constexpr std::string_view names[] = {"",
                                      "conv1",
                                      "conv12",
                                      "fc",
                                      "fcx",
                                      "layer1",
                                      "layer1.0",
                                      "layer10",
                                      "layer1.0.conv1",
                                      "layer1.0.conv2",
                                      "layer1.1.bn2",
                                      "layer2.0.conv1",
                                      "layer2.10.conv3",
                                      "bn1",
                                      "abcd",
                                      "aaab",
                                      "a-a",
                                      "head.relu",
                                      "x_12",
                                      "features.0.batch_norm"};

struct answer {
  std::string_view expression;
  std::string_view fits;  // for each of the names above, what bool(re.match(...)) of Python 3.11 is
};

// clang-format off
constexpr answer of_python[] = {
    {R"()", "11111111111111111111"},
    {R"(conv1)", "01100000000000000000"},
    {R"(conv)", "01100000000000000000"},
    {R"(layer1\.0)", "00000010110000000000"},
    {R"(layer1.0)", "00000010110000000000"},
    {R"(layer[12]\.0\.conv1$)", "00000000100100000000"},
    {R"(.*conv.*)", "01100000110110000000"},
    {R"(.*conv2$)", "00000000010000000000"},
    {R"(layer\d+\.\d+\.conv\d)", "00000000110110000000"},
    {R"((layer1|layer2)\..*)", "00000010111110000000"},
    {R"(layer1|fc)", "00011111111000000000"},
    {R"(^layer)", "00000111111110000000"},
    {R"(^fc$)", "00010000000000000000"},
    {R"((?:conv|bn)\d)", "01100000000001000000"},
    {R"([^l].*)", "01111000000001111111"},
    {R"([a-f]+\d?$)", "00010000000000110000"},
    {R"(.*\.relu?$)", "00000000000000000100"},
    {R"((a|ab)(c|bcd)$)", "00000000000000100000"},
    {R"((a*)*b)", "00000000000001110000"},
    {R"(\w+\.\w+\.\w+$)", "00000000111110000001"},
    {R"(.*[.]0[.].*)", "00000000110100000001"},
    {R"(layer1\.(0|1)\.(conv|bn)[12]$)", "00000000111000000000"},
    {R"((layer\d\.)?conv1$)", "01000000000000000000"},
    {R"(.+?1$)", "01000100100101000000"},
    {R"($)", "10000000000000000000"},
    {R"(fc|)", "11111111111111111111"},
    {R"((|x)fc)", "00011000000000000000"},
    {R"(\D+1$)", "01000100000001000000"},
    {R"(\S*$)", "11111111111111111111"},
    {R"([\w.]*$)", "11111111111111110111"},
    {R"([]a]+$)", "00000000000000000000"},
    {R"([^]]*$)", "11111111111111111111"},
    {R"([a-]+$)", "00000000000000001000"},
    {R"([-a]+$)", "00000000000000001000"},
    {R"(x_[\d]+)", "00000000000000000010"},
    {R"(.*_norm)", "00000000000000000001"},
};
// clang-format on

// What Python accepts and is not known here, and what Python refuses too.
constexpr std::string_view not_known[] = {"a{2}",      "{",     "a++",   "(?=a)",
                                          "(?P<n>a)",  "(?i)a", R"(\1)", R"((a)\1)",
                                          R"(\bconv)", R"(\n)", R"(\A)", R"([\n])"};
constexpr std::string_view wrong[] = {
    "(",         ")",         "(a",  "a)",   "[a",    "[",       "[]", "[^]", "*",
    "+a",        "?",         "a**", "a*??", "a|*",   "(*a)",    "^*", "$+",  "[b-a]",
    R"([\d-z])", R"([a-\d])", "\\",  "a\\",  R"(\q)", R"([\q])", "(?", "(?:", "(?:a"};

static_assert([] {
  for (const std::string_view e : not_known)
    if (name_regex{e}.valid()) return false;
  for (const std::string_view e : wrong)
    if (name_regex{e}.valid()) return false;
  return true;
}());

TEST_CASE("expressions fit the names that Python's re.match says") {
  for (const answer& a : of_python) {
    CAPTURE(a.expression);
    REQUIRE(a.fits.size() == std::size(names));
    const name_regex regex{a.expression};
    CHECK(regex.valid());
    for (std::size_t i = 0; i < std::size(names); ++i) {
      CAPTURE(names[i]);
      CHECK(regex.matches(names[i]) == (a.fits[i] == '1'));
    }
  }
}

TEST_CASE("an expression that is not valid fits nothing") {
  for (const std::string_view e : wrong) {
    CAPTURE(e);
    for (const std::string_view name : names) CHECK(!regex_matches(e, name));
  }
}

TEST_CASE("an expression that takes others exponential time takes little") {
  CHECK(!regex_matches("(a*)*(a*)*(a*)*b", std::string(200, 'a')));
  CHECK(regex_matches("(a|a)*$", std::string(200, 'a')));
}

TEST_CASE("$ also fits before a newline at the end, as in Python") {
  CHECK(regex_matches("fc$", "fc\n"));
  CHECK(!regex_matches("fc$", "fc\nx"));
  CHECK(!regex_matches("fc.", "fc\n"));
}

TEST_CASE("any text is read without a mistake, valid or not") {
  std::mt19937 random(7);
  constexpr std::string_view letters = R"(ab1.()[]{}|*+?^$\-dw:=)";
  for (int i = 0; i < 20000; ++i) {
    std::string expression(random() % 12, ' ');
    for (char& c : expression) c = letters[random() % letters.size()];
    const name_regex regex{expression};
    if (!regex.valid()) CHECK(!regex.matches("ab1"));
    (void)regex.matches("ab1.ab");
  }
}

}  // namespace
