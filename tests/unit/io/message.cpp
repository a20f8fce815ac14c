// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/io/message.hpp"

#include <doctest/doctest.h>

#include <array>
#include <span>

namespace {

TEST_CASE("a sentence joins words and numbers") {
  CHECK(ctq::sentence("shape ", -3, ", ", std::string{"data "}, 7U) == "shape -3, data 7");
}

TEST_CASE("a name is shown without characters that act on a terminal") {
  CHECK(ctq::shown("fc.weight") == "fc.weight");
  CHECK(ctq::shown("caf\xC3\xA9") == "caf\xC3\xA9");
  CHECK(ctq::shown("a\x1B[2Jb\n\x7F") == R"(a\x1b[2Jb\n\x7f)");
  CHECK(ctq::shown("\xC2\x9B"
                   "2J") == R"(\u009b2J)");  // U+009B, the other way to write ESC [
  CHECK(ctq::shown("\xFF\xC3") == R"(\xff\xc3)");
  CHECK(ctq::shown("a\xE2\x80\xAE"
                   "b") == R"(a\u202eb)");  // would turn the letters around
}

TEST_CASE("a long name is cut between two characters") {
  CHECK(ctq::shown(std::string(80, 'x')) == std::string(80, 'x'));
  CHECK(ctq::shown(std::string(81, 'x')) == std::string(80, 'x') + "...");
  CHECK(ctq::shown(std::string(79, 'x') + "\xC3\xA9") == std::string(79, 'x') + "...");
}

TEST_CASE("a shape is shown as PyTorch prints it") {
  using extents = std::array<std::int64_t, 2>;
  CHECK(ctq::shown(std::span<const std::int64_t>{}) == "[]");
  CHECK(ctq::shown(extents{10, 64}) == "[10, 64]");
  CHECK(ctq::shown(std::array<std::int64_t, 9>{}) == "[0, 0, 0, 0, 0, 0, 0, 0, ...]");
}

}  // namespace
