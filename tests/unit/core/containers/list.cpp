// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/containers/list.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

using ctq::list;

namespace {

constexpr int sum_of_squares(int n) {
  list<int> l;
  for (int i = 0; i < n; ++i) l.push_back(i * i);
  int sum = 0;
  for (const int x : l) sum += x;
  return sum;
}
static_assert(sum_of_squares(0) == 0);
static_assert(sum_of_squares(100) == 328350);  // grows several times

static_assert([] {
  list<int> a(3, 7);
  list<int> b = a;
  b[0] = 1;
  list<int> c = std::move(a);
  c.push_back(c[0]);  // an element of itself
  b = c;
  b = std::move(c);
  return b.size() == 4 && b[0] == 7 && b.back() == 7 && a.empty() && c.empty();  // NOLINT
}());

static_assert([] {
  const int items[] = {4, 5, 6};
  list<int> l(items, 3);
  l.clear();
  l.push_back(9);
  return l.size() == 1 && l[0] == 9 && l.end() - l.begin() == 1;
}());

TEST_CASE("a list grows and keeps what was in it") {
  list<std::string> l;
  for (int i = 0; i < 1000; ++i) l.push_back(std::to_string(i));
  REQUIRE(l.size() == 1000);
  for (int i = 0; i < 1000; ++i) CHECK(l[static_cast<std::size_t>(i)] == std::to_string(i));
}

TEST_CASE("an item that is added after clear() is new, though its memory is not") {
  list<int> l(3, 7);
  l.clear();
  CHECK(l.emplace_back() == 0);
  CHECK(l.size() == 1);
}

TEST_CASE("an element of a full list can be appended to it") {
  list<std::string> l(8, "a string that is too long to lie in the object itself");
  l.push_back(l[0]);
  CHECK(l.back() == l[0]);
}

TEST_CASE("copies are independent, moved-from lists are empty") {
  list<std::string> a(2, "x");
  list<std::string> b = a;
  b[0] = "y";
  CHECK(a[0] == "x");
  const list<std::string>& itself = a;
  a = itself;
  CHECK(a.size() == 2);
  const list<std::string> c = std::move(a);
  CHECK(a.empty());  // NOLINT
  CHECK(c[1] == "x");
}

static_assert(list<int>(2, 7) == list<int>(2, 7));
static_assert(!(list<int>(2, 7) == list<int>(3, 7)) && !(list<int>(2, 7) == list<int>(2, 8)));
static_assert(!(list<int>(1, 7) == list<int>(1, 8)) && list<int>{} == list<int>{});

TEST_CASE("reserve never loses elements") {
  list<int> l;
  l.push_back(1);
  l.reserve(100);
  const int* const where = l.data();
  for (int i = 0; i < 99; ++i) l.push_back(i);
  CHECK(l.data() == where);
  const volatile std::size_t less = 1;  // g++ 12 warns of what it cannot reach, were it a constant
  l.reserve(less);
  CHECK(l.size() == 100);
}

}  // namespace
