// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/same_text.hpp"

#include <doctest/doctest.h>

#include <string>

using ctq::same_text;

namespace {

using namespace std::string_view_literals;

static_assert(same_text("", ""));
static_assert(same_text({}, "") && same_text("", {}) && same_text({}, {}));  // null is empty
static_assert(same_text("torch.nn.Conv2d", "torch.nn.Conv2d"));
static_assert(!same_text("torch.nn.Conv2d", "torch.nn.Conv3d"));
static_assert(!same_text("torch.nn.Conv2d", "torch.nn.Conv2"));
static_assert(!same_text("a", "") && !same_text("", "a"));
static_assert(same_text("a\0b"sv, "a\0b"sv) && !same_text("a\0b"sv, "a\0c"sv));
static_assert(!same_text("\x7F", "\xFF"));

// Names of 20 characters, compared a thousand times, stay far below clang's limit of steps.
static_assert([] {
  constexpr std::string_view a = "qint8 or quint8 here", b = "qint8 or quint8 herf";
  int same = 0;
  for (int i = 0; i < 1000; ++i) same += same_text(a, i % 2 == 0 ? a : b) ? 1 : 0;
  return same;
}() == 500);

static_assert([] {  // arrays that a constant expression fills
  char a[4]{}, b[4]{};
  for (int i = 0; i < 4; ++i) a[i] = b[i] = static_cast<char>('a' + i);
  const bool before = same_text({a, 4}, {b, 4});
  b[3] = 'x';
  return before && !same_text({a, 4}, {b, 4}) && same_text({a, 3}, {b, 3});
}());

TEST_CASE("texts are the same when every byte is") {
  const std::string a = "torch.nn.intrinsic.ConvReLU2d";
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::string b = a;
    CHECK(same_text(a, b));
    b[i] = '\0';
    CHECK_FALSE(same_text(a, b));
    CHECK_FALSE(same_text(a, std::string_view{a}.substr(i + 1)));
  }
  CHECK(same_text({}, std::string{}));
}

}  // namespace
