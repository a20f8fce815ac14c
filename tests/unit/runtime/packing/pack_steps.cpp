// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/packing/pack_steps.hpp"

#include <doctest/doctest.h>

#include <span>
#include <vector>

namespace {

constexpr std::size_t five_bytes(const ctq::kernel_signature&) { return 5; }

constexpr ctq::step three[3];
static_assert(ctq::packed_end({five_bytes, nullptr}, std::span(three)) == 192);

}  // namespace

TEST_CASE("channels_last moves the channels behind the pixels") {
  const std::vector<int> oihw = {0, 1, 2, 3, 10, 11, 12, 13};  // 1 output, 2 channels, 2 x 2
  CHECK(ctq::packing::channels_last<int>(oihw, 1, 2) ==
        std::vector<int>{0, 10, 1, 11, 2, 12, 3, 13});
}
