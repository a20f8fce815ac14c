// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/schedule/memory.hpp"
#include "ctq/core/packing.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <random>

using namespace ctq;

namespace {

constexpr list<buffer> planned(std::initializer_list<buffer> all, std::size_t& arena) {
  list<buffer> buffers;
  for (const buffer& b : all) buffers.push_back(b);
  arena = plan_memory(buffers);
  return buffers;
}

// A chain needs two buffers in turn: what a step reads is alive while it writes.
static_assert([] {
  std::size_t arena = 0;
  const list<buffer> b = planned({{64, 0, 1}, {64, 1, 2}, {64, 2, 3}, {64, 3, 4}}, arena);
  return arena == 128 && b[0].offset == b[2].offset && b[1].offset == b[3].offset &&
         b[0].offset != b[1].offset;
}());

// A value that lives on keeps its place.
static_assert([] {
  std::size_t arena = 0;
  const list<buffer> b = planned({{64, 0, 9}, {64, 1, 2}, {64, 2, 3}, {64, 3, 9}}, arena);
  return arena == 192 && b[0].offset == 0 && b[1].offset == 64 && b[2].offset == 128 &&
         b[3].offset == 64;
}());

// The smallest gap that holds it.
static_assert([] {
  std::size_t arena = 0;
  const list<buffer> b =
      planned({{256, 0, 1}, {64, 0, 9}, {64, 0, 1}, {64, 0, 9}, {64, 2, 3}}, arena);
  return b[4].offset == b[2].offset && arena == 448;
}());

// A buffer that nobody reads still has a place of its own while it is written.
static_assert([] {
  std::size_t arena = 0;
  planned({{64, 0, 0}, {64, 0, 1}}, arena);
  return arena == 128;
}());

static_assert([] {
  list<buffer> none;
  return plan_memory(none) == 0;
}());

bool overlap(const buffer& a, const buffer& b) {
  return a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

TEST_CASE("two values that live at a time never share bytes") {
  std::mt19937 random(3);
  const auto below = [&](unsigned n) { return static_cast<int>(random() % n); };
  for (int round = 0; round < 500; ++round) {
    list<buffer> buffers;
    int step = 0;
    std::size_t most = 0;
    const int count = 1 + below(60);
    for (int i = 0; i < count; ++i) {
      step += below(2);
      const auto bytes = static_cast<std::size_t>(1 + below(1000));
      buffers.push_back({bytes, step, step + below(8), 0});
    }
    const std::size_t arena = plan_memory(buffers);
    for (std::size_t a = 0; a < buffers.size(); ++a) {
      CHECK(buffers[a].offset % packing::alignment == 0);
      CHECK(buffers[a].offset + buffers[a].bytes <= arena);
      std::size_t alive = packing::padded(buffers[a].bytes);
      for (std::size_t b = 0; b < a; ++b) {
        if (buffers[b].read < buffers[a].written) continue;
        CHECK(!overlap(buffers[a], buffers[b]));
        alive += packing::padded(buffers[b].bytes);
      }
      most = alive > most ? alive : most;
    }
    CHECK(arena >= most);      // what must be alive at a time
    CHECK(arena <= 2 * most);  // and not much more
  }
}

}  // namespace
