// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/containers/span.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

using namespace ctq;

namespace {

struct base {};
struct derived : base {};

template <class From, class To>
constexpr bool converts = std::is_convertible_v<From, To>;

static_assert(converts<std::vector<int>&, span<int>>);
static_assert(converts<std::vector<int>&, span<const int>>);
static_assert(converts<const std::vector<int>&, span<const int>>);
static_assert(converts<std::vector<int>, span<const int>>, "an argument of one call");
static_assert(converts<std::array<int, 3>&, span<int>>);
static_assert(converts<int (&)[3], span<int>>);
static_assert(converts<int (&)[3], span<const int>>);
static_assert(converts<const int (&)[3], span<const int>>);
static_assert(converts<std::string&, span<const char>>);
static_assert(converts<span<int>, span<const int>>);
static_assert(converts<std::span<int>, span<int>>);
static_assert(converts<std::span<int>, span<const int>>);
static_assert(converts<std::span<int, 3>, span<int>>);
static_assert(converts<span<int>, std::span<int>>);
static_assert(converts<span<int>, std::span<const int>>);
static_assert(converts<span<const int>, std::span<const int>>);

struct without_size {
  int* data();
  int* begin();
  int* end();
};
static_assert(converts<without_size&, span<int>>, "as a tensor");

static_assert(!converts<std::vector<int>, span<int>>, "elements of a temporary");
static_assert(!converts<const std::vector<int>&, span<int>>);
static_assert(!converts<const int (&)[3], span<int>>);
static_assert(!converts<span<const int>, span<int>>);
static_assert(!converts<span<const int>, std::span<int>>);
static_assert(!converts<std::vector<int>&, span<unsigned>>);
static_assert(!converts<std::vector<derived>&, span<base>>, "elements of another size");
static_assert(!converts<std::vector<bool>&, span<bool>>);
static_assert(!converts<int, span<int>>);

static_assert(std::is_same_v<decltype(span(std::declval<std::vector<int>&>())), span<int>>);
static_assert(
    std::is_same_v<decltype(span(std::declval<const std::vector<int>&>())), span<const int>>);
static_assert(std::is_same_v<decltype(span(std::declval<int (&)[2]>())), span<int>>);
static_assert(std::is_same_v<decltype(span(static_cast<const int*>(nullptr), 2)), span<const int>>);
static_assert(std::is_trivially_copyable_v<span<int>>);

constexpr int numbers[] = {1, 2, 3, 4};

static_assert(span<int>{}.empty() && span<int>{}.data() == nullptr);
static_assert(span(numbers).size() == 4 && span(numbers).size_bytes() == 4 * sizeof(int));
static_assert(!span(numbers).empty());
static_assert(span(numbers).front() == 1 && span(numbers).back() == 4 && span(numbers)[2] == 3);
static_assert(span(numbers).first(3).back() == 3);
static_assert(span(numbers).subspan(1).front() == 2 && span(numbers).subspan(1).size() == 3);
static_assert(span(numbers).subspan(1, 2).back() == 3 && span(numbers).subspan(4).empty());

TEST_CASE("elements are written through a span") {
  std::vector<int> values{1, 2, 3};
  const span<int> all = values;
  for (int& x : all) x *= 2;
  all[1] = 7;
  CHECK(values == std::vector<int>{2, 7, 6});
  const std::span<int> same = all.subspan(1);
  same[0] = 8;
  CHECK(values == std::vector<int>{2, 8, 6});
}

TEST_CASE("bytes of elements") {
  const std::uint16_t values[] = {0x1234, 0xABCD};
  const span<const std::byte> bytes = as_bytes(span(values));
  CHECK(bytes.size() == 4);
  CHECK(static_cast<const void*>(bytes.data()) == values);
}

}  // namespace
