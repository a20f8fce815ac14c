// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/large_pages.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

using namespace ctq;

namespace {

constexpr std::uintptr_t page = large_page_bytes;

}  // namespace

static_assert(large_pages_in(page, page).size() == page);
static_assert(large_pages_in(page, page).begin == page);
static_assert(large_pages_in(page, page - 1).empty());
static_assert(large_pages_in(page + 1, page).empty());
static_assert(large_pages_in(page + 1, 2 * page - 1).size() == page);
static_assert(large_pages_in(page + 1, 2 * page - 1).begin == 2 * page);
static_assert(large_pages_in(page - 1, 3 * page).size() == 2 * page);
static_assert(large_pages_in(0, 0).empty());
static_assert(large_pages_in(5, 0).size() == 0);

TEST_CASE("memory is as before, and can be written") {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{100}, std::size_t{3 * page + 17}}) {
    std::vector<unsigned char> memory(bytes, 7);
    prefer_large_pages(memory.data(), memory.size());
    CHECK(std::ranges::all_of(memory, [](unsigned char x) { return x == 7; }));
    std::ranges::fill(memory, static_cast<unsigned char>(9));
    CHECK(std::ranges::all_of(memory, [](unsigned char x) { return x == 9; }));
  }
}
